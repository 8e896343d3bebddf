"""One motion: who answers whom, and why, as a record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.arrays import Mask, Matrix
from pipeline.counter.comparison import (
    EncodedSimilarity,
    InferredOpposition,
    Relations,
    SentenceSimilarity,
    SharedWordSimilarity,
)
from pipeline.counter.evidence import ngram_evidence, response_record, sentence_pairs
from pipeline.counter.method import METHODS, Given, Method, build, members, score_table
from pipeline.counter.methods.content_ngrams import content_ngrams
from pipeline.counter.ranker import DECISIVE, Ranker, Table, marginal_values, several_answers
from pipeline.counter.record import CounterPair, CounterScores, Reason
from pipeline.counter.stage import CounterSettings
from pipeline.counter.texts import SpeechText, allowed_pairs, ranks
from pipeline.counter.word_movers import MoverSimilarity
from pipeline.records.base import file_digest
from pipeline.segment.record import Sentences
from pipeline.text.encoders.cross_encoder import load_cross_encoder
from pipeline.text.encoders.sentence_encoder import load_encoder

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


# The probability that an opposing speech answers each supporting speech, or nobody here.


# Loads what the settings ask for: how sentences are compared, the ranker and its methods.

_TRAINED = "counter-ranker.json"
_WITHOUT_FILE = {"tf-idf": Ranker.by_tf_idf, "equal": Ranker.untrained}


def judge(settings: CounterSettings, speeches: Sequence[SpeechText]) -> Judge:
    """The judge of a motion with these speeches."""
    path = ranker_file(settings)
    ranker = Ranker.load(path) if path else _WITHOUT_FILE[settings.ranker]()
    if settings.answered is not None:
        ranker = ranker.for_share(settings.answered)
    relations = sentence_relations(settings.encoder, settings.inference)
    movers = word_movers(settings.vectors) if ranker.configuration else None
    given = Given(relations, speeches=speeches, movers=movers, configuration=ranker.configuration)
    return Judge(build(members(METHODS), given), ranker, relations, settings)


def models_used(settings: CounterSettings) -> dict[str, str]:
    """The names and digests of the models that a judge uses."""
    path = ranker_file(settings)
    names = [settings.encoder, settings.inference]
    if path and Ranker.load(path).configuration:
        names.append(settings.vectors)
    used = {name: models.find(name).digest for name in names if name}
    return used | {"ranker": file_digest(path)} if path else used


def ranker_file(settings: CounterSettings) -> Path | None:
    """The file of a ranker that was trained; None for one that needs no training."""
    if settings.ranker in _WITHOUT_FILE:
        return None
    return trained_ranker_file() if settings.ranker == "trained" else Path(settings.ranker).expanduser()


def trained_ranker_file() -> Path:
    """Where training leaves its ranker by default."""
    return models.cache_folder() / _TRAINED


def sentence_relations(encoder: str | None, inference: str | None, *, allow_hub: bool = False) -> Relations:
    """How sentences are compared: by an encoder or shared words; for contradiction, by a model or cue words."""
    similarity: SentenceSimilarity = SharedWordSimilarity()
    if encoder:
        similarity = EncodedSimilarity(load_encoder(encoder))
    if not inference:
        return Relations(similarity)
    path = models.find(inference, allow_hub=allow_hub).path
    return Relations(similarity, InferredOpposition(load_cross_encoder(str(path), "contradiction"), similarity))


def word_movers(vectors: str | None) -> MoverSimilarity | None:
    """Word Mover's similarity over word vectors, by name or path; None without any."""
    if not vectors:
        return None
    from pipeline.text.encoders.word_vectors import load_vectors

    return MoverSimilarity(load_vectors(vectors))
