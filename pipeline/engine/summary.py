"""What a run did, as it is kept beside its artifacts in `run.json`, and the figures of its final table."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.corpus import Corpus
from pipeline.engine.job import Outcome
from pipeline.engine.plan import Item
from pipeline.engine.store import Artifact, Store
from pipeline.errors import RostrumError
from pipeline.records import Argument, ErrorCounts, Label, Motion, Speech
from pipeline.settings import Settings

FILE = "run.json"
# A row of a table: a cell per column.
Row = dict[str, float | int | str | None]


class ItemSummary(BaseModel):
    """How the stages of one speech or motion ended."""

    id: str
    scope: str
    motion: str | None
    outcomes: list[Outcome]

    @property
    def failure(self) -> Outcome | None:
        return next((outcome for outcome in self.outcomes if outcome.state == "failed"), None)


class Known(BaseModel):
    """What the corpus says of what was processed: with it a run can be read where its corpus is not at hand."""

    speeches: tuple[Speech, ...] = ()
    motions: tuple[Motion, ...] = ()
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> "Known":
        return cls(
            speeches=tuple(entry.speech for entry in corpus.entries),
            motions=tuple(corpus.motions.values()),
            arguments=corpus.arguments,
            labels=corpus.labels,
        )


class RunSummary(BaseModel):
    """The last run over a corpus."""

    corpus: str
    started: str
    seconds: float
    flow_run: str | None
    settings: Settings
    problems: list[str]
    items: list[ItemSummary]
    known: Known = Known()

    @property
    def failures(self) -> list[str]:
        """Everything that went wrong, a line each."""
        failed = [f"{each.id}: {each.failure.stage}: {each.failure.reason}" for each in self.items if each.failure]
        return self.problems + failed


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def item_summary(item: Item, outcomes: Iterable[Outcome]) -> ItemSummary:
    return ItemSummary(id=item.id, scope=item.scope, motion=item.motion, outcomes=list(outcomes))


def save(summary: RunSummary, store: Store) -> None:
    store.write("", FILE, summary.model_dump_json(indent=1).encode())


def load(store: Store) -> RunSummary | None:
    """The last run's summary, or None where there is none."""
    content = store.read("", FILE)
    if not content:
        return None
    try:
        return RunSummary.model_validate_json(content)
    except ValidationError as error:
        raise RostrumError(
            f"{store.path('.', FILE)}: not what this version of rostrum writes ({error.errors()[0]['msg']}); "
            "remove it and run again: what the stages made is kept"
        ) from error


def speech_rows(summary: RunSummary, store: Store) -> list[Row]:
    """A row per speech for the table at the end of a run."""
    return [_row(item, store) for item in summary.items if not item.scope.startswith("_")]


def motion_rows(summary: RunSummary) -> list[Row]:
    """A row per motion: how each of its stages ended."""
    return [
        {"motion": item.id, **{outcome.stage: outcome.state for outcome in item.outcomes}}
        for item in summary.items
        if item.scope.startswith("_") and item.outcomes
    ]


def _row(item: ItemSummary, store: Store) -> Row:
    data = {stage: _data(store.artifact(item.scope, stage)) for stage in ("ingest", "transcribe", "score")}
    duration = data["ingest"].get("duration")
    seconds = sum(outcome.seconds for outcome in item.outcomes)
    counts = data["score"].get("words")
    states = {outcome.state for outcome in item.outcomes} - {"skipped"}
    return {
        "speech": item.id,
        "duration": round(duration, 1) if duration else None,
        "words": len(data["transcribe"]["words"]) if data["transcribe"] else None,
        "WER %": round(100 * data["score"]["wer"], 1) if data["score"].get("wer") is not None else None,
        "S/D/I": "{substitutions}/{deletions}/{insertions}".format(**counts) if counts else None,
        "seconds": round(seconds, 1) if seconds else None,
        "x realtime": round(duration / seconds, 1) if duration and seconds else None,
        "": next((state for state in ("failed", "run") if state in states), "cached"),
    }


def _data(artifact: Artifact | None) -> dict[str, Any]:
    return (artifact.data if artifact else None) or {}


def error_counts(summary: RunSummary, store: Store) -> list[tuple[ItemSummary, ErrorCounts]]:
    """Word errors of every speech that was scored."""
    found = ((item, _data(store.artifact(item.scope, "score")).get("words")) for item in summary.items)
    return [(item, ErrorCounts.model_validate(counts)) for item, counts in found if counts]
