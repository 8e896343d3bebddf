"""Training a model of convincingness on one or several sets of pairs, with its accuracy on what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.argue.convincing.learning import Learned
from pipeline.argue.convincing.model import ConvincingModel, Provenance, train
from pipeline.argue.convincing.representation import ENCODER, VIEWS
from pipeline.evaluation.convincing.data import ArgumentPairs, different_sets, joined
from pipeline.evaluation.convincing.elsewhere import JudgedCollection, agreements, temperature
from pipeline.evaluation.convincing.methods.gaussian_process import METHOD_OF_VIEW
from pipeline.evaluation.convincing.table import evaluate
from pipeline.evaluation.result import Value
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import load_encoder

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
    judged += [JudgedCollection.of(learned, VIEWS[view], collection) for collection in others]
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
        licence="; ".join(LICENCES.get(each.name, "none stated") for each in sets),
        pairs=len(pairs.first),
    )


def _learned(sets: Sequence[ArgumentPairs], view: str) -> Learned:
    pairs = joined(sets)
    return train(pairs.texts, pairs.topic_of, pairs.winner, pairs.loser, _facts(sets, view))


def _left_out(sets: Sequence[ArgumentPairs], view: str, progress: Progress) -> Iterator[JudgedCollection]:
    """Each set, judged by a model of the others."""
    for number, each in enumerate(sets):
        progress(number / len(sets), f"{each.name} left out")
        yield JudgedCollection.of(_learned([other for other in sets if other is not each], view), VIEWS[view], each)


def _on_topics_left_out(facts: Provenance, data: Path, cache: Path | None, progress: Progress) -> Provenance:
    """The facts with how good such a model is on topics that it has not seen."""
    evaluation = evaluate(data, methods=[METHOD_OF_VIEW[facts.view]], cache=cache, progress=progress)
    row = next(r for r in evaluation.rows if r["set"] == facts.trained_on and r["topic"] == "average")
    return replace(
        facts,
        accuracy=_figure(row["accuracy"]),
        accuracy_low=_figure(row["accuracy_low"]),
        accuracy_high=_figure(row["accuracy_high"]),
        spearman=_figure(row["spearman"]),
    )


def _figure(value: Value) -> float | None:
    return round(value, 4) if isinstance(value, float) else None
