"""The key points of each side of a debate: who makes them, for how long, and which the other side takes up."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Floats32
from pipeline.grouping import grouped
from pipeline.keypoints.candidates import Candidate, claims
from pipeline.keypoints.clauses import conceded, is_argued, trimmed
from pipeline.keypoints.generation import SURER, Writer, generate, scores_in_chunks
from pipeline.keypoints.spoken import (
    Readers,
    RuleReader,
    read_by_grammar,
    says_more,
    shipped_readers,
    spoken_candidates,
)
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide
from pipeline.keypoints.stretches import ReadSpeech
from pipeline.matching.matcher import Matcher, in_speech
from pipeline.records import Motion, Passage, Sentence, Speech, Stance
from pipeline.segment import Sentences
from pipeline.sentence_roles import without_answered_report, without_report

# Sentences of these roles make no key point: what they say is not the speaker's, or nothing.
# Rules tell all of them.
CLAIMS_NOTHING = frozenset({"question", "procedure", "quoting", "conceding"})
_SIDES: tuple[Stance | None, ...] = ("pro", "con", None)


@dataclass(frozen=True)
class Claim:
    """Something claimed in a sentence, and where the sentence is: a long one makes several claims."""

    text: str
    speech: Speech
    index: int
    sentence: Sentence

    @property
    def speaker(self) -> str:
        """Who said it: by name where the corpus has one name, else a voice of this speech."""
        return self.speech.sole_speaker or f"{self.speech.id}: {self.sentence.speaker or 'somebody'}"

    def match(self, score: float) -> KeyPointMatch:
        said = Passage.of(self.sentence)
        name = self.speech.sole_speaker or self.sentence.speaker
        return KeyPointMatch(speech=self.speech.id, sentence=self.index, speaker=name, said=said, score=round(score, 4))


@dataclass(frozen=True)
class Side:
    """All speeches of one side of a motion, what they claim, and what they grant the other side or quote from it."""

    stance: Stance | None
    speeches: tuple[tuple[Speech, Sentences], ...]
    claims: tuple[Claim, ...]
    conceded: tuple[Claim, ...] = ()
    quoted: tuple[Claim, ...] = ()

    def first_claims(self, speech: Speech) -> dict[int, int]:
        """For each sentence of a speech that claims something, the index of its first claim."""
        return {
            claim.index: number
            for number, claim in reversed(list(enumerate(self.claims)))
            if claim.speech.id == speech.id
        }


def sides(
    motion: Motion, speeches: Iterable[Speech], sentences: Mapping[str, Sentences], rule: RuleReader
) -> list[Side]:
    """The sides that have a speech; speeches without a known stance are a side of their own."""
    read = sorted((speech for speech in speeches if speech.id in sentences), key=lambda speech: speech.id)
    by_stance = {stance: [(one, sentences[one.id]) for one in read if one.stance == stance] for stance in _SIDES}
    return [_side(motion, stance, own, rule) for stance, own in by_stance.items() if own]


def _side(
    motion: Motion, stance: Stance | None, speeches: Sequence[tuple[Speech, Sentences]], rule: RuleReader
) -> Side:
    """The speeches of a side, and what they say. What only states the motion is no claim."""
    said: list[Claim] = []
    quoted: list[Claim] = []
    granted = list(_concessions(speeches))
    for speech, spoken in speeches:
        kinds = rule([sentence.text for sentence in spoken.sentences], motion.text)
        for index, (sentence, kind) in enumerate(zip(spoken.sentences, kinds, strict=True)):
            if kind == "quoting":
                content = trimmed(without_report(sentence.text))
                quoted += [Claim(content, speech, index, sentence)] if says_more(content, motion.text) else []
            elif kind == "conceding":
                content = trimmed(sentence.text)
                granted += [Claim(content, speech, index, sentence)] if says_more(content, motion.text) else []
            elif kind not in CLAIMS_NOTHING:
                own = without_answered_report(sentence.text)
                texts = (text for text in claims(own) if says_more(text, motion.text))
                said += [Claim(text, speech, index, sentence) for text in texts]
    return Side(stance, tuple(speeches), tuple(said), tuple(granted), tuple(quoted))


def key_points(
    motion: Motion,
    speeches: Iterable[Speech],
    sentences: Mapping[str, Sentences],
    matcher: Matcher,
    readers: Readers | None = None,
    *,
    write: Writer = generate,
    threshold: float | None = None,
    fewest: int = 3,
    most: int = 10,
    most_words: int = 15,
) -> KeyPoints:
    """Find the key points of each side, the sentences that make them, and those of the other side that take them up or
    concede them. `readers` are by default those that come with rostrum.
    """
    readers = readers or shipped_readers()
    counted = matcher.threshold + SURER if threshold is None else threshold
    limits = {"fewest": fewest, "most": most, "most_words": most_words}
    all_sides = sides(motion, speeches, sentences, readers.rule)
    read_all = functools.cache(lambda: {side.stance: _read(side, motion, most_words) for side in all_sides})
    by_side = []
    for side in all_sides:
        opponents = [other for other in all_sides if None not in (side.stance, other.stance) and other is not side]
        candidates_of = functools.partial(_candidates, side, motion, read_all, readers)
        thresholds = threshold, counted
        by_side.append(_of_side(side, opponents, motion, matcher, write, candidates_of, thresholds, limits))
    return KeyPoints(
        motion=motion.id,
        points=tuple(numbered(point for points, _ in by_side for point in points)),
        sides=tuple(summary for _, summary in by_side),
        matcher=matcher.name,
        threshold=counted,
    )


def _read(side: Side, motion: Motion, most_words: int) -> list[ReadSpeech]:
    """The speeches of a side as the parser reads them."""
    return [
        read_by_grammar(motion.text, spoken, side.first_claims(speech), most_words=most_words)
        for speech, spoken in side.speeches
    ]


def _candidates(
    side: Side, motion: Motion, read_all: Callable[[], Mapping[Stance | None, Sequence[ReadSpeech]]], readers: Readers
) -> list[Candidate]:
    """The clauses that could be key points of a side. The first call reads the speeches of all sides."""
    claims = [side.first_claims(speech) for speech, _ in side.speeches]
    return spoken_candidates(motion.text, side.stance, read_all()[side.stance], claims, readers)


def _of_side(
    side: Side,
    opponents: Sequence[Side],
    motion: Motion,
    matcher: Matcher,
    write: Writer,
    candidates_of: Callable[[], Sequence[Candidate]],
    thresholds: tuple[float | None, float],
    limits: Mapping[str, int],
) -> tuple[list[KeyPoint], KeyPointSide]:
    """(the key points of one side with all their matches, the side in figures).

    `thresholds` are that for choosing key points, where None is the matcher's, and that for counting sentences.
    """
    chosen_from, threshold = thresholds
    others = [claim for opponent in opponents for claim in opponent.claims]
    granted = [claim for opponent in opponents for claim in opponent.conceded]
    quoted = [claim for opponent in opponents for claim in opponent.quoted]
    generated = write(
        motion.text,
        [claim.text for claim in side.claims],
        matcher,
        others=[claim.text for claim in others],
        style="spoken",
        stance=side.stance,
        speakers=[claim.speaker for claim in side.claims],
        threshold=chosen_from,
        candidates_of=candidates_of,
        **limits,
    )
    written = [candidate.text for candidate in generated.key_points]
    groups = (others, granted, quoted)
    opposing = [claim.text for group in groups for claim in group]
    taken_up = in_speech(scores_in_chunks(motion.text, opposing, written, matcher), opposing)
    by_group = np.split(taken_up, np.cumsum([len(group) for group in groups])[:-1])
    others_say = (_matches(group, scores, threshold) for group, scores in zip(groups, by_group, strict=True))
    matches = _matches(side.claims, generated.scores, threshold)
    sources = [side.claims[candidate.source] for candidate in generated.key_points]
    columns = zip(written, sources, matches, zip(*others_say, strict=True), generated.leanings, strict=True)
    points = [_point(side, *column) for column in columns if column[2]]
    return list(_nested(points, motion, matcher)), _summary(side, matches)


def _nested(points: Sequence[KeyPoint], motion: Motion, matcher: Matcher) -> Iterator[KeyPoint]:
    """The key points of a side; one that, as an argument, makes another one that is made by more is a case of it."""
    ordered = sorted(points, key=_prevalence)
    texts = [point.text for point in ordered]
    makes = matcher.scores(motion.text, texts, texts) >= matcher.threshold if texts else np.zeros((0, 0), dtype=bool)
    for i, point in enumerate(ordered):
        general = next((j for j in range(i) if makes[i, j] and not makes[j, :j].any()), None)
        yield point.model_copy(update={"id": str(i), "case_of": None if general is None else str(general)})


def numbered(points: Iterable[KeyPoint]) -> Iterator[KeyPoint]:
    """The key points with new ids, by prevalence within each side, each followed by those that are cases of it."""
    by_stance = grouped((point.stance, point) for point in points)
    for stance in _SIDES:
        own = sorted(by_stance.get(stance, ()), key=_prevalence)
        rank = {point.id: place for place, point in enumerate(own)}
        # a case comes after the point that it is a case of, if that is still there
        order = sorted((rank.get(point.case_of or "", place), place) for place, point in enumerate(own))
        named = [(own[place], f"{stance or 'side unknown'} {n}") for n, (_, place) in enumerate(order, start=1)]
        new = {point.id: name for point, name in named}
        for point, name in named:
            yield point.model_copy(update={"id": name, "case_of": new.get(point.case_of) if point.case_of else None})


def _prevalence(point: KeyPoint) -> tuple[float, ...]:
    """Sorts key points: by speakers, then speeches, then minutes."""
    return -point.speakers, -point.speeches, -point.minutes


def _concessions(speeches: Iterable[tuple[Speech, Sentences]]) -> Iterator[Claim]:
    for speech, spoken in speeches:
        for index, sentence in enumerate(spoken.sentences):
            for text in map(trimmed, conceded(sentence.text)):
                if is_argued(text):
                    yield Claim(text, speech, index, sentence)


def _matches(claims: Sequence[Claim], scores: Floats | Floats32, threshold: float) -> list[list[tuple[Claim, float]]]:
    """For each key point the claims that make it, best first: a claim makes its best key point, if any."""
    # Of several claims of one sentence only the best is kept, so that the sentence is counted once.
    best_of_sentence: list[dict[tuple[str, int], tuple[Claim, float]]] = [{} for _ in range(scores.shape[1])]
    if scores.size:
        best = scores.argmax(axis=1)
        rows = np.flatnonzero(scores.max(axis=1) >= threshold).tolist()
        for row in sorted(rows, key=lambda row: -float(scores[row, best[row]])):
            match = claims[row], float(scores[row, best[row]])
            best_of_sentence[best[row]].setdefault((claims[row].speech.id, claims[row].index), match)
    return [list(matches.values()) for matches in best_of_sentence]


def _point(
    side: Side,
    text: str,
    source: Claim,
    matches: Sequence[tuple[Claim, float]],
    others_say: Sequence[Sequence[tuple[Claim, float]]],
    leaning: float | None,
) -> KeyPoint:
    """A key point with its counts. Its id follows when all points of its side are known.

    `others_say` are the matches of the other side: those that answer it, concede it, and quote it.
    """
    answers, concessions, quotations = (tuple(claim.match(score) for claim, score in own) for own in others_say)
    seconds = sum(claim.sentence.duration for claim, _ in matches)
    return KeyPoint(
        id="",
        text=text,
        stance=side.stance,
        source=source.speech.id,
        sentence=source.index,
        matches=tuple(claim.match(score) for claim, score in matches),
        speeches=len({claim.speech.id for claim, _ in matches}),
        speakers=len({claim.speaker for claim, _ in matches}),
        minutes=round(seconds / 60, 3),
        answers=answers,
        concessions=concessions,
        quotations=quotations,
        leaning=None if leaning is None else round(leaning, 4),
    )


def _summary(side: Side, matches: Iterable[Iterable[tuple[Claim, float]]]) -> KeyPointSide:
    """How much one side says, and how much of that its key points cover."""
    spoken = [sentence for _, sentences in side.speeches for sentence in sentences.sentences]
    covered = {(claim.speech.id, claim.index) for of_point in matches for claim, _ in of_point}
    speakers = {
        name
        for speech, sentences in side.speeches
        for name in (speech.speakers or {sentence.speaker for sentence in sentences.sentences})
    }
    return KeyPointSide(
        stance=side.stance,
        speeches=len(side.speeches),
        speakers=len(speakers),
        minutes=round(sum(sentence.duration for sentence in spoken) / 60, 3),
        sentences=len(spoken),
        argued=len({(claim.speech.id, claim.index) for claim in side.claims}),
        covered=len(covered),
    )
