"""A model of convincingness from a folder of pairs, with what it is worth on topics it has not seen."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.argue.convincing.model import ConvincingModel, Provenance, train
from pipeline.argue.convincing.representation import ENCODER, VIEWS
from pipeline.errors import RostrumError
from pipeline.evaluation.convincing.data import ArgumentPairs, read_pairs
from pipeline.evaluation.convincing.elsewhere import Judged, agreements, temperature
from pipeline.evaluation.convincing.methods.gaussian_process import METHOD_OF_VIEW
from pipeline.evaluation.convincing.table import evaluate
from pipeline.evaluation.result import Value
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import load_encoder

# Of the sets that have a licence stated.
LICENCES = {"UKPConvArg1": "CC-BY 4.0, Habernal and Gurevych 2016"}


def trained(
    data: Path,
    view: str,
    elsewhere: Sequence[Path] = (),
    *,
    check: bool = True,
    cache: Path | None = None,
    progress: Progress = no_progress,
) -> ConvincingModel:
    """The model of all pairs of the folder's first set; with `check` its figures over topics left out.

    Its probabilities are calibrated on the first set of each folder `elsewhere`; without one, on topics left out.
    """
    pairs = read_pairs(data)[0]
    facts = Provenance(
        view=view,
        encoder=ENCODER,
        encoder_digest=load_encoder(ENCODER).digest,
        trained_on=pairs.name,
        licence=LICENCES.get(pairs.name, "none stated"),
        pairs=len(pairs.first),
    )
    if check:
        evaluation = evaluate(data, methods=[METHOD_OF_VIEW[view]], cache=cache, progress=progress)
        row = next(r for r in evaluation.rows if r["set"] == pairs.name and r["topic"] == "average")
        facts = replace(
            facts,
            accuracy=_figure(row["accuracy"]),
            accuracy_low=_figure(row["accuracy_low"]),
            accuracy_high=_figure(row["accuracy_high"]),
            spearman=_figure(row["spearman"]),
        )
    progress(0.0, "learning from all topics")
    learned = train(pairs.texts, pairs.topic_of, pairs.winner, pairs.loser, facts)
    if not elsewhere:
        return ConvincingModel(learned, facts)
    judged = [Judged.of(learned, VIEWS[view], collection) for collection in _others(pairs.name, elsewhere)]
    calibrated = replace(learned, model=learned.model.calibrated(temperature(judged)))
    return ConvincingModel(calibrated, replace(facts, elsewhere=agreements(judged)))


def _others(name: str, folders: Sequence[Path]) -> list[ArgumentPairs]:
    """The first set of each folder, which is not the one that is learned from."""
    found = [read_pairs(folder)[0] for folder in folders]
    for folder, collection in zip(folders, found, strict=True):
        if collection.name == name:
            raise RostrumError(f"{folder}: this is {name}, which the model learns from; give another collection")
    return found


def _figure(value: Value) -> float | None:
    return round(value, 4) if isinstance(value, float) else None
