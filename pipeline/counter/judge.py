"""One motion: who answers whom, and why, as a record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from pipeline.counter.method import Given, Method, build, run_methods, score_table
from pipeline.counter.ranker import DECISIVE, Ranker, Table, marginal_values, several_answers
from pipeline.counter.replies import turns_of_pairs, weight_of_turns
from pipeline.counter.reported_speech import judge_response, report_weights
from pipeline.counter.stage import (
    CounterPair,
    CounterScores,
    CounterSettings,
    DetectedResponse,
    Reason,
    SentencePair,
    SharedNgram,
    SpeechReply,
)
from pipeline.counter.texts import Ngram, SpeechText, allowed_pairs, lone_content_ngrams, ranks
from pipeline.counter.word_movers import MoverSimilarity
from pipeline.errors import RostrumError, hint
from pipeline.records import Passage, file_digest
from pipeline.segment import Sentences
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
        replies: Sequence[SpeechReply] = (),
    ) -> CounterScores:
        """Every possible pair, scored, ranked and explained. `by_id` has the speeches' sentences, `replies` who replies
        to whom within a recording.
        """
        allowed = allowed_pairs(supporting, opposing)
        if self.settings.same_speaker:
            allowed = np.ones_like(allowed)
        weighed = {name: method for name, method in self.methods.items() if name in self.ranker.uses}
        scores = score_table(weighed, supporting, opposing, allowed)
        turns = turns_of_pairs(replies, [one.id for one in supporting], [one.id for one in opposing])
        judgement = _Judgement(self, supporting, opposing, by_id, allowed, scores, turns)
        return CounterScores(
            motion=motion,
            pairs=tuple(pair for row in range(len(supporting)) for pair in judgement.pairs(row)),
            responses=tuple(judgement.response(column) for column in range(len(opposing))),
            ranker=self.settings.ranker,
            assignment=self.settings.assignment,
            replies=tuple(replies),
        )


@dataclass(frozen=True, eq=False)
class _Judgement:
    """A motion's speeches and their scores: one row per supporting speech, one column per opposing one."""

    judge: Judge
    supporting: Sequence[SpeechText]
    opposing: Sequence[SpeechText]
    by_id: Mapping[str, Sentences]
    allowed: Mask
    scores: Table
    turns: Matrix

    @cached_property
    def combined(self) -> Matrix:
        return self.judge.ranker.combined(self.scores, self.allowed) + weight_of_turns(self.turns)

    @cached_property
    def shares(self) -> dict[str, Matrix]:
        """Each method's share of the combined scores."""
        return self.judge.ranker.parts(self.scores, self.allowed)

    @cached_property
    def probabilities(self) -> Matrix | None:
        """How probably each opposing speech answers each supporting one; None without a trained ranker."""
        attribution = self.judge.ranker.attribution
        return attribution.probabilities(self.scores, self.combined, self.allowed) if attribution else None

    @cached_property
    def marginal_value(self) -> Matrix:
        """What pairs are ranked by: their marginal values, or their scores if nothing is assigned."""
        if self.judge.settings.assignment == "one answer":
            return marginal_values(self.combined, self.allowed)
        if self.judge.settings.assignment == "off":
            return self.combined
        if self.probabilities is None:
            return several_answers(self.combined, self.allowed)
        # by log probabilities: 'answers nobody' has one, too
        log = np.log(np.maximum(self.probabilities, _LEAST))
        return several_answers(log, self.allowed, np.log(np.maximum(1 - self.probabilities.sum(axis=0), _LEAST)))

    def pairs(self, row: int) -> Iterator[CounterPair]:
        """The pairs of one supporting speech, the likeliest first."""
        settings, relations = self.judge.settings, self.judge.relations
        speech, columns = self.supporting[row], np.flatnonzero(self.allowed[row])
        candidates = [self.opposing[int(column)] for column in columns]
        keys = (self.marginal_value[row, columns], self.combined[row, columns])
        ranks_of = ranks([candidate.id for candidate in candidates], *keys)
        ngrams = lone_content_ngrams(speech, candidates)
        for index in sorted(range(len(ranks_of)), key=ranks_of.__getitem__):
            column, candidate = columns[index], candidates[index]
            ours, theirs = self.by_id[speech.id], self.by_id[candidate.id]
            value = float(self.marginal_value[row, column])
            yield CounterPair(
                supporting=speech.id,
                opposing=candidate.id,
                rank=ranks_of[index],
                score=float(self.combined[row, column]),
                marginal_value=value if settings.assignment != "off" and abs(value) < DECISIVE else None,
                reasons=self._reasons(row, column),
                sentences=sentence_pairs((speech, ours), (candidate, theirs), relations, settings.sentences_shown),
                ngrams=ngram_evidence(ngrams[index], (speech, ours), (candidate, theirs), settings.ngrams_shown),
                turns=int(self.turns[row, column]),
            )

    def _reasons(self, row: int, column: int) -> tuple[Reason, ...]:
        """Each method's score of a pair and its share in all scores together, the largest share first."""
        reasons = [
            Reason(name=name, score=float(self.scores[name][row, column]), share=float(share[row, column]))
            for name, share in self.shares.items()
        ]
        return tuple(sorted(reasons, key=lambda reason: (-reason.share, reason.name)))

    def response(self, column: int) -> DetectedResponse:
        """Whether an opposing speech says that it answers somebody, with the sentences that say so; and whom."""
        speech = self.opposing[column]
        judged = judge_response(speech, [name for other in self.supporting for name in other.speakers])
        answers = answers_somebody = None
        if self.probabilities is not None:
            shares = self.probabilities[:, column]
            answers_somebody = float(shares.sum())
            best = int(shares.argmax())
            answers = self.supporting[best].id if shares[best] > 1 - answers_somebody else None
        return DetectedResponse(
            opposing=speech.id,
            kind="explicit" if judged.is_explicit else "implicit",
            probability=judged.probability,
            reports=tuple(Passage.of(self.by_id[speech.id].sentences[index]) for index in judged.reports),
            answers=answers,
            answers_somebody=answers_somebody,
        )


