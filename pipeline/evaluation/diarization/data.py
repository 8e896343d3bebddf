"""The data that diarization is scored on: recordings with RTTM about them, or the RTTM of references and of systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.corpus import open_corpus
from pipeline.corpus.files import TURN_SUFFIXES, files_below
from pipeline.engine.finished import FinishedRun
from pipeline.errors import RostrumError
from pipeline.evaluation.corpora import corpus_of, recordings_by_name
from pipeline.formats.rttm import read_recordings, read_rttm
from pipeline.records import Recording, Turn, Turns


@dataclass(frozen=True)
class Case:
    """A recording's reference turns, and the turns that a method found; `duration` is None without audio."""

    name: str
    reference: Sequence[Turn]
    found: Sequence[Turn]
    duration: float | None = None
    seconds: float | None = None


def has_systems(folder: Path) -> bool:
    """Whether the folder has systems' turns to score, instead of recordings to diarize."""
    return (folder / "ref").is_dir() and (folder / "sys").is_dir()


def read_systems(folder: Path) -> dict[str, list[Case]]:
    """For each file of `sys`, the recordings of `ref` with the turns that this system found."""
    references = _references(_rttm(folder / "ref"))
    methods = {}
    for path in _rttm(folder / "sys"):
        found = read_recordings(path)
        methods[path.stem] = [Case(name, turns, found.get(name, ())) for name, turns in references.items()]
    if not references or not methods:
        raise RostrumError(f"{folder}: no .rttm in ref or none in sys; there must be one or more in each")
    return methods


def read_run(folder: Path) -> dict[str, list[Case]]:
    """The speeches of a run whose turns it found, with the references of its corpus."""
    run = FinishedRun(folder)
    corpus = corpus_of(run)
    cases = []
    for entry in corpus.entries:
        found, recording = run.of_speech(Turns, entry.speech.id), run.of_speech(Recording, entry.speech.id)
        if entry.turns and found and found.method != "given":
            duration = recording.duration if recording else None
            cases.append(Case(entry.speech.id, read_rttm(entry.turns), found.turns, duration))
    if not cases:
        if not any(entry.turns for entry in corpus.entries):
            remedy = "put who spoke when in an .rttm beside the recording, under the same name"
            raise RostrumError(f"{folder}: no speech of {corpus.path} has reference turns; {remedy}")
        remedy = "run with --set diarize.use_given=false, to find them"
        raise RostrumError(f"{folder}: the run took the turns that were given; {remedy}")
    return {"run": cases}


@dataclass(frozen=True)
class Recordings:
    """Recordings and the references about them, by the recording's name; `missing` have a reference and no audio."""

    audio: Mapping[str, Path]
    references: Mapping[str, Sequence[Turn]]
    missing: Sequence[str]


def read_recorded(folder: Path) -> Recordings:
    """Every recording below the folder that one of its .rttm files is about."""
    references = _references(_rttm(folder))
    audio = recordings_by_name(open_corpus(folder), references)
    both = {name: audio[name] for name in sorted(audio)}
    if not both:
        raise RostrumError(
            f"{folder}: no audio file has the name of a recording in its .rttm files; rename one or the other"
        )
    return Recordings(both, references, sorted(references.keys() - audio.keys()))


def _rttm(folder: Path) -> list[Path]:
    return [path for path in files_below(folder) if path.suffix in TURN_SUFFIXES]


def _references(paths: Iterable[Path]) -> dict[str, tuple[Turn, ...]]:
    references: dict[str, tuple[Turn, ...]] = {}
    for path in paths:
        for name, turns in read_recordings(path).items():
            if name in references:
                raise RostrumError(f"{path}: recording {name} has a reference in another file already; remove one")
            references[name] = turns
    return references
