"""How much each family of features helps the published SVM: accuracy and rank correlation without it.

    python benchmarks/convincing_ablation.py --data DIR [--every N]

DIR is UKPConvArg1. Ranks are judged on all topics, in seconds; with `--every` pairs, too, on every so many topics.
The whole table of pairs is `rostrum evaluate convincing --data DIR --method "svm without lengths"`, and so on: hours.
"""

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from scipy.stats import pearsonr, spearmanr

from pipeline.cli.console import print_rows
from pipeline.convincing.evaluate.data import ArgumentPairs, read_pairs
from pipeline.convincing.evaluate.judging import Experiment, Pool, cross_topic
from pipeline.convincing.evaluate.linguistic import FAMILIES, FeatureFamily
from pipeline.convincing.evaluate.svm import Joined, pair_margins, predicted_ranks, products_of
from pipeline.evaluation.result import Row
from pipeline.system.environment import prepare_environment


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The data.")
@click.option("--every", type=click.IntRange(1), help="Judge pairs, too, on every so many topics.")
def main(data: Path, every: int | None) -> None:
    """Print a line for the whole SVM, and one without each family."""
    pairs = read_pairs(data)[0]
    experiment = cross_topic(pairs)
    pool = Pool(experiment.texts, experiment.topic_of)
    rows = [_row("none", FAMILIES, pairs, experiment, pool, every)]
    for left_out in FAMILIES:
        rest = [family for family in FAMILIES if family is not left_out]
        rows.append(_row(left_out.name, rest, pairs, experiment, pool, every))
        click.echo(rows[-1], err=True)
    print_rows("svm without one family", rows)


def _row(
    name: str,
    families: Sequence[FeatureFamily],
    pairs: ArgumentPairs,
    experiment: Experiment,
    pool: Pool,
    every: int | None,
) -> Row:
    products, size = products_of(pool, families, standardised=False)
    ranks = np.zeros(len(pairs.rank))
    for fold in experiment.folds:
        ranks[fold.ranked_places] = predicted_ranks(
            products, size, fold.train_ranked, fold.train_ranks, fold.test_ranked
        )
    accuracies = []
    for fold in experiment.folds[::every] if every else ():
        margins = pair_margins(Joined(products, size), fold.train, fold.first_wins, fold.test)
        accuracies.append(float(np.mean((margins > 0) == pairs.first_wins[fold.test_places])))
    return {
        "left out": name,
        "features": size,
        "topics": len(accuracies),
        "accuracy": float(np.mean(accuracies)) if accuracies else None,
        "pearson": float(pearsonr(ranks, pairs.rank).statistic),
        "spearman": float(spearmanr(ranks, pairs.rank).statistic),
    }


if __name__ == "__main__":
    prepare_environment()
    main()
