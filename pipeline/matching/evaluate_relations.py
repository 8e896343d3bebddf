"""Which sentences of a debate support or attack each other (ElecDeb60to20)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import click
import numpy as np

from pipeline.arrays import Floats, Integers, Mask, Matrix
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.data import read_tab_separated
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.matching.weights import PairEncoder, load_pairs, trained_file
from pipeline.measures import with_interval
from pipeline.progress import Progress, no_progress
from pipeline.speakers import StanceModel, load_stance_model
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

Kind = Literal["support", "attack", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FILE = "relations.tsv"
_SENTENCE_END = re.compile(r"(?<![.?!])[.?!]+\s+")
_PENALTIES = (0.01, 0.1, 1.0)
_FOLDS = 5


class Relation(NamedTuple):
    """Two sentences of a debate, and how they relate: the one supports the other, attacks it, or neither."""

    first: str
    second: str
    kind: Kind


def read_relations(folder: Path) -> list[Relation]:
    """The pairs of a folder's relations.tsv, whose texts are both sentences in a row."""
    path = folder / FILE
    relations = []
    for line, row in read_tab_separated(path, ("link_type", "merged_sent")):
        if row["link_type"] not in ("0", "1", "2"):
            raise RostrumError(f"{path}:{line}: link_type is {row['link_type']!r}; it can be 0, 1 or 2")
        relations.append(Relation(*_halves(row["merged_sent"]), KINDS[int(row["link_type"])]))
    if not relations:
        raise RostrumError(f"{path}: no pairs in it")
    return relations


