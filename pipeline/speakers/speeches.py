"""The speeches of a recording: what each of its debaters says. A recording of one speaker is one speech."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pipeline.records import Record, Speech
from pipeline.segment import Sentences
from pipeline.speakers.names import same_person
from pipeline.speakers.stage import Person, Speakers

R = TypeVar("R", bound=Record)
# Why the stages of arguments skip a recording.
NO_DEBATER = "nobody in it is known to debate; say in speakers.csv who does"


@dataclass(frozen=True)
class SpokenSpeech:
    """A speech with its sentences. `indices` has the index in the recording of each sentence.

    `key` is that of the person in the recording; None if the speech is all of it.
    """

    speech: Speech
    sentences: Sentences
    indices: tuple[int, ...]
    key: str | None = None

    @property
    def id(self) -> str:
        return self.speech.id

    def part_of(self, record: R) -> R:
        """The part of a recording's record that is about this speech."""
        part = record.of_speaker(self.key) if self.key else record
        assert part is not None
        return part

    def in_recording(self, first: int, last: int) -> tuple[int, int]:
        """Sentences `first` up to, not including, `last` of the speech, as sentences of the recording."""
        return self.indices[first], self.indices[last - 1] + 1


def speeches_in(recording: Speech, sentences: Sentences, people: Speakers | None) -> tuple[SpokenSpeech, ...]:
    """The speeches of a recording that have a sentence. Without `people`, all of it is one speech.

    Only debaters make speeches: what moderators and people in the audience say is nobody's argument.
    """
    everything = tuple(range(len(sentences.sentences)))
    if people is None or (people.is_one_speech and not people.people[0].spans):
        return (SpokenSpeech(_with_side(recording, people), sentences, everything),)
    on_motion = {person.voice: person.speaks_on_motion for person in people.people}
    spoken = []
    if people.is_one_speech:
        made = {_with_side(recording, people): frozenset(person.voice for person in people.people)}
    else:
        made = debaters(recording, people)
    for speech, voices in made.items():
        voiced = ((index, sentences.sentences[index]) for index in everything)
        own = tuple(i for i, one in voiced if (one.speaker or "") in voices and on_motion[one.speaker or ""](one))
        if own:
            said = sentences.model_copy(update={"sentences": tuple(sentences.sentences[i] for i in own)})
            spoken.append(SpokenSpeech(speech, said, own, None if speech.recording is None else key_of(speech)))
    return tuple(spoken)


def debaters(recording: Speech, people: Speakers) -> dict[Speech, frozenset[str]]:
    """The speech of each debater of a recording with several people, and the labels of the debater's voices."""
    voices: dict[str, list[Person]] = {}
    for person in people.people:
        if person.role == "debater" and person.motion in (None, recording.motion):
            voices.setdefault(person.key, []).append(person)
    main = {key: max(own, key=lambda person: person.words) for key, own in voices.items()}
    return {
        Speech(
            id=speech_id(recording.id, key),
            motion=recording.motion,
            stance=person.side,
            speakers=(person.name,) if person.name else (),
            answers=_answered(recording.id, person, main.values()),
            response=person.response,
            recording=recording.id,
        ): frozenset(one.voice for one in voices[key])
        for key, person in main.items()
    }


def speeches_of(recording: Speech, people: Speakers | None) -> tuple[Speech, ...]:
    """The speeches of a recording, without their sentences."""
    if people is None or people.is_one_speech:
        return (_with_side(recording, people),)
    return tuple(debaters(recording, people))


def _with_side(recording: Speech, people: Speakers | None) -> Speech:
    """A recording that is one speech, with the side that was found if the corpus gives none."""
    if people is None or recording.stance is not None:
        return recording
    return recording.model_copy(update={"stance": people.people[0].side})


def speech_id(recording: str, key: str) -> str:
    """The id of what a person says in a recording."""
    return f"{recording}/{key}"


def key_of(speech: Speech) -> str:
    """The key of the person who makes a speech that is part of a recording."""
    return speech.id.removeprefix(f"{speech.recording}/")


def _answered(recording: str, person: Person, others: Iterable[Person]) -> str | None:
    """The id of the speech that the corpus says this one answers."""
    for name in person.answers:
        for other in others:
            if other.key != person.key and (name == other.key or (other.name and same_person(name, other.name))):
                return speech_id(recording, other.key)
    return None


def speeches_on(
    recordings: Iterable[Speech], sentences: Mapping[str, Sentences], people: Mapping[str, Speakers]
) -> list[SpokenSpeech]:
    """The speeches of all recordings that have sentences, in the order of their ids."""
    spoken = [
        speech
        for recording in recordings
        if recording.id in sentences
        for speech in speeches_in(recording, sentences[recording.id], people.get(recording.id))
    ]
    return sorted(spoken, key=lambda speech: speech.id)
