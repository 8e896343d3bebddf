"""Plans a run: compares every stage of every speech and motion with the store, once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pipeline.corpus.contents import Corpus, Entry
from pipeline.errors import RostrumError, StorageError
from pipeline.grouping import grouped
from pipeline.ingest import stated_duration
from pipeline.records import AudioFile, GivenTranscript, Motion, Record, ReferenceTranscript
from pipeline.run.configuration import Settings
from pipeline.run.index import (
    ALL,
    CheckedArtifacts,
    ItemRecord,
    Shard,
    load_head,
    read_record,
    read_records,
    record_name,
    records_of,
    with_records,
    write_records,
)
from pipeline.run.inputs import given
from pipeline.run.job import Item, Job, Outcome, check, fingerprint, reason_of
from pipeline.run.scopes import Place, scopes_of_motions, scopes_of_speeches
from pipeline.run.store import Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary
from pipeline.run.voices import with_voices
from pipeline.stage import STAGES, Stage, all_stages, chosen_stages, makers

# The seconds that a recording is taken to have while its duration is unknown.
_UNKNOWN = 60.0
# As fast as people speak, in words per second: a text counts like a recording of it.
_WORDS_PER_SECOND = 2.5


@dataclass(frozen=True)
class RunPlan:
    """A run before it begins: what is `done`, because it is up to date, and the `jobs` to do, in order.

    `last` is the summary of the run before, as far as it is of the same shard. `before` are the stored records of the
    items, by name. `others` knows the speeches of other shards on the same motions. `left` are the scopes of motions
    that are left to other shards.
    """

    corpus: Corpus
    settings: Settings
    store: Store
    items: tuple[Item, ...]
    done: Mapping[Place, Outcome]
    jobs: tuple[Job, ...]
    last: RunSummary | None = None
    shard: Shard = ALL
    before: Mapping[str, ItemRecord] = field(default_factory=dict)
    others: "OtherShards | None" = None
    left: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> str:
        """The key of the settings, which the record of every speech and motion gets."""
        return self.settings.key

    @cached_property
    def records(self) -> dict[str, ItemRecord]:
        """The records of the items as the run begins, by scope."""
        summary = self.summary(self.done, started="", seconds=0.0, flow_run=None)
        goes_on = {job.item.scope for job in self.jobs}
        records = {}
        for record in records_of(summary, self.corpus.ranks):
            before = self.before.get(
                record_name(record), ItemRecord(id="", scope=record.scope, motion=None, outcomes=[])
            )
            records[record.scope] = self._continued(record, before, record.scope in goes_on)
        return records

    def _continued(self, record: ItemRecord, before: ItemRecord, goes_on: bool) -> ItemRecord:
        """A record as it follows from the stored one. What is up to date keeps the outcome of the run that made it."""
        update: dict[str, Any] = {"checked": before.checked, "ended": "" if goes_on else self.key, "by": before.by}
        if record.scope in self.left:
            return record.model_copy(update={**update, "ended": before.ended, "outcomes": before.outcomes})
        made = {outcome.stage: outcome for outcome in before.outcomes if outcome.state != "failed"}
        outcomes = [
            replace(made.get(each.stage, each), digest=each.digest) if each.state in ("cached", "skipped") else each
            for each in record.outcomes
        ]
        return record.model_copy(update={**update, "outcomes": outcomes})

    @cached_property
    def durations(self) -> dict[str, float]:
        """The seconds of each recording: as an earlier run measured them, or as the file's header says."""
        known = {
            place.scope: outcome.figures["duration"]
            for place, outcome in self.done.items()
            if "duration" in outcome.figures
        }
        stated = {
            job.item.scope: stated_duration(record.path) or _UNKNOWN
            for job in self.jobs
            for record in job.given.values()
            if isinstance(record, AudioFile)
        }
        return known | stated

    @cached_property
    def lengths_of_texts(self) -> dict[str, float]:
        """The seconds that it takes to say each transcript that is given."""
        words = {}
        for job in self.jobs:
            for record in job.given.values():
                if isinstance(record, ReferenceTranscript):
                    words[job.item.scope] = len(record.text.split())
                elif isinstance(record, GivenTranscript):
                    words[job.item.scope] = len(record.words)
        return {scope: count / _WORDS_PER_SECOND for scope, count in words.items()}

    @property
    def changed(self) -> list[ItemRecord]:
        """The records that are not stored yet."""
        return [record for record in self.records.values() if record != self.before.get(record_name(record))]

    @property
    def removed(self) -> list[ItemRecord]:
        """The stored records of speeches and motions that are no longer in the corpus."""
        return [record for record in self.before.values() if record.scope not in self.records]

    @property
    def is_idle(self) -> bool:
        """Whether a run would do nothing, and report nothing new."""
        if self.jobs or self.last is None:
            return False
        now = self.summary(self.done, started="", seconds=0.0, flow_run=None)
        is_same = (now.failures, now.corpus_path) == (self.last.failures, self.last.corpus_path)
        return is_same and not self.changed and not self.removed

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
            shard="" if self.shard.is_all else str(self.shard),
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
    retry_failed: bool = True,
    shard: Shard = ALL,
) -> RunPlan:
    """Plan the named stages and their dependencies; all stages if none are named.

    The corpus is the `shard` of a corpus, if one is given. Without `retry_failed`, a stage that failed in the run
    before is done again only if its inputs or settings have changed.
    """
    chosen = {stage.name: stage for stage in chosen_stages(stages)}
    corpus = with_voices(corpus, store)
    planner = _Planner(corpus, settings, store, shard, retry_failed, _read_by_motions(chosen.values()))
    for item, source in planner.items:
        for each in all_stages():
            stage = chosen.get(each.name, each)
            if stage.scope == ("speech" if isinstance(source, Entry) else "motion"):
                planner.add(stage, item, source, is_chosen=each.name in chosen)
    with suppress(StorageError):  # then everything is checked again next time
        planner.keep_checked()
    return planner.plan()


