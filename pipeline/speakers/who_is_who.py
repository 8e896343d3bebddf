"""Who is who: the steps from utterances to everybody's name, role and side, and to who replies to whom."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType

from pipeline.records import Motion, Role, Speech, Stance, TimeSpan
from pipeline.segment import Sentences
from pipeline.speakers.calls import names_of_voices
from pipeline.speakers.camps import WEIGHTS, Clue, side_probabilities
from pipeline.speakers.declarations import declarations
from pipeline.speakers.introductions import Context, introductions
from pipeline.speakers.names import Names, is_name, same_person
from pipeline.speakers.own_words import odds_in_debate
from pipeline.speakers.replies import People, replies
from pipeline.speakers.roles import ROLES, parts, roles
from pipeline.speakers.stage import (
    Evidence,
    Fact,
    GivenSpeaker,
    GivenSpeakers,
    Person,
    Recognised,
    Speakers,
    SpeakersSettings,
)
from pipeline.speakers.stance_model import StanceModel, load_stance_model
from pipeline.speakers.utterances import UNKNOWN_VOICE, Said, Utterance, utterances
from pipeline.speakers.wording import side_of_named
from pipeline.text.terms import tokens

# Clues by which somebody is a debater, and how much each adds to that.
_OF_DEBATERS = {
    "introduced": 1.0,
    "announced": 0.5,
    "addressed": 1.0,
    "listed": 0.5,
    "own side": 0.5,
    "asks for votes": 1.0,
}
# Log-odds of a side that people gave.
_CERTAIN = 50.0
# A row of speakers.csv without a voice takes the one that is heard most in so many seconds from its start.
_HEARD = 3.0


@dataclass(frozen=True)
class _Recording:
    """Utterances with one voice per person (`main` has that of each voice), and whose names these voices have."""

    said: tuple[Utterance, ...]
    main: Mapping[str, str]
    name_of: Mapping[str, str]
    names: Names

    @property
    def voice_of(self) -> dict[str, str]:
        return {name: self.main[voice] for voice, name in reversed(list(self.name_of.items()))}


@dataclass(frozen=True)
class _Findings:
    """The probability of each role by voice, that of the side for the motion by debater, and what tells the sides."""

    role: Mapping[str, Mapping[Role, float]]
    pro: Mapping[str, float]
    clues: Sequence[Clue]

    def most(self, voice: str) -> Role:
        return _most(self.role[voice])


def _most(chances: Mapping[Role, float]) -> Role:
    """The most probable role."""
    return max(ROLES, key=lambda role: chances[role])


def who_speaks(
    motion: Motion | None,
    speech: Speech,
    sentences: Sentences,
    given: GivenSpeakers | None,
    recognised: Mapping[str, Recognised] = MappingProxyType({}),
    *,
    settings: SpeakersSettings,
) -> Speakers:
    """Who is who in the sentences of a recording, with what the corpus says of it, and names of `recognised` voices."""
    said = [Said(one.speaker or UNKNOWN_VOICE, one.text, one.start, one.end) for one in sentences.sentences]
    voices = dict.fromkeys(one.voice for one in said)
    rows = given.items if given else ()
    if not rows and len(voices) == 1:
        rows = (GivenSpeaker(voice=next(iter(voices)), name=speech.sole_speaker, role="debater"),)
    rows = tuple(_with_voice(row, said) for row in rows)
    return who_is_who(
        motion, utterances(said), GivenSpeakers(items=rows), recognised, names=speech.speakers, settings=settings
    )


def _with_voice(row: GivenSpeaker, said: Sequence[Said]) -> GivenSpeaker:
    """The row with the voice that is heard in the first seconds after its `start`, if it names no voice itself.

    Where the transcript has names for voices, a row with a name means the voice of that name.
    """
    if row.voice is not None or row.start is None:
        return row
    if row.name and (named := next((one.voice for one in said if same_person(row.name, one.voice)), None)):
        return row.model_copy(update={"voice": named})
    last = row.start + _HEARD if row.end is None else min(row.end, row.start + _HEARD)
    span = TimeSpan(start=row.start, end=max(last, row.start))
    heard: defaultdict[str, float] = defaultdict(float)
    for one in said:
        if one.start is not None and one.end is not None:
            heard[one.voice] += span.overlap(TimeSpan(start=one.start, end=max(one.end, one.start)))
    voice = max(heard, key=heard.__getitem__, default="")
    return row.model_copy(update={"voice": voice}) if heard.get(voice) else row


def who_is_who(
    motion: Motion | None,
    said: Sequence[Utterance],
    given: GivenSpeakers | None = None,
    recognised: Mapping[str, Recognised] = MappingProxyType({}),
    *,
    names: Sequence[str] = (),
    settings: SpeakersSettings,
) -> Speakers:
    """The same of utterances, which need no times. `names` are people who are known to speak."""
    rows = [row for row in (given.items if given else ()) if not (motion and row.motion) or row.motion == motion.id]
    voices = {utterance.voice for utterance in said}
    facts = _facts_by_voice(row for row in rows if row.voice in voices)
    named = {voice: fact.name for voice, fact in facts.items() if fact.name and voice is not None}
    by_sound = {
        voice: one
        for voice, one in recognised.items()
        if voice in voices and voice not in named and one.name not in named.values()
    }
    named |= {voice: one.name for voice, one in by_sound.items()}
    topic = _common_words(motion.text) if motion else frozenset()
    recording = _recording(said, named, [*names, *(row.name for row in rows if row.name)], topic)
    facts = {**_facts_by_name(rows, recording.name_of), **facts}
    known = {recording.main[voice]: fact for voice, fact in reversed(list(facts.items())) if voice is not None}
    model = load_stance_model() if motion and settings.own_words == "model" else None
    findings = _findings(recording, motion, known, model)
    keys = _keys(recording)
    people = [
        _person(voice, keys[voice], recording, findings, facts.get(voice), motion, said, settings)
        for voice in dict.fromkeys(utterance.voice for utterance in said)
    ]
    people = [_heard_before(person, by_sound.get(person.voice)) for person in people]
    elsewhere = [row for row in (given.items if given else ()) if row not in rows]
    people = [_on_motion(person, rows, elsewhere) for person in people]
    role = {voice: findings.most(voice) for voice in findings.role}
    everybody = People(role, findings.pro, recording.voice_of, recording.names)
    answers = [one for one in replies(recording.said, everybody) if one.probability >= settings.reply_threshold]
    return Speakers(
        people=tuple(people),
        replies=tuple(answers),
        is_one_speech=len(people) == 1,
        stance_model=model.digest if model else None,
    )


def _on_motion(person: Person, rows: Sequence[GivenSpeaker], elsewhere: Sequence[GivenSpeaker]) -> Person:
    """The person, with the times of the rows on this motion. Who has rows on other motions only debates those."""
    own = [row for row in rows if _is_about(row, person)]
    other = next((row.motion for row in elsewhere if _is_about(row, person)), None)
    if other and not own:
        return person.model_copy(update={"motion": other})
    timed = [row for row in own if row.motion and row.start is not None and row.end is not None]
    spans = [TimeSpan(start=row.start or 0.0, end=row.end or 0.0) for row in timed]
    return person.model_copy(update={"spans": tuple(spans)})


def _is_about(row: GivenSpeaker, person: Person) -> bool:
    """Whether a row of speakers.csv is about this person."""
    return row.voice == person.voice or bool(row.name and person.name and same_person(row.name, person.name))


def _heard_before(person: Person, recognised: Recognised | None) -> Person:
    """The person, whose name comes from the register of voices if its voice was recognised."""
    return person.model_copy(update={"recognised": recognised.probability}) if recognised else person


def _common_words(motion: str) -> frozenset[str]:
    """The words of a motion that are no names: those in lower case, and the first one.

    >>> sorted(_common_words("We should elect Joe Biden."))
    ['elect', 'should', 'we']
    """
    words = motion.split()
    return frozenset(word for part in (words[:1], filter(str.islower, words)) for each in part for word in tokens(each))


def _facts_by_voice(rows: Iterable[GivenSpeaker]) -> dict[str, GivenSpeaker]:
    """What is given of each voice. A later row wins, and keeps what only the earlier one says."""
    facts: dict[str, GivenSpeaker] = {}
    for row in rows:
        if row.voice is not None:
            before = facts.get(row.voice)
            facts[row.voice] = _with_rest(row, before) if before else row
    return facts


def _with_rest(row: GivenSpeaker, before: GivenSpeaker) -> GivenSpeaker:
    """The row, with the facts that only an earlier one has. Only debaters have a side."""
    left = {name: value for name, value in before if getattr(row, name) in (None, ())}
    if row.role not in (None, "debater"):
        left.pop("side", None)
    return row.model_copy(update=left)


def _keys(recording: _Recording) -> dict[str, str]:
    """A short name for each voice that no other person has: the person's name, else the voice's label."""
    keys: dict[str, str] = {}
    for voice, main in recording.main.items():
        if main not in keys:
            words = re.findall(r"\w+", recording.name_of.get(main) or main) or ["somebody"]
            key = "-".join(words).lower()
            taken = set(keys.values())
            number = next(n for n in count(1) if (f"{key}-{n}" if n > 1 else key) not in taken)
            keys[main] = f"{key}-{number}" if number > 1 else key
        keys[voice] = keys[main]
    return keys


def _facts_by_name(rows: Sequence[GivenSpeaker], name_of: Mapping[str, str]) -> dict[str, GivenSpeaker]:
    """What is given of people by name, for the voices that have these names."""
    return {
        voice: row
        for row in rows
        if is_name(row.name or row.voice or "")
        for voice, name in name_of.items()
        if same_person(row.name or row.voice or "", name)
    }


def _recording(
    said: Sequence[Utterance], given: Mapping[str, str], known: Sequence[str], topic: frozenset[str]
) -> _Recording:
    """The utterances with several voices of one name as one: that which says most."""
    name_of, names = names_of_voices(said, given, known, topic)
    words: Counter[str] = Counter()
    for utterance in said:
        words[utterance.voice] += utterance.words
    first: dict[str, str] = {}
    for voice, _ in words.most_common():
        if name := name_of.get(voice):
            first.setdefault(name, voice)
    main = {voice: first.get(name_of.get(voice, ""), voice) for voice in words}
    return _Recording(tuple(replace(one, voice=main[one.voice]) for one in said), main, name_of, names)


def _findings(
    recording: _Recording, motion: Motion | None, facts: Mapping[str, GivenSpeaker], model: StanceModel | None
) -> _Findings:
    """Roles, then the clues on sides, which tell more of roles, then sides."""
    parts_by_voice = parts(recording.said, recording.names, recording.voice_of)
    role = roles(parts_by_voice)
    if not motion:
        return _Findings(_with_given(role, facts), {}, ())
    clues = _clues(recording, motion, role)
    for clue in clues:
        leads = clue.kind in ("own side", "asks for votes") and role[clue.voice]["moderator"] >= 0.5
        if clue.side and not leads and not parts_by_voice[clue.voice].moderating:
            parts_by_voice[clue.voice].sided += _OF_DEBATERS.get(clue.kind, 0.0)
    final = _with_given(roles(parts_by_voice), facts)
    clues = _clues(recording, motion, final)
    debaters = [voice for voice, chances in final.items() if _most(chances) == "debater"]
    own, passages = odds_in_debate(model, motion.text, recording.said, debaters) if model else ({}, [])
    certain = {voice: _CERTAIN if fact.side == "pro" else -_CERTAIN for voice, fact in facts.items() if fact.side}
    return _Findings(
        final, side_probabilities(debaters, clues, recording.said, {**own, **certain}), [*clues, *passages]
    )


def _clues(recording: _Recording, motion: Motion, role: Mapping[str, Mapping[Role, float]]) -> list[Clue]:
    moderators = {voice: chances["moderator"] for voice, chances in role.items()}
    context = Context(motion.text, moderators, recording.voice_of, recording.names)
    named = _named_in_motion(recording, motion.text)
    return [*introductions(recording.said, context), *declarations(recording.said, motion.text), *named]


def _named_in_motion(recording: _Recording, motion: str) -> Iterator[Clue]:
    """Who is to be elected is for it, and who is to be impeached against."""
    for mention in recording.names.mentions(motion):
        if voice := recording.voice_of.get(mention.name):
            yield Clue("named in the motion", voice, None, motion, side_of_named(motion))


def _with_given(
    role: Mapping[str, Mapping[Role, float]], facts: Mapping[str, GivenSpeaker]
) -> dict[str, Mapping[Role, float]]:
    """The roles, with those that people gave; who was given a side is a debater."""
    given: dict[str, Role] = {voice: fact.role or "debater" for voice, fact in facts.items() if fact.role or fact.side}
    certain = {voice: {role: float(role == known) for role in ROLES} for voice, known in given.items()}
    return {**role, **certain}


def _person(
    voice: str,
    key: str,
    recording: _Recording,
    findings: _Findings,
    fact: GivenSpeaker | None,
    motion: Motion | None,
    said: Sequence[Utterance],
    settings: SpeakersSettings,
) -> Person:
    """What was found and given about one voice. A role below the threshold is left open, and then the side too."""
    own = [utterance for utterance in said if utterance.voice == voice]
    main = recording.main[voice]
    role = findings.most(main)
    role_probability = findings.role[main][role]
    pro = findings.pro.get(main)
    is_known = role_probability >= settings.role_threshold
    side, side_probability = _side(pro, fact, settings)
    given: dict[Fact, object] = (
        {"name": fact.name, "role": fact.role, "side": fact.side, "motion": fact.motion} if fact else {}
    )
    found_motion = motion.id if motion and role == "debater" else None
    return Person(
        voice=voice,
        key=key,
        name=recording.name_of.get(voice),
        role=role if is_known else None,
        role_probability=role_probability,
        side=side if is_known else None,
        side_probability=side_probability,
        motion=fact.motion if fact and fact.motion else found_motion,
        first=own[0].start,
        words=sum(utterance.words for utterance in own),
        given=tuple(name for name, value in given.items() if value is not None),
        evidence=_evidence(main, pro, findings.clues, settings.evidence_shown),
        answers=fact.answers if fact else (),
        response=fact.response if fact else None,
    )


def _side(
    pro: float | None, fact: GivenSpeaker | None, settings: SpeakersSettings
) -> tuple[Stance | None, float | None]:
    """(the side, its probability), of which the side is None if it is not probable enough."""
    if fact and fact.side:
        return fact.side, 1.0
    if pro is None:
        return None, None
    side: Stance = "pro" if pro >= 0.5 else "con"
    probability = max(pro, 1 - pro)
    return (side if probability >= settings.side_threshold and pro != 0.5 else None), probability


def _evidence(voice: str, pro: float | None, clues: Sequence[Clue], most: int) -> tuple[Evidence, ...]:
    """The weightiest sentences that tell the side which was found, each once."""
    if pro is None:
        return ()
    side = "pro" if pro >= 0.5 else "con"
    telling = [clue for clue in clues if clue.voice == voice and clue.side in (side, None)]
    unique: dict[int | None, Clue] = {}
    for clue in sorted(telling, key=lambda one: (-WEIGHTS[one.kind], one.sentence or 0)):
        unique.setdefault(clue.sentence, clue)
    return tuple(
        Evidence(kind=clue.kind, sentence=clue.sentence, text=clue.text) for clue in list(unique.values())[:most]
    )
