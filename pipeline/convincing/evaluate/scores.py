"""Figures of judged pairs and ranks: by topic, on average over topics, over all, and by condition."""

from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.convincing.evaluate.data import ArgumentPairs
from pipeline.convincing.evaluate.judging import Judgement
from pipeline.evaluation.result import Row
from pipeline.measures import mean, mean_of_defined, pooled_mean, with_interval

# Texts are alike in length when the shorter has at least this share of the longer one's characters.
LIKE_LENGTHS = 0.9
_CALIBRATION_BINS = 10
# Columns of p values against other methods begin with this.
AGAINST = "wilcoxon_p against "


def method_rows(method: str, pairs: ArgumentPairs, judgement: Judgement, tests: Row) -> Iterator[Row]:
    """One row per topic, the average over topics with its `tests`, all pairs together, and all pairs of a condition."""
    right, topic = correct(pairs, judgement), pairs.pair_topic
    by_topic = [right[topic == number] for number in range(len(pairs.topics))]
    base: Row = {"method": method, "set": pairs.name}
    ranks = _rank_correlations(pairs, judgement)
    means = [mean(own) for own in by_topic]
    for number, name in enumerate(pairs.topics):
        yield {**base, "topic": name, "pairs": len(by_topic[number]), "accuracy": means[number], **ranks[number]}
    average = {name: mean_of_defined(by_rank[name] for by_rank in ranks) for name in _CORRELATIONS}
    figures: Row = {**with_interval("accuracy", means), **average}
    yield {**base, "topic": "average", "pairs": len(right), **figures, **tests}
    together = _correlations(judgement.ranks, pairs.rank) if judgement.ranks is not None else _NO_CORRELATION
    everything = np.ones(len(right), dtype=bool)
    yield {**base, "topic": "all", **_pooled(by_topic), **together, **_calibration(pairs, judgement, everything)}
    for condition, chosen in conditions(pairs).items():
        of_condition = [right[chosen & (topic == number)] for number in range(len(pairs.topics))]
        calibration = _calibration(pairs, judgement, chosen)
        yield {**base, "set": f"{pairs.name}, {condition}", "topic": "all", **_pooled(of_condition), **calibration}


def conditions(pairs: ArgumentPairs) -> dict[str, Mask]:
    """Pairs of like lengths, and of the others those whose longer text won or lost; by ranks; by stances.

    Ranks are near when they differ no more than the median of all pairs. Ranks and stances are there only where a set
    has them.
    """
    lengths = np.array([len(text) for text in pairs.texts])
    won, lost = lengths[pairs.winner], lengths[pairs.loser]
    alike = np.minimum(won, lost) >= LIKE_LENGTHS * np.maximum(won, lost)
    chosen = {"like lengths": alike, "longer wins": ~alike & (won > lost), "longer loses": ~alike & (won < lost)}
    ranks = np.full(len(pairs.texts), np.nan)
    ranks[pairs.ranked_text] = pairs.rank
    distances = np.abs(ranks[pairs.first] - ranks[pairs.second])
    ranked = ~np.isnan(distances)
    if ranked.any():
        near = ranked & (distances <= np.median(distances[ranked]))
        chosen |= {"ranks near": near, "ranks far": ranked & ~near}
    across = pairs.across_stances
    return {**chosen, "same stance": ~across, "across stances": across} if across.any() else chosen


def correct(pairs: ArgumentPairs, judgement: Judgement) -> Vector:
    """1 where the winner was found, 0 where not, 0.5 where the method sees no difference."""
    margins = np.where(pairs.first_wins, judgement.margins, -judgement.margins)
    return np.where(margins == 0, 0.5, (margins > 0).astype(np.float64))


def wilcoxon_tests(pairs: ArgumentPairs, judged: Mapping[str, Judgement]) -> dict[str, Row]:
    """For each method, p of the Wilcoxon signed-rank test of its accuracies over topics against each other method's."""
    from scipy.stats import wilcoxon

    accuracies = {name: _topic_accuracies(pairs, judgement) for name, judgement in judged.items()}
    tests: dict[str, Row] = {name: {} for name in judged}
    for one, other in permutations(accuracies, 2):
        differences = accuracies[one] - accuracies[other]
        p = float(wilcoxon(differences).pvalue) if np.any(differences) else 1.0
        tests[one][AGAINST + other] = p
    return tests


# Columns of p values of the rank table against other methods begin with this.
RANKS_AGAINST = "rank_p against "


