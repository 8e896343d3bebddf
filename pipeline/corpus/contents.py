"""A corpus: speeches with their files, motions, known arguments and labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pipeline.corpus.manifest import Problem
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.records import Argument, Arguments, Correction, Label, Motion, Record, Speech, Word

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Entry:
    """A speech and its files."""

    speech: Speech
    audio: Path | None = None
    reference: Path | None = None
    transcript: Path | None = None
    turns: Path | None = None
    correction: Correction | None = None
    # All transcripts by the names that a data set gives them, such as 'asr' and 'trs.txt'.
    named: Mapping[str, Path] = field(default_factory=dict)

    @property
    def transcripts(self) -> Mapping[str, Path]:
        """Every transcript of the speech by its kind: 'reference', 'transcript', or the data set's own kinds."""
        if self.named:
            return self.named
        found = {"reference": self.reference, "transcript": self.transcript}
        return {name: path for name, path in found.items() if path}

    def lines(self, transcript: str) -> tuple[str, ...]:
        """The lines of the transcript of that name, as the speaker meant them."""
        from pipeline.corpus.transcripts import read_lines

        return read_lines(self.transcripts[transcript])

    def text(self, transcript: str) -> str:
        """The transcript of that name as one text."""
        return " ".join(self.lines(transcript))

    def words(self) -> tuple[Word, ...]:
        """The words of the given transcript, with their times; none if there is no such transcript."""
        from pipeline.corpus.transcripts import read_words

        return read_words(self.transcript) if self.transcript else ()


@dataclass(frozen=True)
class ExpectedText:
    """A text that a good speech on a motion covers, for one side or for both."""

    motion: str
    stance: str | None
    text: str


@dataclass(frozen=True)
class Corpus:
    """The speeches to work on, and what is known about them.

    A speech with a problem is not among the entries.
    """

    folder: Path
    entries: tuple[Entry, ...]
    motions: Mapping[str, Motion] = field(default_factory=dict)
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()
    expected: tuple[ExpectedText, ...] = ()
    problems: tuple[Problem, ...] = ()
    # For an argument that repeats a general-purpose claim, the id of the claim.
    claims: Mapping[str, str] = field(default_factory=dict)
    # The recording, if the corpus is a single one.
    recording: Path | None = None

    @property
    def path(self) -> Path:
        """The folder, or the recording: what `open_corpus` was given."""
        return self.recording or self.folder

    def given(self, kind: type[R], of: Entry | Motion) -> R | None:
        """The record of that kind that the corpus has for a speech or motion; None if it has none."""
        from pipeline.corpus.given import given

        return given(self, kind, of)

    def with_transcripts(self, *names: str) -> list[Entry]:
        """The speeches that have all of these transcripts."""
        return [entry for entry in self.entries if entry.transcripts.keys() >= set(names)]

    def without_problems(self) -> "Corpus":
        """This corpus, if it has no problems; else an error."""
        if self.problems:
            more = "; `rostrum check` lists all problems" if len(self.problems) > 1 else ""
            raise RostrumError(f"{self.folder}: {self.problems[0]}{more}")
        return self

    def speeches_on(self, motion: str) -> tuple[Entry, ...]:
        return self._by_motion.get(motion, ())

    def arguments_on(self, motion: str | None) -> Arguments | None:
        return self._arguments.get(motion or "")

    def expected_of(self, speech: Speech) -> tuple[str, ...]:
        """The texts that a speech on this motion and side should cover."""
        texts = self._expected.get(speech.motion or "", ())
        return tuple(each.text for each in texts if each.stance in (None, speech.stance))

    def best_scored(self, motion: str, stance: str | None) -> tuple[Entry, ...]:
        """The speeches of one side that people have scored, the best first."""
        return self._best_scored.get((motion, stance), ())

    @cached_property
    def _expected(self) -> dict[str, tuple[ExpectedText, ...]]:
        return grouped((each.motion, each) for each in self.expected)

    @cached_property
    def _best_scored(self) -> dict[tuple[str, str | None], tuple[Entry, ...]]:
        scored = [entry for entry in self.entries if entry.speech.score is not None]
        best_first = sorted(scored, key=lambda entry: -(entry.speech.score or 0.0))
        return grouped(
            ((entry.speech.motion, entry.speech.stance), entry) for entry in best_first if entry.speech.motion
        )

    @cached_property
    def _by_motion(self) -> dict[str, tuple[Entry, ...]]:
        return grouped((entry.speech.motion, entry) for entry in self.entries if entry.speech.motion)

    @cached_property
    def _arguments(self) -> dict[str, Arguments]:
        by_motion = grouped((argument.motion, argument) for argument in self.arguments)
        return {motion: Arguments(items=items) for motion, items in by_motion.items()}