@dataclass
class _Planner:
    """Goes through a corpus: artifacts that are up to date are `done`, the others become `jobs`."""

    corpus: Corpus
    settings: Settings
    store: Store
    shard: Shard
    retry_failed: bool
    read_by_motions: frozenset[str]
    done: dict[Place, Outcome] = field(default_factory=dict)
    jobs: dict[Place, Job] = field(default_factory=dict)
    lost: set[Place] = field(default_factory=set)
    # The motions on which a speech has jobs.
    busy: set[str | None] = field(default_factory=set)

    def __post_init__(self) -> None:
        corpus = self.corpus
        ids = corpus.ids or tuple(entry.speech.id for entry in corpus.entries)
        every = (*corpus.entries, *corpus.others)
        known = {entry.speech.id for entry in every} | {one for entry in every if (one := entry.same_recording_as)}
        self.scopes = scopes_of_speeches(ids, known)
        self.items: list[tuple[Item, Entry | Motion]] = [*self._speeches(corpus.entries), *self._motions()]
        others = [item for item, _ in self._speeches(corpus.others)]
        self.others = OtherShards(self.store, self.settings.key, others, self.read_by_motions)
        self.records = self._stored_records()
        self._named = {item.scope: record_name(item) for item, _ in self.items}
        self.untouched: dict[str, bool] = {}
        self._models: dict[str, dict[str, str]] = {}
        self.index = CheckedArtifacts(self.store, self.record)
        self.index.look_at((item.scope for item, _ in self.items), at_all=self.shard.is_all)
        head = load_head(self.store, self.shard) or load_head(self.store)
        own = {name: record for name, record in self.records.items() if record}
        self.last = with_records(head, own.values()) if head else None
        self.broken = {} if self.retry_failed or not self.last else self.last.broken

    def _stored_records(self) -> dict[str, ItemRecord | None]:
        """The stored records of the shard, and of all motions that it has speeches on, by name."""
        records: dict[str, ItemRecord | None] = dict(read_records(self.store, self.shard))
        if not self.shard.is_all:
            records = {name: record for name, record in records.items() if record and not record.is_motion}
            names = [record_name(item) for item, _ in self.items if item.is_motion]
            records |= zip(names, self.store.each(lambda name: read_record(self.store, name), names), strict=True)
        return records

    def record(self, scope: str) -> ItemRecord | None:
        """The stored record of a speech or motion."""
        name = self._named.get(scope)
        return self.records.get(name) if name else self.others.record(scope)

    def plan(self) -> RunPlan:
        """The plan, when all stages were added."""
        return RunPlan(
            self.corpus,
            self.settings,
            self.store,
            tuple(item for item, _ in self.items),
            self.done,
            tuple(self.jobs.values()),
            self.last,
            self.shard,
            {name: record for name, record in self.records.items() if record},
            self.others,
            frozenset(scope for scope, is_left in self.untouched.items() if is_left),
        )

    def keep_checked(self) -> None:
        """Store which artifacts were found undamaged, so that the next run does not read them."""
        changed = []
        for item, _ in self.items:
            record, checked = self.record(item.scope), self.index.of(item.scope)
            if record and checked != record.checked:
                self.records[self._named[item.scope]] = record.model_copy(update={"checked": checked})
                changed.append(self.records[self._named[item.scope]])
        write_records(self.store, filter(None, changed))

    def _speeches(self, entries: Sequence[Entry]) -> Iterator[tuple[Item, Entry]]:
        for entry in entries:
            speech = entry.speech
            yield Item(speech.id, self.scopes[speech.id], speech.motion, speech.sole_speaker), entry

    def _motions(self) -> Iterator[tuple[Item, Motion]]:
        """The motions that somebody speaks on."""
        used = [motion for motion in self.corpus.motions.values() if self.corpus.speeches_on(motion.id)]
        scopes = scopes_of_motions(motion.id for motion in self.corpus.motions.values())
        for motion in used:
            yield Item(motion.id, scopes[motion.id], motion.id), motion

    def add(self, stage: Stage[..., Any], item: Item, source: Entry | Motion, *, is_chosen: bool) -> None:
        """Plan one stage. If it is not chosen, only check whether an artifact that it made before is up to date."""
        place = Place(item.scope, stage.name)
        if not is_chosen and not self.index.has(place):
            return
        if item.is_motion and self.others.of(item.id) and not self._is_ours(item):
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
            if not item.is_motion:
                self.busy.add(item.motion)

    def _done(self, job: Job) -> Outcome | None:
        """The job's outcome if it is up to date, or would fail again; None if the job must be done."""
        known = self.broken.get(job.place)
        if known and known.fingerprint == fingerprint(job, self._digest):
            return known
        return check(job, self.index.header(job.place, job.stage.output), self._digest)

    def job(self, stage: Stage[..., Any], item: Item, source: Entry | Motion) -> Job:
        """The job of a stage for a speech or motion. Raises RostrumError where a file of the corpus cannot be read."""
        settings = self.settings.of(stage.name)
        stored: dict[str, dict[str, Place]] = {}
        for one in stage.inputs:
            if maker := makers().get(one.kind):
                on_motion = (entry.speech.id for entry in self.corpus.speeches_on(item.id)) if one.many else ()
                places = {id: Place(self.scopes[id], maker) for id in on_motion}
                stored[one.name] = places if one.many else {item.id: Place(item.scope, maker)}
        same = self.scopes.get(source.same_recording_as or "") if isinstance(source, Entry) else None
        alike = Place(same, stage.name) if same else None
        return Job(stage, item, settings, given(stage, settings, self.corpus, source), stored, alike, self._models)

    def _digest(self, place: Place, kind: type[Record]) -> str | None:
        """The digest of an artifact that another stage made, if it is up to date; else None."""
        outcome = self.done.get(place)
        if outcome is None:
            return self.others.digest(place)
        header = self.index.header(place, kind) if outcome.state != "failed" else None
        return header.record_digest if header else None

    def _is_ours(self, motion: Item) -> bool:
        """Whether a motion with speeches of other shards is to be looked at, stage by stage.

        It is left to the shard that ends the last of its speeches. What was done by any shard is done.
        """
        if motion.scope not in self.untouched:
            record, digest = self.record(motion.scope), record_name(motion).rpartition("/")[2]
            is_done = record is not None and record.ended == self.others.key and not self.shard.has_record(digest)
            is_waiting = motion.id in self.busy
            self.untouched[motion.scope] = not is_waiting and (is_done or not self.others.have_ended(motion.id))
            if not is_waiting and not self.untouched[motion.scope]:
                self.lost |= self.others.lost(motion.id)
        return not self.untouched[motion.scope]


