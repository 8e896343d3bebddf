"""What a corpus holds: speeches with their files, motions, known arguments and labels."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pipeline.corpus.manifest import Problem
from pipeline.errors import RostrumError
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
    # All transcripts by the names that a data set gives them: 'asr', 'trs.txt'
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
        """The words of the given transcript, with their times; none where there is no such transcript."""
        from pipeline.corpus.transcripts import read_words

        return read_words(self.transcript) if self.transcript else ()


@dataclass(frozen=True)
class ExpectedText:
    """What a good speech on a motion says, for one side or for both."""

    motion: str
    stance: str | None
    text: str


@dataclass(frozen=True)
class Corpus:
    """The speeches to work on, and what is known of them.

    A speech that one of the `problems` is about is not among the entries.
    """

    folder: Path
    entries: tuple[Entry, ...]
    motions: Mapping[str, Motion] = field(default_factory=dict)
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()
    expected: tuple[ExpectedText, ...] = ()
    problems: tuple[Problem, ...] = ()
    # Of an argument that repeats a general-purpose claim: the id of the claim
    claims: Mapping[str, str] = field(default_factory=dict)
    # The recording that is all of the corpus, if it is a single one
    recording: Path | None = None

    @property
    def path(self) -> Path:
        """The folder, or the recording: what `open_corpus` was given."""
        return self.recording or self.folder

    def given(self, kind: type[R], of: Entry | Motion) -> R | None:
        """What the corpus knows of a speech or a motion, as a record of that kind; None where it knows nothing."""
        from pipeline.corpus.given import given

        return given(self, kind, of)

    def with_transcripts(self, *names: str) -> list[Entry]:
        """The speeches that have all of these transcripts."""
        return [entry for entry in self.entries if entry.transcripts.keys() >= set(names)]

    def without_problems(self) -> "Corpus":
        """This corpus; an error where something is wrong with it, for those who need all of it."""
        if self.problems:
            more = "; `rostrum check` lists all that is wrong" if len(self.problems) > 1 else ""
            raise RostrumError(f"{self.folder}: {self.problems[0]}{more}")
        return self

    def speeches_on(self, motion: str) -> tuple[Entry, ...]:
        return self._by_motion.get(motion, ())

    def arguments_on(self, motion: str | None) -> Arguments | None:
        return self._arguments.get(motion or "")

    def expected_of(self, speech: Speech) -> tuple[str, ...]:
        """The texts that say what a speech like this one should cover."""
        texts = self._expected.get(speech.motion or "", ())
        return tuple(each.text for each in texts if each.stance in (None, speech.stance))

    def best_scored(self, motion: str, stance: str | None) -> tuple[Entry, ...]:
        """The speeches of one side that people have scored, the best first."""
        return self._best_scored.get((motion, stance), ())

    @cached_property
    def _expected(self) -> dict[str, list[ExpectedText]]:
        found: dict[str, list[ExpectedText]] = defaultdict(list)
        for each in self.expected:
            found[each.motion].append(each)
        return dict(found)

    @cached_property
    def _best_scored(self) -> dict[tuple[str, str | None], tuple[Entry, ...]]:
        found: dict[tuple[str, str | None], list[Entry]] = defaultdict(list)
        for entry in sorted(self.entries, key=lambda entry: -(entry.speech.score or 0.0)):
            if entry.speech.motion and entry.speech.score is not None:
                found[entry.speech.motion, entry.speech.stance].append(entry)
        return {side: tuple(entries) for side, entries in found.items()}

    @cached_property
    def _by_motion(self) -> dict[str, tuple[Entry, ...]]:
        found: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            if entry.speech.motion:
                found[entry.speech.motion].append(entry)
        return {motion: tuple(entries) for motion, entries in found.items()}

    @cached_property
    def _arguments(self) -> dict[str, Arguments]:
        found: dict[str, list[Argument]] = defaultdict(list)
        for argument in self.arguments:
            found[argument.motion].append(argument)
        return {motion: Arguments(items=tuple(items)) for motion, items in found.items()}
