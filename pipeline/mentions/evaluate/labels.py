"""The paper's analysis of labels: how often arguments are mentioned, how far annotators agree, and biases."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Integers
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.graph import Votes, run_mace
from pipeline.grouping import grouped
from pipeline.measures import (
    bootstrap_interval,
    cohen_kappa,
    fleiss_kappa,
    mean_pairwise_kappa,
    pooled_mean,
    right_alone,
)
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.text.terms import stop_words, tokens

# Who heard which argument in which speech: a file of votes, and labels that are made of them.

# A speech and an argument.
PairKey = tuple[str, str]


@dataclass(frozen=True)
class AnnotatorVote:
    """One person's vote on one pair; the annotator is empty where the file has one label per pair."""

    pair: PairKey
    annotator: str
    mentioned: bool


@dataclass(frozen=True)
class VotedLabel:
    """The label of a pair by the majority of its votes, and by MACE. A tie is no mention."""

    majority: bool
    mace: bool


def read_votes(path: Path) -> list[AnnotatorVote]:
    """The votes in a CSV file with the columns speech, argument, mentioned and, where people differ, annotator."""
    votes: dict[tuple[PairKey, str], AnnotatorVote] = {}
    for line, row in read_rows(path, ("speech", "argument", "mentioned"), optional=("annotator",)):
        if row["mentioned"] not in ("0", "1"):
            raise RostrumError(f"{path}:{line}: mentioned must be 0 or 1")
        vote = AnnotatorVote((row["speech"], row["argument"]), row["annotator"], row["mentioned"] == "1")
        if (vote.pair, vote.annotator) in votes:
            who = vote.annotator or "somebody; name who in a column 'annotator'"
            raise RostrumError(f"{path}:{line}: {' and '.join(vote.pair)} have a vote already by {who}")
        votes[vote.pair, vote.annotator] = vote
    return list(votes.values())


def by_annotator(votes: Sequence[AnnotatorVote]) -> list[list[bool | None]]:
    """One row per annotator, one column per pair; None for a pair that the annotator did not see."""
    known = {(vote.annotator, vote.pair): vote.mentioned for vote in votes}
    pairs = sorted({vote.pair for vote in votes})
    return [[known.get((who, pair)) for pair in pairs] for who in sorted({vote.annotator for vote in votes})]


def vote_counts(votes: Sequence[AnnotatorVote]) -> Integers:
    """(yes, no) of each pair."""
    answers = grouped((vote.pair, vote.mentioned) for vote in votes).values()
    return np.array([(cast.count(True), cast.count(False)) for cast in answers], dtype=np.int64).reshape(-1, 2)


def majority_and_mace(votes: Sequence[AnnotatorVote]) -> dict[PairKey, VotedLabel]:
    """Labels made of votes. With one label per pair both are that label."""
    pairs = {pair: row for row, pair in enumerate(dict.fromkeys(vote.pair for vote in votes))}
    if not pairs:
        return {}
    people = {who: row for row, who in enumerate(dict.fromkeys(vote.annotator for vote in votes))}
    triples = [(pairs[vote.pair], people[vote.annotator], int(vote.mentioned)) for vote in votes]
    counts = vote_counts(votes)
    majority = counts[:, 0] > counts[:, 1]
    by_mace = (
        run_mace(Votes.from_triples(triples, len(pairs), len(people), 2)).labels() if len(people) > 1 else majority
    )
    return {pair: VotedLabel(bool(majority[row]), bool(by_mace[row])) for pair, row in pairs.items()}


