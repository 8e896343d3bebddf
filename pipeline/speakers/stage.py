"""The sentences of a recording become Speakers: who is who, on which side, and who replies to whom."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from pipeline.diarize import Turns, Voice
from pipeline.grouping import grouped
from pipeline.records import (
    TRANSLATED,
    Motion,
    Record,
    ReferenceTranscript,
    ResponseKind,
    Role,
    Seconds,
    Sentence,
    Speech,
    Stance,
    Timed,
    TimeSpan,
)
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.speakers.names import same_person
from pipeline.stage import stage


class SpeakersSettings(StageSettings):
    """How people's roles and sides are found."""

    role_threshold: float = Field(
        0.6, ge=0, le=1, description="A role that is less probable is not known. 0: always take the most probable one."
    )
    side_threshold: float = Field(
        0.7,
        ge=0.5,
        le=1,
        description="A side that is less probable is not known. 0.5: always take the more probable one.",
    )
    own_words: Literal["model", "rules"] = Field(
        "model",
        description="How a debater's own words tell the side. model: by what debaters ask the audience to vote for, "
        "and by the model that comes with rostrum. rules: only by the former.",
    )
    reply_threshold: float = Field(
        0.5, ge=0, le=1, description="A reply that is less probable is left out. 0: the most probable one of each turn."
    )
    voice_threshold: float = Field(
        0.9,
        ge=0,
        le=1,
        description="A voice gets the name of somebody in the register of voices if that is at least so probable. "
        "1: never.",
    )
    evidence_shown: int = Field(
        4, ge=0, le=100, description="How many sentences to keep for each side, the weightiest first."
    )


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


# Whose voice it is: the voices of a recording compared with those of people who were named before.

# Two vectors of one person are more alike than those of two people (cosines). In between, a logistic curve: at the
# middle both are as probable; so much more alike, and it is the same person with nine to one.
_MIDDLE, _NINE_TO_ONE = 0.5, 0.1
# No name is certain: few voices were measured.
_MOST_CERTAIN = 0.999


class Recognised(NamedTuple):
    """A name from the register, and how probable it is that the voice is this person's."""

    name: str
    probability: float


def recognise(voices: Sequence[Voice], known: KnownVoices, threshold: float) -> dict[str, Recognised]:
    """The name of each voice (by label) that is at least so probable. A name is given to one voice of a recording."""
    from scipy.optimize import linear_sum_assignment

    names, chances = probabilities(voices, known)
    recognised = {}
    for voice, person in zip(*linear_sum_assignment(-chances), strict=True):
        probability = min(round(float(chances[voice, person]), 3), _MOST_CERTAIN)
        if probability >= threshold:
            recognised[voices[voice].speaker] = Recognised(names[person], probability)
    return recognised


def probabilities(voices: Sequence[Voice], known: KnownVoices) -> tuple[list[str], np.ndarray]:
    """(names, the probability that each voice (a row) is each person's). What is left is that of somebody else.

    Samples of a person add up to one mean vector. Vectors of another embedding cannot be compared.
    """
    people = grouped((person.name, person) for person in known.items)
    odds = np.zeros((len(voices), len(people)))
    for column, samples in enumerate(people.values()):
        for row, voice in enumerate(voices):
            own = [np.array(sample.vector) for sample in samples if sample.embedding == voice.embedding]
            if own:
                mean = np.sum(own, axis=0)
                likeness = float(mean @ np.array(voice.vector) / np.linalg.norm(mean))
                odds[row, column] = 9.0 ** ((likeness - _MIDDLE) / _NINE_TO_ONE)
    return list(people), odds / (1.0 + odds.sum(axis=1, keepdims=True))


# The stage.


def _models(settings: SpeakersSettings) -> dict[str, str]:
    if settings.own_words == "rules":
        return {}
    from pipeline.speakers.stance_model import stance_digests

    return stance_digests()


# 7: hosts have no role, and thanks are no replies; 8: names from the reference
# 9: "MALE SPEAKER" is nobody in particular; a host may talk with the moderator
@stage(version=9, model=_models, pace=0.002, reads={"speech": ("stance", "speakers"), "reference": ("turns",)})
def speakers(
    motion: Motion | None,
    speech: Speech,
    sentences: Sentences,
    given: GivenSpeakers | None,
    turns: Turns | None = None,
    known: KnownVoices | None = None,
    reference: ReferenceTranscript | None = None,
    *,
    settings: SpeakersSettings,
) -> Speakers:
    """Find the role and the side of every voice of a recording, and who replies to whom.

    A voice has the name that the manifest gives it, else the one that a reference with names has for its words, else
    that of a voice that is known from other recordings.
    """
    names = recognise(turns.voices, known, settings.voice_threshold) if turns and known else {}
    if speech.speakers:  # the corpus says who speaks: nobody else does
        names = {voice: one for voice, one in names.items() if _is_one_of(one.name, speech.speakers)}
    voices = {sentence.speaker for sentence in sentences.sentences}
    if reference and reference.turns and speech.stance is None and len(voices) > 1:
        from pipeline.speakers.reference_names import names_in_reference

        written = tuple(names_in_reference(reference, sentences))
        given = GivenSpeakers(items=(*written, *(given.items if given else ()))) if written else given
    alone = speech.stance is not None or (len(voices) < 2 and (motion is None or not sentences.sentences))
    if alone and given is None:
        return Speakers(people=(_only_person(speech, sentences, names),), replies=(), is_one_speech=True)

    from pipeline.speakers.who_is_who import who_speaks

    # What speakers.csv says is known in any language.
    can_be_read = given is None or sentences.is_read_in_english
    said = sentences.in_english() if can_be_read else sentences.unread()
    found = who_speaks(motion, speech, said, given, names, settings=settings)
    return found if said is sentences else found.model_copy(update={"people": tuple(map(_with_mark, found.people))})


def _is_one_of(name: str, people: Sequence[str]) -> bool:
    return any(same_person(name, other) for other in people)


def _with_mark(person: Person) -> Person:
    """The person, whose evidence is marked as translated."""
    marked = (each.model_copy(update={"text": f"{TRANSLATED} {each.text}"}) for each in person.evidence)
    return person.model_copy(update={"evidence": tuple(marked)})


def _only_person(speech: Speech, sentences: Sentences, names: Mapping[str, Recognised]) -> Person:
    """The person of a recording that is one speech: of one voice, or of a side that the manifest gives to all of it."""
    items = sentences.sentences
    voice = next((sentence.speaker for sentence in items if sentence.speaker), "")
    recognised = names.get(voice) if not speech.speakers and len({one.speaker for one in items}) == 1 else None
    return Person(
        voice=voice,
        key="",
        name="; ".join(speech.speakers) or (recognised.name if recognised else None),
        recognised=recognised.probability if recognised else None,
        role="debater",
        role_probability=1.0,
        side=speech.stance,
        side_probability=1.0 if speech.stance else None,
        motion=None,
        first=items[0].start if items else None,
        words=sum(sentence.last - sentence.first for sentence in items),
        given=("side",) if speech.stance else (),
    )
