"""The convincingness model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy.special import expit

from pipeline.arrays import Mask, Vector
from pipeline.convincing.evaluate.data import ArgumentPairs, different_sets, joined
from pipeline.convincing.evaluate.methods import METHOD_OF_VIEW
from pipeline.convincing.evaluate_convincing import evaluate
from pipeline.convincing.model import ConvincingModel, Provenance, train
from pipeline.convincing.preference import Learned, best_temperature
from pipeline.convincing.representation import ENCODER, VIEWS, View, described
from pipeline.convincing.stage import Agreement
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import load_encoder


@click.command()
@result.out_file
@click.option(
    "--view",
    type=click.Choice(["written", "spoken", "spoken, without length"]),
    default="spoken, without length",
    show_default=True,
    help="The features: of text as written or as a recogniser hears it, with or without its length.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="DIR",
    type=result.FOLDER,
    help="Another collection to learn from; repeatable. Each is left out in turn, to measure and calibrate.",
)
@click.option(
    "--elsewhere",
    multiple=True,
    metavar="DIR",
    type=result.FOLDER,
    help="Another collection of pairs: calibrate on it, and measure how good the model is there. Repeatable.",
)
@click.option(
    "--check/--no-check", default=True, help="Measure first how good the model is on topics that it has not seen."
)
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    view: str,
    also: tuple[Path, ...],
    elsewhere: tuple[Path, ...],
    check: bool,
) -> Trained:
    """Learn from pairs which argument is more convincing; for `--set convincing.model=trained`, or by path.

    DIR has UKPConvArg1, IBM-ArgQ, IBM-EviConv, or own files in one of their forms.
    """
    from pipeline.convincing.evaluate.judging import cache_folder
    from pipeline.convincing.model import save, trained_path

    model = trained([data, *also], view, elsewhere, check=check, cache=cache_folder(), progress=progress)
    out = out or trained_path()
    save(model, out)
    return Trained(out, tuple(_lines(model.facts)))


def _lines(facts: Provenance) -> Iterator[str]:
    """What was measured, one line for each part."""
    if facts.accuracy is not None and facts.accuracy_low is not None and facts.accuracy_high is not None:
        interval = f"{facts.accuracy_low:.3f} to {facts.accuracy_high:.3f}"
        yield f"accuracy on topics left out: {facts.accuracy:.3f} ({interval})"
    for one in facts.elsewhere:
        interval = "" if one.accuracy_low is None else f" ({one.accuracy_low:.3f} to {one.accuracy_high:.3f})"
        stances = "across stances" if one.across_stances else "within a stance"
        sure = "" if one.confidence is None else f", mean confidence {one.confidence:.3f}"
        yield f"{one.collection}, {one.pairs} pairs {stances}: accuracy {one.accuracy:.3f}{interval}{sure}"


# The licences of the sets that state one.
LICENCES = {"UKPConvArg1": "CC-BY 4.0, Habernal and Gurevych 2016"}


def trained(
    data: Sequence[Path],
    view: str,
    elsewhere: Sequence[Path] = (),
    *,
    check: bool = True,
    cache: Path | None = None,
    progress: Progress = no_progress,
) -> ConvincingModel:
    """The model of all pairs of each folder's first set; with `check`, its figures on what was left out.

    From one set, topics are left out in turn; of several sets, one after the other. Probabilities are calibrated on the
    sets that were left out, and on the first set of each folder `elsewhere`; without any, on topics left out.
    """
    sets = different_sets([*data, *elsewhere])
    taught, others = sets[: len(data)], sets[len(data) :]
    facts = _facts(taught, view)
    if check and len(taught) == 1:
        facts = _on_topics_left_out(facts, data[0], cache, progress)
    judged = list(_left_out(taught, view, progress)) if check and len(taught) > 1 else []
    progress(0.0, "learning from all topics")
    learned = _learned(taught, view)
    judged += [JudgedCollection.judged_by(learned, VIEWS[view], collection) for collection in others]
    if not judged:
        return ConvincingModel(learned, facts)
    calibrated = replace(learned, model=learned.model.calibrated(temperature(judged)))
    return ConvincingModel(calibrated, replace(facts, elsewhere=agreements(judged)))


def _facts(sets: Sequence[ArgumentPairs], view: str) -> Provenance:
    pairs = joined(sets)
    return Provenance(
        view=view,
        encoder=ENCODER,
        encoder_digest=load_encoder(ENCODER).digest,
        trained_on=pairs.name,
        licence="; ".join(LICENCES.get(collection.name, "none stated") for collection in sets),
        pairs=len(pairs.first),
    )


def _learned(sets: Sequence[ArgumentPairs], view: str) -> Learned:
    pairs = joined(sets)
    return train(pairs.texts, pairs.topic_of, pairs.winner, pairs.loser, _facts(sets, view))


@dataclass(frozen=True)
class JudgedCollection:
    """A collection that a model did not learn from, and each pair's utility of the winner less that of the loser."""

    collection: ArgumentPairs
    differences: Vector

    @classmethod
    def judged_by(cls, learned: Learned, view: View, collection: ArgumentPairs) -> "JudgedCollection":
        """The judgements of a model that sees the texts in this view."""
        rows = described(collection.texts, collection.topic_of, view, load_encoder(ENCODER))
        utilities = learned.utilities(rows)
        return cls(collection, utilities[collection.winner] - utilities[collection.loser])