def rank_tests(pairs: ArgumentPairs, judged: Mapping[str, Judgement]) -> dict[str, Row]:
    """For each method, p of its Pearson correlation with the gold ranks being that of each other method.

    Both are correlated with the same gold ranks, so the test is that of Meng, Rosenthal and Rubin (1992) for correlated
    correlations, over all ranked arguments.
    """
    ranks = {name: judgement.ranks for name, judgement in judged.items() if judgement.ranks is not None}
    tests: dict[str, Row] = {name: {} for name in judged}
    for (one, ours), (other, theirs) in permutations(ranks.items(), 2):
        tests[one][RANKS_AGAINST + other] = _p_of_difference(ours, theirs, pairs.rank)
    return tests


def _p_of_difference(one: Vector, other: Vector, gold: Vector) -> float | None:
    from scipy.stats import norm

    with np.errstate(invalid="ignore", divide="ignore"):
        table = np.corrcoef([one, other, gold])
    ours, theirs, between = table[0, 2], table[1, 2], table[0, 1]
    if len(gold) < 4 or not np.isfinite(table).all() or between > 1 - 1e-12:
        return None
    z = meng_z(float(ours), float(theirs), float(between), len(gold))
    return float(2 * norm.sf(abs(z)))


def meng_z(one: float, other: float, between: float, number: int) -> float:
    """The z of the difference of two correlations with the same variable, whose predictors correlate by `between`.

    By hand: the mean square is .17, f = .8 / (2 * .83) = .482, h = (1 - .482 * .17) / .83 = 1.106, and
    z = (.5493 - .3095) * (100 / (1.6 * 1.106)) ** .5.

    >>> round(meng_z(0.5, 0.3, 0.2, 103), 2)
    1.8
    """
    square = (one**2 + other**2) / 2
    factor = min(1.0, (1 - between) / (2 * (1 - square)))
    spread = (1 - factor * square) / (1 - square)
    scale = np.sqrt((number - 3) / (2 * (1 - between) * spread))
    return float((np.arctanh(one) - np.arctanh(other)) * scale)


def _topic_accuracies(pairs: ArgumentPairs, judgement: Judgement) -> Vector:
    right = correct(pairs, judgement)
    return np.array([right[pairs.pair_topic == number].mean() for number in range(len(pairs.topics))])


def _pooled(by_topic: list[Vector]) -> Row:
    """Accuracy over all pairs; its interval is drawn by topic, for pairs of one topic share their texts."""
    by_topic = [own for own in by_topic if len(own)]
    return {"pairs": sum(map(len, by_topic)), **with_interval("accuracy", by_topic, pooled_mean)}


_CORRELATIONS = ("pearson", "spearman")
_NO_CORRELATION: dict[str, float | None] = {f"{name}{p}": None for name in _CORRELATIONS for p in ("", "_p")}


def _rank_correlations(pairs: ArgumentPairs, judgement: Judgement) -> list[dict[str, float | None]]:
    """The correlations of predicted and gold ranks, topic by topic."""
    if judgement.ranks is None:
        return [_NO_CORRELATION] * len(pairs.topics)
    topic = pairs.topic_of[pairs.ranked_text]
    return [_correlations(judgement.ranks[topic == n], pairs.rank[topic == n]) for n in range(len(pairs.topics))]


def _correlations(predicted: Vector, gold: Vector) -> dict[str, float | None]:
    from scipy.stats import pearsonr, spearmanr

    if len(gold) < 3 or np.ptp(predicted) == 0 or np.ptp(gold) == 0:
        return _NO_CORRELATION
    tests = zip(_CORRELATIONS, (pearsonr(predicted, gold), spearmanr(predicted, gold)), strict=True)
    figures: dict[str, float | None] = {}
    for name, test in tests:
        figures |= {name: float(test.statistic), f"{name}_p": float(test.pvalue)}
    return figures


def _calibration(pairs: ArgumentPairs, judgement: Judgement, chosen: Mask) -> dict[str, float | None]:
    """Brier score, mean confidence, and expected calibration error over bins of confidence.

    Confidence is the probability that is given to the likelier winner.
    """
    if judgement.probabilities is None or not chosen.any():
        return {"brier": None, "confidence": None, "calibration_error": None}
    probabilities, won = judgement.probabilities[chosen], pairs.first_wins[chosen].astype(np.float64)
    brier = float(np.mean((probabilities - won) ** 2))
    sure = np.maximum(probabilities, 1.0 - probabilities)
    right = np.where(probabilities >= 0.5, won, 1.0 - won)
    bins = np.minimum(((sure - 0.5) * 2 * _CALIBRATION_BINS).astype(int), _CALIBRATION_BINS - 1)
    gaps = [abs(right[bins == b].mean() - sure[bins == b].mean()) * np.mean(bins == b) for b in np.unique(bins)]
    return {"brier": brier, "confidence": float(sure.mean()), "calibration_error": float(sum(gaps))}
