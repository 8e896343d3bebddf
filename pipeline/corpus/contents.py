"""A corpus: speeches with their files, motions, known arguments and labels, and the records that stages get of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pipeline.corpus.manifest import Problem
from pipeline.corpus.voices import Register
from pipeline.errors import RostrumError
from pipeline.formats import read_language, read_lines, read_reference, read_spoken, read_turns, read_words
from pipeline.grouping import grouped
from pipeline.records import (
    Argument,
    Arguments,
    AudioFile,
    Correction,
    ExpectedTexts,
    GivenTranscript,
    GivenTurns,
    Judgement,
    Judgements,
    Label,
    Motion,
    Record,
    ReferenceTranscript,
    SpeakerCount,
    Speech,
    Speeches,
    Votes,
    Word,
)
from pipeline.speakers import GivenSpeaker, GivenSpeakers, KnownVoices

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Entry:
    """A speech and its files."""

    speech: Speech
    audio: Path | None = None
    reference: Path | None = None
    transcript: Path | None = None
    turns: Path | None = None
    # Who is who in the recording, as far as the corpus says so.
    speakers: tuple[GivenSpeaker, ...] = ()
    correction: Correction | None = None
    # The id of the entry that has the same recording, if this one is about another motion.
    same_recording_as: str | None = None
    # All transcripts by the names that a data set gives them, such as 'asr' and 'trs.txt'.
    named: Mapping[str, Path] = field(default_factory=dict)

    @property
    def transcripts(self) -> Mapping[str, Path]:
        """Every transcript of the speech by its kind: 'reference', 'transcript', or the data set's own kinds."""
        if self.named:
            return self.named
        files = {"reference": self.reference, "transcript": self.transcript}
        return {name: path for name, path in files.items() if path}

    def lines(self, transcript: str) -> tuple[str, ...]:
        """The lines of the transcript of that name, as the speaker meant them."""
        return read_lines(self.transcripts[transcript])

    def text(self, transcript: str) -> str:
        """The transcript of that name as one text."""
        return " ".join(self.lines(transcript))

    def words(self) -> tuple[Word, ...]:
        """The words of the given transcript, with their times; none if there is no such transcript."""
        return read_words(self.transcript) if self.transcript else ()


@dataclass(frozen=True)
class ExpectedText:
    """A text that a good speech on a motion covers, for one side or for both."""

    motion: str
    stance: str | None
    text: str


