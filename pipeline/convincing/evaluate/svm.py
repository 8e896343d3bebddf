"""The published system: SVMs with an RBF kernel over linguistic features, of pairs and of ranks.

As published the features of both arguments stand side by side, as they are, with LIBSVM's own defaults: C is 1, gamma
one over the number of features, and ranks are learned by a nu-SVR. Over presences of n-grams alone these defaults learn
next to nothing, so these are also given with a C of 10. The project's own form takes the difference of standardised
features instead: swapping two arguments then swaps the answer.

Kernels between pairs are made from inner products of single arguments: a pair is never written out in its 64,000
dimensions.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version

import numpy as np

from pipeline.arrays import Integers, Mask, Matrix, Vector
from pipeline.convincing.evaluate.judging import Fold, Judgement, Method, MethodOptions, Pool
from pipeline.convincing.evaluate.linguistic import FAMILIES, PARSER, FeatureFamily, Values, linguistic, load_parser

# The kernel of pairs of texts, its rows, with other pairs, its columns.
PairKernel = Callable[[Integers, Integers], Matrix]


class Joined:
    """An RBF kernel over the concatenated features of both texts.

    Squared distances of the first and of the second texts add up, so the kernel is the product of two of single texts.
    """

    def __init__(self, products: Matrix, size: int) -> None:
        self._texts = np.exp(-squared_distances(products) / (2 * size))

    def __call__(self, pairs: Integers, others: Integers) -> Matrix:
        kernel = self._texts[pairs[:, 0]][:, others[:, 0]]
        kernel *= self._texts[pairs[:, 1]][:, others[:, 1]]
        return kernel


class Difference:
    """An RBF kernel over the difference of two texts' features."""

    def __init__(self, products: Matrix, size: int) -> None:
        self._products = products
        self._gamma = 1.0 / size

    def __call__(self, pairs: Integers, others: Integers) -> Matrix:
        left = self._products[pairs[:, 0]] - self._products[pairs[:, 1]]
        products = left[:, others[:, 0]] - left[:, others[:, 1]]
        distances = self._squares(pairs)[:, None] + self._squares(others) - 2.0 * products
        return np.asarray(np.exp(-self._gamma * distances))

    def _squares(self, pairs: Integers) -> Vector:
        a, b = pairs.T
        return np.asarray(self._products[a, a] + self._products[b, b] - 2.0 * self._products[a, b])


def squared_distances(products: Matrix) -> Matrix:
    """Squared distances between texts, by their inner products."""
    squares = np.diag(products)
    return np.asarray(np.maximum(squares[:, None] + squares - 2.0 * products, 0.0))


def inner_products(features: Sequence[Values], *, standardised: bool) -> tuple[Matrix, int]:
    """(Gram matrix of all texts, number of features) of one family of features.

    Standardised are features less their mean, over their spread, in all texts, judged ones as well: no label is used.
    """
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.preprocessing import StandardScaler

    if not any(features):
        return np.zeros((len(features), len(features))), 0
    values = DictVectorizer(dtype=np.float64, sparse=not standardised).fit_transform(features)
    if not standardised:
        return np.asarray((values @ values.T).todense(), dtype=np.float64), values.shape[1]
    values = StandardScaler().fit_transform(values)
    return values @ values.T, values.shape[1]


def presence(features: Sequence[Values]) -> list[Values]:
    """The features as binary ones: present or not."""
    return [dict.fromkeys(values, 1.0) for values in features]


def pair_margins(kernel: PairKernel, train: Integers, first_wins: Mask, test: Integers, penalty: float = 1.0) -> Vector:
    """The SVM's margin of each test pair, positive where the first text wins."""
    from sklearn.svm import SVC

    machine = SVC(C=penalty, kernel="precomputed", cache_size=1000)
    machine.fit(_filled(kernel, train, train), first_wins)
    support, weights = train[machine.support_], machine.dual_coef_[0]
    parts = [kernel(test[part], support) @ weights for part in _blocks(len(test))]
    return np.concatenate([*parts, np.zeros(0)]) + float(machine.intercept_[0])