def _halves(text: str) -> tuple[str, str]:
    """The two sentences. Nearly all have one end of a sentence between them; of several, the most even cut is taken.

    >>> _halves("Taxes are low. They should rise. Schools need it")
    ('Taxes are low.', 'They should rise. Schools need it')
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    cut = min(ends, key=lambda end: abs(end - len(text) / 2), default=len(text))
    return text[:cut].strip(), text[cut:].strip()


def groups_of(relations: Sequence[Relation]) -> Integers:
    """The connected component of each pair, where pairs that share a sentence are connected."""
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        while parent.setdefault(text, text) != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    for relation in relations:
        parent[root(relation.first)] = root(relation.second)
    roots = [root(relation.first) for relation in relations]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(roots))}
    return np.array([numbers[name] for name in roots], dtype=np.int64)


# What is known of a pair: one row per pair. Fitted on nothing, so that it is computed once.
Features = Callable[[Sequence[Relation]], Any]


def similarity(encoder: Encoder) -> Features:
    """The cosine of both sentences alone."""

    def features(relations: Sequence[Relation]) -> Matrix:
        first, second = _vectors(encoder, relations)
        return np.asarray((first * second).sum(axis=1, keepdims=True))

    return features


def joined_vectors(encoder: Encoder) -> Features:
    """Both vectors, their difference and their product, as is usual for inference over two sentences."""

    def features(relations: Sequence[Relation]) -> Matrix:
        first, second = _vectors(encoder, relations)
        return np.hstack([first, second, np.abs(first - second), first * second])

    return features


def words(relations: Sequence[Relation]) -> Any:
    """Hashed words of each sentence, and those that both have, so that 'but' and 'not' can be learned."""
    from sklearn.feature_extraction.text import HashingVectorizer

    vectorizer = HashingVectorizer(n_features=2**14, alternate_sign=False, norm="l2", lowercase=False, analyzer=_marked)
    return vectorizer.transform(relations)


def _marked(relation: Relation) -> list[str]:
    first, second = (re.findall(r"[\w']+", text.lower()) for text in (relation.first, relation.second))
    both = set(first) & set(second)
    return [f"1 {word}" for word in first] + [f"2 {word}" for word in second] + [f"both {word}" for word in both]


def sides(pairs: PairEncoder) -> Features:
    """What the model of pairs says of the second sentence, with the first as the topic: for it, against it, neither."""

    def features(relations: Sequence[Relation]) -> Matrix:
        rows = [pairs.sides(pairs.vectors(relation.first, [relation.second]))[0] for relation in relations]
        return np.asarray(np.log(np.maximum(np.array(rows, dtype=np.float64), 1e-6)))

    return features


def stances(model: StanceModel) -> Features:
    """How probably each sentence is for the other one, against it, or neither, by the model of sides of a run."""

    def features(relations: Sequence[Relation]) -> Matrix:
        rows = [
            np.hstack([model.logarithms(first, [second])[0], model.logarithms(second, [first])[0]])
            for first, second, _ in relations
        ]
        return np.array(rows, dtype=np.float64)

    return features


def both(one: Features, other: Features) -> Features:
    """What two ways tell of a pair, side by side."""
    return lambda relations: np.hstack([one(relations), other(relations)])


def _vectors(encoder: Encoder, relations: Sequence[Relation]) -> tuple[Matrix, Matrix]:
    vectors = encoder.encode([text for relation in relations for text in relation[:2]])
    return np.asarray(vectors[::2], dtype=np.float64), np.asarray(vectors[1::2], dtype=np.float64)


@dataclass(frozen=True)
class Split:
    """What is learned from and what is judged, as rows of one table."""

    train: Integers
    test: Integers


def splits(groups: Integers, learned: Mask | None) -> list[Split]:
    """With `learned` rows one split; without, five folds of groups, each judged once."""
    from sklearn.model_selection import GroupKFold

    if learned is not None:
        return [Split(np.flatnonzero(learned), np.flatnonzero(~learned))]
    folds = GroupKFold(n_splits=min(_FOLDS, len(np.unique(groups)))).split(groups, groups=groups)
    return [Split(np.asarray(train), np.asarray(test)) for train, test in folds]


def predicted(table: Any, labels: Integers, groups: Integers, parts: Iterable[Split]) -> Floats:
    """The probability of each kind, one row per pair, nan where a pair is not judged; a regression for each split.

    Classes weigh alike. The penalty is chosen within the pairs that are learned from.
    """
    probabilities = np.full((len(labels), len(KINDS)), np.nan)
    for part in parts:
        model = _fitted(table[part.train], labels[part.train], groups[part.train])
        values = np.zeros((len(part.test), len(KINDS)))
        values[:, model.classes_] = model.predict_proba(table[part.test])
        probabilities[part.test] = values
    return probabilities


def _fitted(table: Any, labels: Integers, groups: Integers) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GroupShuffleSplit

    def model(penalty: float) -> Any:
        return LogisticRegression(C=penalty, max_iter=300, class_weight="balanced")

    train, held = next(GroupShuffleSplit(1, test_size=0.25, random_state=0).split(labels, groups=groups))

    def score(penalty: float) -> float:
        predictions = model(penalty).fit(table[train], labels[train]).predict(table[held])
        return float(f1_score(labels[held], predictions, average="macro"))

    return model(max(_PENALTIES, key=score)).fit(table, labels)


# The evaluation.

ENCODERS = ("all-MiniLM-L6-v2", "bge-small-en-v1.5-int8")
_SAMPLES = 500


@click.command()
@click.option("--encoder", "encoders", multiple=True, help="Only this sentence encoder, by name or path; repeatable.")
@click.option("--weights", type=result.FILE, help="What `rostrum train pairs` wrote. Default: in the model cache.")
def command(
    data: Path, test: Path | None, progress: Progress, encoders: tuple[str, ...], weights: Path | None
) -> Evaluation:
    """Which sentences of a debate support or attack each other, or neither (ElecDeb60to20).

    DIR has relations.tsv: link_type (0 support, 1 attack, 2 none) and merged_sent, both sentences in a row. Without
    --test, pairs that share a sentence are in the same of five parts, each judged by what the others teach.
    """
    return evaluate(data, test, encoders=encoders or ENCODERS, weights=weights, progress=progress)


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    encoders: Sequence[str] = ENCODERS,
    weights: Path | None = None,
    progress: Progress = no_progress,
) -> Evaluation:
    """Every method's figures over three kinds of relation, and of support against attack among related pairs."""
    relations = read_relations(data)
    learned = None
    if test:
        tested = read_relations(test)
        learned = np.arange(len(relations) + len(tested)) < len(relations)
        relations = [*relations, *tested]
    labels = np.array([KINDS.index(relation.kind) for relation in relations], dtype=np.int64)
    groups = groups_of(relations)
    parts = splits(groups, learned)
    judged = np.concatenate([part.test for part in parts])
    methods, digests, notes = _methods(encoders, weights)
    most = np.tile(_shares(labels[parts[0].train]), (len(judged), 1))
    rows = [_row("majority", most, labels[judged], groups[judged])]
    for number, (name, features) in enumerate(methods.items()):
        progress(number / len(methods), name)
        predictions = predicted(features(relations), labels, groups, parts)
        rows.append(_row(name, predictions[judged], labels[judged], groups[judged]))
    split = "test folder" if test else "five folds; pairs that share a sentence are in one"
    facts = signature("numpy", "scikit-learn", split=split, pairs=len(judged), models=digests)
    return Evaluation(name="relations", signature=facts, rows=tuple(rows), notes=(_READING, *notes))


