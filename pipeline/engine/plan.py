"""What a run has to do: every stage of every speech and motion, checked against the store once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.configuration import Settings
from pipeline.corpus import Corpus, Entry
from pipeline.engine.job import Header, HeaderOf, Item, Job, Outcome, check, header
from pipeline.engine.store import Place, Store, scope_of_motion, scope_of_speech
from pipeline.errors import RostrumError
from pipeline.records import Motion, Record
from pipeline.stages import Stage, all_stages, makers, stage_named, stage_names


@dataclass(frozen=True)
class RunPlan:
    """A run before it begins: what it is about, what is up to date already, and what is to be done, in order."""

    corpus: Corpus
    settings: Settings
    store: Store
    items: tuple[Item, ...]
    done: Mapping[Place, Outcome]
    jobs: tuple[Job, ...]

    @property
    def is_done(self) -> bool:
        """Whether nothing is to be done, and nothing failed that could be tried again."""
        return not self.jobs and all(outcome.state != "failed" for outcome in self.done.values())


def plan_run(corpus: Corpus, store: Store, settings: Settings, stages: Sequence[str] | None = None) -> RunPlan:
    """Plan the stages of these names and their dependencies; all stages where no names are given."""
    chosen = chosen_stages(stages)

    @cache
    def header_of(place: Place, kind: type[Record]) -> Header | None:
        return header(store, place, kind)

    done: dict[Place, Outcome] = {}
    jobs: dict[Place, Job] = {}
    known: list[tuple[Item, Entry | Motion]] = [*speeches_of(corpus), *motions_of(corpus)]
    for item, source in known:
        for stage in chosen:
            if stage.scope == ("speech" if isinstance(source, Entry) else "motion"):
                planned = _planned(stage, item, source, corpus, settings, jobs, header_of)
                if isinstance(planned, Job):
                    jobs[planned.place] = planned
                else:
                    done[Place(item.scope, stage.name)] = planned
    return RunPlan(corpus, settings, store, tuple(item for item, _ in known), done, tuple(jobs.values()))


def _planned(
    stage: Stage[..., Any],
    item: Item,
    source: Entry | Motion,
    corpus: Corpus,
    settings: Settings,
    before: Mapping[Place, Job],
    header_of: HeaderOf,
) -> Job | Outcome:
    """The job, or its outcome where it is up to date or cannot be done."""
    try:
        job = job_of(stage, item, source, corpus, settings)
        waits = any(place in before for places in job.stored.values() for place in places.values())
        return (None if waits else check(job, header_of)) or job
    except (RostrumError, ValueError) as error:  # ValueError: a file holds what no record can be made of
        return Outcome(stage.name, item.scope, "failed", " ".join(str(error).split()))


def speeches_of(corpus: Corpus) -> Iterable[tuple[Item, Entry]]:
    """The corpus's speeches, as items of a run."""
    for entry in corpus.entries:
        speech = entry.speech
        yield Item(speech.id, scope_of_speech(speech.id), speech.motion, speech.sole_speaker), entry


def motions_of(corpus: Corpus) -> Iterable[tuple[Item, Motion]]:
    """The motions that somebody speaks on, as items of a run."""
    used = {entry.speech.motion for entry in corpus.entries}
    for motion in corpus.motions.values():
        if motion.id in used:
            yield Item(motion.id, scope_of_motion(motion.id), motion.id), motion


def chosen_stages(names: Sequence[str] | None) -> tuple[Stage[..., Any], ...]:
    """The stages of these names and their dependencies, in order; all where no names are given."""
    if not names:
        return all_stages()
    known = stage_names()
    if unknown := [name for name in names if name not in known]:
        raise RostrumError(f"--stages: there is no stage {unknown[0]!r}; there are {', '.join(known)}")
    wanted = set(names)
    for name in reversed(known):
        if name in wanted:
            wanted |= {maker for one in stage_named(name).inputs if (maker := makers().get(one.kind))}
    return tuple(stage_named(name) for name in known if name in wanted)


def job_of(stage: Stage[..., Any], item: Item, source: Entry | Motion, corpus: Corpus, settings: Settings) -> Job:
    """The job of one stage for one speech or motion. Raises RostrumError where a file of the corpus cannot be read."""
    given: dict[str, Record | None] = {}
    stored: dict[str, dict[str, Place]] = {}
    for one in stage.inputs:
        maker = makers().get(one.kind)
        if maker is None:
            given[one.name] = corpus.given(one.kind, source)
        elif one.many:
            speeches = [entry.speech.id for entry in corpus.speeches_on(item.id)]
            stored[one.name] = {id: Place(scope_of_speech(id), maker) for id in speeches}
        else:
            stored[one.name] = {item.id: Place(item.scope, maker)}
    return Job(stage, item, settings.of(stage.name), given, stored)
