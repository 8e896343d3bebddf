"""What fifty labels are worth: accuracy on a motion's other speeches, with labels drawn by the queue or by chance.

`python benchmarks/few_labels.py --data IBM-DEBATES`: for every motion, one speech is left out, and labels of its other
speeches are drawn, answered by the data's own labels, and learned from as `rostrum train mentions` does.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.matching.matcher import load_matcher
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.mentions.detector import Detector, find_detector
from pipeline.mentions.evaluate.data import read_listening
from pipeline.mentions.evaluate.fitting import LabelledList, adapt, labelled_lists
from pipeline.mentions.stage import MentionsSettings
from pipeline.text.encoders.sentence_encoder import load_encoder

BUDGETS = (0, 10, 20, 30, 40, 50)
DRAWS = 5
WAYS = ("queue", "chance")


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="The folder of IBM's debates.")
@click.option("--motions", default=30, show_default=True, help="How many motions.")
@click.option("--transcript", default="asr.txt", show_default=True, help="Which transcripts.")
def main(data: Path, motions: int, transcript: str) -> None:
    """Print accuracy with its interval over motions, for each way to draw and each number of labels."""
    encoder = load_encoder(MentionsSettings().encoder)
    _, shipped = find_detector("shipped", encoder.name, encoder.digest)
    listening = read_listening(data)
    chosen = listening.on(listening.motions[:motions])
    lists = labelled_lists(chosen, transcript, encoder, load_matcher(shipped.matcher) if shipped.matcher else None)
    right: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for motion in chosen.motions:
        own = [one for one in lists if one.group == motion]
        for place in range(len(own)):
            _spend(shipped, own, place, right)
    rows = [
        {"drawn": way, "labels": budget, **_figures(list(by_motion.values()))}
        for (way, budget), by_motion in sorted(right.items(), key=lambda item: (WAYS.index(item[0][0]), item[0][1]))
    ]
    print_rows("accuracy on the motion's other speeches", rows)


def _figures(of_motions: Sequence[Sequence[float]]) -> dict[str, float | int]:
    low, high = bootstrap_interval(of_motions, pooled_mean)
    return {"motions": len(of_motions), "accuracy": pooled_mean(of_motions), "accuracy_low": low, "accuracy_high": high}


def _spend(
    shipped: Detector, own: Sequence[LabelledList], place: int, right: dict[tuple[str, int], dict[str, list[float]]]
) -> None:
    """The accuracies on one speech, after labels of the motion's other speeches."""
    test, others = own[place], [*own[:place], *own[place + 1 :]]
    for way in WAYS:
        for draw in range(DRAWS if way == "chance" else 1):
            order = _order(shipped, others, way, np.random.default_rng([draw, place, int(test.group)]))
            for budget in BUDGETS:
                detector = _learned(shipped, others, order[:budget]) if budget else shipped
                likely = detector.probabilities(test.motion, test.titles, test.table)
                right[way, budget][test.group].append(float(np.mean((likely >= detector.threshold) == test.labels)))


def _order(
    shipped: Detector, others: Sequence[LabelledList], way: str, random: np.random.Generator
) -> list[tuple[int, int]]:
    """(speech, argument) in the order in which they are labelled: the least sure first, spread as the queue does."""
    pairs = [(speech, argument) for speech, one in enumerate(others) for argument in range(len(one.titles))]
    if way == "chance":
        return [pairs[index] for index in random.permutation(len(pairs))]
    likely = [shipped.probabilities(one.motion, one.titles, one.table) for one in others]
    odds = [np.log(one / (1 - one)) - np.log(shipped.threshold / (1 - shipped.threshold)) for one in likely]
    counts: dict[str, int] = defaultdict(int)
    order: list[tuple[int, int]] = []
    while pairs:

        def worth(pair: tuple[int, int]) -> float:
            speech, argument = pair
            doubt = max(0.0, 1 - abs(odds[speech][argument]) / 3)
            return doubt * 0.6 ** counts[others[speech].titles[argument]] * 0.85 ** counts[str(speech)]

        chosen = max(pairs, key=worth)
        pairs.remove(chosen)
        order.append(chosen)
        counts[others[chosen[0]].titles[chosen[1]]] += 1
        counts[str(chosen[0])] += 1
    return order


def _learned(shipped: Detector, others: Sequence[LabelledList], spent: Sequence[tuple[int, int]]) -> Detector:
    kept = []
    for speech, one in enumerate(others):
        if own := [argument for of, argument in spent if of == speech]:
            titles = tuple(one.titles[argument] for argument in own)
            kept.append(
                replace(one, titles=titles, table=one.table[own], labels=one.labels[own], shares=one.shares[own])
            )
    return adapt(shipped, kept, "")


if __name__ == "__main__":
    main()