_READING = (
    "accuracy, macro_f1: over support, attack and none; f1_support, f1_attack: of each; support_or_attack: of "
    "pairs that are one of the two, the mean share of supports and of attacks told; intervals over shared sentences"
)


def _methods(
    encoders: Sequence[str], weights: Path | None
) -> tuple[dict[str, Features], dict[str, str], tuple[str, ...]]:
    """(what tells a pair's relation, by name; digests of models; notes on what could not be asked)."""
    methods: dict[str, Features] = {"words": words}
    digests: dict[str, str] = {}
    for name in encoders:
        encoder = load_encoder(name)
        digests[name] = encoder.digest[:12]
        methods |= {f"similarity, {name}": similarity(encoder), name: joined_vectors(encoder)}
    model = load_stance_model()
    digests["sides"] = model.digest[:12]
    methods["sides"] = stances(model)
    if encoders:
        methods[f"{encoders[0]} and sides"] = both(methods[encoders[0]], methods["sides"])
    file = weights or trained_file()
    if not file.exists():
        return methods, digests, ("the model of pairs is not asked: rostrum train pairs makes it, or give --weights",)
    pairs = load_pairs(file)
    digests[pairs.name] = pairs.digest[:12]
    methods["pairs"] = sides(pairs)
    return methods, digests, ()


def _shares(labels: Integers) -> Floats:
    return np.bincount(labels, minlength=len(KINDS)) / len(labels)


def _row(method: str, probabilities: Floats, labels: Integers, groups: Integers) -> Row:
    """The figures of one method, with intervals over groups of pairs that share a sentence."""
    predictions = probabilities.argmax(axis=1)
    supports, attacks = KINDS.index("support"), KINDS.index("attack")
    is_support = probabilities[:, supports] >= probabilities[:, attacks]
    table = np.column_stack([labels, predictions, np.where(is_support, supports, attacks)])
    by_group = [table[groups == group] for group in np.unique(groups)]
    row: Row = {"method": method}
    for name, figure in _FIGURES.items():
        row |= with_interval(name, by_group, _over(figure), samples=_SAMPLES)
    return {**row, "f1_support": _f1(table, supports), "f1_attack": _f1(table, attacks), "pairs": len(labels)}


def _over(figure: Callable[[Integers], float]) -> Callable[[Sequence[Integers]], float]:
    return lambda tables: figure(np.concatenate(tables))


def _f1(table: Integers, kind: int) -> float:
    right = int(((table[:, 0] == kind) & (table[:, 1] == kind)).sum())
    total = int((table[:, 0] == kind).sum() + (table[:, 1] == kind).sum())
    return 2 * right / total if total else 0.0


def _accuracy(table: Integers) -> float:
    return float((table[:, 0] == table[:, 1]).mean())


def _macro_f1(table: Integers) -> float:
    return float(np.mean([_f1(table, kind) for kind in range(len(KINDS))]))


def _balanced(table: Integers) -> float:
    """The mean share of supporting and of attacking pairs that are told from one another."""
    shares = [
        float((related[:, 2] == kind).mean())
        for kind in (KINDS.index("support"), KINDS.index("attack"))
        if len(related := table[table[:, 0] == kind])
    ]
    return float(np.mean(shares)) if shares else 0.0


_FIGURES = {"accuracy": _accuracy, "macro_f1": _macro_f1, "support_or_attack": _balanced}
