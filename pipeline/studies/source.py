"""What a study is made of: a corpus, or a run of one, whose transcripts are then read; or the files of a data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline.corpus import Corpus, Entry, open_corpus
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, ingested, is_run, sentences_of
from pipeline.records import Speech
from pipeline.run.finished import FinishedRun
from pipeline.segment import Sentences
from pipeline.studies.items import Shown
from pipeline.studies.study import MEDIA

# The transcripts that may be read out of a corpus, the best first.
_KINDS = ("reference", "trs.txt", "transcript", "asr.txt")


@dataclass
class Source:
    """The folder that a study is made of, and the study's own folder, which recordings are copied to."""

    path: Path
    out: Path

    @cached_property
    def run(self) -> FinishedRun | None:
        return FinishedRun(self.path) if is_run(self.path) else None

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus, or that of the run."""
        return (corpus_of(self.run) if self.run else open_corpus(self.path)).without_problems()

    def entries(self, *, needs_audio: bool) -> Iterator[Entry]:
        """The speeches on a motion that can be heard, or read."""
        for entry in self.corpus.entries:
            if entry.speech.motion and (entry.audio if needs_audio else self.sentences(entry)):
                yield entry

    def sentences(self, entry: Entry) -> tuple[str, ...]:
        """The sentences of a speech: of the run, else of a transcript of the corpus; none if there is none."""
        if self.run and (record := self.run.of_speech(Sentences, entry.speech.id)):
            return tuple(sentence.text for sentence in record.sentences)
        kind = next((kind for kind in _KINDS if kind in entry.transcripts), None)
        return sentences_of(entry, kind) if kind else ()

    def motion_text(self, motion: str | None) -> str:
        known = self.corpus.motions.get(motion or "")
        return known.text if known else motion or ""

    def shown(self, entry: Entry, letter: str, *, as_audio: bool, label: str = "") -> Shown:
        """The speech to hear or to read."""
        if as_audio:
            name, seconds = self.recording(entry)
            return Shown(id=letter, label=label, media=name, seconds=seconds)
        return Shown(id=letter, label=label, text="\n".join(self.sentences(entry)))

    def recording(self, entry: Entry, stretch: tuple[float, float] | None = None) -> tuple[str, float]:
        """(the name of a speech's recording in the study, or of a stretch of it, its length).

        The name tells nothing of the speech.
        """
        key = entry.speech.id, stretch
        if key not in self._recordings:
            assert entry.audio
            self._recordings[key] = self._copied(entry.audio, stretch)
        return self._recordings[key]

    def _copied(self, audio: Path, stretch: tuple[float, float] | None) -> tuple[str, float]:
        from pipeline.report.audio import write_opus

        folder = self.out / MEDIA
        folder.mkdir(parents=True, exist_ok=True)
        name = f"m{len(self._recordings) + 1:03d}.ogg"
        with ingested(audio) as recording:
            start, end = stretch or (0.0, recording.duration)
            write_opus(recording, folder / name, start, end)
            return name, round(min(end, recording.duration) - start, 2)

    @cached_property
    def _recordings(self) -> dict[tuple[str, tuple[float, float] | None], tuple[str, float]]:
        return {}


def side_of(speech: Speech) -> str:
    """A sentence on the side of a speech; nothing if it is not known."""
    return {"pro": "A speech for the motion.", "con": "A speech against the motion."}.get(speech.stance or "", "")


def is_corpus(path: Path) -> bool:
    """Whether a folder has speeches: it is a run, has the manifest of a corpus, or recordings."""
    names = ("speeches.csv", "motions.csv", "arguments.csv")
    has_audio = any(file.suffix.lower() in AUDIO_SUFFIXES for file in path.iterdir()) if path.is_dir() else False
    return is_run(path) or has_audio or any((path / name).exists() for name in names)


def nothing_to_ask(path: Path, what: str) -> RostrumError:
    """The error for a source in which there is nothing for a task."""
    return RostrumError(f"{path}: nothing to ask; {what}")
