"""The records that come from a corpus, before anything is computed."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, model_validator

from pipeline.errors import RostrumError, without_controls
from pipeline.records.speech import Record, Seconds, Timed, Turn, Word, file_digest

Stance = Literal["pro", "con"]
JudgementKind = Literal["mention", "match", "flow", "key point"]
_OF_PASSAGES = ("heard", "not heard", "wrong passage", "cannot say")
# What people can say, by what they judge. "as found" takes back what was said before.
JUDGEMENTS: dict[JudgementKind, tuple[str, ...]] = {
    "mention": (*_OF_PASSAGES, "as found"),
    "match": (*_OF_PASSAGES, "as found"),
    "flow": ("made", "extended", "answered", "conceded", "dropped", "nothing", "as found"),
    "key point": ("rewritten", "merged", "hidden", "added", "as found"),
}
_WITH_TEXT = ("rewritten", "merged", "added")
# Passages that begin within so many seconds of each other are the same.
_SAME_PASSAGE = 0.05
# What somebody does in a debate.
Role = Literal["debater", "moderator", "questioner", "audience"]
# Whether an opposing speech says that it answers somebody, or only speaks about the same points.
ResponseKind = Literal["explicit", "implicit"]
Percent = Annotated[float, Field(ge=0, le=100)]


class Motion(Record):
    """What a debate is about."""

    id: str
    text: str


class Argument(Record):
    """A known argument on a motion: a claim, its text, and what rebuts it.

    `counter` is the id of the argument that rebuts it, `rebuttal` a text that rebuts it.
    """

    id: str
    motion: str
    stance: Stance
    title: str
    text: str = ""
    counter: str | None = None
    rebuttal: str | None = None


class Arguments(Record):
    """The known arguments of one motion."""

    items: tuple[Argument, ...]


class Label(Record):
    """The label of one speech and one argument: whether it is mentioned, how, and by how many votes."""

    speech: str
    argument: str
    mentioned: bool
    how: Literal["explicit", "implicit"] | None = None
    votes_yes: int | None = None
    votes_no: int | None = None


class Votes(Record):
    """How an audience voted on a motion before and after its debate, in per cent of everybody."""

    motion: str
    for_before: Percent
    against_before: Percent
    for_after: Percent
    against_after: Percent

    @property
    def gain(self) -> float:
        """By how many points the side for the motion gained more than the other one."""
        return (self.for_after - self.for_before) - (self.against_after - self.against_before)


class Speech(Record):
    """One speech of a corpus, and what is known about it before anything is computed.

    `recording` is the id of the recording that it is a part of: what one person says in it. None if it is all of it.
    """

    id: str
    motion: str | None = None
    stance: Stance | None = None
    speakers: tuple[str, ...] = ()
    answers: str | None = None
    response: ResponseKind | None = None
    score: float | None = None
    recording: str | None = None

    @property
    def sole_speaker(self) -> str | None:
        """The name of the speaker, if only one is known to speak."""
        return self.speakers[0] if len(self.speakers) == 1 else None


class Speeches(Record):
    """All speeches on one motion."""

    items: tuple[Speech, ...]


class AudioFile(Record):
    """A recording of the corpus. Its digest is that of the file's content, so a file may be moved."""

    path: Path
    _sha256: str | None = PrivateAttr(default=None)

    def digest(self) -> str:
        if self._sha256 is None:
            try:
                self._sha256 = file_digest(self.path)
            except OSError as error:
                raise RostrumError(f"{self.path}: cannot be read: {error.strerror}") from error
        return self._sha256


class ReferenceTranscript(Record):
    """What was said, as a person wrote it down.

    `turns` are the speaker and the text of each turn, if the transcript names its speakers.
    """

    text: str
    turns: tuple[tuple[str | None, str], ...] = ()


def check_sentences(words: Sequence[Timed], ends: Sequence[int]) -> None:
    """Raise ValueError if sentences that end after so many words do not contain every word once, in order of time.

    A sentence may begin before the one before it ends: two people may speak at once.
    """
    if list(ends) != sorted(set(ends)) or (ends[-1] if ends else 0) != len(words) or 0 in ends:
        raise ValueError("the sentences do not contain every word once")
    for first, last in pairwise([0, *ends]):
        starts = [word.start for word in words[first:last]]
        if starts != sorted(starts):
            raise ValueError("the words are not in order of time")
    check_times(words)


def check_times(timed: Iterable[Timed]) -> None:
    """Raise ValueError if a word or turn ends before it begins."""
    if any(each.end < each.start for each in timed):
        raise ValueError("a word or a turn ends before it begins")