def done_meanwhile(jobs: Sequence[Job], stored: ItemRecord, store: Store) -> Iterator[tuple[Job, Outcome]]:
    """The jobs of a speech or motion that another run has done since they were planned. `stored` is its record."""
    failed = {outcome.stage: outcome for outcome in stored.outcomes if outcome.state == "failed"}

    def digest_of(place: Place, _: type[Record]) -> str | None:
        return store.digest(place)

    for job in jobs:
        outcome = check(job, store.header(job.place, job.stage.output), digest_of)
        known = failed.get(job.stage.name)
        if outcome is None and known and known.fingerprint == fingerprint(job, digest_of):
            outcome = known
        if outcome:
            yield job, outcome


class OtherShards:
    """The speeches of other shards on the motions of this one, and whether their `stages` have ended."""

    def __init__(self, store: Store, key: str, speeches: Sequence[Item], stages: frozenset[str]) -> None:
        self._store, self.key, self._stages = store, key, sorted(stages)
        self._speeches = grouped((each.motion or "", each) for each in speeches)
        self._names = {each.scope: record_name(each) for each in speeches}
        # The digests of what the stages have made of each speech that has ended. There may be many speeches.
        self._ended: dict[str, tuple[str | None, ...]] = {}
        self._nothing = (None,) * len(self._stages)

    def of(self, motion: str) -> tuple[Item, ...]:
        """The speeches of other shards on a motion."""
        return self._speeches.get(motion, ())

    def have_ended(self, motion: str) -> bool:
        """Whether all stages of these speeches have ended that stages of motions read."""
        return all(self._has_ended(speech.scope) for speech in self.of(motion))

    def lost(self, motion: str) -> set[Place]:
        """The artifacts that the motion does without, because a stage failed."""
        return {
            Place(speech.scope, stage)
            for speech in self.of(motion)
            for stage, digest in zip(self._stages, self._ended.get(speech.scope, self._nothing), strict=True)
            if digest is None
        }

    def digest(self, place: Place) -> str | None:
        """The digest of what a stage has made of one of these speeches, if the speech has ended; else None."""
        found = dict(zip(self._stages, self._ended.get(place.scope, self._nothing), strict=True))
        return found.get(place.stage) or None

    def record(self, scope: str) -> ItemRecord | None:
        """The stored record of one of these speeches."""
        return read_record(self._store, self._names[scope])

    def _has_ended(self, scope: str) -> bool:
        if scope not in self._ended:
            record = self.record(scope)
            if record is None or record.ended != self.key:
                return False
            outcomes = {outcome.stage: outcome for outcome in record.outcomes}
            if not record.failure and not outcomes.keys() >= set(self._stages):
                return False
            self._ended[scope] = tuple(_made(outcomes.get(stage)) for stage in self._stages)
        return True


def _made(outcome: Outcome | None) -> str | None:
    """The digest of what a stage has made. An empty one: it was skipped. None: it failed, or could not begin."""
    return None if outcome is None or outcome.state == "failed" else outcome.digest


def _read_by_motions(stages: Iterable[Stage[..., Any]]) -> frozenset[str]:
    """The stages of speeches whose artifacts those of these stages read that work on motions."""
    kinds = {one.kind for stage in stages if stage.scope == "motion" for one in stage.inputs if one.many}
    return frozenset(maker for kind in kinds if (maker := makers().get(kind)))


def _outcomes_of(item: Item, outcomes: Mapping[Place, Outcome]) -> list[Outcome]:
    """The outcomes of one speech or motion, in the order of the stages."""
    places = (Place(item.scope, name) for name in STAGES)
    return [outcomes[place] for place in places if place in outcomes]
