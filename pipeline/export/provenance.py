"""How the results of a run were made: its digest, its models, and the line that says so beside a figure."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
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
    """Each model and its digest or version, separated by '; '."""
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
        results = sorted((result.stage, result.fingerprint, result.digest) for result in self.results)
        return hashlib.sha256(json.dumps(results).encode()).hexdigest()

    @property
    def models(self) -> dict[str, str]:
        """The models that made the results, and the digest or version of each."""
        return _named(result.models for result in self.results)

    @property
    def line(self) -> str:
        """How the results were made, in one line: program, day, recordings, recogniser, digest of the results."""
        used = _named(result.models for result in self.results if result.stage == "transcribe")
        weights = ", ".join(f"{name} ({digest[:8]})" for name, digest in used.items() if is_digest(digest))
        return (
            f"Made by rostrum {version('rostrum')} from a run of {self.day} over "
            f"{counted(self.recordings, 'recording')}{f', recognised by {weights}' if weights else ''}; "
            f"results sha256 {self.digest[:_SHORT]}."
        )

    @property
    def model_lines(self) -> str:
        """Every model that made the results, one per line."""
        return "".join(f"{name}: {digest}\n" for name, digest in self.models.items())


def _named(models: Iterable[str]) -> dict[str, str]:
    named = (each.partition("=") for text in models for each in text.split("; ") if each)
    return dict(sorted((name, digest) for name, _, digest in named))


def is_digest(text: str) -> bool:
    """Whether it is a digest, and not a version."""
    return re.fullmatch(r"[0-9a-f]{8,64}", text) is not None


def provenance(run: FinishedRun) -> Provenance:
    """What the results of a run were made with."""
    return Provenance(tuple(sorted(_made(run))), len(run.recordings), run.summary.started[:10])


def _made(run: FinishedRun) -> Iterator[Made]:
    speeches = [(recording.id, run.speech(recording.id).stages) for recording in run.recordings]
    motions = [(motion.id, run.motion(motion.id).stages) for motion in run.motions]
    for id, stages in (*speeches, *motions):
        for stage, result in stages.items():
            if artifact := result.artifact:
                models = "; ".join(f"{name}={digest}" for name, digest in sorted(artifact.model.items()))
                facts = (artifact.version, artifact.fingerprint, artifact.digest, models)
                yield Made(id, stage, *facts, artifact.created, artifact.seconds, artifact.skipped or "")
