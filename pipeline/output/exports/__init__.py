"""Exports: what a run found, in other tools' formats."""

from collections.abc import Callable, Iterator
from pathlib import Path

from pipeline.engine.finished import FinishedRun
from pipeline.engine.store import scope_of_speech
from pipeline.errors import RostrumError, StorageError
from pipeline.formats.annotation import AnnotatedSpeech, tiers
from pipeline.formats.audacity import audacity
from pipeline.formats.ctm import ctm
from pipeline.formats.eaf import eaf
from pipeline.formats.rttm import rttm
from pipeline.formats.seglst import seglst
from pipeline.formats.srt import srt
from pipeline.formats.stm import stm
from pipeline.formats.textgrid import textgrid
from pipeline.formats.tsv import tsv
from pipeline.formats.vtt import vtt
from pipeline.output.exports.annotated import annotated

Speeches = Iterator[AnnotatedSpeech]

# A file for every speech.
_BY_SPEECH: dict[str, tuple[str, Callable[[AnnotatedSpeech, FinishedRun], str]]] = {
    "srt": (".srt", lambda speech, run: srt(speech)),
    "vtt": (".vtt", lambda speech, run: vtt(speech)),
    "vtt-words": (".vtt", lambda speech, run: vtt(speech, word_times=True)),
    "tsv": (".tsv", lambda speech, run: tsv(speech)),
    "textgrid": (".TextGrid", lambda speech, run: textgrid(tiers(speech), speech.duration)),
    "eaf": (".eaf", lambda speech, run: eaf(tiers(speech), run.summary.started)),
}
# One file for the whole run.
_BY_RUN: dict[str, tuple[str, Callable[[Speeches], str]]] = {
    "ctm": ("words.ctm", ctm),
    "stm": ("sentences.stm", stm),
    "rttm": ("turns.rttm", lambda speeches: rttm({speech.id: speech.turns for speech in speeches})),
    "seglst": ("sentences.seglst.json", seglst),
}
FORMATS = (*_BY_SPEECH, *_BY_RUN, "audacity", "csv", "parquet", "datasets")


def export(run: FinishedRun, name: str, folder: Path) -> list[Path]:
    """Write the run in one format; returns the files. Speeches without a transcript are left out."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = list(_written(run, name, folder))
    except OSError as error:
        raise StorageError(f"{error.filename or folder}: cannot write it: {error.strerror}") from error
    if not written:
        raise RostrumError(f"{run.store.root}: no speech in it has a transcript, so there is nothing to export")
    return written


def _written(run: FinishedRun, name: str, folder: Path) -> Iterator[Path]:
    if name in _BY_SPEECH:
        suffix, text_of = _BY_SPEECH[name]
        for speech in _speeches(run):
            yield _write(folder / f"{scope_of_speech(speech.id)}{suffix}", text_of(speech, run))
    elif name in _BY_RUN:
        file, text_of_run = _BY_RUN[name]
        if text := text_of_run(_speeches(run)):
            yield _write(folder / file, text)
    elif name == "audacity":
        for speech in _speeches(run):
            for tier in tiers(speech):
                yield _write(folder / f"{scope_of_speech(speech.id)}.{tier.name}.txt", audacity(tier))
    elif name == "datasets":
        from pipeline.output.exports.hf_datasets import write_dataset

        yield from write_dataset(run, folder)
    else:
        yield from _tables(run, name, folder)


def _speeches(run: FinishedRun) -> Speeches:
    for speech in run.speeches:
        found = annotated(run, speech)
        if found:
            yield found


def _tables(run: FinishedRun, name: str, folder: Path) -> Iterator[Path]:
    from pipeline.output.frames import Frames

    for table, frame in Frames(run).items():
        path = folder / f"{table}.{name}"
        if name == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)
        yield path


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