class Part(Protocol):
    """A part of the speeches of a corpus."""

    @property
    def is_all(self) -> bool:
        """Whether it has all speeches."""

    def has(self, speech: str) -> bool:
        """Whether a speech, by its id, belongs to the part."""


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
    votes: tuple[Votes, ...] = ()
    problems: tuple[Problem, ...] = ()
    # What people said of mentions, key points and cells of the flow, in the report's pages.
    judgements: tuple[Judgement, ...] = ()
    # For an argument that repeats a general-purpose claim, the id of the claim.
    claims: Mapping[str, str] = field(default_factory=dict)
    # What the people sound like whose voices were named.
    voices: Register = Register()
    # The recording, if the corpus is a single one.
    recording: Path | None = None
    # Of a part of a corpus: the other speeches on the motions of its own, and the ids of all speeches, in order.
    others: tuple[Entry, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The folder, or the recording: what `open_corpus` was given."""
        return self.recording or self.folder

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The places of the speeches in the whole corpus, of these and of the others."""
        here = {entry.speech.id for entry in (*self.entries, *self.others)}
        ids = self.ids or (entry.speech.id for entry in self.entries)
        return {id: rank for rank, id in enumerate(ids) if id in here}

    def part(self, part: Part) -> "Corpus":
        """The part of the corpus with these speeches, and what is known about their motions."""
        own = tuple(entry for entry in self.entries if part.has(entry.speech.id))
        motions = {entry.speech.motion for entry in own} - {None}
        others = (entry for entry in self.entries if entry.speech.motion in motions and not part.has(entry.speech.id))
        arguments = tuple(argument for argument in self.arguments if argument.motion in motions)
        ids = {argument.id for argument in arguments}
        return replace(
            self,
            entries=own,
            others=tuple(others),
            ids=self.ids or tuple(entry.speech.id for entry in self.entries),
            arguments=arguments,
            labels=tuple(label for label in self.labels if label.argument in ids),
        )

    def given(self, kind: type[R], of: Entry | Motion) -> R | None:
        """The record of that kind that the corpus has for a speech or motion; None if it has none."""
        table: dict[type[Record], Callable[[Corpus, Any], Record | None]]
        table = _OF_SPEECH if isinstance(of, Entry) else _OF_MOTION
        if kind not in table:
            raise TypeError(f"no stage makes a {kind.__name__}, and no corpus gives one")
        record = table[kind](self, of)
        assert record is None or isinstance(record, kind)
        return record

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
        return tuple(expected.text for expected in texts if expected.stance in (None, speech.stance))

    def best_scored(self, motion: str, stance: str | None) -> tuple[Entry, ...]:
        """The speeches of one side that people have scored, the best first."""
        return self._best_scored.get((motion, stance), ())

    @cached_property
    def _expected(self) -> dict[str, tuple[ExpectedText, ...]]:
        return grouped((expected.motion, expected) for expected in self.expected)

    @cached_property
    def _best_scored(self) -> dict[tuple[str, str | None], tuple[Entry, ...]]:
        scored = [entry for entry in self._in_order if entry.speech.score is not None]
        best_first = sorted(scored, key=lambda entry: -(entry.speech.score or 0.0))
        return grouped(
            ((entry.speech.motion, entry.speech.stance), entry) for entry in best_first if entry.speech.motion
        )

    @cached_property
    def _by_motion(self) -> dict[str, tuple[Entry, ...]]:
        return grouped((entry.speech.motion, entry) for entry in self._in_order if entry.speech.motion)

    @cached_property
    def _in_order(self) -> tuple[Entry, ...]:
        if not self.others:
            return self.entries
        return tuple(sorted((*self.entries, *self.others), key=lambda entry: self.ranks[entry.speech.id]))

    @cached_property
    def _arguments(self) -> dict[str, Arguments]:
        by_motion = grouped((argument.motion, argument) for argument in self.arguments)
        return {motion: Arguments(items=items) for motion, items in by_motion.items()}


# The records that a corpus gives to stages: those of kinds that no stage makes.

# How many of the best-scored speeches may serve as references for the others.
_BEST_SCORED = 8


_HOW_TO_GIVE: dict[type[Record], str] = {
    AudioFile: "name the recording in the column file of speeches.csv",
    ReferenceTranscript: "write what was said into a .txt file of the same name beside the recording",
    GivenTranscript: "name a transcript with times, such as .ctm or .srt, in the column transcript of speeches.csv; "
    "if the speech is a text, set transcribe.text=reference",
    SpeakerCount: "name everybody who speaks in the column speaker of speeches.csv",
    GivenSpeakers: "say in speakers.csv who is who in the recording",
    KnownVoices: "name a voice in speakers.csv or in the report, or use `rostrum speakers add`",
    GivenTurns: "write who spoke when into an .rttm file of the same name beside the recording, "
    "or name a file with speakers, such as .eaf or .vtt, in the column turns of speeches.csv",
    Motion: "list the motions in motions.csv, and fill in the column motion of speeches.csv",
    Speeches: "fill in the column motion of speeches.csv",
    Arguments: "list the known arguments of the motion in arguments.csv",
    Judgements: "answer the questions of the queue, or correct a motion's page: `rostrum report RUN --serve --edit`",
    ExpectedTexts: "write into references.csv what a good speech on the motion covers",
}


def how_to_give(kind: type[Record]) -> str:
    """How a person adds records of this kind to a corpus, in one sentence."""
    return _HOW_TO_GIVE.get(kind, "")


def _audio(_: Corpus, entry: Entry) -> AudioFile | None:
    return AudioFile(path=entry.audio) if entry.audio else None


def _reference(_: Corpus, entry: Entry) -> ReferenceTranscript | None:
    return read_reference(entry.reference) if entry.reference else None


def _transcript(_: Corpus, entry: Entry) -> GivenTranscript | None:
    """The given transcript of a speech, or the correction of one that was recognised."""
    correction = entry.correction if entry.correction and entry.correction.words is not None else None
    if entry.transcript is None:
        return GivenTranscript(words=(), source="corrected", correction=correction) if correction else None
    is_of_ibm = entry.transcript.suffix.lower() == ".asr"  # read without hesitations
    return GivenTranscript(
        words=read_words(entry.transcript),
        source=f"given: {entry.transcript.name}",
        language=read_language(entry.transcript),
        keeps_hesitations=not is_of_ibm,
        correction=correction,
    )


def _count_of_speakers(_: Corpus, entry: Entry) -> SpeakerCount | None:
    """How many people the manifests name: those of speakers.csv, else the speakers of speeches.csv.

    Rows that name voices by their labels, or one person only, need not be about everybody.
    """
    people = {row.name for row in entry.speakers if row.name}
    if len(people) < 2 or any(row.voice for row in entry.speakers):
        people = set(entry.speech.speakers)
    return SpeakerCount(count=len(people)) if people else None


def _given_speakers(_: Corpus, entry: Entry) -> GivenSpeakers | None:
    """Who is who: what the manifest says, then what people corrected, which wins."""
    people = entry.correction.people if entry.correction else ()
    corrected = (GivenSpeaker(voice=one.voice, name=one.name, role=one.role, side=one.side) for one in people)
    rows = (*entry.speakers, *corrected)
    return GivenSpeakers(items=rows) if rows else None


def _wrong_passages(corpus: Corpus, entry: Entry) -> Judgements | None:
    """The passages of this recording of which people said that they do not carry an argument."""
    own = tuple(
        each
        for each in corpus.judgements
        if each.judgement == "wrong passage" and each.kind == "mention" and _is_in(each.speech, entry.speech.id)
    )
    return Judgements(items=own) if own else None


def _is_in(speech: str | None, recording: str) -> bool:
    return speech is not None and recording in (speech, speech.rpartition("/")[0])


def _of_key_points(corpus: Corpus, motion: Motion) -> Judgements | None:
    """What people said of the key points of a motion, and of the passages that make them."""
    own = tuple(
        each
        for each in corpus.judgements
        if each.motion == motion.id and each.kind in ("key point", "match") and each.judgement != "cannot say"
    )
    return Judgements(items=own) if own else None


def _turns(_: Corpus, entry: Entry) -> GivenTurns | None:
    if entry.correction and entry.correction.turns is not None:
        return GivenTurns(turns=entry.correction.turns)
    if entry.turns is None:
        return None
    return GivenTurns(turns=read_turns(entry.turns))


def _references(corpus: Corpus, entry: Entry) -> ExpectedTexts | None:
    """The expected texts of the speech's side, then the reference transcripts of its best-scored other speeches."""
    speech = entry.speech
    best = [other for other in corpus.best_scored(speech.motion or "", speech.stance) if other is not entry]
    said = [read_spoken(other.reference) for other in best[:_BEST_SCORED] if other.reference]
    texts = (*corpus.expected_of(speech), *said)
    return ExpectedTexts(texts=texts) if texts else None


_OF_SPEECH: dict[type[Record], Callable[[Corpus, Entry], Record | None]] = {
    Speech: lambda _, entry: entry.speech,
    SpeakerCount: _count_of_speakers,
    GivenSpeakers: _given_speakers,
    KnownVoices: lambda corpus, entry: corpus.voices.known_beside(entry.speech.id),
    Motion: lambda corpus, entry: corpus.motions.get(entry.speech.motion or ""),
    Arguments: lambda corpus, entry: corpus.arguments_on(entry.speech.motion),
    AudioFile: _audio,
    ReferenceTranscript: _reference,
    ExpectedTexts: _references,
    GivenTranscript: _transcript,
    GivenTurns: _turns,
    Judgements: _wrong_passages,
}
_OF_MOTION: dict[type[Record], Callable[[Corpus, Motion], Record | None]] = {
    Motion: lambda _, motion: motion,
    Arguments: lambda corpus, motion: corpus.arguments_on(motion.id),
    Judgements: _of_key_points,
    Speeches: lambda corpus, motion: Speeches(items=tuple(entry.speech for entry in corpus.speeches_on(motion.id))),
}
