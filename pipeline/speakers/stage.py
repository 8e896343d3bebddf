"""The sentences of a recording become Speakers: who is who, on which side, and who replies to whom."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from pipeline.diarize import Turns
from pipeline.records import TRANSLATED, Motion, Speech
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.speakers.known_voices import Recognised, recognise
from pipeline.speakers.names import same_person
from pipeline.speakers.record import GivenSpeakers, KnownVoices, Person, Speakers
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


def _models(settings: SpeakersSettings) -> dict[str, str]:
    if settings.own_words == "rules":
        return {}
    from pipeline.speakers.stance_model import stance_digests

    return stance_digests()


@stage(version=6, model=_models, pace=0.002, reads={"speech": ("stance", "speakers")})
def speakers(
    motion: Motion | None,
    speech: Speech,
    sentences: Sentences,
    given: GivenSpeakers | None,
    turns: Turns | None = None,
    known: KnownVoices | None = None,
    *,
    settings: SpeakersSettings,
) -> Speakers:
    """Find the role and the side of every voice of a recording, and who replies to whom.

    A voice that is known from other recordings gets its name, unless somebody gave it one.
    """
    names = recognise(turns.voices, known, settings.voice_threshold) if turns and known else {}
    if speech.speakers:  # the corpus says who speaks: nobody else does
        names = {voice: one for voice, one in names.items() if _is_one_of(one.name, speech.speakers)}
    voices = {sentence.speaker for sentence in sentences.sentences}
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
