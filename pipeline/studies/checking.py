"""Problems of a study's folder: missing recordings, lines that cannot be read, answers that are none."""

from collections.abc import Iterator

from pipeline.studies.answers import journal, read_journal
from pipeline.studies.items import what_is_wrong
from pipeline.studies.study import ANSWERS, GUIDELINES, MEDIA, StudyFolder


def problems(folder: StudyFolder) -> list[str]:
    """What is wrong with a study, one line each."""
    return [*_missing_files(folder), *_strange_answers(folder), *_strange_files(folder)]


def _missing_files(folder: StudyFolder) -> Iterator[str]:
    if not (folder.path / GUIDELINES).is_file():
        yield f"{folder.path / GUIDELINES}: missing; workers have nothing to read"
    names = {part.media for item in folder.study.items for part in item.shown if part.media}
    for name in sorted(names):
        if not (folder.path / MEDIA / name).is_file():
            yield f"{folder.path / MEDIA / name}: missing; put the recording back"


def _strange_answers(folder: StudyFolder) -> Iterator[str]:
    study = folder.study
    for sheet in study.sheets:
        path = journal(folder, sheet.worker)
        written = read_journal(path)
        yield from written.wrong
        for given in written.given:
            if given.worker != sheet.worker or given.item not in sheet.items:
                yield f"{path}: an answer of {given.worker} to {given.item}, which is not on this sheet"
            elif not given.late and (wrong := what_is_wrong(study.by_id[given.item], given.answers)):
                yield f"{path}: {given.item}: {wrong}"


def _strange_files(folder: StudyFolder) -> Iterator[str]:
    known = {journal(folder, sheet.worker).name for sheet in folder.study.sheets}
    for path in sorted((folder.path / ANSWERS).glob("*.jsonl")):
        if path.name not in known:
            yield f"{path}: of no worker of this study; add answers with `rostrum annotate collect --answers FILE`"