def temperature(judged: Sequence[JudgedCollection]) -> float:
    """The temperature that calibrates a model's probabilities over these collections, each counting the same."""
    return best_temperature(*(one.differences for one in judged))


def agreements(judged: Sequence[JudgedCollection]) -> tuple[Agreement, ...]:
    """The agreement on each collection, for pairs within a stance and across stances separately.

    Confidence uses the temperature of the other collections: a model always looks calibrated on what calibrated it.
    """
    measured: list[Agreement] = []
    for one in judged:
        others = [other for other in judged if other is not one]
        calibrated = temperature(others) if others else None
        across = one.collection.across_stances
        for crosses, chosen in ((False, ~across), (True, across)):
            if chosen.any():
                measured.append(_agreement(one, chosen, calibrated, across_stances=crosses))
    return tuple(measured)


def _agreement(judged: JudgedCollection, chosen: Mask, calibrated: float | None, *, across_stances: bool) -> Agreement:
    differences, topic = judged.differences[chosen], judged.collection.pair_topic[chosen]
    right = np.where(differences == 0, 0.5, (differences > 0).astype(np.float64))
    by_topic = [right[topic == number] for number in np.unique(topic)]
    low, high = bootstrap_interval(by_topic, lambda drawn: round(pooled_mean(drawn), 4))
    confidence = None if calibrated is None else float(expit(calibrated * np.abs(differences)).mean())
    return Agreement(
        collection=judged.collection.name,
        across_stances=across_stances,
        pairs=len(right),
        accuracy=round(float(right.mean()), 4),
        accuracy_low=low,
        accuracy_high=high,
        confidence=None if confidence is None else round(confidence, 4),
    )


def _left_out(sets: Sequence[ArgumentPairs], view: str, progress: Progress) -> Iterator[JudgedCollection]:
    """Each set, judged by a model of the others."""
    for number, left_out in enumerate(sets):
        progress(number / len(sets), f"{left_out.name} left out")
        learned = _learned([other for other in sets if other is not left_out], view)
        yield JudgedCollection.judged_by(learned, VIEWS[view], left_out)


def _on_topics_left_out(facts: Provenance, data: Path, cache: Path | None, progress: Progress) -> Provenance:
    """The facts with how good such a model is on topics that it has not seen."""
    evaluation = evaluate(data, methods=[METHOD_OF_VIEW[facts.view]], cache=cache, progress=progress)
    row = next(r for r in evaluation.rows if r["set"] == facts.trained_on and r["topic"] == "average")
    figures: dict[str, Any] = {
        name: round(value, 4) if isinstance(value := row[name], float) else None
        for name in ("accuracy", "accuracy_low", "accuracy_high", "spearman")
    }
    return replace(facts, **figures)
