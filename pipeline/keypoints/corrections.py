"""Key points as people corrected them: rewritten, merged, hidden, added, and without passages that do not make them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix
from pipeline.keypoints.debate import numbered
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints
from pipeline.matching.matcher import Matcher, in_speech
from pipeline.records import Judgement, Passage, Sentence, Stance
from pipeline.speakers import SpokenSpeech

_NOT_HERE = ("not heard", "wrong passage")


def corrected(
    record: KeyPoints, judged: Sequence[Judgement], spoken: Mapping[str, SpokenSpeech], topic: str, matcher: Matcher
) -> KeyPoints:
    """The key points with everything that people said of them, in the order in which they said it."""
    points = [_without_wrong_passages(point, judged) for point in record.points]
    points = [point for point in points if point.matches]
    for each in judged:
        if each.kind == "key point" and each.judgement != "added":
            points = list(_changed(points, each))
    added = [each for each in judged if each.judgement == "added" and each.text not in {one.text for one in points}]
    if added:
        points += _Adding(record, points, spoken, topic, matcher).points(added)
    counted = (_counted(point, spoken) for point in points)
    return record.model_copy(update={"points": tuple(numbered(counted))})


def _without_wrong_passages(point: KeyPoint, judged: Iterable[Judgement]) -> KeyPoint:
    wrong = [
        each
        for each in judged
        if each.kind == "match" and each.judgement in _NOT_HERE and _is(point, each.of, each.side)
    ]
    kept = (
        match
        for match in point.matches
        if not any(each.speech == match.speech and each.is_of(match.said) for each in wrong)
    )
    return point.model_copy(update={"matches": tuple(kept)})


def _is(point: KeyPoint, text: str, stance: Stance | None) -> bool:
    return (point.text, point.stance) == (text, stance)


def _changed(points: Sequence[KeyPoint], judgement: Judgement) -> Iterable[KeyPoint]:
    """The points after one judgement. A point that is merged into another one adds its sentences to it."""
    subject = next((one for one in points if _is(one, judgement.of, judgement.side)), None)
    target = next((one for one in points if _is(one, judgement.text, judgement.side)), None)
    if subject is None or (judgement.judgement == "merged" and target is None):
        return points  # it was not found this time
    if judgement.judgement == "rewritten":
        return [one.model_copy(update={"text": judgement.text}) if one is subject else one for one in points]
    rest = [one for one in points if one is not subject]
    if judgement.judgement == "merged" and target is not subject:
        return [_merged(one, subject) if one is target else one for one in rest]
    return rest


def _merged(into: KeyPoint, other: KeyPoint) -> KeyPoint:
    both = {
        name: _once((*getattr(into, name), *getattr(other, name)))
        for name in ("matches", "answers", "concessions", "quotations")
    }
    return into.model_copy(update=both)


def _once(matches: Iterable[KeyPointMatch]) -> tuple[KeyPointMatch, ...]:
    """Each sentence once, the best first."""
    best_first = sorted(matches, key=lambda match: -match.score)
    return tuple({(match.speech, match.sentence): match for match in reversed(best_first)}.values())[::-1]


def _counted(point: KeyPoint, spoken: Mapping[str, SpokenSpeech]) -> KeyPoint:
    """The point with the counts that follow from its sentences."""
    speeches = {match.speech for match in point.matches}
    voices = {spoken[match.speech].speech.sole_speaker or f"{match.speech}: {match.speaker}" for match in point.matches}
    seconds = sum(match.said.end - match.said.start for match in point.matches)
    counts = {"speeches": len(speeches), "speakers": len(voices), "minutes": round(seconds / 60, 3)}
    return point.model_copy(update=counts)


@dataclass(frozen=True)
class _Said:
    """A sentence of a speech."""

    speech: str
    index: int
    sentence: Sentence


class _Adding:
    """Finds who makes points that people added, and who answers them: as for the points that were found."""

    def __init__(
        self,
        record: KeyPoints,
        points: Sequence[KeyPoint],
        spoken: Mapping[str, SpokenSpeech],
        topic: str,
        matcher: Matcher,
    ) -> None:
        self._record, self._points, self._topic, self._matcher = record, points, topic, matcher
        self._spoken = spoken

    def points(self, added: Sequence[Judgement]) -> list[KeyPoint]:
        """The added points, each with the sentences that make it. There may be none."""
        return [point for side in dict.fromkeys(each.side for each in added) for point in self._of_side(side, added)]

    def _of_side(self, side: Stance | None, added: Sequence[Judgement]) -> list[KeyPoint]:
        texts = [each.text for each in added if each.side == side]
        own = [one for one in self._sentences() if self._spoken[one.speech].speech.stance == side]
        others = [one for one in self._sentences() if self._spoken[one.speech].speech.stance not in (side, None)]
        made, answered = self._matches(own, side, texts), self._matches(others if side else [], side, texts)
        return [
            _point(text, side, matches, answers, own or others)
            for text, matches, answers in zip(texts, made, answered, strict=True)
        ]

    def _sentences(self) -> list[_Said]:
        return [
            _Said(speech, index, sentence)
            for speech, one in self._spoken.items()
            for index, sentence in enumerate(one.sentences.sentences)
        ]

    def _matches(self, said: Sequence[_Said], side: Stance | None, texts: Sequence[str]) -> list[list[KeyPointMatch]]:
        """For each added text its sentences: those that make none of the side's other points better."""
        if not said:
            return [[] for _ in texts]
        known = [point.text for point in self._points if point.stance == side]
        sentences = [one.sentence.text for one in said]
        scores: Matrix = in_speech(self._matcher.scores(self._topic, sentences, [*known, *texts]), sentences)
        best, highest = scores.argmax(axis=1), scores.max(axis=1)
        return [
            [
                _match(said[row], float(highest[row]))
                for row in np.flatnonzero((best == len(known) + number) & (highest >= self._record.threshold)).tolist()
            ]
            for number in range(len(texts))
        ]


def _match(said: _Said, score: float) -> KeyPointMatch:
    return KeyPointMatch(
        speech=said.speech,
        sentence=said.index,
        speaker=said.sentence.speaker,
        said=Passage.of(said.sentence),
        score=round(score, 4),
    )


def _point(
    text: str,
    stance: Stance | None,
    matches: Sequence[KeyPointMatch],
    answers: Sequence[KeyPointMatch],
    said: Sequence[_Said],
) -> KeyPoint:
    """An added point. Its source is its best sentence; without one, the first sentence of the side."""
    first = _once(matches)[0] if matches else _match(said[0], 0.0)
    return KeyPoint(
        id="",
        text=text,
        stance=stance,
        source=first.speech,
        sentence=first.sentence,
        matches=_once(matches),
        speeches=0,
        speakers=0,
        minutes=0.0,
        answers=_once(answers),
    )
