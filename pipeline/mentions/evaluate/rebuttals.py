"""Which general-purpose claims matter on a motion, and which rebuttal answers a speech: two tables of IBM's release.

Everything is learned from other motions than the one that is judged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.arrays import Mask, Matrix, Vector
from pipeline.corpus.datasets import CLAIMS, read_table
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.measures import area_under_curve, bootstrap_interval, macro_accuracy
from pipeline.mentions.evaluate.heard_sentences import read_speeches
from pipeline.mentions.features import speech_vectors
from pipeline.text.encoders.sentence_encoder import Encoder

RELEVANCY = "GP-claim-to-motion-relevancy.csv"
MATCHING = "rebuttal-to-speech-matching.csv"
_COUNTS = ("supports-count", "contests-count", "irrelevant-count")
# A claim's prior is the share of yes for all claims. It counts as much as so many motions.
_PRIOR_WEIGHT = 2.0


@dataclass(frozen=True)
class JudgedClaims:
    """Things that people judged, one per row: the motion and claim of each, the share that said yes, and the label."""

    motions: tuple[str, ...]
    claims: tuple[str, ...]
    share: Vector
    labels: Mask
    likeness: Vector


def has_rebuttals(folder: Path) -> bool:
    """Whether the folder has the two tables."""
    return all((folder / CLAIMS / name).is_file() for name in (RELEVANCY, MATCHING))


def rebuttal_rows(folder: Path, encoder: Encoder) -> list[Row]:
    """One row per method for each of the two questions."""
    relevance, rebuttals = read_relevance(folder, encoder), read_rebuttals(folder, encoder)
    return [
        *({"question": "claim matters on motion", **row} for row in _rows(relevance)),
        *({"question": "rebuttal answers speech", **row} for row in _rows(rebuttals)),
    ]


def _rows(judged: JudgedClaims) -> list[Row]:
    prior = _by_motion(judged, _claim_prior)
    learned = _by_motion(judged, lambda data, seen: _learned(data, seen, np.column_stack([prior, judged.likeness])))
    methods = {
        "all-yes": np.ones(len(judged.labels)),
        "likeness": judged.likeness,
        "prior of the claim": prior,
        "learned": learned,
    }
    return [
        {"method": name, "judged": len(judged.labels), **_figures(judged, scores)} for name, scores in methods.items()
    ]


def _figures(judged: JudgedClaims, scores: Vector) -> Row:
    """Accuracy at the threshold .5 is of each motion, averaged; `spearman` is with the share of people who said yes."""
    from scipy.stats import spearmanr

    right = (scores >= 0.5) == judged.labels
    by_motion = [right[np.array(judged.motions) == motion] for motion in sorted(set(judged.motions))]
    low, high = bootstrap_interval([float(motion.mean()) for motion in by_motion])
    varied = np.ptp(scores) > 0 and np.ptp(judged.share) > 0
    return {
        "accuracy": macro_accuracy(scores >= 0.5, judged.labels, judged.motions),
        "accuracy_low": low,
        "accuracy_high": high,
        "auc": area_under_curve(scores, judged.labels),
        "spearman": float(spearmanr(scores, judged.share).statistic) if varied else None,
    }


def _by_motion(judged: JudgedClaims, score: Callable[[JudgedClaims, Mask], Vector]) -> Vector:
    """The scores of each motion's rows, computed from the rows of the other motions."""
    motions = np.array(judged.motions)
    scores = np.zeros(len(motions))
    for motion in set(judged.motions):
        scores[motions == motion] = score(judged, motions != motion)[motions == motion]
    return scores


def _claim_prior(judged: JudgedClaims, seen: Mask) -> Vector:
    """The share of yes that each row's claim had on the motions that were seen."""
    base = float(judged.share[seen].mean()) if seen.any() else 0.5
    shares = grouped(zip(np.array(judged.claims)[seen], judged.share[seen].tolist(), strict=True))
    of_claims = [shares.get(claim, ()) for claim in judged.claims]
    return np.array([(sum(given) + _PRIOR_WEIGHT * base) / (len(given) + _PRIOR_WEIGHT) for given in of_claims])


def _learned(judged: JudgedClaims, seen: Mask, features: Matrix) -> Vector:
    """Logistic regression over the claim's prior and its likeness."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if len(set(judged.labels[seen].tolist())) < 2:
        return np.full(len(judged.labels), float(judged.labels[seen].mean()) if seen.any() else 0.5)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return np.asarray(model.fit(features[seen], judged.labels[seen]).predict_proba(features)[:, 1])


def read_relevance(folder: Path, encoder: Encoder) -> JudgedClaims:
    """General-purpose claims on motions; likeness is that of the claim and the motion."""
    columns = ("motion-id", "motion-text", "GPR-KB-id", "GP-claim-text-for-motion", "is-claim-relevant-to-motion")
    rows = [row for _, row in read_table(folder, RELEVANCY, *columns, *_COUNTS)]
    counts = _numbers(RELEVANCY, rows, _COUNTS)
    claims = encoder.encode([row["GP-claim-text-for-motion"] for row in rows])
    motions = encoder.encode([row["motion-text"] for row in rows])
    return JudgedClaims(
        motions=tuple(row["motion-id"] for row in rows),
        claims=tuple(row["GPR-KB-id"] for row in rows),
        share=np.asarray((counts[:, 0] + counts[:, 1]) / np.maximum(counts.sum(axis=1), 1)),
        labels=np.array([row["is-claim-relevant-to-motion"] == "true" for row in rows]),
        likeness=np.asarray((claims * motions).sum(axis=1), dtype=np.float64),
    )


def read_rebuttals(folder: Path, encoder: Encoder) -> JudgedClaims:
    """Rebuttals of claims that speeches make; likeness is that of the rebuttal and the passage most like it."""
    columns = ("motion-id", "speech-id", "GPR-KB-id", "rebuttal-text-for-motion", "rebuttal-to-speech-label")
    rows = [row for _, row in read_table(folder, MATCHING, *columns, "positive-count", "negative-count")]
    counts = _numbers(MATCHING, rows, ("positive-count", "negative-count"))
    speeches = read_speeches(folder)
    likeness = []
    for row in rows:
        if row["speech-id"] not in speeches:
            raise RostrumError(f"{MATCHING}: there is no transcript of {row['speech-id']}")
        units = speech_vectors(encoder, speeches[row["speech-id"]].sentences).units
        likeness.append(float((units @ encoder.encode([row["rebuttal-text-for-motion"]])[0]).max()))
    return JudgedClaims(
        motions=tuple(row["motion-id"] for row in rows),
        claims=tuple(row["GPR-KB-id"] for row in rows),
        share=np.asarray(counts[:, 0] / np.maximum(counts.sum(axis=1), 1)),
        labels=np.array([row["rebuttal-to-speech-label"] == "true" for row in rows]),
        likeness=np.array(likeness),
    )


def _numbers(name: str, rows: Sequence[dict[str, str]], columns: Sequence[str]) -> Matrix:
    try:
        return np.array([[float(int(row[column])) for column in columns] for row in rows])
    except ValueError as error:
        raise RostrumError(f"{name}: its counts are not all whole numbers") from error