HIGH_CONFIDENCE = 0.8
FREQUENT_WORDS = 100
_NEGATION = re.compile(r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def analyse_labels(data: Listening, votes: Path | None = None, reading: Path | None = None) -> Evaluation:
    """The figures of the labels themselves.

    `votes` is a CSV with each annotator's vote (`speech,argument,annotator,mentioned`). `reading` is one of people who
    read the speeches: each reader's vote, or one label per pair (`speech,argument,mentioned`).
    """
    entities, reason = _named_entities([pair.title for pair in data.pairs])
    biases = _biases(data, _features(data.pairs) | {"named entities": entities})
    listeners = read_votes(votes) if votes else []
    rows = [
        *_amounts(data),
        *_agreement(data),
        *_by_annotator(data, listeners),
        *(_readers(data, read_votes(reading)) if reading else ()),
        *_distribution(data),
        *biases,
    ]
    notes = [f"named entities were not counted: {reason}"] if reason else []
    if votes is None:
        notes.append("the mean pairwise Cohen's kappa and MACE need to know who cast which vote: --votes FILE")
    if reading is None:
        notes.append("listening against reading needs the labels of both: --reading FILE")
    facts = {"pairs": len(data.pairs), "speeches": len(data.lists()), "motions": len(data.motions)}
    return Evaluation(
        name="listening labels", signature=signature("scipy", **facts), rows=tuple(rows), notes=tuple(notes)
    )


def vote_shares(data: Listening) -> list[float]:
    """The share of yes among the votes of each pair that has votes."""
    return [pair.share for pair in data.pairs if pair.share is not None]


def _votes(pairs: Iterable[Pair]) -> list[tuple[int, int]]:
    return [votes for pair in pairs if (votes := pair.votes)]


def _row(statistic: str, value: float | None, **more: Any) -> Row:
    return {"method": "labels", "statistic": statistic, "value": value, **more}


def _amounts(data: Listening) -> list[Row]:
    lists = data.lists()
    positive = [sum(pair.mentioned for pair in pairs) for pairs in lists]
    heard: dict[tuple[str, str, str], bool] = {}
    for pair in data.pairs:
        argument = (pair.motion, pair.stance, pair.argument)
        heard[argument] = heard.get(argument, False) or pair.mentioned
    return [
        _row("positive_share", float(np.mean([pair.mentioned for pair in data.pairs]))),
        _row("speeches_with_a_positive", float(np.mean([count > 0 for count in positive]))),
        _row("positives_per_speech", float(np.mean(positive))),
        _row("arguments_per_speech", float(np.mean([len(pairs) for pairs in lists]))),
        _row("arguments_ever_heard", float(np.mean(list(heard.values())))),
        *_lengths("title", {pair.title for pair in data.pairs}),
        *_lengths("text", {" ".join(pair.text) for pair in data.pairs if pair.text}),
    ]


def _lengths(of: str, texts: Iterable[str]) -> list[Row]:
    """The words of an argument's title, or of its text, on average and at most; no rows without texts."""
    words = [len(tokens(text)) for text in texts]
    if not words:
        return []
    return [_row("words_on_average", float(np.mean(words)), of=of), _row("words_at_most", float(max(words)), of=of)]


def _agreement(data: Listening) -> list[Row]:
    counts = np.array(_votes(data.pairs)).reshape(-1, 2)
    certain = counts.max(axis=1) >= HIGH_CONFIDENCE * counts.sum(axis=1) if len(counts) else None
    by_stance = [
        _row("fleiss_kappa", _fleiss(pair for pair in data.pairs if pair.stance == stance), of=stance)
        for stance in ("pro", "con")
    ]
    majority = [
        (yes > no) == pair.mentioned for pair in data.pairs if (votes := pair.votes) for yes, no in [votes] if yes != no
    ]
    return [
        _row("fleiss_kappa", fleiss_kappa(counts)),
        *by_stance,
        _row("annotator_accuracy", _annotator_accuracy(counts)),
        _row("high_confidence_share", None if certain is None else float(certain.mean())),
        _row("majority_is_the_label", _share(majority)),
    ]


def _fleiss(pairs: Iterable[Pair]) -> float | None:
    return fleiss_kappa(np.array(_votes(pairs)).reshape(-1, 2))


def _annotator_accuracy(counts: Integers) -> float | None:
    """How often one annotator says what most of the others say, a tie of the others counted half: the human ceiling."""
    return float(right_alone(counts).mean()) if len(counts) else None


def people_rows(data: Listening) -> list[Row]:
    """One person beside the methods, on the same pairs: right is what most of the others heard. None without votes.

    As of methods, accuracy is of each speech, averaged, with its interval over motions. The agreement is Fleiss' kappa.
    """
    voted = [pair for pair in data.in_lists() if pair.votes and sum(pair.votes) > 1]
    if not voted:
        return []
    counts = np.array(_votes(voted)).reshape(-1, 2)
    of_speech = grouped(
        ((pair.motion, pair.speech), float(share)) for pair, share in zip(voted, right_alone(counts), strict=True)
    )
    speeches = [(motion, float(np.mean(shares))) for (motion, _), shares in sorted(of_speech.items())]
    low, high = bootstrap_interval(list(grouped(speeches).values()), pooled_mean)
    return [
        {
            "method": "people",
            "config": "one against the others",
            "transcript": "as they had it",
            "accuracy": float(np.mean([share for _, share in speeches])),
            "accuracy_low": low,
            "accuracy_high": high,
            "fleiss_kappa": fleiss_kappa(counts),
            "pairs": len(voted),
        }
    ]


def _by_annotator(data: Listening, votes: Sequence[AnnotatorVote]) -> list[Row]:
    """The figures that need each annotator's votes: pairwise agreement, and labels by majority and by MACE."""
    voted = majority_and_mace(votes)
    labels = {(pair.speech, pair.argument): pair.mentioned for pair in data.pairs}
    return [
        _row("mean_pairwise_cohen_kappa", mean_pairwise_kappa(by_annotator(votes))),
        *(_cohen(data, votes, stance) for stance in ("pro", "con")),
        _row("majority_against_mace", _share([label.majority == label.mace for label in voted.values()])),
        _row("mace_is_the_label", _share([label.mace == labels[key] for key, label in voted.items() if key in labels])),
    ]


def _cohen(data: Listening, votes: Sequence[AnnotatorVote], stance: str) -> Row:
    of_stance = {(pair.speech, pair.argument) for pair in data.pairs if pair.stance == stance}
    kappa = mean_pairwise_kappa(by_annotator([vote for vote in votes if vote.pair in of_stance]))
    return _row("mean_pairwise_cohen_kappa", kappa, of=stance)


def _readers(data: Listening, read: Sequence[AnnotatorVote]) -> list[Row]:
    """Readers beside listeners: whether they hear the same, and how far readers agree with one another."""
    labels = {key: label.majority for key, label in majority_and_mace(read).items()}
    shared = [pair for pair in data.pairs if (pair.speech, pair.argument) in labels]
    if not shared:
        raise RostrumError("the readers' labels and the data have no pair in common")
    listened = [pair.mentioned for pair in shared]
    as_read = [labels[pair.speech, pair.argument] for pair in shared]
    rows = [
        _row("listening_reading_agreement", float(np.equal(listened, as_read).mean())),
        _row("listening_reading_cohen_kappa", cohen_kappa(listened, as_read)),
    ]
    if any(vote.annotator for vote in read):
        rows += [
            _row("fleiss_kappa", fleiss_kappa(vote_counts(read)), of="readers"),
            _row("mean_pairwise_cohen_kappa", mean_pairwise_kappa(by_annotator(read)), of="readers"),
        ]
    return rows


def _share(right: Sequence[bool]) -> float | None:
    return float(np.mean(right)) if right else None


def _distribution(data: Listening) -> list[Row]:
    """How many pairs got which share of yes, in steps of a tenth."""
    shares = vote_shares(data)
    histogram = Counter(round(10 * share) / 10 for share in shares)
    return [_row("votes_yes_share", histogram[share] / len(shares), at=share) for share in sorted(histogram)]


def _biases(data: Listening, features: Mapping[str, Sequence[int]]) -> list[Row]:
    """Spearman's correlation of the label with what is in the title alone; first that of the word with the highest."""
    from scipy.stats import spearmanr

    labels = [pair.mentioned for pair in data.pairs]
    rows = []
    for name, values in features.items():
        constant = len(set(values)) <= 1 or len(set(labels)) == 1
        rho, p = (None, None) if constant else map(float, spearmanr(labels, values))
        rows.append(_row("bias", rho, of=name, p=p))
    words = [row for row in rows if str(row["of"]).startswith("word:") and row["value"] is not None]
    if not words:
        return rows
    highest = max(words, key=lambda row: abs(float(row["value"] or 0)))
    return [{**highest, "statistic": "highest_word_correlation"}, *rows]


def _features(pairs: tuple[Pair, ...]) -> dict[str, list[int]]:
    words = [tokens(pair.title) for pair in pairs]
    counts = Counter(word for title in words for word in title if word not in stop_words())
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:FREQUENT_WORDS]
    return {
        "title length in words": [len(title) for title in words],
        "negation": [int(bool(_NEGATION.search(pair.title))) for pair in pairs],
        "text length in words": [sum(len(tokens(sentence)) for sentence in pair.text) for pair in pairs],
    } | {f"word: {word}": [int(word in title) for title in words] for word in frequent}


def _named_entities(titles: Sequence[str]) -> tuple[list[int], str | None]:
    """(the number of named entities in each title, None); without spaCy or its model, (nothing, the reason)."""
    from importlib.util import find_spec

    from pipeline import models

    if find_spec("spacy") is None:
        return [], "spaCy is not installed (pip install spacy)"
    try:
        model = models.find("en_core_web_sm")
    except RostrumError as error:
        return [], str(error)
    import spacy

    parser = spacy.load(model.path, exclude=["parser", "lemmatizer", "attribute_ruler"])
    counts = {title: len(parser(title).ents) for title in set(titles)}
    return [counts[title] for title in titles], None
