"""How the results of a run were made: its digest, its models, and the line that says so beside a figure."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import NamedTuple

from pipeline.report.formatting import counted
from pipeline.run.finished import FinishedRun

_SHORT = 12


class Made(NamedTuple):
    """A stored result: of which speech or motion, by which stage, from what. `digest` is empty if it was skipped."""

    of: str
    stage: str
    version: int
    fingerprint: str
    digest: str
    models: str
    created: str
    seconds: float
    skipped: str


@dataclass(frozen=True)
class Provenance:
    """What a run was made with. Ids of speeches are pseudonyms if the run is anonymised."""

    results: tuple[Made, ...]
    recordings: int
    day: str

    @property
    def digest(self) -> str:
        """sha256 over the fingerprints and digests of all results: the same results have the same, on any machine."""
        results = sorted((each.stage, each.fingerprint, each.digest) for each in self.results)
        return hashlib.sha256(json.dumps(results).encode()).hexdigest()

    @property
    def models(self) -> dict[str, str]:
        """The models that made the results, and their digests."""
        named = (model.rsplit(" ", 1) for each in self.results if each.models for model in each.models.split("; "))
        return dict(sorted((name, digest) for name, digest in named))

    @property
    def line(self) -> str:
        """How the results were made, in one line: program, day, recordings, models, digest."""
        used = ", ".join(f"{name} ({digest[:8]})" for name, digest in self.models.items())
        return (
            f"Made by rostrum {version('rostrum')} from a run of {self.day} over "
            f"{counted(self.recordings, 'recording')}{f' with {used}' if used else ''}; "
            f"results sha256 {self.digest[:_SHORT]}."
        )


def provenance(run: FinishedRun) -> Provenance:
    """What the results of a run were made with."""
    return Provenance(tuple(sorted(_made(run))), len(run.recordings), run.summary.started[:10])


def _made(run: FinishedRun) -> Iterator[Made]:
    speeches = [(each.id, run.speech(each.id).stages) for each in run.recordings]
    motions = [(each.id, run.motion(each.id).stages) for each in run.motions]
    for id, stages in (*speeches, *motions):
        for stage, result in stages.items():
            if artifact := result.artifact:
                models = "; ".join(f"{name} {digest}" for name, digest in sorted(artifact.model.items()))
                facts = (artifact.version, artifact.fingerprint, artifact.digest, models)
                yield Made(id, stage, *facts, artifact.created, artifact.seconds, artifact.skipped or "")
