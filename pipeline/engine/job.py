"""One stage of one speech or motion, and doing it against the store.

A job holds all that it needs by value, so that it can be sent to another process or machine: the corpus's records as
they are, the other stages' records as places in the store.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pipeline.engine.store import Artifact, Store
from pipeline.records import Record
from pipeline.settings import StageSettings
from pipeline.stages import Input, Skip, Stage

State = Literal["run", "cached", "skipped", "failed"]


class Place(NamedTuple):
    """An artifact's place in the store. `name` is the id of the speech it belongs to."""

    name: str
    scope: str
    stage: str


class Header(NamedTuple):
    """What must be known of an artifact to decide whether those made from it still hold."""

    fingerprint: str
    digest: str
    skipped: str | None


@dataclass(frozen=True)
class Outcome:
    """How a job ended. A failed job's reason is the error, a skipped one's is what it lacked."""

    stage: str
    scope: str
    state: State
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Job:
    """One stage of one speech or motion."""

    stage: Stage[..., Any]
    scope: str
    settings: StageSettings | None
    given: Mapping[str, Record | None]
    stored: Mapping[str, tuple[Place, ...]]

    @cached_property
    def model(self) -> dict[str, str]:
        return dict(self.stage.model(self.settings)) if self.stage.model else {}

    def failed(self, error: Exception) -> Outcome:
        return Outcome(self.stage.name, self.scope, "failed", " ".join(str(error).split()) or type(error).__name__)


HeaderOf = Callable[[str, str], Header | None]


def header(store: Store, scope: str, stage: str) -> Header | None:
    """The stored artifact's header, or None where there is none."""
    artifact = store.artifact(scope, stage)
    return Header(artifact.fingerprint, artifact.digest, artifact.skipped) if artifact else None


def check(job: Job, header_of: HeaderOf) -> Outcome | None:
    """The job's outcome where the store already holds it; None where the job is still to be done."""
    stored = header_of(job.scope, job.stage.name)
    if stored is None or stored.fingerprint != _fingerprint(job, _digests(job, header_of)):
        return None
    if stored.skipped is not None:
        return Outcome(job.stage.name, job.scope, "skipped", stored.skipped)
    return Outcome(job.stage.name, job.scope, "cached")


def perform(job: Job, store: Store) -> Outcome:
    """Do the job unless it is done, and store what it made, or why it made nothing."""

    def header_of(scope: str, stage: str) -> Header | None:
        return header(store, scope, stage)

    if done := check(job, header_of):
        return done
    digests = _digests(job, header_of)
    started = time.perf_counter()
    record, skipped = _call(job, store)
    seconds = round(time.perf_counter() - started, 3)
    artifact = Artifact(
        stage=job.stage.name,
        version=job.stage.version,
        fingerprint=_fingerprint(job, digests),
        inputs=digests,
        settings=_dumped(job.settings),
        model=job.model,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=seconds,
        digest=record.digest() if record else "",
        skipped=skipped,
        data=record.model_dump(mode="json") if record else None,
    )
    store.save(job.scope, artifact, record)
    if skipped is not None:
        return Outcome(job.stage.name, job.scope, "skipped", skipped)
    return Outcome(job.stage.name, job.scope, "run", seconds=seconds)


def _call(job: Job, store: Store) -> tuple[Record | None, str | None]:
    """(record, None), or (None, why there is none)."""
    arguments: dict[str, Any] = {} if job.settings is None else {"settings": job.settings}
    for parameter in job.stage.inputs:
        value = _value(job, store, parameter)
        if isinstance(value, Missing):
            if not parameter.optional:
                return None, value.reason
            arguments[parameter.name] = None
        else:
            arguments[parameter.name] = value
    try:
        return job.stage(**arguments), None
    except Skip as skip:
        return None, str(skip)


class Missing(NamedTuple):
    """There is no such record, and this is why."""

    reason: str


def _value(job: Job, store: Store, parameter: Input) -> Record | dict[str, Record] | Missing:
    if parameter.name in job.given:
        return job.given[parameter.name] or Missing(f"no {parameter.spelled}")
    places = job.stored[parameter.name]
    if parameter.many:
        records = {place.name: _record(store, place, parameter) for place in places}
        return {name: record for name, record in records.items() if isinstance(record, Record)}
    return _record(store, places[0], parameter)


def _record(store: Store, place: Place, parameter: Input) -> Record | Missing:
    artifact = store.artifact(place.scope, place.stage)
    if artifact is None:
        return Missing(f"no {parameter.spelled}: {place.stage} has not run")
    if artifact.skipped is not None:
        return Missing(artifact.skipped)
    return store.record(parameter.kind, place.scope, artifact)


def _digests(job: Job, header_of: HeaderOf) -> dict[str, str]:
    """What the job reads, by digest; empty for what is not there."""
    digests = {name: record.digest() if record else "" for name, record in job.given.items()}
    for parameter in job.stage.inputs:
        if parameter.name in job.stored:
            headers = [(place.name, header_of(place.scope, place.stage)) for place in job.stored[parameter.name]]
            found = [(name, header.digest) for name, header in headers if header and header.skipped is None]
            digests[parameter.name] = _hashed(found) if parameter.many else "".join(d for _, d in found)
    return digests


def _fingerprint(job: Job, digests: Mapping[str, str]) -> str:
    """Same fingerprint, same artifact: on any machine, in any run."""
    return _hashed(
        {
            "stage": job.stage.name,
            "version": job.stage.version,
            "settings": job.settings.decisive() if job.settings else {},
            "inputs": digests,
            "model": job.model,
        }
    )


def _dumped(settings: StageSettings | None) -> dict[str, Any]:
    return settings.model_dump(mode="json") if settings else {}


def _hashed(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
