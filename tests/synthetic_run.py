"""A made-up run on disk: every artifact a real one has, without a recogniser. For tests, and for benchmarks of size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.convincing.stage import PointPair, RankedPoint, Ranking, SideStrength
from pipeline.counter.stage import CounterPair, CounterScores, DetectedResponse, Reason, SentencePair, SharedNgram
from pipeline.diarize.stage import Turns
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide
from pipeline.mentions.stage import Carrier, Mention, Mentions
from pipeline.records import Argument, Label, Motion, Passage, Record, Sentence, Speech, Stance, Turn
from pipeline.run.configuration import Settings
from pipeline.run.index import save
from pipeline.run.job import Outcome
from pipeline.run.scopes import scope_of_motion, scope_of_speech
from pipeline.run.store import Artifact, Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary
from pipeline.score.stage import word_errors
from pipeline.segment.stage import Sentences
from pipeline.speakers import Person, Role, Speakers, speeches_in
from pipeline.speakers.stage import Evidence
from pipeline.transcribe.stage import Transcript
from tests.synthetic_speech import misheard, prosody_of, recording_of, sentences_of, words_of


@dataclass
class MadeUp:
    """What a run is made of. A speech named in `fails` has no artifacts but a failure."""

    motions: Sequence[Motion]
    speeches: Sequence[Speech]
    arguments: Sequence[Argument] = ()
    labels: Sequence[Label] = ()
    seconds: float = 12.0
    fails: frozenset[str] = frozenset()
    people: dict[str, Speakers] = field(default_factory=dict)
    """Who is who, for each recording of several people."""
    sentences: dict[str, Sentences] = field(default_factory=dict)

    def spoken_on(self, motion: Motion) -> list[Speech]:
        """The speeches on a motion: of a recording of several people, what each debater says."""
        return [
            spoken.speech
            for each in self.speeches
            if each.motion == motion.id and each.id in self.sentences
            for spoken in speeches_in(each, self.sentences[each.id], self.people.get(each.id))
        ]


def debate(seconds: float = 12.0) -> MadeUp:
    """Two motions, two speeches a side, one exchange of two speakers and one speech that fails."""
    motions = (Motion(id="phones", text="We should ban phones in schools."), Motion(id="buses", text="Buses for free!"))
    speeches = [
        Speech(id=f"{motion.id}/{stance}_{name.lower()}", motion=motion.id, stance=stance, speakers=(name,))
        for motion, names in zip(
            motions, (("Anna", "Ben", "Carla", "Dan"), ("Eve", "Finn", "Gus", "Hana")), strict=True
        )
        for stance, name in zip(("pro", "pro", "con", "con"), names, strict=True)
    ]
    speeches[2] = speeches[2].model_copy(update={"answers": speeches[0].id, "response": "explicit"})
    speeches += [
        Speech(id="exchange", motion="phones", speakers=("Ida", "Jon")),
        Speech(id="broken", motion="buses", stance="pro", speakers=("Kim",)),
    ]
    arguments = [
        Argument(id="focus", motion="phones", stance="pro", title="Phones distract.", counter="control"),
        Argument(id="control", motion="phones", stance="con", title="Pupils learn self-control."),
        Argument(id="cars", motion="buses", stance="pro", title="Fewer cars.", text="People leave the car at home."),
    ]
    labels = [Label(speech="phones/pro_anna", argument="focus", mentioned=True, how="explicit")]
    return MadeUp(motions, speeches, arguments, labels, seconds, frozenset({"broken"}))


def panel(seconds: float = 30.0) -> MadeUp:
    """A recording of two debaters, one for and one against, and a moderator; nothing of them is given."""
    speech = Speech(id="panel", motion="phones", speakers=("Ida", "Jon", "Mod"))
    people = [
        _person("Ida", "debater", "pro", 0.93),
        _person("Jon", "debater", "con", 0.81),
        _person("Mod", "moderator", None, 0.97),
    ]
    motions = (Motion(id="phones", text="We should ban phones in schools."),)
    return MadeUp(motions, [speech], seconds=seconds, people={"panel": Speakers(people=tuple(people), replies=())})


def _person(name: str, role: Role, side: Stance | None, probability: float) -> Person:
    why = Evidence(kind="asks for votes", sentence=0, text="Please vote with me.")
    return Person(
        voice=name,
        key=name.lower(),
        name=name,
        role=role,
        role_probability=probability,
        side=side,
        side_probability=probability if role == "debater" else None,
        motion=None,
        first=0.0,
        words=20,
        evidence=(why,) if side else (),
    )


def write_run(folder: Path, made: MadeUp, seed: int = 0) -> Store:
    """Write the run's artifacts and its summary."""
    store = Store(folder)
    random = np.random.default_rng(seed)
    items = [_speech(store, speech, made, random) for speech in made.speeches]
    items += [_motion(store, motion, made) for motion in made.motions]
    summary = RunSummary(
        corpus="made-up/corpus",
        started="2026-01-02T03:04:05+00:00",
        seconds=60.0,
        flow_run=None,
        settings=Settings(),
        problems=[],
        items=items,
        known=CorpusFacts(
            speeches=tuple(made.speeches),
            motions=tuple(made.motions),
            arguments=tuple(made.arguments),
            labels=tuple(made.labels),
        ),
    )
    save(summary, store)
    return store


