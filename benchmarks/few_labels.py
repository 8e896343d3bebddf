"""What a few labels are worth: accuracy on a motion's other speeches, with labels drawn by the queue or by chance.

    python benchmarks/few_labels.py --data DIR [--motions 20] [--cache DIR]

DIR is IBM's Recorded Debating Dataset. Of every motion one speech after the other is left out. Labels of its other
speeches are drawn, answered by the data's own labels, and learned from as `rostrum train mentions` does. A motion's
other three speeches have about fifty labels in all, so that the ways to draw differ before, and meet there.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Floats
from pipeline.cli.console import print_rows
from pipeline.evaluation.result import Row
from pipeline.matching.matcher import load_matcher
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.mentions.detector import Detector, find_detector
from pipeline.mentions.evaluate.data import Listening, read_listening
from pipeline.mentions.evaluate.fitting import LabelledList, adapt, labelled_lists
from pipeline.mentions.stage import MentionsSettings
from pipeline.report.judging import doubt_of
from pipeline.text.encoders.sentence_encoder import load_encoder

BUDGETS = (5, 10, 20, 30, 40, 50)
DRAWS = 5

# (number of the speech, number of the argument in its list)
Asked = tuple[int, int]
Order = Callable[[Sequence[LabelledList], Sequence[Floats], float, np.random.Generator], list[Asked]]


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--motions", default=20, show_default=True, help="The first so many motions.")
@click.option("--others", is_flag=True, help="The motions after these instead: those that a rule may be chosen on.")
@click.option("--transcript", default="asr.txt", show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), help="Keep features there, and use them again.")
@click.option("--way", "ways", multiple=True, type=click.Choice(["queue", "chance", "doubt", "spread", "likely"]))
def main(data: Path, motions: int, others: bool, transcript: str, cache: Path | None, ways: tuple[str, ...]) -> None:
    """Print accuracy with its interval over motions, for each way to draw and each number of labels."""
    encoder = load_encoder(MentionsSettings().encoder)
    _, shipped = find_detector("shipped", encoder.name, encoder.digest)
    listening = read_listening(data)
    chosen = listening.motions[motions:] if others else listening.motions[:motions]
    right: dict[tuple[str, int], list[list[float]]] = defaultdict(list)
    for motion in chosen:
        lists = _lists(listening.on([motion]), transcript, shipped, cache)
        for way in ways or ("queue", "chance"):
            for budget, accuracies in _accuracies(shipped, lists, way).items():
                right[way, budget].append(accuracies)
        print(f"motion {motion} done", flush=True)
    print_rows(f"accuracy on the motion's other speeches, {len(chosen)} motions", list(_rows(right)))


def _rows(right: dict[tuple[str, int], list[list[float]]]) -> list[Row]:
    """The accuracy of each way and number of labels, and its difference to that by chance, motion by motion."""
    rows: list[Row] = []
    for (way, budget), by_motion in right.items():
        low, high = bootstrap_interval(by_motion, pooled_mean)
        row: Row = {"drawn": way, "labels": budget, "accuracy": pooled_mean(by_motion)}
        row |= {"accuracy_low": low, "accuracy_high": high}
        for name, than in (("chance", ("chance", budget)), ("shipped", (way, 0))):
            differences = [
                [float(np.mean(a) - np.mean(b))] for a, b in zip(by_motion, right.get(than, ()), strict=False)
            ]
            if differences:
                low, high = bootstrap_interval(differences, pooled_mean)
                row |= {f"over_{name}": pooled_mean(differences), f"over_{name}_low": low, f"over_{name}_high": high}
        rows.append(row)
    return rows


def _lists(data: Listening, transcript: str, shipped: Detector, cache: Path | None) -> list[LabelledList]:
    """The lists of one motion. Their features take most of the time; with a `cache` they are computed once."""
    encoder, matcher = load_encoder(shipped.encoder), load_matcher(shipped.matcher) if shipped.matcher else None
    if cache is None:
        return labelled_lists(data, transcript, encoder, matcher)
    texts = [[pairs[0].speech, *(pair.title for pair in pairs)] for pairs in data.lists()]
    key = repr((shipped.encoder_digest, matcher.digest if matcher else "", transcript, texts))
    file = cache / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.npz"
    if not file.exists():
        made = labelled_lists(data, transcript, encoder, matcher)
        cache.mkdir(parents=True, exist_ok=True)
        np.savez(file, *(one.table for one in made))
    with np.load(file) as stored:
        tables = [stored[name] for name in stored.files]
    return [
        LabelledList(
            group=pairs[0].motion,
            motion=pairs[0].motion_text,
            titles=tuple(pair.title for pair in pairs),
            table=table,
            labels=np.array([pair.mentioned for pair in pairs]),
            shares=np.array([float(pair.mentioned) if pair.share is None else pair.share for pair in pairs]),
        )
        for pairs, table in zip(data.lists(), tables, strict=True)
    ]


def _accuracies(shipped: Detector, lists: Sequence[LabelledList], way: str) -> dict[int, list[float]]:
    """By number of labels, the accuracies on each speech of a motion after labels of its other speeches."""
    likely = [one.probabilities(shipped) for one in lists]
    right: dict[int, list[float]] = {0: []}
    for place, test in enumerate(lists):
        right[0].append(float(np.mean((likely[place] >= shipped.threshold) == test.labels)))
        others = [one for number, one in enumerate(lists) if number != place]
        theirs = [one for number, one in enumerate(likely) if number != place]
        draws = [np.random.default_rng([draw, place, int(test.group)]) for draw in range(DRAWS)]
        for random in draws if way in RANDOM else draws[:1]:
            order = ORDERS[way](others, theirs, shipped.threshold, random)
            for budget in BUDGETS:
                detector = adapt(shipped, _labelled(others, order[:budget]), "")
                found = test.probabilities(detector) >= detector.threshold
                right.setdefault(budget, []).append(float(np.mean(found == test.labels)))
    return right


def _labelled(lists: Sequence[LabelledList], asked: Sequence[Asked]) -> list[LabelledList]:
    """What is known of the lists after these labels."""
    kept = []
    for speech, one in enumerate(lists):
        if own := [argument for of, argument in asked if of == speech]:
            known = tuple(one.titles[argument] for argument in own)
            others = tuple(title for title in one.titles if title not in known)
            kept.append(
                replace(
                    one,
                    titles=known,
                    table=one.table[own],
                    labels=one.labels[own],
                    shares=one.shares[own],
                    others=(*others, *one.others),
                )
            )
    return kept


def _by_chance(
    lists: Sequence[LabelledList], likely: Sequence[Floats], threshold: float, random: np.random.Generator
) -> list[Asked]:
    every = [(speech, argument) for speech, one in enumerate(lists) for argument in range(len(one.titles))]
    return [every[index] for index in random.permutation(len(every))]


def _greedy(doubt: Callable[[float, float], float], of: float, speech: float) -> Order:
    """An order by what an answer is worth; less, by these factors, if its argument or speech was asked about before."""

    def order(
        lists: Sequence[LabelledList], likely: Sequence[Floats], threshold: float, random: np.random.Generator
    ) -> list[Asked]:
        left = _by_chance(lists, likely, threshold, random)
        worth = {(s, a): doubt(float(likely[s][a]), threshold) for s, a in left}
        titles, speeches = Counter[str](), Counter[int]()
        taken: list[Asked] = []
        while left:
            best = max(
                left,
                key=lambda one: worth[one] * of ** titles[lists[one[0]].titles[one[1]]] * speech ** speeches[one[0]],
            )
            left.remove(best)
            taken.append(best)
            titles[lists[best[0]].titles[best[1]]] += 1
            speeches[best[0]] += 1
        return taken

    return order


ORDERS: dict[str, Order] = {
    "queue": _greedy(doubt_of, 0.6, 0.85),
    "chance": _by_chance,
    "doubt": _greedy(doubt_of, 1.0, 1.0),
    "spread": _greedy(lambda *_: 1.0, 0.6, 0.85),
    "likely": _greedy(lambda probability, _: probability, 0.6, 0.85),
}
# Those that chance decides on.
RANDOM = ("chance", "spread")


if __name__ == "__main__":
    main()
