"""Who is who in a recording: each voice's role and side, why, and who replies to whom."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from pipeline.records import Record, ResponseKind, Role, Seconds, Sentence, Stance, Timed, TimeSpan

Fact = Literal["name", "role", "side", "motion"]
Probability = Annotated[float, Field(ge=0, le=1)]


class Evidence(Record):
    """A sentence that tells somebody's side, and how. `sentence` is its index in the recording, None for the motion."""

    kind: str
    sentence: int | None
    text: str


class Person(Record):
    """One voice of a recording, and what is known of it.

    `key` stands for the person in ids of speeches: `debate/anna` is what Anna says in the recording `debate`.
    Voices of one name have the same key. `role` and `side` are None if they are less probable than the settings
    ask; the probability is that of the most probable one. Only debaters have a side. `first` is the first second of
    the voice, None in a text without times. `given` says which facts came with the corpus; these have the
    probability 1. `answers` are the names of those whom this person answers, and `response` says how, if the corpus
    says so. `spans` are the times in which the person speaks on the motion, if they are given; else it is all that
    the person says. `recognised` is how probable the name is if it comes from the register of voices; else None.
    """

    voice: str
    key: str
    name: str | None
    role: Role | None
    role_probability: Probability
    side: Stance | None
    side_probability: Probability | None
    motion: str | None
    first: Seconds | None
    words: int
    given: tuple[Fact, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    answers: tuple[str, ...] = ()
    response: ResponseKind | None = None
    recognised: Probability | None = None
    spans: tuple[TimeSpan, ...] = ()

    def speaks_on_motion(self, said: Timed) -> bool:
        """Whether what is said here is on the motion: at least half of it, by the times that are given."""
        here = TimeSpan(start=said.start, end=said.end)
        return not self.spans or sum(2 * span.overlap(here) for span in self.spans) >= here.duration

    @property
    def label(self) -> str:
        """The person's name, or the label of the voice."""
        return self.name or self.voice


class Reply(Record):
    """Sentences `first` up to, not including, `last` of `voice` reply to `to_first` up to `to_last` of `to`."""

    voice: str
    first: int
    last: int
    to: str
    to_first: int
    to_last: int
    probability: Probability


class Speakers(Record):
    """The people of a recording, in the order in which they are first heard, and who replies to whom.

    With `is_one_speech`, everything in the recording is the speech of its only person. `stance_model` says what
    compared people's own words with the motion, None if nothing did.
    """

    people: tuple[Person, ...]
    replies: tuple[Reply, ...]
    is_one_speech: bool = False
    stance_model: str | None = None

    def said_by(self, key: str, sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
        """What the person with this key says on the motion. Sentences have voices, or people's names."""
        own = {name: one for one in self.people if one.key == key for name in (one.voice, one.label)}
        return tuple(
            said
            for said in sentences
            if (one := own.get(said.speaker or "")) is not None and one.speaks_on_motion(said)
        )

    def figures(self) -> dict[str, float]:
        return {
            "voices": len(self.people),
            "debaters": sum(person.role == "debater" for person in self.people),
            "sides": sum(person.side is not None for person in self.people),
        }


class GivenSpeaker(Record):
    """A row of `speakers.csv`: what people know of one voice.

    `voice` is the label of the voice, or the person's name where the transcript has names. Without it, it is the voice
    that is heard at `start`, or that of the `name`. `motion`, `start` and `end` are given if somebody speaks on several
    motions, or on this one only for a time.
    """

    voice: str | None = None
    name: str | None = None
    role: Role | None = None
    side: Stance | None = None
    motion: str | None = None
    start: Seconds | None = None
    end: Seconds | None = None
    answers: tuple[str, ...] = ()
    response: ResponseKind | None = None


class KnownVoice(Record):
    """What a person sounds like in one recording. `embedding` is the digest of what made the vector."""

    name: str
    vector: tuple[float, ...]
    embedding: str


class KnownVoices(Record):
    """The voices of people who were named in other recordings; several of one person add up."""

    items: tuple[KnownVoice, ...]


class GivenSpeakers(Record):
    """All rows of `speakers.csv` on one recording."""

    items: tuple[GivenSpeaker, ...]