def _speech(store: Store, speech: Speech, made: MadeUp, random: np.random.Generator) -> ItemSummary:
    scope = scope_of_speech(speech.id)
    if speech.id in made.fails:
        failed = Outcome("ingest", scope, "failed", "broken.ogg: cannot be decoded as audio")
        return ItemSummary(id=speech.id, scope=scope, motion=speech.motion, outcomes=[failed])
    words = tuple(words_of(speech, made.seconds, random))
    sentences = Sentences(sentences=tuple(sentences_of(words)), method="punkt")
    made.sentences[speech.id] = sentences
    transcript = Transcript(words=words, language="en", recogniser="tiny.en", device="cpu", punctuated=True)
    turns = tuple(Turn(start=each.start, end=each.end, speaker=each.speaker) for each in sentences.sentences)
    records: dict[str, Record] = {
        "ingest": recording_of(words, made.seconds, folder=Path(store.root)),
        "diarize": Turns(turns=turns, exclusive=turns, speakers=speech.speakers, method="made up"),
        "transcribe": transcript,
        "score": word_errors(misheard(words, random), transcript.text, "plain"),
        "segment": sentences,
        "prosody": prosody_of(words, sentences, made.seconds, Path(store.root), random),
    }
    if speech.id in made.people:
        records["speakers"] = made.people[speech.id]
        for spoken in speeches_in(speech, sentences, made.people[speech.id]):
            made.sentences[spoken.id] = spoken.sentences
    if found := tuple(_mentions(speech, sentences, made, random)):
        records["mentions"] = Mentions(
            motion=speech.motion or "", mentions=found, encoder="e", detector="shipped", trained_on="t", threshold=0.5
        )
    outcomes = [save_record(store, scope, stage, record) for stage, record in records.items()]
    outcomes.append(_skip(store, scope, "content", "no references and no arguments"))
    return ItemSummary(id=speech.id, scope=scope, motion=speech.motion, outcomes=outcomes)


def _mentions(speech: Speech, sentences: Sentences, made: MadeUp, random: np.random.Generator) -> Iterator[Mention]:
    titles = {argument.id: argument.title for argument in made.arguments}
    for argument in made.arguments:
        if argument.motion != speech.motion or argument.stance != speech.stance:
            continue
        place = int(random.integers(len(sentences.sentences)))
        said = _passage(sentences.sentences[place])
        probability = 0.9 if argument.id in ("focus", "control") else round(float(random.random()), 3)
        yield Mention(
            argument=argument.id,
            title=argument.title,
            stance=argument.stance,
            side="own",
            likeness=1.0,
            probability=probability,
            mentioned=probability >= 0.5,
            carriers=(Carrier(first=place, last=place + 1, said=said, similarity=0.7, entailment=None),),
            counter=argument.counter,
            counter_title=titles.get(argument.counter or ""),
        )


def _motion(store: Store, motion: Motion, made: MadeUp) -> ItemSummary:
    own = made.spoken_on(motion)
    pro, con = ([each for each in own if each.stance == stance] for stance in ("pro", "con"))
    pairs = [_pair(one, other, made, rank) for one in pro for rank, other in enumerate(con, 1)]
    responses = [DetectedResponse(opposing=each.id, kind="implicit", probability=0.3, reports=()) for each in con]
    record = CounterScores(
        motion=motion.id, pairs=tuple(pairs), responses=tuple(responses), ranker="equal", assignment="one answer"
    )
    scope = scope_of_motion(motion.id)
    points = _key_points(motion, own, made)
    records = {"counter": record, "keypoints": points, "convincing": _ranking(points)}
    outcomes = [save_record(store, scope, stage, each) for stage, each in records.items()]
    return ItemSummary(id=motion.id, scope=scope, motion=motion.id, outcomes=outcomes)


