"""A run: the jobs that a corpus makes of the stages, in an order in which they can be done."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.corpus import Corpus, Entry
from pipeline.engine.job import Job, Outcome, Place, check, header, perform
from pipeline.engine.store import Store, scope_of_motion, scope_of_speech
from pipeline.errors import RostrumError
from pipeline.records import Record
from pipeline.settings import Settings
from pipeline.stages import Input, Stage, all_stages, makers, stage_named, stage_names


@dataclass(frozen=True)
class Item:
    """A speech or a motion, whose stages form one chain."""

    id: str
    scope: str
    motion: str | None
    speaker: str | None
    entry: Entry | None


def items(corpus: Corpus) -> tuple[list[Item], list[Item]]:
    """The corpus's speeches and its motions."""
    speeches = [
        Item(
            entry.speech.id,
            scope_of_speech(entry.speech.id),
            entry.speech.motion,
            entry.speech.speakers[0] if len(entry.speech.speakers) == 1 else None,
            entry,
        )
        for entry in corpus.entries
    ]
    used = {entry.speech.motion for entry in corpus.entries}
    motions = [Item(motion, scope_of_motion(motion), motion, None, None) for motion in corpus.motions if motion in used]
    return speeches, motions


def chosen_stages(names: Sequence[str] | None) -> tuple[Stage[..., Any], ...]:
    """The stages of these names and those that they take from, in order; all where no names are given."""
    if not names:
        return all_stages()
    unknown = [name for name in names if name not in stage_names()]
    if unknown:
        raise RostrumError(f"--stages: there is no stage {unknown[0]!r}; there are {', '.join(stage_names())}")
    wanted = set(names)
    for name in reversed(stage_names()):
        if name in wanted:
            wanted |= {maker for parameter in stage_named(name).inputs if (maker := maker_of(parameter))}
    return tuple(stage_named(name) for name in stage_names() if name in wanted)


def maker_of(parameter: Input) -> str | None:
    """The stage that makes what the parameter takes; None for what the corpus gives."""
    return makers().get(parameter.kind)


def job_of(stage: Stage[..., Any], item: Item, corpus: Corpus, settings: Settings) -> Job:
    """The job of one stage for one speech or motion. Raises RostrumError where a file of the corpus cannot be read."""
    given: dict[str, Record | None] = {}
    stored: dict[str, tuple[Place, ...]] = {}
    for parameter in stage.inputs:
        maker = maker_of(parameter)
        if maker is None:
            given[parameter.name] = corpus.given(parameter.kind, item.entry or corpus.motions[item.id])
        elif parameter.many:
            entries = corpus.speeches_on(item.id)
            stored[parameter.name] = tuple(
                Place(entry.speech.id, scope_of_speech(entry.speech.id), maker) for entry in entries
            )
        else:
            stored[parameter.name] = (Place(item.id, item.scope, maker),)
    knobs = settings.of(stage.name) if stage.name in Settings.model_fields else None
    return Job(stage, item.scope, knobs, given, stored)


@dataclass(frozen=True)
class Plan:
    """What is to be done for one speech or motion, and what need not be done again."""

    item: Item
    done: dict[str, Outcome]
    todo: tuple[Job, ...]

    @property
    def failed(self) -> bool:
        return any(outcome.state == "failed" for outcome in self.done.values())


def plans(corpus: Corpus, stages: Sequence[Stage[..., Any]], settings: Settings, store: Store) -> list[Plan]:
    """A plan for every speech, then one for every motion."""
    header_of = cache(lambda scope, stage: header(store, scope, stage))
    speeches, motions = items(corpus)
    pending: set[tuple[str, str]] = set()

    def plan(item: Item, own: Sequence[Stage[..., Any]]) -> Plan:
        done: dict[str, Outcome] = {}
        todo: list[Job] = []
        for stage in own:
            try:
                job = job_of(stage, item, corpus, settings)
                waits = any((place.scope, place.stage) in pending for places in job.stored.values() for place in places)
                outcome = None if waits else check(job, header_of)
            except (RostrumError, ValueError) as error:  # ValueError: a file holds what no record can be made of
                outcome = Outcome(stage.name, item.scope, "failed", " ".join(str(error).split()))
            if outcome:
                done[stage.name] = outcome
            else:
                todo.append(job)
                pending.add((item.scope, stage.name))
        return Plan(item, done, tuple(todo))

    found = [plan(item, [stage for stage in stages if stage.scope == "speech"]) for item in speeches]
    return found + [plan(item, [stage for stage in stages if stage.scope == "motion"]) for item in motions]


def attempt(job: Job, store: Store) -> Outcome:
    """Do one job here and now; a user's mistake is its outcome, and nothing else's trouble."""
    try:
        return perform(job, store)
    except RostrumError as error:
        return job.failed(error)