# The evidence that one speech answers another: sentences that match, and words that only the two share.


def sentence_pairs(
    supporting: tuple[SpeechText, Sentences],
    opposing: tuple[SpeechText, Sentences],
    relations: Relations,
    limit: int,
) -> tuple[SentencePair, ...]:
    """The sentences that are each other's best match, the most similar first."""
    (one, ours), (other, theirs) = supporting, opposing
    similarity = relations.similarity(one, other)
    if not similarity.size:
        return ()
    best = similarity.argmax(axis=1)
    is_mutual = similarity.argmax(axis=0)[best] == np.arange(len(best))
    mutual = np.flatnonzero(is_mutual & (similarity.max(axis=1) > 0))
    reports, opposes = report_weights(other, one.speakers), relations.opposition(one, other)
    order = sorted(mutual, key=lambda row: -similarity[row, best[row]])[:limit]
    return tuple(
        SentencePair(
            supporting=Passage.of(ours.sentences[row]),
            opposing=Passage.of(theirs.sentences[best[row]]),
            similarity=float(similarity[row, best[row]]),
            quotes=bool(reports[best[row]] == 1),
            opposes=bool(opposes[row, best[row]] >= 0.5),
        )
        for row in order
    )


def ngram_evidence(
    ngrams: Iterable[Ngram],
    supporting: tuple[SpeechText, Sentences],
    opposing: tuple[SpeechText, Sentences],
    limit: int,
) -> tuple[SharedNgram, ...]:
    """Where both speeches have the n-grams for the first time, as the opposing one words them; the longest first."""
    (one, ours), (other, theirs) = supporting, opposing
    shared = []
    for ngram in sorted(ngrams, key=lambda ngram: (-len(ngram), ngram))[:limit]:
        (here, _), (there, start) = one.content_ngrams[ngram], other.content_ngrams[ngram]
        words = other.content_words[there][start : start + len(ngram)]
        passages = Passage.of(ours.sentences[here]), Passage.of(theirs.sentences[there])
        shared.append(SharedNgram(text=" ".join(words), supporting=passages[0], opposing=passages[1]))
    return tuple(shared)


# What the settings ask for: how sentences are compared, the ranker and its methods.


def judge(settings: CounterSettings, speeches: Sequence[SpeechText]) -> Judge:
    """The judge of a motion with these speeches."""
    path = ranker_file(settings)
    ranker = Ranker.load(path) if path else _without_file(settings.ranker)
    if settings.answered is not None:
        ranker = ranker.for_share(settings.answered)
    relations = sentence_relations(settings.encoder, settings.inference, speeches)
    movers = word_movers(settings.vectors) if ranker.configuration else None
    given = Given(relations, speeches=speeches, movers=movers, configuration=ranker.configuration)
    return Judge(build(run_methods(), given), ranker, relations, settings)


def models_used(settings: CounterSettings) -> dict[str, str]:
    """The names and digests of the models that a judge uses."""
    path = ranker_file(settings)
    names = [settings.encoder, settings.inference]
    if (Ranker.load(path) if path else _without_file(settings.ranker)).configuration:
        names.append(settings.vectors)
    used = {name: models.find(name).digest for name in names if name}
    return used | {"ranker": file_digest(path)} if path else used


def ranker_file(settings: CounterSettings) -> Path | None:
    """The file of a ranker that was trained; None for one that needs no training."""
    without_file = ["equal", *(method.name for method in run_methods())]
    if settings.ranker in without_file:
        return None
    path = trained_ranker_file() if settings.ranker == "trained" else Path(settings.ranker).expanduser()
    if settings.ranker != "trained" and not path.exists():
        raise RostrumError(
            f"counter.ranker: {settings.ranker} is neither a file nor a method; "
            f"{hint(settings.ranker, [*without_file, 'trained'])}"
        )
    return path


def _without_file(name: str) -> Ranker:
    return Ranker.untrained() if name == "equal" else Ranker.by_method(name)


def trained_ranker_file() -> Path:
    """Where training leaves its ranker by default."""
    return models.cache_folder() / "counter-ranker.json"


def sentence_relations(
    encoder: str | None, inference: str | None, speeches: Sequence[SpeechText] = (), *, allow_hub: bool = False
) -> Relations:
    """How sentences are compared: by an encoder or shared words; for contradiction, by a model or cue words.

    The sentences of these `speeches` are embedded together.
    """
    similarity: SentenceSimilarity = SharedWordSimilarity()
    if encoder:
        similarity = EncodedSimilarity(load_encoder(encoder), speeches)
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
