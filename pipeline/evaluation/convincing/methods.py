"""The methods of the convincingness tables: each learns from some pairs and ranks, and judges others."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.convincing.learning import Learned, Pairs, learn
from pipeline.argue.convincing.representation import (
    ENCODER,
    SPOKEN,
    SPOKEN_WITHOUT_LENGTH,
    VIEWS,
    WRITTEN,
    Scale,
    View,
    described,
)

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# Of logistic regression on standardised columns: chosen on topics of one training part.
_RIDGE = 0.001


@dataclass
class Pool:
    """All texts that are learned from or judged, by number, and what methods see of them, each computed once."""

    texts: tuple[str, ...]
    topic_of: Integers
    seed: int = 0
    _views: dict[str, Matrix] = field(default_factory=dict)

    @cached_property
    def lengths(self) -> Vector:
        return np.array([len(text) for text in self.texts], dtype=np.float64)

    @cached_property
    def word_counts(self) -> Vector:
        from pipeline.text.terms import tokens

        return np.array([len(tokens(text)) for text in self.texts], dtype=np.float64)

    def view(self, view: View) -> Matrix:
        from pipeline.text.encoders.sentence_encoder import load_encoder

        if view.name not in self._views:
            self._views[view.name] = described(self.texts, self.topic_of, view, load_encoder(ENCODER))
        return self._views[view.name]

    @cached_property
    def linguistic(self) -> tuple[Matrix, int]:
        """Inner products of all features of the published SVM."""
        from pipeline.evaluation.convincing.linguistic import linguistic
        from pipeline.evaluation.convincing.support_vectors import inner_products

        return inner_products(linguistic(self.texts))

    @cached_property
    def lemmas(self) -> tuple[Matrix, int]:
        """Inner products of word n-grams alone."""
        from pipeline.evaluation.convincing.linguistic import FAMILIES, linguistic
        from pipeline.evaluation.convincing.support_vectors import inner_products

        return inner_products(linguistic(self.texts, FAMILIES[:1]))

    @cached_property
    def words(self) -> Any:
        from pipeline.evaluation.convincing.blstm import Words
        from pipeline.text.encoders.word_vectors import load_vectors

        return Words(self.texts, load_vectors())


@dataclass(frozen=True)
class Problem:
    """Pairs (rows of two text numbers) and ranked texts to learn from, and others to judge."""

    train: Integers
    first_wins: Booleans
    train_ranked: Integers
    train_ranks: Vector
    test: Integers
    test_ranked: Integers


@dataclass(frozen=True)
class Judgement:
    """A margin for each test pair, positive where the first wins; probabilities and ranks where the method has them."""

    margins: Vector
    probabilities: Vector | None = None
    ranks: Vector | None = None


@dataclass(frozen=True)
class Method:
    """A line of the tables. A changed `version` makes stored results void.

    `needs` names what the method uses besides the data, for the signature; it raises where that is not here.
    """

    name: str
    judge: Callable[[Pool, Problem], Judgement]
    version: int = 1
    needs: Callable[[], dict[str, str]] = dict
    fast: bool = False
    chosen: bool = True


def _by_utility(pool: Pool, problem: Problem, utilities: Vector, probabilities: Any = None) -> Judgement:
    """Pairs by difference; a text's rank is how it stands to the mean of its topic's texts."""
    margins = utilities[problem.test[:, 0]] - utilities[problem.test[:, 1]]
    ranks = utilities[problem.test_ranked].copy()
    topics = pool.topic_of[problem.test_ranked]
    for topic in np.unique(topics):
        ranks[topics == topic] -= ranks[topics == topic].mean()
    return Judgement(margins, probabilities(margins) if probabilities else None, ranks)


def _majority(pool: Pool, problem: Problem) -> Judgement:
    margin = 1.0 if problem.first_wins.mean() >= 0.5 else -1.0
    return Judgement(np.full(len(problem.test), margin))


def _longer(pool: Pool, problem: Problem) -> Judgement:
    return _by_utility(pool, problem, pool.lengths)


def _more_words(pool: Pool, problem: Problem) -> Judgement:
    return _by_utility(pool, problem, pool.word_counts)


def _bradley_terry(columns: str) -> Callable[[Pool, Problem], Judgement]:
    """Utilities linear in the surface features, the encoder's vectors, or both."""

    def judge(pool: Pool, problem: Problem) -> Judgement:
        from sklearn.linear_model import LogisticRegression

        n_surface = len(WRITTEN.features)
        rows = pool.view(WRITTEN)
        part = {"surface": rows[:, :n_surface], "encoder": rows[:, n_surface:], "both": rows}[columns]
        trained_on = np.unique(problem.train)
        rows = Scale.of(part[trained_on], part.shape[1])(part)
        model = LogisticRegression(C=_RIDGE, fit_intercept=False, max_iter=1000)
        model.fit(rows[problem.train[:, 0]] - rows[problem.train[:, 1]], problem.first_wins)
        return _by_utility(pool, problem, rows @ model.coef_[0])

    return judge


