"""What a corpus gives, before anything is computed."""

from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr

from pipeline.errors import RostrumError
from pipeline.records.base import Record, file_digest
from pipeline.records.speech import Turn, Word

Stance = Literal["pro", "con"]
# Whether an opposing speech says that it answers somebody, or only meets the same points
ResponseKind = Literal["explicit", "implicit"]


class Motion(Record):
    """What a debate is about."""

    id: str
    text: str


class Argument(Record):
    """A known argument on a motion: a claim, its text, and what rebuts it.

    `counter` is the id of the argument that does, `rebuttal` a text that does. An argument without a rebuttal has the
    same digest as before there were any.
    """

    id: str
    motion: str
    stance: Stance
    title: str
    text: str = ""
    counter: str | None = None
    rebuttal: str | None = Field(None, exclude_if=lambda value: value is None)


class Arguments(Record):
    """The known arguments of one motion."""

    items: tuple[Argument, ...]


class Label(Record):
    """People's label of one speech and one argument: whether it is mentioned, how, and by how many votes."""

    speech: str
    argument: str
    mentioned: bool
    how: Literal["explicit", "implicit"] | None = None
    votes_yes: int | None = None
    votes_no: int | None = None


class Speech(Record):
    """One recording of a corpus and what is known of it before anything is computed."""

    id: str
    motion: str | None = None
    stance: Stance | None = None
    speakers: tuple[str, ...] = ()
    answers: str | None = None
    response: ResponseKind | None = None
    score: float | None = None

    @property
    def sole_speaker(self) -> str | None:
        """Who speaks, where that is one known person."""
        return self.speakers[0] if len(self.speakers) == 1 else None


class Speeches(Record):
    """All speeches on one motion."""

    items: tuple[Speech, ...]


class AudioFile(Record):
    """The recording as it lies in the corpus. Only its content counts: a moved file is the same file."""

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
    """What was really said, as a person wrote it down."""

    text: str


class Correction(Record):
    """What a person corrected of a speech, and what it was before.

    `words` are as the person has them; None where they, their speakers and the sentences stay as recognised.
    `sentence_ends` has for each sentence how many words stand before its end. `turns` are None where nobody corrected
    who speaks. `mentioned` says of an argument's id whether the speech makes it. `follows` is the number of the version
    that this one was made of, 0 for none.
    """

    speech: str
    words: tuple[Word, ...] | None = None
    sentence_ends: tuple[int, ...] = ()
    turns: tuple[Turn, ...] | None = None
    mentioned: dict[str, bool] = {}
    recognised: tuple[Word, ...] = ()
    recogniser: str = ""
    language: str = "en"
    follows: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is corrected."""
        return self.words is None and not self.mentioned

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
    """A transcript that came with the corpus, from somebody else's recogniser, or as a person corrected it."""

    words: tuple[Word, ...]
    source: str
    correction: Correction | None = Field(None, exclude_if=lambda value: value is None)


class GivenTurns(Record):
    """Speaker turns that came with the corpus."""

    turns: tuple[Turn, ...]


class ExpectedTexts(Record):
    """What a good speech on this motion covers: texts that were given, then the best-scored other speeches."""

    texts: tuple[str, ...]
