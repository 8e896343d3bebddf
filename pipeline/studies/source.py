"""What a study is made of: a corpus, or a run of one, whose transcripts are then read; or the files of a data set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.corpus import Corpus, Entry, open_corpus
from pipeline.corpus.files import AUDIO_SUFFIXES
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, is_run, sentences_of
from pipeline.grouping import grouped
from pipeline.ingest import ingested
from pipeline.progress import Progress
from pipeline.records import Speech
from pipeline.run.finished import FinishedRun
from pipeline.segment import Sentences
from pipeline.studies.items import Item, Shown
from pipeline.studies.study import MEDIA

# The transcripts that may be read out of a corpus, the best first.
_KINDS = ("reference", "trs.txt", "transcript", "asr.txt")


@dataclass
class Source:
    """The folder that a study is made of, and the study's own folder, which recordings are copied to."""

    path: Path
    out: Path
    # The name of each recording in the study.
    _names: dict["_Part", str] = field(default_factory=dict)

    @cached_property
    def run(self) -> FinishedRun | None:
        return FinishedRun(self.path) if is_run(self.path) else None

    def runs(self, others: Sequence[Path]) -> list[FinishedRun]:
        """The run that is the source, and others that it is compared with; none if the source is no run."""
        return [self.run, *map(FinishedRun, others)] if self.run else []

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
            return Shown(id=letter, label=label, media=self.recording(entry))
        return Shown(id=letter, label=label, text="\n".join(self.sentences(entry)))

    def item(self, task: str, entry: Entry, **parts: Any) -> Item:
        """An item about a speech, with its motion as group and title, and its side unless `parts` has another one."""
        speech = entry.speech
        about = {"group": speech.motion or "", "side": speech.stance or "", "title": self.motion_text(speech.motion)}
        return Item(id=f"{task}-{speech.id}", subject=speech.id, **{**about, **parts})

    def recording(self, entry: Entry, stretch: tuple[float, float] | None = None) -> str:
        """The name of a speech's recording in the study, or of a stretch of it. The name tells nothing of the speech.

        It is copied when an item with it is chosen.
        """
        assert entry.audio
        part = _Part(entry.audio, stretch)
        return self._names.setdefault(part, f"m{len(self._names) + 1:04d}.ogg")

    def with_recordings(self, items: Sequence[Item], progress: Progress) -> list[Item]:
        """The items with the lengths of their recordings, which are copied into the study."""
        parts = {name: part for part, name in self._names.items()}
        names = dict.fromkeys(part.media for item in items for part in item.shown if part.media)
        by_audio = grouped((parts[name].audio, name) for name in names)
        seconds: dict[str, float] = {}
        for done, (audio, own) in enumerate(by_audio.items()):
            progress(done / len(by_audio), audio.name)
            seconds |= self._copied(audio, {name: parts[name].stretch for name in own})

        def with_length(part: Shown) -> Shown:
            return part.model_copy(update={"seconds": seconds[part.media]}) if part.media else part

        return [item.model_copy(update={"shown": tuple(map(with_length, item.shown))}) for item in items]

    def _copied(self, audio: Path, stretches: Mapping[str, tuple[float, float] | None]) -> dict[str, float]:
        """Copy stretches of a recording, or all of it, to files of these names, and return their lengths."""
        from pipeline.report.audio import write_opus

        folder = self.out / MEDIA
        folder.mkdir(parents=True, exist_ok=True)
        seconds = {}
        with ingested(audio) as recording:
            for name, stretch in stretches.items():
                start, end = stretch or (0.0, recording.duration)
                write_opus(recording, folder / name, start, end)
                seconds[name] = round(min(end, recording.duration) - start, 2)
        return seconds


class _Part(NamedTuple):
    """A recording, or a stretch of it from one time to another."""

    audio: Path
    stretch: tuple[float, float] | None


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