def _key_points(motion: Motion, speeches: Sequence[Speech], made: MadeUp) -> KeyPoints:
    """The first sentence of each side's first speech is what all its speeches say, and the other side takes up."""
    points, sides = [], []
    for stance in ("pro", "con"):
        own, others = ([each for each in speeches if (each.stance == stance) is same] for same in (True, False))
        if not own:
            continue
        first = made.sentences[own[0].id].sentences[0]
        points.append(
            KeyPoint(
                id=f"{stance}-1",
                text=first.text,
                stance=stance,
                source=own[0].id,
                sentence=0,
                matches=tuple(_match(each, made) for each in own),
                speeches=len(own),
                speakers=len(own),
                minutes=0.3,
                answers=tuple(_match(each, made) for each in others[:1]),
            )
        )
        sides.append(
            KeyPointSide(
                stance=stance, speeches=len(own), speakers=len(own), minutes=1.0, sentences=9, argued=6, covered=3
            )
        )
    return KeyPoints(motion=motion.id, points=tuple(points), sides=tuple(sides), matcher="made up", threshold=0.5)


def _ranking(record: KeyPoints) -> Ranking:
    """The key points in their order, each a little weaker than the one before."""
    points = [
        RankedPoint(
            source="key point",
            of=point.id,
            title=point.text,
            stance=point.stance,
            speech=point.source,
            speaker=None,
            said=point.matches[0].said,
            strength=0.6 - 0.2 * place,
            rank=place + 1,
            delivery=0.5,
            strength_with_delivery=0.6 - 0.2 * place,
            rank_with_delivery=place + 1,
        )
        for place, point in enumerate(record.points)
    ]
    pairs = [PointPair(first=0, second=1, probability=0.6, probability_with_delivery=0.6, reasons=())]
    return Ranking(
        motion=record.motion,
        points=tuple(points),
        pairs=tuple(pairs[: len(points) - 1]),
        sides=(SideStrength(stance="pro", points=1, strength=0.6, strength_with_delivery=0.6),),
        model="made up",
        accuracy=0.8,
        accuracy_low=0.7,
        accuracy_high=0.9,
        delivery_weight=0.1,
    )


def _match(speech: Speech, made: MadeUp) -> KeyPointMatch:
    sentence = made.sentences[speech.id].sentences[0]
    return KeyPointMatch(speech=speech.id, sentence=0, speaker=sentence.speaker, said=_passage(sentence), score=0.9)


def _pair(one: Speech, other: Speech, made: MadeUp, rank: int) -> CounterPair:
    supporting, opposing = (_passage(made.sentences[each.id].sentences[0]) for each in (one, other))
    return CounterPair(
        supporting=one.id,
        opposing=other.id,
        rank=rank,
        score=round(0.9 / rank, 3),
        marginal_value=None,
        reasons=(Reason(name="tf-idf", score=0.5, share=0.6), Reason(name="content ngrs", score=0.7, share=0.4)),
        sentences=(SentencePair(supporting=supporting, opposing=opposing, similarity=0.8, quotes=True, opposes=False),),
        ngrams=(SharedNgram(text="the law", supporting=supporting, opposing=opposing),),
    )


def _passage(sentence: Sentence) -> Passage:
    return Passage(text=sentence.text, start=sentence.start, end=sentence.end)


def save_record(store: Store, scope: str, stage: str, record: Record) -> Outcome:
    """Write the artifact of a stage that has run."""
    store.save(scope, _artifact(stage, record.digest(), data=record.model_dump(mode="json")), record)
    return Outcome(stage, scope, "run", seconds=0.5)


def _skip(store: Store, scope: str, stage: str, reason: str) -> Outcome:
    store.save(scope, _artifact(stage, skipped=reason), None)
    return Outcome(stage, scope, "skipped", reason)


def _artifact(stage: str, digest: str = "", skipped: str | None = None, data: dict[str, Any] | None = None) -> Artifact:
    return Artifact(
        stage=stage,
        version=1,
        fingerprint="f" * 64,
        inputs={},
        settings={},
        model={"tiny.en": "d3dd57d32accea0b"} if stage == "transcribe" else {},
        created="2026-01-02T03:04:05+00:00",
        seconds=0.5,
        digest=digest,
        skipped=skipped,
        data=data,
    )