def predicted_ranks(products: Matrix, size: int, train: Integers, ranks: Vector, test: Integers) -> Vector:
    """Ranks of the test texts by a nu-SVR, learned from standardised ranks.

    The PageRanks of 30 arguments lie around .03. Without standardising, an SVM stops before it has learned anything.
    """
    from sklearn.svm import NuSVR

    kernel = np.exp(-squared_distances(products) / size)
    mean, spread = ranks.mean(), ranks.std() or 1.0
    machine = NuSVR(kernel="precomputed", C=1.0, nu=0.5).fit(kernel[np.ix_(train, train)], (ranks - mean) / spread)
    return np.asarray(machine.predict(kernel[np.ix_(test, train)]) * spread + mean)


def _filled(kernel: PairKernel, pairs: Integers, others: Integers) -> Matrix:
    """The kernel matrix, computed block by block: for 11,000 pairs it takes a gigabyte, and a copy as much."""
    filled = np.empty((len(pairs), len(others)))
    for part in _blocks(len(pairs)):
        filled[part] = kernel(pairs[part], others)
    return filled


def _blocks(length: int, size: int = 500) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, length, size))


def products_of(pool: Pool, families: Sequence[FeatureFamily], *, standardised: bool) -> tuple[Matrix, int]:
    """Inner products over several families of features."""
    parts = [_of_family(pool, family, standardised) for family in families]
    return np.sum([products for products, _ in parts], axis=0), sum(size for _, size in parts)


def _of_family(pool: Pool, family: FeatureFamily, standardised: bool) -> tuple[Matrix, int]:
    def products() -> tuple[Matrix, int]:
        values = pool.once("linguistic", lambda: linguistic(pool.texts))[family.name]
        if family.sparse and standardised:
            return inner_products(presence(values), standardised=False)
        return inner_products(values, standardised=standardised)

    return pool.once(f"products {family.name} {standardised}", products)


def _svm(
    kernel: type[Joined] | type[Difference],
    families: Sequence[FeatureFamily],
    *,
    standardised: bool,
    penalty: float = 1.0,
) -> Callable[[Pool, Fold], Judgement]:
    def judge(pool: Pool, fold: Fold) -> Judgement:
        products, size = products_of(pool, families, standardised=standardised)
        margins = pair_margins(kernel(products, size), fold.train, fold.first_wins, fold.test, penalty)
        if not fold.ranks:
            return Judgement(margins)
        ranks = predicted_ranks(products, size, fold.train_ranked, fold.train_ranks, fold.test_ranked)
        return Judgement(margins, ranks=ranks)

    return judge


def _needs(options: MethodOptions) -> dict[str, str]:
    from pipeline.text.encoders.word_vectors import load_vectors

    _, digest = load_parser()
    words = load_vectors()
    return {
        "parser": f"{PARSER} {digest[:12]}",
        **{name: version(name) for name in ("spacy", "vaderSentiment")},
        "spelling": f"{words.name} {words.digest[:12]}",
    }


def _published(name: str, families: Sequence[FeatureFamily], *, chosen: bool = True) -> Method:
    judge = _svm(Joined, families, standardised=False)
    return Method(name, "published", judge, version=2, needs=_needs, chosen=chosen, needs_both_answers=True)


def _ours(name: str, judge: Callable[[Pool, Fold], Judgement]) -> Method:
    return Method(name, "ours", judge, version=2, needs=_needs, needs_both_answers=True)


_WORDS = FAMILIES[:1]
# The published SVM, also without one family of features, each family in turn.
PUBLISHED = (
    _published("svm, lemma n-grams", _WORDS),
    _published("svm", FAMILIES),
    *(
        _published(f"svm without {family.name}", [other for other in FAMILIES if other is not family], chosen=False)
        for family in FAMILIES
    ),
)
OURS = (
    _ours("svm, lemma n-grams, C = 10", _svm(Joined, _WORDS, standardised=False, penalty=10.0)),
    _ours("svm, lemma n-grams, difference", _svm(Difference, _WORDS, standardised=True)),
    _ours("svm, difference", _svm(Difference, FAMILIES, standardised=True)),
)