class Judgement(Record):
    """What a person says of a point of a debate: in the queue, on a motion's page, or in a cell of the flow.

    `kind` says what is judged, and `judgement` is one of `JUDGEMENTS[kind]`:
    - mention: whether `speech` makes the argument with the id `of`;
    - match: whether the passage makes the key point whose text is `of`;
    - flow: what `speech` does with the point whose text is `of`;
    - key point: what becomes of the key point whose text is `of`. `text` is its new text, or that of the point that it
      is merged into. An added point has no `of`.
    `start` and `end` are those of the passage that was heard. `motion` is the id of the motion, `side` that of a point.
    """

    motion: str
    kind: JudgementKind
    judgement: str
    of: str = ""
    speech: str | None = None
    side: Stance | None = None
    start: Seconds | None = None
    end: Seconds | None = None
    text: str = ""

    @model_validator(mode="after")
    def _is_known(self) -> "Judgement":
        if self.judgement not in JUDGEMENTS[self.kind]:
            raise ValueError(f"of a {self.kind}, a judgement is {', '.join(JUDGEMENTS[self.kind])}")
        if (self.kind != "key point") != bool(self.speech):
            raise ValueError("a judgement of a key point names no speech, every other one does")
        if self.judgement in _WITH_TEXT and not self.text:
            raise ValueError(f"{self.judgement} needs a text")
        if not self.of and (self.judgement not in ("added", "as found") or not self.text):
            raise ValueError("it does not say what is judged")
        return self

    def is_of(self, passage: Timed) -> bool:
        """Whether it is about this passage."""
        return self.start is not None and abs(self.start - passage.start) < _SAME_PASSAGE

    @property
    def subject(self) -> tuple[str | float | None, ...]:
        """What is judged. Of several judgements of the same, the last one counts."""
        passage = self.start if self.kind == "match" or self.judgement == "wrong passage" else None
        return self.motion, self.kind, self.side, self.of or self.text, self.speech, passage


class Judgements(Record):
    """The judgements of people on the points of a debate, in the order in which they were given."""

    items: tuple[Judgement, ...]


def renamed(judged: Iterable[Judgement], text: str) -> str:
    """What the point of this text is called after it was rewritten or merged."""
    for each in judged:
        if each.kind == "key point" and each.of == text and each.judgement in ("rewritten", "merged"):
            text = each.text
    return text


class CorrectedPerson(Record):
    """What a person corrected of one voice of a recording: who it is. None: as it is found, or given.

    `voice` is the label of the voice, or the person's name where the transcript has names.
    """

    voice: str
    name: str | None = None
    role: Role | None = None
    side: Stance | None = None


class Correction(Record):
    """The corrections that a person made to the results of a speech, and what was recognised.

    `words` are the corrected words; None if words, speakers and sentences stay as recognised. `sentence_ends` has for
    each sentence the number of words before its end. `turns` are None if nobody corrected who speaks. `mentioned` says
    for an argument's id whether the speech makes it. `people` says who is who. `follows` is the number of the version
    that this one is based on, 0 for none.
    """

    speech: str
    words: tuple[Word, ...] | None = None
    sentence_ends: tuple[int, ...] = ()
    turns: tuple[Turn, ...] | None = None
    mentioned: dict[str, bool] = {}
    people: tuple[CorrectedPerson, ...] = ()
    recognised: tuple[Word, ...] = ()
    recogniser: str = ""
    language: str = "en"
    keeps_hesitations: bool = False
    follows: int = 0

    @model_validator(mode="after")
    def _is_whole(self) -> "Correction":
        """Check what people may have written into the file by hand."""
        check_sentences(self.words or (), self.sentence_ends)
        check_times(self.turns or ())
        texts = [each.text for each in self.words or ()]
        names = [word.speaker or "" for word in self.words or ()] + [turn.speaker or "" for turn in self.turns or ()]
        names += [name or "" for person in self.people for name in (person.voice, person.name)]
        if any(text != without_controls(text) for text in (" ".join(texts), " ".join(names))):
            raise ValueError("there is a control character in a text")
        if any(len(text.split()) != 1 for text in texts):
            raise ValueError("a word is empty or has a space in it")
        return self

    @property
    def is_empty(self) -> bool:
        """Whether nothing is corrected."""
        return self.words is None and not self.mentioned and not self.people

    @property
    def has_other_words(self) -> bool:
        """Whether the words differ from the recognised ones, not only their speakers or sentences."""
        return self.words is not None and [each.text for each in self.words] != [each.text for each in self.recognised]

    @property
    def text(self) -> str:
        """The corrected transcript, one line per sentence."""
        words = [word.text for word in self.words or ()]
        lines = (" ".join(words[first:last]) + "\n" for first, last in pairwise([0, *self.sentence_ends]))
        return "".join(lines)


class GivenTranscript(Record):
    """A transcript that came with the corpus: of another recogniser, or corrected by a person.

    `language` is None if it is not known. `keeps_hesitations` says whether "um" and "uh" are among the words.
    """

    words: tuple[Word, ...]
    source: str
    language: str | None = None
    keeps_hesitations: bool = True
    correction: Correction | None = None


class SpeakerCount(Record):
    """How many people speak in a recording, by the names that the manifest has."""

    count: int


class GivenTurns(Record):
    """Speaker turns that came with the corpus."""

    turns: tuple[Turn, ...]


class ExpectedTexts(Record):
    """The texts that a good speech on this motion covers: those of the corpus, then the best-scored other speeches."""

    texts: tuple[str, ...]