def _gaussian_process(view: View, *, debiased: bool = False) -> Callable[[Pool, Problem], Judgement]:
    def judge(pool: Pool, problem: Problem) -> Judgement:
        learned = learned_from(pool, problem, view, debiased=debiased)
        return _by_utility(pool, problem, learned.utilities(pool.view(view)), learned.model.probabilities)

    return judge


def learned_from(pool: Pool, problem: Problem, view: View, *, debiased: bool = False) -> Learned:
    """The preference model of a problem's training pairs."""
    first, second = problem.train.T
    winner, loser = np.where(problem.first_wins, first, second), np.where(problem.first_wins, second, first)
    pairs = Pairs(winner, loser, pool.topic_of[winner])
    return learn(pool.view(view), len(view.columns), pairs, lengths=pool.lengths if debiased else None, seed=pool.seed)


def _support_vectors(kind: str) -> Callable[[Pool, Problem], Judgement]:
    def judge(pool: Pool, problem: Problem) -> Judgement:
        from pipeline.evaluation.convincing.support_vectors import PairClassifier, predicted_ranks

        products, size = pool.lemmas if kind == "lemmas" else pool.linguistic
        machine = PairClassifier(products, gamma=1.0 / size, penalty=1.0).fit(problem.train, problem.first_wins)
        ranks = None
        if len(problem.train_ranked) and len(problem.test_ranked):
            ranks = predicted_ranks(
                products, problem.train_ranked, problem.train_ranks, problem.test_ranked, gamma=1.0 / size
            )
        return Judgement(machine.margins(problem.test), ranks=ranks)

    return judge


def _blstm(joined: bool) -> Callable[[Pool, Problem], Judgement]:
    def judge(pool: Pool, problem: Problem) -> Judgement:
        from pipeline.evaluation.convincing.blstm import joined_margins, predicted_ranks, shared_utilities

        ranks = None
        if len(problem.train_ranked) and len(problem.test_ranked):
            ranks = predicted_ranks(
                pool.words, problem.train_ranked, problem.train_ranks, problem.test_ranked, pool.seed
            )
        if joined:
            margins = joined_margins(pool.words, problem.train, problem.first_wins, problem.test, seed=pool.seed)
        else:
            utilities = shared_utilities(
                pool.words,
                pool.topic_of,
                problem.train,
                problem.first_wins,
                seed=pool.seed,
            )
            margins = utilities[problem.test[:, 0]] - utilities[problem.test[:, 1]]
        return Judgement(margins, ranks=ranks)

    return judge


def _encoder() -> dict[str, str]:
    from pipeline.text.encoders.sentence_encoder import load_encoder

    return {"encoder": f"{ENCODER} {load_encoder(ENCODER).digest[:12]}"}


def _parser() -> dict[str, str]:
    from pipeline.evaluation.convincing.linguistic import PARSER, load_parser

    _, digest = load_parser()
    return {"parser": f"{PARSER} {digest[:12]}", **{name: version(name) for name in ("spacy", "vaderSentiment")}}


def _word_vectors() -> dict[str, str]:
    from pipeline.text.encoders.word_vectors import load_vectors

    vectors = load_vectors()
    return {"vectors": f"{vectors.name} {vectors.digest[:12]}"}


def _parser_and_words() -> dict[str, str]:
    return _parser() | _word_vectors()


def _network() -> dict[str, str]:
    return _word_vectors() | {"torch": version("torch")}


# The method that stands for the project, fixed in advance, not picked by its figures.
BEST = "gaussian process"
METHOD_OF_VIEW = {view.name: BEST if view is WRITTEN else f"{BEST}, {view.name}" for view in VIEWS.values()}

METHODS: tuple[Method, ...] = (
    Method("majority", _majority, fast=True),
    Method("longer (characters)", _longer, fast=True),
    Method("longer (words)", _more_words, fast=True),
    Method("svm, lemma n-grams", _support_vectors("lemmas"), needs=_parser),
    Method("svm", _support_vectors("all"), needs=_parser_and_words),
    Method("blstm", _blstm(joined=False), needs=_network),
    Method("blstm, joined", _blstm(joined=True), needs=_network, chosen=False),
    Method("bradley-terry, surface", _bradley_terry("surface"), needs=_encoder, fast=True),
    Method("bradley-terry, encoder", _bradley_terry("encoder"), needs=_encoder, fast=True),
    Method("bradley-terry", _bradley_terry("both"), needs=_encoder, fast=True),
    Method(BEST, _gaussian_process(WRITTEN), needs=_encoder, fast=True),
    Method(f"{BEST}, debiased", _gaussian_process(WRITTEN, debiased=True), needs=_encoder),
    Method(METHOD_OF_VIEW[SPOKEN.name], _gaussian_process(SPOKEN), needs=_encoder),
    Method(METHOD_OF_VIEW[SPOKEN_WITHOUT_LENGTH.name], _gaussian_process(SPOKEN_WITHOUT_LENGTH), needs=_encoder),
)
