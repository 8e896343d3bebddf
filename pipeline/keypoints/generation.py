"""Key points of one side of a topic: short sentences of its texts that many of the texts match.

`select` chooses them among candidates. The objective is a facility location: the sum, over all texts, of the score of
the best key point that the text matches, times how well that key point reads. It is submodular, so that picking
greedily comes within 1 - 1/e of the best choice.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from pipeline.arrays import Floats32, Mask, Matrix, Vector
from pipeline.keypoints.candidates import MOST_CANDIDATES, Candidate, candidates, diverse
from pipeline.matching.matcher import Matcher, for_length, in_speech, standing_out
from pipeline.records import Stance

# How the texts were made: arguments that people wrote, or speeches.
Style = Literal["written", "spoken"]
# After the fewest, a candidate must add at least this share of the number of texts to the objective. In speeches, what
# adds so much is worth saying, however much else is said.
_LEAST_SHARE, _LEAST_SAID = 0.02, 1.6


def select(
    matches: Matrix,
    quality: Sequence[float] | Matrix,
    similar: Matrix,
    *,
    threshold: float,
    same: float,
    fewest: int = 5,
    most: int = 10,
    least_texts: int = 1,
    enough: float = math.inf,
) -> list[int]:
    """The chosen columns of `matches`, in the order of what each adds.

    `matches` are the scores of texts (rows) with candidates (columns), `similar` those of candidates with one another.
    A candidate that scores `same` with a chosen one, in either direction, says the same and is not taken. After
    `fewest`, a candidate must add a share of the number of texts, or what is `enough`. One that fewer than
    `least_texts` match is taken only after all others, and only up to `fewest`.
    """
    covered = np.where(matches >= threshold, np.clip(matches, 0, None), 0.0) * np.asarray(quality)
    alike = np.maximum(similar, similar.T) >= same
    least_gain = min(_LEAST_SHARE * len(matches), enough)
    open_ = np.ones(matches.shape[1], dtype=bool)
    several = (matches >= threshold).sum(axis=0) >= least_texts
    reached = np.zeros(matches.shape[0])
    chosen: list[int] = []
    while open_.any() and len(chosen) < most:
        gains = np.where(open_, np.maximum(covered - reached[:, None], 0.0).sum(axis=0), -1.0)
        if len(chosen) >= fewest or gains[several].max(initial=0) > 0:
            gains = np.where(several, gains, -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0 or (len(chosen) >= fewest and gains[best] < least_gain):
            break
        chosen.append(best)
        reached = np.maximum(reached, covered[:, best])
        open_ &= ~alike[best]
        open_[best] = False
    return chosen


# Two key points that say the same score higher than an argument with its key point, because both are short. Of the
# experts' key points of one side in ArgKP's dev part, one pair in ten is this near.
SAME_ABOVE_THRESHOLD = 0.1
# Key points are chosen from at most so many texts: from more texts, a sample is drawn.
SAMPLE = 20_000
# A clause of a speech must have so high a quality to be a key point, and so large a share of the texts must make it.
# The best of a side that says little and would have none needs neither, and must be fair.
GOOD, _SHARE_OF_TEXTS, FAIR = 0.42, 0.01, 0.3
# Of a side that says so much, there is more to choose from: a clause must be so much better.
_MANY_TEXTS, _BETTER = 150, 0.04
# And so large a share must make it surely. One that a single text makes must be so good. One that is so good that it
# could be written down as it is may be made by a single text, however much is said.
_SURE_SHARE, GOOD_ASIDE, _VERY_GOOD = 0.005, 0.5, 0.58
# In speeches, a text is counted for a key point if it scores so much more than what is enough to choose the key point.
SURER = 0.05
# How many texts are matched at a time.
CHUNK = 4_096
# How many best-fitting texts of each side are compared, and by how much a candidate may fit the other side better.
_NEAREST = 5
_OTHER_SIDE = -0.05


@dataclass(frozen=True)
class Generated:
    """Key points of one side of a topic, and the scores of all its texts with them: one row per text.

    `leanings` say how much better each key point fits its own side than the other one; None if there is no other side.
    """

    key_points: tuple[Candidate, ...]
    scores: Matrix | Floats32  # in half the space where there are many texts
    leanings: tuple[float | None, ...]


# Writes key points for texts and matches them with all these texts: called as `generate` is.
Writer = Callable[..., Generated]


def generate(
    topic: str,
    texts: Sequence[str],
    matcher: Matcher,
    *,
    others: Sequence[str] = (),
    style: Style = "written",
    speakers: Sequence[str] = (),
    fewest: int = 5,
    most: int = 10,
    most_words: int = 15,
    threshold: float | None = None,
    stance: Stance | None = None,
    candidates_of: Callable[[], Sequence[Candidate]] = lambda: (),
) -> Generated:
    """Write key points for texts of one side of a topic, the one that most texts match first.

    `others` are the texts of the other side. In written arguments, what fits them better is not taken. In speeches it
    may be, because the other side answers a point in its own words. There `speakers` says who said each text, as what
    several people say counts for more, and `candidates_of` returns the clauses to choose from. A `stance`, which some
    writers ask for, says that they are one side, and not of people whose side is not known.
    From `threshold` on, a score is a match; by default, it is the matcher's own.
    """
    threshold = matcher.threshold if threshold is None else threshold
    indices = sample(texts, SAMPLE)
    sampled = [texts[index] for index in indices]
    theirs = [others[index] for index in sample(others, SAMPLE)]
    if style == "written":
        pool = candidates(sampled, topic, most_words=most_words)
    else:
        pool = _given(_while_embedding(candidates_of, topic, [*sampled, *theirs], matcher), indices)
    if not pool:
        return Generated((), np.zeros((len(texts), 0)), ())
    written = [candidate.text for candidate in pool]
    plain = matcher.scores(topic, sampled, written)
    leaning = _leanings(topic, pool, plain, theirs, matcher)
    if style == "written":
        matches, weights = plain, _qualities(pool) * _centrality(plain) * _on_their_side(leaning, fewest)
        choose = partial(select, matches, weights)
    else:
        matches = standing_out(plain) + for_length(sampled)[:, None]
        said_by = [speakers[index] for index in indices if speakers]
        weights = _worth_saying(pool, matches >= threshold, said_by, is_side=stance is not None)
        choose = partial(select, matches, weights, least_texts=2, enough=_LEAST_SAID)
    similar, same = matcher.scores(topic, written, written), threshold + SAME_ABOVE_THRESHOLD
    chosen = choose(similar, threshold=threshold, same=same, fewest=fewest, most=most)
    chosen = sorted(chosen, key=lambda column: -int((matches[:, column] >= threshold).sum()))
    # The source of a key point is its index among all texts, not among the sample.
    key_points = tuple(replace(pool[column], source=indices[pool[column].source]) for column in chosen)
    if len(sampled) == len(texts):
        scores = in_style(style, plain[:, chosen], texts)
    else:
        scores = scores_of(topic, texts, key_points, matcher, style).astype(np.float32)
    generated = Generated(key_points, scores, tuple(None if leaning is None else float(leaning[c]) for c in chosen))
    if style == "written":
        return generated
    return _surely_made(generated, threshold + SURER, is_side=stance is not None)


def _while_embedding(
    candidates_of: Callable[[], Sequence[Candidate]], topic: str, texts: Sequence[str], matcher: Matcher
) -> Sequence[Candidate]:
    """The candidates, which are parsed while the matcher embeds the texts, so that it has them afterwards."""
    with ThreadPoolExecutor(1) as beside:
        given = beside.submit(candidates_of)
        matcher.scores(topic, texts, ())
        return given.result()


def _qualities(pool: Sequence[Candidate]) -> Vector:
    return np.array([candidate.quality for candidate in pool])


def _given(given: Sequence[Candidate], indices: Sequence[int]) -> list[Candidate]:
    """The candidates that were taken from the sampled texts, with the rows of these as their sources."""
    rows = {index: row for row, index in enumerate(indices)}
    return diverse([replace(one, source=rows[one.source]) for one in given if one.source in rows], MOST_CANDIDATES)


def _surely_made(generated: Generated, threshold: float, *, is_side: bool) -> Generated:
    """The key points that enough texts make surely; of a side without any, the one that most texts make."""
    counted = (generated.scores >= threshold).sum(axis=0).tolist()
    least = _SURE_SHARE * len(generated.scores)
    kept = [
        place
        for place, point in enumerate(generated.key_points)
        if (counted[place] >= least and (counted[place] > 1 or point.quality >= GOOD_ASIDE))
        or (counted[place] and point.quality >= _VERY_GOOD)
    ]
    if is_side and not kept:
        kept = sorted(range(len(counted)), key=lambda place: -counted[place])[:1]
    return Generated(
        tuple(generated.key_points[place] for place in kept),
        generated.scores[:, kept],
        tuple(generated.leanings[place] for place in kept),
    )


def scores_of(
    topic: str, texts: Sequence[str], key_points: Sequence[Candidate], matcher: Matcher, style: Style
) -> Matrix | Floats32:
    """The scores of all texts with the key points: one row per text."""
    written = [candidate.text for candidate in key_points]
    return in_style(style, scores_in_chunks(topic, texts, written, matcher), texts)


def in_style(style: Style, scores: Matrix | Floats32, texts: Sequence[str]) -> Matrix | Floats32:
    """The scores of texts of this style: in speeches they are adjusted."""
    return in_speech(scores, texts) if style == "spoken" else scores


def sample(texts: Sequence[str], size: int) -> list[int]:
    """The indices of at most `size` texts: as good as a random sample, and the same in any order of the texts.

    >>> sample(["a", "b", "c"], 3)
    [0, 1, 2]
    """
    if len(texts) <= size:
        return list(range(len(texts)))
    digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return sorted(sorted(range(len(texts)), key=digests.__getitem__)[:size])


def scores_in_chunks(topic: str, texts: Sequence[str], written: Sequence[str], matcher: Matcher) -> Floats32:
    """The scores of all texts in half the space, some texts at a time: one row per text."""
    scores = np.zeros((len(texts), len(written)), dtype=np.float32)
    for start in range(0, len(texts), CHUNK):
        scores[start : start + CHUNK] = matcher.scores(topic, texts[start : start + CHUNK], written)
    return scores


def _leanings(
    topic: str, pool: Sequence[Candidate], matches: Matrix, others: Sequence[str], matcher: Matcher
) -> Vector | None:
    """The mean score of each candidate with the texts that fit it best on its own side, less that on the other side.

    The text that it was taken from does not count.
    """
    if not others:
        return None
    own = matches.copy()
    own[[candidate.source for candidate in pool], range(len(pool))] = -np.inf
    theirs = matcher.scores(topic, others, [candidate.text for candidate in pool])
    count = min(_NEAREST, len(others), max(len(own) - 1, 1))
    return np.asarray(_mean_of_best(own, count) - _mean_of_best(theirs, count))


def _mean_of_best(scores: Matrix, count: int) -> Vector:
    best = np.sort(scores, axis=0)[-count:]
    return np.asarray(np.where(np.isfinite(best), best, 0.0).mean(axis=0))


def _on_their_side(leaning: Vector | None, fewest: int) -> Vector | float:
    """1 for a candidate that may be taken, 0 for one of the other side; 1 for all if too few would be left."""
    if leaning is None:
        return 1.0
    own = leaning >= _OTHER_SIDE
    return own.astype(np.float64) if own.sum() >= fewest else 1.0


def _worth_saying(pool: Sequence[Candidate], made: Mask, speakers: Sequence[str], *, is_side: bool) -> Vector:
    """The weight of each clause of a speech (column): its quality, and more if several people make it.

    0 for one that is not good, or that too few of the texts (rows) make: the more is said, the more often. A side
    without a good one that says little keeps its best, if that is fair. People whose side is not known may have
    nothing that is a point.
    """
    quality, count = _qualities(pool), made.sum(axis=0)
    says_much = len(made) > _MANY_TEXTS
    taken = (quality >= GOOD + _BETTER * says_much) & (count >= max(1.0, _SHARE_OF_TEXTS * len(made)))
    if is_side and not taken.any() and not says_much:
        best = np.arange(len(quality)) == (quality * (quality >= FAIR) * np.log1p(count)).argmax()
        taken = best & (quality >= FAIR)
    by_speaker = [made[[who == name for who in speakers]].any(axis=0) for name in dict.fromkeys(speakers)]
    several = np.sqrt(np.maximum(np.sum(by_speaker, axis=0), 1)) if by_speaker else 1.0
    return np.asarray(quality * taken * several, dtype=np.float64)


def _centrality(matches: Matrix) -> Vector:
    """Each candidate's mean score with all texts, relative to the highest one. An aside has a low one."""
    nearness = np.clip(matches.mean(axis=0), 0, None)
    return np.asarray(nearness / (nearness.max() or 1.0), dtype=np.float64)
