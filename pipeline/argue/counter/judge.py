"""One motion: who answers whom, and why, as a record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.counter.assignment import DECISIVE, marginal_values, several_answers
from pipeline.argue.counter.comparison.opposition import Relations
from pipeline.argue.counter.evidence import ngram_evidence, response_record, sentence_pairs
from pipeline.argue.counter.method import Method, score_table
from pipeline.argue.counter.methods.content_ngrams import content_ngrams
from pipeline.argue.counter.ranker import Ranker, Table
from pipeline.argue.counter.texts.speech_text import SpeechText, allowed_pairs, ranks
from pipeline.arrays import Mask, Matrix
from pipeline.records import CounterPair, CounterScores, Reason, Sentences
from pipeline.settings.counter import CounterSettings

# Stands for a probability of 0, so that its logarithm is a number.
_LEAST = 1e-12


@dataclass(frozen=True)
class Judge:
    """Judges a motion. Only methods with a weight are computed."""

    methods: Mapping[str, Method]
    ranker: Ranker
    relations: Relations
    settings: CounterSettings

    def judged(
        self,
        motion: str,
        supporting: Sequence[SpeechText],
        opposing: Sequence[SpeechText],
        by_id: Mapping[str, Sentences],
    ) -> CounterScores:
        """Every possible pair, scored, ranked and explained. `by_id` has the speeches' sentences."""
        allowed = allowed_pairs(supporting, opposing)
        if self.settings.same_speaker:
            allowed = np.ones_like(allowed)
        weighed = {name: method for name, method in self.methods.items() if name in self.ranker.uses}
        judgement = _Judgement.of(score_table(weighed, supporting, opposing, allowed), allowed, self)
        opponents = [name for speech in supporting for name in speech.speakers]
        return CounterScores(
            motion=motion,
            pairs=tuple(
                pair
                for row in range(len(supporting))
                for pair in self._pairs(row, judgement, supporting, opposing, by_id)
            ),
            responses=tuple(
                response_record(each, by_id[each.id], opponents, *judgement.answered(column, supporting))
                for column, each in enumerate(opposing)
            ),
            ranker=self.settings.ranker,
            assignment=self.settings.assignment,
        )

    def _pairs(
        self,
        row: int,
        judgement: "_Judgement",
        supporting: Sequence[SpeechText],
        opposing: Sequence[SpeechText],
        by_id: Mapping[str, Sentences],
    ) -> Iterator[CounterPair]:
        """The pairs of one supporting speech, the likeliest first."""
        speech, columns = supporting[row], np.flatnonzero(judgement.allowed[row])
        candidates = [opposing[int(column)] for column in columns]
        keys = (judgement.marginal_value[row, columns], judgement.combined[row, columns])
        found = ranks([each.id for each in candidates], *keys)
        ngrams = content_ngrams(speech, candidates)
        for index in sorted(range(len(found)), key=found.__getitem__):
            column, candidate = columns[index], candidates[index]
            ours, theirs = by_id[speech.id], by_id[candidate.id]
            yield CounterPair(
                supporting=speech.id,
                opposing=candidate.id,
                rank=found[index],
                score=float(judgement.combined[row, column]),
                marginal_value=judgement.shown(row, column) if self.settings.assignment != "off" else None,
                reasons=judgement.reasons(row, column),
                sentences=sentence_pairs(
                    (speech, ours), (candidate, theirs), self.relations, self.settings.sentences_shown
                ),
                ngrams=ngram_evidence(ngrams[index], ours, theirs, self.settings.ngrams_shown),
            )


@dataclass(frozen=True, eq=False)
class _Judgement:
    """The scores of a motion: one row per supporting speech, one column per opposing one."""

    scores: Table
    shares: Table
    combined: Matrix
    marginal_value: Matrix
    allowed: Mask
    probabilities: Matrix | None

    @classmethod
    def of(cls, scores: Table, allowed: Mask, judge: Judge) -> "_Judgement":
        combined = judge.ranker.combined(scores, allowed)
        attribution = judge.ranker.attribution
        probabilities = attribution.probabilities(scores, combined, allowed) if attribution else None
        if judge.settings.assignment == "one answer":
            values = marginal_values(combined, allowed)
        elif judge.settings.assignment == "several answers":
            values = _several(combined, allowed, probabilities)
        else:
            values = combined
        return cls(scores, judge.ranker.parts(scores, allowed), combined, values, allowed, probabilities)

    def shown(self, row: int, column: int) -> float | None:
        """The marginal value of a pair; None where nothing else was possible."""
        value = float(self.marginal_value[row, column])
        return value if abs(value) < DECISIVE else None

    def answered(self, column: int, supporting: Sequence[SpeechText]) -> tuple[str | None, float | None]:
        """(the supporting speech that an opposing one most probably answers, the probability that it answers any)."""
        if self.probabilities is None:
            return None, None
        found = self.probabilities[:, column]
        somebody = float(found.sum())
        best = int(found.argmax())
        return (supporting[best].id if found[best] > 1 - somebody else None), somebody

    def reasons(self, row: int, column: int) -> tuple[Reason, ...]:
        """Each method's score of a pair and its share in all scores together, the largest share first."""
        found = [
            Reason(name=name, score=float(self.scores[name][row, column]), share=float(share[row, column]))
            for name, share in self.shares.items()
        ]
        return tuple(sorted(found, key=lambda reason: (-reason.share, reason.name)))


def _several(combined: Matrix, allowed: Mask, probabilities: Matrix | None) -> Matrix:
    """The marginal values of several answers, by log probabilities if they are known: 'answers nobody' has one, too."""
    if probabilities is None:
        return several_answers(combined, allowed)
    log = np.log(np.maximum(probabilities, _LEAST))
    return several_answers(log, allowed, np.log(np.maximum(1 - probabilities.sum(axis=0), _LEAST)))
