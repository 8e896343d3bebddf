"""A job is one stage of one speech or motion. `perform` does it and stores the result.

A job can be sent to another process or machine: it contains the records of the corpus themselves, and the places in the
store of the records that other stages make.
"""

import hashlib
import json
import os
import re
import time
import traceback
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from pipeline.errors import RostrumError, StorageError
from pipeline.progress import Progress, no_progress
from pipeline.records import Record, SpeakerCount
from pipeline.run.inputs import Lack, lack_of
from pipeline.run.scopes import MOTIONS, Place
from pipeline.run.store import Artifact, Header, Store
from pipeline.settings import StageSettings
from pipeline.stage import Input, Skip, Stage

# With this variable set, an unexpected error prints its traceback.
TRACEBACK = "ROSTRUM_TRACEBACK"
_LACKS_MEMORY = re.compile(
    r"cannot allocate memory|can't allocate memory|unable to allocate|failed to allocate|bad_?alloc|out of memory"
    r"|can't start new thread|failed to map segment|not enough memory|cannot apply additional memory protection",
    re.IGNORECASE,
)
State = Literal["run", "cached", "skipped", "failed"]


# Returns the digest of the record of this kind at a place; None if there is none.
DigestOf = Callable[[Place, type[Record]], str | None]


@dataclass(frozen=True)
class Outcome:
    """How a job ended. The `reason` of a failed job is the error; that of a skipped one is the input that it lacked.

    `figures` are the numbers of the record that the run's table shows, and `digest` is the record's. `fingerprint` is
    set only for a failed job that would fail again with the same inputs and settings.
    """

    stage: str
    scope: str
    state: State
    reason: str = ""
    seconds: float = 0.0
    figures: Mapping[str, float] = field(default_factory=dict)
    fingerprint: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Item:
    """A speech or a motion. `speaker` is the speaker's name, if it is known that only one person speaks."""

    id: str
    scope: str
    motion: str | None
    speaker: str | None = None

    @property
    def is_motion(self) -> bool:
        return self.scope.startswith(f"{MOTIONS}/")


