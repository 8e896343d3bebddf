"""What the answers of a study say: who is left out, the labels by the others, and the files that have all of it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.evaluation.data import write_rows
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.studies.items import Answer, Item, what_is_wrong
from pipeline.studies.labels import Decision, Labelled, Labels, Unit, agreement_rows, decisions, label
from pipeline.studies.output import Output
from pipeline.studies.pages import write_page
from pipeline.studies.quality import Rules, WorkerQuality, judge
from pipeline.studies.source import Source
from pipeline.studies.study import (
    ANSWERS,
    GUIDELINES,
    MEDIA,
    Given,
    Study,
    StudyFolder,
    all_given,
    journal,
    last_given,
    read_journal,
)
from pipeline.studies.tasks import TASKS

COLLECTED = "collected"


@dataclass(frozen=True)
class Collected:
    """The answers of a study without those to training items, and what follows from them.

    `given` are the last answers of everybody; `kept` those of workers who are not left out, and `decided` what they
    decided, also in test questions. `labels` are of the same.
    """

    folder: StudyFolder
    given: tuple[Given, ...]
    kept: tuple[Given, ...]
    decided: tuple[Decision, ...]
    quality: tuple[WorkerQuality, ...]
    labels: Labels

    @property
    def study(self) -> Study:
        return self.folder.study

    @cached_property
    def source(self) -> Source:
        """What the study was made of."""
        return Source(Path(self.study.source), self.folder.path)

    def labelled(self, mode: str = "") -> Iterator[tuple[Item, list[Labelled]]]:
        """The items that somebody has answered, without tests, each with its labels; of one mode, or all."""
        for item in self.study.labelled:
            if item.id in self._by_item and (not mode or item.mode == mode):
                yield item, self._by_item[item.id]

    @cached_property
    def _by_item(self) -> dict[str, list[Labelled]]:
        labelled = grouped((unit.item, label) for unit, label in self.labels.by_unit.items())
        return {item: list(labels) for item, labels in labelled.items()}

    def answers_to(self, item: Item) -> list[Given]:
        """The answers to an item by those who are not left out."""
        return self._kept_by_item.get(item.id, [])

    @cached_property
    def _kept_by_item(self) -> dict[str, list[Given]]:
        on_time = ((one.item, one) for one in self.kept if not one.late)
        return {item: list(given) for item, given in grouped(on_time).items()}

    def label_of(self, item: Item, question: str, row: str = "") -> Labelled | None:
        return self.labels.by_unit.get(Unit(item.id, question, row))


def collect(folder: StudyFolder, rules: Rules) -> Collected:
    """The labels, the workers' quality and who is left out, from the answers so far."""
    study = folder.study
    for name in {*rules.keep, *rules.drop} - study.sheet_of.keys():
        raise RostrumError(f"{folder.path}: there is no worker {name!r}")
    given = tuple(one for one in last_given(list(all_given(folder))) if one.item not in study.training)
    if not any(one.item not in study.tests for one in given):
        raise RostrumError(f"{folder.path}: nobody has answered yet; `rostrum annotate serve` shows the links")
    everything = decisions(study, given)
    quality = judge(study, given, everything, rules)
    out = {worker.worker for worker in quality if worker.left_out}
    kept = tuple(one for one in given if one.worker not in out)
    if not kept:
        raise RostrumError(f"{folder.path}: every worker would be left out; --least-right and --keep say who stays")
    decided = tuple(each for each in everything if each.worker not in out)
    labels = label(study, decided)
    judged = tuple(replace(worker, competence=labels.competence.get(worker.worker)) for worker in quality)
    return Collected(folder, given, kept, decided, judged, labels)


# The folder of a collected study: labels, quality of workers, agreement, and what corpora and evaluations read.


def write_collected(collected: Collected, to: Path, *, names: bool = False) -> Evaluation:
    """Write everything into a folder, and return its figures. With `names`, workers.csv has the names of links.csv."""
    evaluation = evaluated(collected)
    with Output(to) as output:
        task = TASKS.load(collected.study.task)
        task.write(collected, output)
        write_rows(output.new("labels.csv"), _LABEL_COLUMNS, _label_rows(collected))
        write_rows(output.new("decisions.csv"), _DECISION_COLUMNS, _decision_rows(collected))
        write_rows(output.new("texts.csv"), ("worker", "mode", "subject", "question", "text"), _text_rows(collected))
        columns, workers = _worker_rows(collected, names)
        write_rows(output.new("workers.csv"), columns, workers)
        agreement = dict(evaluation.tables)["agreement"]
        columns = list(agreement[0]) if agreement else ["question"]
        write_rows(output.new("agreement.csv"), columns, [list(row.values()) for row in agreement])
        write_page(output.new("index.html"), collected.folder, evaluation)
    return evaluation


