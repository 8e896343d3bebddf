"""Plans a run: compares every stage of every speech and motion with the store, once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.corpus.contents import Corpus, Entry
from pipeline.errors import RostrumError, StorageError, hint
from pipeline.records import Motion, Record
from pipeline.run.configuration import Settings
from pipeline.run.job import Item, Job, Outcome, check, fingerprint, reason_of
from pipeline.run.scopes import Place, scopes_of_motions, scopes_of_speeches
from pipeline.run.store import Index, Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary, load
from pipeline.run.voices import with_voices
from pipeline.stage import STAGES, Stage, all_stages, makers, stage_named


@dataclass(frozen=True)
class RunPlan:
    """A run before it begins: what is `done`, because it is up to date, and the `jobs` to do, in order.

    `last` is the summary of the run before.
    """

    corpus: Corpus
    settings: Settings
    store: Store
    items: tuple[Item, ...]
    done: Mapping[Place, Outcome]
    jobs: tuple[Job, ...]
    last: RunSummary | None = None

    @property
    def is_idle(self) -> bool:
        """Whether a run would do nothing, and report nothing new."""
        if self.jobs or self.last is None:
            return False
        now = self.summary(self.done, started="", seconds=0.0, flow_run=None)
        return (now.failures, now.known, now.corpus_path) == (
            self.last.failures,
            self.last.known,
            self.last.corpus_path,
        )

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do, and nothing failed."""
        return not self.jobs and all(outcome.state != "failed" for outcome in self.done.values())

    def summary(
        self, outcomes: Mapping[Place, Outcome], *, started: str, seconds: float, flow_run: str | None
    ) -> RunSummary:
        """The summary of this run, with the outcomes that there are so far."""
        return RunSummary(
            corpus=str(self.corpus.path),
            corpus_path=str(self.corpus.path.resolve()),
            started=started,
            seconds=seconds,
            flow_run=flow_run,
            settings=self.settings,
            problems=[str(problem) for problem in self.corpus.problems],
            items=[
                ItemSummary(id=item.id, scope=item.scope, motion=item.motion, outcomes=_outcomes_of(item, outcomes))
                for item in self.items
            ],
            known=CorpusFacts.of(self.corpus),
        )


def plan_run(
    corpus: Corpus,
    store: Store,
    settings: Settings,
    stages: Sequence[str] | None = None,
    *,
    other_corpus: bool = False,
    retry_failed: bool = True,
) -> RunPlan:
    """Plan the named stages and their dependencies; all stages if none are named.

    It is an error if the store is inside the corpus, or the corpus inside the store. It is an error if the store has a
    run over another corpus, unless `other_corpus` allows that. Without `retry_failed`, a stage that failed in the run
    before is done again only if its inputs or settings have changed.
    """
    chosen = {stage.name: stage for stage in chosen_stages(stages)}
    refuse_store(corpus, store, other_corpus=other_corpus)
    corpus = with_voices(corpus, store)
    last = load(store)
    broken = {} if retry_failed or last is None else last.broken
    planner = _Planner(corpus, settings, Index(store), broken)
    for item, source in planner.items:
        for each in all_stages():
            stage = chosen.get(each.name, each)
            if stage.scope == ("speech" if isinstance(source, Entry) else "motion"):
                planner.add(stage, item, source, is_chosen=each.name in chosen)
    with suppress(StorageError):  # then everything is checked again next time
        planner.index.save()
    items = tuple(item for item, _ in planner.items)
    return RunPlan(corpus, settings, store, items, planner.done, tuple(planner.jobs.values()), last)


