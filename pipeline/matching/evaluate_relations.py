"""Which sentences of a debate support or attack each other (ElecDeb60to20)."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Floats, Integers
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.matching.evaluate.relations import (
    KINDS,
    Features,
    groups_of,
    joined_vectors,
    predicted,
    read_relations,
    sides,
    similarity,
    splits,
    words,
)
from pipeline.matching.pairs import load_pairs, trained_file
from pipeline.measures import with_interval
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import load_encoder

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