def evaluated(collected: Collected) -> Evaluation:
    """The figures of a study: agreement, the task's own, and the workers."""
    task = TASKS.load(collected.study.task)
    tables: list[tuple[str, list[Row]]] = [("agreement", agreement_rows(collected.study, _wanted(collected)))]
    tables += task.figures(collected) if hasattr(task, "figures") else []
    tables.append(("workers", [_worker_row(worker) for worker in collected.quality]))
    study = collected.study
    facts = {"task": study.task, "seed": study.seed, "items": len(study.labelled), "answers": len(collected.given)}
    facts["workers_left_out"] = sum(bool(worker.left_out) for worker in collected.quality)
    return Evaluation(
        name=f"study {collected.folder.path.resolve().name}",
        signature=signature("numpy", **facts),
        rows=tuple({"method": title, **row} for title, rows in tables for row in rows),
        notes=tuple(
            f"left out: {worker.worker}: {'; '.join(worker.left_out)}"
            for worker in collected.quality
            if worker.left_out
        ),
        tables=tuple((title, tuple(rows)) for title, rows in tables),
    )


def _wanted(collected: Collected) -> list[Decision]:
    """What was decided of the items whose labels are wanted."""
    wanted = {item.id for item in collected.study.labelled}
    return [decision for decision in collected.decided if decision.unit.item in wanted]


_LABEL_COLUMNS = (
    "mode",
    "subject",
    "group",
    "question",
    "row",
    "answer",
    "majority",
    "mace",
    "probability",
    "votes",
    "share",
)


def _label_rows(collected: Collected) -> Iterator[Sequence[Any]]:
    """The labels by the names that letters stand for. `answer` is the majority, or MACE's label where that is a tie."""
    for item, labels in collected.labelled():
        for each in labels:
            majority = item.name(each.majority) if each.majority is not None else ""
            yield (
                *(item.mode, item.subject, item.group, each.unit.question, item.name(each.unit.row)),
                *(item.name(each.best), majority, item.name(each.mace)),
                *(f"{each.probability:.4f}", each.votes, f"{each.share(each.best):.4f}"),
            )


_DECISION_COLUMNS = ("worker", "kept", "mode", "subject", "question", "row", "answer")


def _decision_rows(collected: Collected) -> Iterator[Sequence[Any]]:
    out = {worker.worker for worker in collected.quality if worker.left_out}
    for decision in decisions(collected.study, collected.given):
        item = collected.study.by_id[decision.unit.item]
        names = item.mode, item.subject, decision.unit.question, item.name(decision.unit.row), item.name(decision.value)
        yield decision.worker, int(decision.worker not in out), *names


def texts_of(item: Item, answers: dict[str, Answer]) -> Iterator[tuple[str, str]]:
    """(question, text) of each text that was written."""
    for question in item.questions:
        if question.kind == "text" and (text := str(answers.get(question.id, ""))):
            yield question.id, text


def _text_rows(collected: Collected) -> Iterator[Sequence[Any]]:
    for one in collected.given:
        item = collected.study.by_id[one.item]
        for question, text in texts_of(item, one.answers):
            yield one.worker, item.mode, item.subject, question, text


def _worker_row(quality: WorkerQuality) -> Row:
    return {**asdict(quality), "left_out": "; ".join(quality.left_out)}


def _worker_rows(collected: Collected, names: bool) -> tuple[list[str], list[list[Any]]]:
    rows = [_worker_row(worker) for worker in collected.quality]
    if names:
        known = collected.folder.names
        rows = [{"worker": row["worker"], "name": known.get(str(row["worker"]), ""), **row} for row in rows]
    return list(rows[0]), [list(row.values()) for row in rows]


# Problems of a study's folder: missing recordings, lines that cannot be read, answers that are none.


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