@dataclass(frozen=True)
class Job:
    """One stage of one speech or motion.

    `given` has the records of the corpus, by parameter. `stored` has the places of the records of other stages, by
    parameter, then by the id of the speech or motion that they belong to. `alike` is the place where the same is made,
    if the recording is also that of another speech. `models` are shared by the jobs of a plan, by stage.
    """

    stage: Stage[..., Any]
    item: Item
    settings: StageSettings | None
    given: Mapping[str, Record | None]
    stored: Mapping[str, Mapping[str, Place]]
    alike: Place | None = None
    models: dict[str, dict[str, str]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def place(self) -> Place:
        """Where the job's artifact is stored."""
        return Place(self.item.scope, self.stage.name)

    @property
    def model(self) -> dict[str, str]:
        """Name and digest of the weights that the stage uses. They are looked for once, not for each of many jobs."""
        if self.stage.name not in self.models:
            self.models[self.stage.name] = dict(self.stage.model(self.settings)) if self.stage.model else {}
        return self.models[self.stage.name]

    @property
    def uses_device(self) -> bool:
        """Whether the job uses the GPU, or all cores."""
        uses = self.stage.uses_device
        return uses(self.settings) if callable(uses) else uses

    @property
    def is_alone(self) -> bool:
        """Whether no other job may use the device while this one runs."""
        return self.uses_device and not _may_share(self.stage, self.settings)

    @property
    def needed(self) -> set[Place]:
        """The artifacts without which the job cannot run: those of its own speech or motion."""
        return {place for places in self.stored.values() for place in places.values() if place.scope == self.item.scope}

    def without(self, lost: Container[Place]) -> "Job":
        """The same job, which does not read the `lost` places. An older artifact may still be stored there."""
        stored = {
            name: {id: place for id, place in places.items() if place not in lost}
            for name, places in self.stored.items()
        }
        return replace(self, stored=stored)

    def outcome(self, state: State, **facts: Any) -> Outcome:
        """An outcome of this job."""
        return Outcome(self.stage.name, self.item.scope, state, **facts)

    def failed(self, error: BaseException, store: Store | None = None) -> Outcome:
        """The outcome of a job that raised an error.

        With the `store` that the job read from, the outcome has a fingerprint if the job would fail again.
        """
        print_traceback(error)
        fingerprint = _fingerprint_of_failure(self, error, store)
        return self.outcome("failed", reason=reason_of(error), fingerprint=fingerprint)


def fingerprint(job: Job, digest_of: DigestOf) -> str:
    """A hash of everything that decides the job's result: same fingerprint, same artifact or same failure."""
    return _fingerprint(job, _digests(job, digest_of))


@cache
def _may_share(stage: Stage[..., Any], settings: StageSettings | None) -> bool:
    try:
        return stage.side_by_side is not None and stage.side_by_side(settings)
    except RostrumError:  # the stage itself reports what is wrong with its settings
        return False


def print_traceback(error: BaseException) -> None:
    """Print the traceback of an unexpected error, if the user's environment wants tracebacks."""
    if os.environ.get(TRACEBACK) and not isinstance(error, RostrumError):
        traceback.print_exception(error)


def reason_of(error: BaseException) -> str:
    """The error as one line for a person, without the details that only a programmer understands."""
    if isinstance(error, ValidationError):
        text = f"a file has a value that cannot be used: {error.errors()[0]['msg']}"
    elif lacks_memory(error):
        text = "there is not enough memory; end other programs, or choose a smaller model"
    elif isinstance(error, OSError) and error.strerror:
        text = ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    elif isinstance(error, RostrumError):
        text = str(error)
    else:
        text = f"a mistake in rostrum or in a library, not in your files; {TRACEBACK}=1 in the environment shows where"
    return " ".join(text.split())


def lacks_memory(error: BaseException | None) -> bool:
    """Whether the machine, or a limit of this process, had no memory left. Libraries say so in errors of their own."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen and not isinstance(error, RostrumError):
        if isinstance(error, MemoryError) or _LACKS_MEMORY.search(f"{type(error).__name__}: {error}"):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _fingerprint_of_failure(job: Job, error: BaseException, store: Store | None) -> str:
    """The fingerprint of a job that would fail again; empty if it may succeed next time.

    Storage may work again, and a mistake in the program may be corrected.
    """
    if store is None or isinstance(error, StorageError) or not isinstance(error, RostrumError):
        return ""
    try:
        return fingerprint(job, lambda place, kind: store.digest(place))
    except RostrumError:  # its model or the store is missing
        return ""


def check(job: Job, stored: Header | None, digest_of: DigestOf) -> Outcome | None:
    """The job's outcome if the artifact `stored` at its place is up to date; None if the job must be done."""
    if stored is None or not _is_up_to_date(job, stored, digest_of):
        return None
    if stored.skipped is not None:
        return job.outcome("skipped", reason=stored.skipped)
    return job.outcome("cached", figures=stored.figures, digest=stored.digest)


def _is_up_to_date(job: Job, stored: Header, digest_of: DigestOf) -> bool:
    """Whether the artifact is what the job would make.

    If nobody had said how many people speak, and as many were found as are named now, the names change nothing.
    """
    if stored.fingerprint == fingerprint(job, digest_of):
        return True
    counted = {name: record for name, record in job.given.items() if isinstance(record, SpeakerCount)}
    if not counted or any(record.count != stored.figures.get("speakers") for record in counted.values()):
        return False
    unnamed = replace(job, given={**job.given, **dict.fromkeys(counted)})
    return stored.fingerprint == fingerprint(unnamed, digest_of)


class Done(NamedTuple):
    """The outcome of a job, and its record if it was made now."""

    outcome: Outcome
    record: Record | None = None


def perform(job: Job, store: Store, progress: Progress = no_progress) -> Done:
    """Do the job unless its artifact is up to date. Store the record, or the reason why there is none."""

    def digest_of(place: Place, _: type[Record]) -> str | None:
        return store.digest(place)

    if done := check(job, store.header(job.place, job.stage.output), digest_of):
        return Done(done)
    if job.alike and check(job, store.header(job.alike, job.stage.output), digest_of):
        return _copied(job, job.alike, store)
    digests = _digests(job, digest_of)
    started = time.perf_counter()
    record, skipped = None, None
    arguments = _arguments(job, store)
    if isinstance(arguments, Lack):
        skipped = arguments.what
    else:
        arguments |= {"settings": job.settings} if job.settings else {}
        arguments |= {"progress": progress} if job.stage.reports else {}
        try:
            record = job.stage.function(**arguments)
        except Skip as skip:
            skipped = str(skip)
    seconds = round(time.perf_counter() - started, 3)
    digest = _save(job, store, digests, record, skipped, seconds)
    if record is None:
        return Done(job.outcome("skipped", reason=skipped))
    return Done(job.outcome("run", seconds=seconds, figures=record.figures(), digest=digest), record)


def _save(
    job: Job, store: Store, digests: dict[str, str], record: Record | None, skipped: str | None, seconds: float
) -> str:
    """Store what the job made, or the reason why it made nothing, and return the digest of the record.

    Files that cannot be stored are discarded.
    """
    artifact = Artifact(
        stage=job.stage.name,
        version=job.stage.version,
        fingerprint=_fingerprint(job, digests),
        inputs=digests,
        settings=job.settings.model_dump(mode="json") if job.settings else {},
        model=job.model,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=seconds,
        digest=record.digest() if record else "",
        skipped=skipped,
        data=record.model_dump(mode="json") if record else None,
    )
    try:
        store.save(job.item.scope, artifact, record)
    except BaseException:
        if record:
            record.discard()
        raise
    return artifact.digest


def _copied(job: Job, alike: Place, store: Store) -> Done:
    """What was made of the same recording becomes this job's artifact, too."""
    artifact = store.artifact(*alike)
    assert artifact is not None  # it was just checked
    record = store.record(job.stage.output, alike.scope, artifact) if artifact.skipped is None else None
    store.save(job.item.scope, artifact, record)
    if record is None:
        return Done(job.outcome("skipped", reason=artifact.skipped))
    return Done(job.outcome("run", figures=record.figures(), digest=artifact.digest), record)


def _arguments(job: Job, store: Store) -> dict[str, Any] | Lack:
    """The arguments that the stage is called with, or what it lacks. An optional record that is missing is None."""
    values = {one.name: _value(job, store, one) for one in job.stage.inputs}
    lacks = {name: value if isinstance(value, Lack) else None for name, value in values.items()}
    if lack := lack_of(job.stage, job.settings, lacks):
        return lack
    return {name: None if lacks[name] else value for name, value in values.items()}


def _value(job: Job, store: Store, parameter: Input) -> Record | dict[str, Record] | Lack:
    """The value of one parameter of the stage."""
    if parameter.name in job.given:
        return job.given[parameter.name] or Lack(f"no {parameter.spelled}")
    records = {id: _record(store, place, parameter) for id, place in job.stored[parameter.name].items()}
    if parameter.many:
        return {id: record for id, record in records.items() if isinstance(record, Record)}
    return records[job.item.id]


def _record(store: Store, place: Place, parameter: Input) -> Record | Lack:
    artifact = store.artifact(*place)
    if artifact is None:
        return Lack(f"no {parameter.spelled}: {place.stage} has not run")
    if artifact.skipped is not None:
        return Lack(artifact.skipped)
    return store.record(parameter.kind, place.scope, artifact)


def _digests(job: Job, digest_of: DigestOf) -> dict[str, str]:
    """The digest of each input of the job; empty for a missing one."""
    digests = {name: record.digest() if record else "" for name, record in job.given.items()}
    for parameter in job.stage.inputs:
        if parameter.name in job.stored:
            places = job.stored[parameter.name].items()
            own = [(id, digest) for id, place in places if (digest := digest_of(place, parameter.kind)) is not None]
            digests[parameter.name] = _hashed(own) if parameter.many else "".join(digest for _, digest in own)
    return digests


def _fingerprint(job: Job, digests: Mapping[str, str]) -> str:
    return _hashed(
        {
            "stage": job.stage.name,
            "version": job.stage.version,
            "settings": job.settings.decisive() if job.settings else {},
            "inputs": digests,
            "model": job.model,
        }
    )


def _hashed(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
