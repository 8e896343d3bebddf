"""Writes a collected study: labels, quality of workers and agreement, and what corpora and evaluations read."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipeline.evaluation.data import write_rows
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.studies.agreement import agreement_rows
from pipeline.studies.collect import Collected
from pipeline.studies.items import Answer, Item
from pipeline.studies.labels import Decision, decisions
from pipeline.studies.output import Output
from pipeline.studies.pages import write_page
from pipeline.studies.quality import WorkerQuality
from pipeline.studies.tasks import TASKS


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
        for label in labels:
            majority = item.name(label.majority) if label.majority is not None else ""
            yield (
                *(item.mode, item.subject, item.group, label.unit.question, item.name(label.unit.row)),
                *(item.name(label.best), majority, item.name(label.mace)),
                *(f"{label.probability:.4f}", label.votes, f"{label.share(label.best):.4f}"),
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