@dataclass
class _Planner:
    """Goes through a corpus: artifacts that are up to date are `done`, the others become `jobs`."""

    corpus: Corpus
    settings: Settings
    index: Index
    broken: Mapping[Place, Outcome]
    done: dict[Place, Outcome] = field(default_factory=dict)
    jobs: dict[Place, Job] = field(default_factory=dict)
    lost: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.scopes = scopes_of_speeches(entry.speech.id for entry in self.corpus.entries)
        self.items: list[tuple[Item, Entry | Motion]] = [*self._speeches(), *self._motions()]

    def _speeches(self) -> Iterator[tuple[Item, Entry]]:
        for entry in self.corpus.entries:
            speech = entry.speech
            yield Item(speech.id, self.scopes[speech.id], speech.motion, speech.sole_speaker), entry

    def _motions(self) -> Iterator[tuple[Item, Motion]]:
        """The motions that somebody speaks on."""
        used = [motion for motion in self.corpus.motions.values() if self.corpus.speeches_on(motion.id)]
        scopes = scopes_of_motions(motion.id for motion in used)
        for motion in used:
            yield Item(motion.id, scopes[motion.id], motion.id), motion

    def add(self, stage: Stage[..., Any], item: Item, source: Entry | Motion, *, is_chosen: bool) -> None:
        """Plan one stage. If it is not chosen, only check whether an artifact that it made before is up to date."""
        place = Place(item.scope, stage.name)
        if not is_chosen and not self.index.has(place):
            return
        try:
            job = self.job(stage, item, source)
            if self.lost & job.needed:
                self.lost.add(place)
                return
            job = job.without(self.lost) if self.lost else job
            waits = any(place in self.jobs for places in job.stored.values() for place in places.values())
            done = None if waits else self._done(job)
        except (RostrumError, ValueError) as error:  # ValueError: a file's values do not fit the record
            done = Outcome(stage.name, item.scope, "failed", reason_of(error))
        if done and (is_chosen or done.state != "failed"):
            self.done[place] = done
            if done.state == "failed":
                self.lost.add(place)
        elif is_chosen:
            self.jobs[place] = job

    def _done(self, job: Job) -> Outcome | None:
        """The job's outcome if it is up to date, or would fail again; None if the job must be done."""
        known = self.broken.get(job.place)
        if known and known.fingerprint == fingerprint(job, self._digest):
            return known
        return check(job, self.index.header(job.place, job.stage.output), self._digest)

    def job(self, stage: Stage[..., Any], item: Item, source: Entry | Motion) -> Job:
        """The job of a stage for a speech or motion. Raises RostrumError where a file of the corpus cannot be read."""
        given: dict[str, Record | None] = {}
        settings = self.settings.of(stage.name)
        stored: dict[str, dict[str, Place]] = {}
        for one in stage.inputs:
            maker = makers().get(one.kind)
            if maker is None:
                # What is not wanted is not opened: it may be a file that cannot be read.
                record = self.corpus.given(one.kind, source) if stage.wants(one.name, settings) else None
                given[one.name] = stage.part_read(one.name, record, settings) if record else None
            elif one.many:
                speeches = [entry.speech.id for entry in self.corpus.speeches_on(item.id)]
                stored[one.name] = {id: Place(self.scopes[id], maker) for id in speeches}
            else:
                stored[one.name] = {item.id: Place(item.scope, maker)}
        return Job(stage, item, settings, given, stored)

    def _digest(self, place: Place, kind: type[Record]) -> str | None:
        """The digest of an artifact that another stage made, if it is up to date; else None."""
        header = self.index.header(place, kind) if place in self.done else None
        return header.made if header and self.done[place].state != "failed" else None


def chosen_stages(names: Sequence[str] | None) -> tuple[Stage[..., Any], ...]:
    """The named stages and their dependencies, in order; all stages if none are named."""
    if not names:
        return all_stages()
    known = STAGES
    if unknown := [name for name in names if name not in known]:
        raise RostrumError(f"--stages: there is no stage {unknown[0]!r}; {hint(unknown[0], known)}")
    wanted = set(names)
    for name in reversed(known):
        if name in wanted:
            wanted |= {maker for one in stage_named(name).inputs if (maker := makers().get(one.kind))}
    return tuple(stage_named(name) for name in known if name in wanted)


def _outcomes_of(item: Item, outcomes: Mapping[Place, Outcome]) -> list[Outcome]:
    """The outcomes of one speech or motion, in the order of the stages."""
    places = (Place(item.scope, name) for name in STAGES)
    return [outcomes[place] for place in places if place in outcomes]


def refuse_store(corpus: Corpus, store: Store, *, other_corpus: bool = False) -> None:
    """Raise an error if a run over the corpus cannot be stored there: see `plan_run`. Nothing is written."""
    _refuse_overlap(corpus, store)
    last = load(store)
    if last is not None and not other_corpus:
        _refuse_other_corpus(corpus, store, last)


def _refuse_overlap(corpus: Corpus, store: Store) -> None:
    """Raise an error if the store is inside the corpus, or the corpus inside the store.

    Artifacts would be taken for speeches, and `rostrum clean` could not tell them apart. A run over a single recording
    may be in a folder beside it.
    """
    if not store.is_local:
        return
    folder, run = corpus.folder.resolve(), Path(store.path("", "")).resolve()
    inside = run.relative_to(folder).parts if run.is_relative_to(folder) else None
    is_hidden = inside is not None and any(part.startswith(".") for part in inside)
    if folder.is_relative_to(run) or (inside is not None and not is_hidden and not corpus.recording):
        what = "the folder of the recording" if corpus.recording else "the corpus"
        where = f"is {what}" if run == folder else f"is inside {what}" if inside else f"contains {what}"
        beside = f"{folder.parent}/runs/{folder.name}"
        raise RostrumError(f"--out {store.root}: {where}; name a folder beside it, such as --out {beside}")


def _refuse_other_corpus(corpus: Corpus, store: Store, last: RunSummary) -> None:
    before = Path(last.corpus_path)
    if not last.corpus_path or before == corpus.path.resolve():
        return
    speeches = {entry.speech.id for entry in corpus.entries}
    if before.exists() or not speeches & {speech.id for speech in last.known.speeches}:
        raise RostrumError(
            f"--out {store.root}: contains a run over {last.corpus_path}; name another folder, "
            "or replace its results with --other-corpus"
        )
