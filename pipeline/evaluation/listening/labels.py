"""The paper's analysis of labels: how often arguments are mentioned, how far annotators agree, what biases them."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Integers
from pipeline.errors import RostrumError
from pipeline.evaluation.listening.data import Listening, Pair
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.agreement import cohen_kappa, fleiss_kappa, mean_pairwise_kappa
from pipeline.text.terms import tokens

HIGH_CONFIDENCE = 0.8
FREQUENT_WORDS = 100
_NEGATION = re.compile(r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def analyse_labels(data: Listening, votes: Path | None = None, reading: Path | None = None) -> Evaluation:
    """Everything that can be said of the labels themselves.

    `votes` is a CSV with each annotator's vote (`speech,argument,annotator,mentioned`), `reading` one with the labels
    of people who read the speeches instead of listening (`speech,argument,mentioned`).
    """
    entities, reason = _named_entities([pair.title for pair in data.pairs])
    biases = _biases(data, _features(data.pairs) | {"named entities": entities})
    rows = [*_amounts(data), *_agreement(data, votes, reading), *_distribution(data), *biases]
    notes = [f"named entities were not counted: {reason}"] if reason else []
    if votes is None:
        notes.append("the mean pairwise Cohen's kappa needs to know who cast which vote: --votes FILE")
    if reading is None:
        notes.append("listening against reading needs the labels of both: --reading FILE")
    facts = {"pairs": len(data.pairs), "speeches": len(data.lists()), "motions": len(data.motions)}
    return Evaluation(name="listening labels", signature=signature("scipy", **facts), rows=tuple(rows), notes=notes)


def vote_shares(data: Listening) -> list[float]:
    """The share of yes among the votes of each pair that has votes."""
    return [yes / (yes + no) for yes, no in _votes(data)]


def _votes(data: Listening) -> list[tuple[int, int]]:
    counts = ((pair.votes_yes, pair.votes_no) for pair in data.pairs)
    return [(yes, no) for yes, no in counts if yes is not None and no is not None and yes + no]


def _row(statistic: str, value: float | None, **more: Any) -> Row:
    return {"method": "labels", "statistic": statistic, "value": value, **more}


def _amounts(data: Listening) -> list[Row]:
    lists = data.lists()
    positive = [sum(pair.mentioned for pair in pairs) for pairs in lists]
    return [
        _row("positive_share", float(np.mean([pair.mentioned for pair in data.pairs]))),
        _row("speeches_with_a_positive", float(np.mean([count > 0 for count in positive]))),
        _row("positives_per_speech", float(np.mean(positive))),
        _row("arguments_per_speech", float(np.mean([len(pairs) for pairs in lists]))),
    ]


def _agreement(data: Listening, votes: Path | None, reading: Path | None) -> list[Row]:
    counts = np.array(_votes(data)).reshape(-1, 2)
    certain = counts.max(axis=1) >= HIGH_CONFIDENCE * counts.sum(axis=1) if len(counts) else None
    annotators = _annotators(votes) if votes else []
    listened, read = _both(data, reading) if reading else ([], [])
    return [
        _row("fleiss_kappa", fleiss_kappa(counts)),
        _row("mean_pairwise_cohen_kappa", mean_pairwise_kappa(annotators)),
        _row("annotator_accuracy", _annotator_accuracy(counts)),
        _row("high_confidence_share", None if certain is None else float(certain.mean())),
        _row("listening_reading_agreement", float(np.equal(listened, read).mean()) if listened else None),
        _row("listening_reading_cohen_kappa", cohen_kappa(listened, read)),
    ]


def _annotator_accuracy(counts: Integers) -> float | None:
    """How often one annotator says what most of the others say, a tie of the others counted half: what to hope for."""
    if not len(counts):
        return None
    mine, others = counts, counts[:, ::-1]
    right = np.sign(mine - 1 - others) / 2 + 0.5
    return float(((mine * right).sum(axis=1) / counts.sum(axis=1)).mean())


def _annotators(path: Path) -> list[list[bool | None]]:
    """A row an annotator, a column a pair."""
    votes = {
        (row["annotator"], row["speech"], row["argument"]): _is_yes(path, row) for row in _table(path, "annotator")
    }
    pairs = sorted({(speech, argument) for _, speech, argument in votes})
    return [[votes.get((who, *pair)) for pair in pairs] for who in sorted({who for who, *_ in votes})]


def _both(data: Listening, path: Path) -> tuple[list[bool], list[bool]]:
    """The labels of the pairs that were both listened to and read."""
    read = {(row["speech"], row["argument"]): _is_yes(path, row) for row in _table(path)}
    shared = [pair for pair in data.pairs if (pair.speech, pair.argument) in read]
    if not shared:
        raise RostrumError(f"{path}: has no label of a pair that is in the data")
    return [pair.mentioned for pair in shared], [read[pair.speech, pair.argument] for pair in shared]


def _table(path: Path, *more: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = {"speech", "argument", "mentioned", *more} - set(reader.fieldnames or ())
        if missing:
            raise RostrumError(f"{path}:1: no column {sorted(missing)[0]!r}; the first line names the columns")
        return list(reader)


def _is_yes(path: Path, row: dict[str, str]) -> bool:
    if row["mentioned"] not in ("0", "1"):
        raise RostrumError(f"{path}: {row['speech']}, {row['argument']}: mentioned must be 0 or 1")
    return row["mentioned"] == "1"


def _distribution(data: Listening) -> list[Row]:
    """How many pairs got which share of yes, in steps of a tenth."""
    shares = vote_shares(data)
    histogram = Counter(round(10 * share) / 10 for share in shares)
    return [_row("votes_yes_share", histogram[share] / len(shares), at=share) for share in sorted(histogram)]


def _biases(data: Listening, features: Mapping[str, Sequence[int]]) -> list[Row]:
    """Spearman's correlation of the label with what is in the title alone."""
    from scipy.stats import spearmanr

    labels = [pair.mentioned for pair in data.pairs]
    rows = []
    for name, values in features.items():
        constant = len(set(values)) <= 1 or len(set(labels)) == 1
        rho, p = (None, None) if constant else map(float, spearmanr(labels, values))
        rows.append(_row("bias", rho, of=name, p=p))
    return rows


def _features(pairs: tuple[Pair, ...]) -> dict[str, list[int]]:
    words = [tokens(pair.title) for pair in pairs]
    counts = Counter(word for title in words for word in title)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:FREQUENT_WORDS]
    return {
        "title length in words": [len(title) for title in words],
        "negation": [int(bool(_NEGATION.search(pair.title))) for pair in pairs],
    } | {f"word: {word}": [int(word in title) for title in words] for word in frequent}


def _named_entities(titles: Sequence[str]) -> tuple[list[int], str | None]:
    """How many named entities each title has; or nothing, and why: spaCy or its small English model is not here."""
    from importlib.util import find_spec

    from pipeline import models

    if find_spec("spacy") is None:
        return [], "spaCy is not installed (pip install spacy)"
    try:
        found = models.find("en_core_web_sm")
    except RostrumError as error:
        return [], str(error)
    import spacy

    parser = spacy.load(found.path, exclude=["parser", "lemmatizer", "attribute_ruler"])
    counts = {title: len(parser(title).ents) for title in set(titles)}
    return [counts[title] for title in titles], None
