"""Which known arguments a speech mentions (Mirkin et al. 2018)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Floats, Mask
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.matching import load_matcher
from pipeline.measures import (
    area_under_curve,
    best_threshold,
    bootstrap_interval,
    calibration,
    calibration_error,
    macro_accuracy,
    pooled_mean,
    precision_recall_f1,
)
from pipeline.mentions.evaluate.data import Listening, Pair, read_listening, refuse_too_few_motions, split
from pipeline.mentions.evaluate.encoders import load_skip_thought
from pipeline.mentions.evaluate.heard_sentences import (
    as_listening,
    carrier_rows,
    has_heard_sentences,
    read_heard_sentences,
    stage_rows,
)
from pipeline.mentions.evaluate.labels import analyse_labels, people_rows, vote_shares
from pipeline.mentions.evaluate.methods import MethodScores, Resources, TrainAndTest, all_scores
from pipeline.mentions.evaluate.rebuttals import has_rebuttals, rebuttal_rows
from pipeline.mentions.passages import PassageReader
from pipeline.mentions.stage import MentionsSettings
from pipeline.progress import Progress
from pipeline.text.encoders.cross_encoder import load_cross_encoder
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, load_encoder
from pipeline.text.encoders.word_vectors import load_vectors

# The first one is that of the stage. Detectors are made for it.
ENCODERS = (MentionsSettings().encoder, DEFAULT_ENCODER)
# Steps of the share of people who heard an argument.
_SHARE_STEPS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


@click.command()
@click.option(
    "--encoder", "encoders", multiple=True, help="A sentence encoder by name or path; detectors use the first."
)
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors for w2v, by name or path.")
@click.option("--skip-thought", type=result.FOLDER, help="A folder with the published skip-thought weights.")
@click.option("--cross-encoder", "cross_encoders", multiple=True, help="A cross-encoder by hub name or path.")
@click.option("--run", type=result.FOLDER, help="A run of the tested corpus. Its transcripts are evaluated too.")
@click.option("--figures", type=click.Path(file_okay=False, path_type=Path), help="Write figures into this folder.")
@click.option("--labels", "labels_only", is_flag=True, help="Analyse the labels instead: agreement, votes, biases.")
@click.option(
    "--votes", type=result.FILE, help="With --labels: each annotator's vote (speech,argument,annotator,mentioned)."
)
@click.option("--reading", type=result.FILE, help="With --labels: the labels or votes of people who read the speeches.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    encoders: tuple[str, ...],
    labels_only: bool,
    votes: Path | None,
    reading: Path | None,
    **options: Any,
) -> Evaluation:
    """Which known arguments a speech mentions (Mirkin et al. 2018).

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or a run of one: the run's transcripts are then
    evaluated on, too. Without --test, labels on three motions or more are needed.
    """
    if labels_only:
        return analyse_labels(read_listening(test or data), votes, reading)
    if votes or reading:
        raise click.UsageError("--votes and --reading are for --labels")
    return evaluate(data, test, encoders=encoders or ENCODERS, **options)


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    run: Path | None = None,
    encoders: Sequence[str] = ENCODERS,
    vectors: str = "glove-6B-50d",
    skip_thought: Path | None = None,
    cross_encoders: Sequence[str] = (),
    figures: Path | None = None,
) -> Evaluation:
    """Every method in every kind of transcript. The first encoder is the one that detectors are made for."""
    training, tested, facts = _parts(data, test, run)
    known = {name: load_encoder(name) for name in encoders}
    if skip_thought:
        known["skip-thought"] = load_skip_thought(skip_thought)
    resources = Resources(known, load_vectors(vectors), tuple(load_cross_encoder(name) for name in cross_encoders))
    rows: list[Row] = []
    errors: list[Row] = []
    drawn: tuple[str, ...] = ()
    for kind in tested.transcripts:
        # the same kind of transcript to train on, else the first kind there is
        nearest = kind if kind in training.transcripts else next(iter(training.transcripts))
        parts = TrainAndTest(training, nearest, tested, kind, training)
        scored = list(all_scores(parts, resources))
        if figures and not drawn:
            drawn = draw(figures, [method for method in scored if _is_shown(method)], tested)
        rows += [_row(method, parts) for method in scored]
        errors += [row for method in scored for row in _error_rows(method, parts)]
    rows += [*people_rows(tested), *errors]
    if has_heard_sentences(test or data):
        rows += _heard_rows(data, test or data, training, tested, resources)
    models = {name: encoder.digest[:12] for name, encoder in resources.encoders.items()}
    models[resources.words.name] = resources.words.digest[:12]
    return Evaluation(
        name="listening",
        signature=signature("numpy", "scikit-learn", "onnxruntime", seed=resources.seed, models=models, **facts),
        rows=tuple(rows),
        notes=tuple(_notes(rows, skip_thought, cross_encoders)),
        figures=drawn,
        tables=tuple(grouped((_title(row), row) for row in rows).items()),
    )


def _parts(data: Path, test: Path | None, run: Path | None) -> tuple[Listening, Listening, dict[str, Any]]:
    if test:
        training, tested = read_listening(data), read_listening(test, run)
        refuse_too_few_motions(training, data, others=True)
        how = f"trained on {data.resolve().name}, tested on {test.resolve().name}"
    else:
        training = read_listening(data, run)
        refuse_too_few_motions(training, data)
        train_motions, test_motions = split(training.motions)
        training, tested = training.on(train_motions), training.on(test_motions)
        how = "by motion: of every five in order of their ids, the second and fourth are for testing"
    facts = {"split": how, "training_motions": len(training.motions), "test_motions": len(tested.motions)}
    return training, tested, facts | {"test_speeches": len(tested.lists()), "test_pairs": len(tested.pairs)}


def _heard_rows(
    data: Path, folder: Path, training: Listening, tested: Listening, resources: Resources
) -> Iterator[Row]:
    """The table on arguments of iDebate, then how often the passage that is shown is the right one.

    Few of iDebate's arguments are labelled. Thresholds are tuned on them, and detectors trained on general-purpose
    claims.
    """
    idebate = as_listening(read_heard_sentences(folder, "iDebate"))
    tuning = as_listening(read_heard_sentences(data, "iDebate")) if has_heard_sentences(data) else idebate
    (kind,) = idebate.transcripts
    parts = TrainAndTest(tuning.on(training.motions), kind, idebate.on(tested.motions), kind, training)
    if parts.training.pairs and parts.test.pairs:
        yield from ({**_row(scored, parts), "claims": "iDebate"} for scored in all_scores(parts, resources))
    yield from _passage_rows(folder, tested, resources)
    if has_rebuttals(folder):
        yield from rebuttal_rows(folder, resources.first_encoder)


def _passage_rows(folder: Path, tested: Listening, resources: Resources) -> Iterator[Row]:
    """How often the right passage is shown, on the tested motions and on all: nothing is learned from any of them."""
    settings = MentionsSettings()
    reader = PassageReader(load_matcher(settings.passage_matcher), settings.passage_threshold)
    for claims in ("general-purpose", "iDebate"):
        labelled = read_heard_sentences(folder, claims)
        of_tested = [claim for claim in labelled if claim.motion in set(tested.motions)]
        for motions, heard in (("tested", of_tested), ("all", labelled)):
            if any(claim.is_mentioned for claim in heard) and (motions == "tested" or len(of_tested) < len(labelled)):
                rows = (*carrier_rows(heard, claims, resources), *stage_rows(heard, claims, reader, resources.seed))
                yield from ({"motions": motions, **row} for row in rows)


def _row(scored: MethodScores, parts: TrainAndTest) -> Row:
    """One method's figures; accuracy is of each speech, averaged over the speeches."""
    pairs, labels, decisions = _decided(scored, parts)
    precision, recall, f1 = precision_recall_f1(decisions, labels)
    low, high = bootstrap_interval(_by_motion(pairs, decisions == labels), pooled_mean)
    row: Row = {
        "method": scored.method,
        "config": scored.config,
        "transcript": parts.test_transcript,
        "accuracy": macro_accuracy(decisions, labels, [pair.speech for pair in pairs]),
        "accuracy_low": low,
        "accuracy_high": high,
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "auc": area_under_curve(scored.test, labels),
        "ece": calibration_error(scored.test, labels) if scored.probable else None,
    }
    for how in ("explicit", "implicit"):
        of_kind = np.array([pair.how == how for pair in pairs])
        some = of_kind | ~labels
        row[f"recall_{how}"] = float(decisions[of_kind].mean()) if of_kind.any() else None
        row[f"auc_{how}"] = area_under_curve(scored.test[some], labels[some])
    return row


def _decided(scored: MethodScores, parts: TrainAndTest) -> tuple[list[Pair], Mask, Mask]:
    """The pairs that are tested, their labels, and what a method says of them."""
    threshold = scored.threshold
    if threshold is None:
        speeches = [pair.speech for pair in parts.training.in_lists()]
        threshold = best_threshold(scored.tuning, parts.training.labels(), speeches)
    return parts.test.in_lists(), parts.test.labels(), scored.test >= threshold


def _error_rows(scored: MethodScores, parts: TrainAndTest) -> Iterator[Row]:
    """How often the trained detector is wrong, by the share of people who heard the argument: one row per step.

    A pair without votes is in none.
    """
    if (scored.method, scored.config) != ("trained detector", ""):
        return
    pairs, labels, decisions = _decided(scored, parts)
    voted = [
        (pair.share, is_right)
        for pair, is_right in zip(pairs, decisions == labels, strict=True)
        if pair.share is not None
    ]
    if not voted:
        return
    shares, right = np.array(voted).T
    steps = np.digitize(shares, _SHARE_STEPS[1:-1])
    for step in np.unique(steps):
        yield {
            "method": scored.method,
            "config": "errors",
            "transcript": parts.test_transcript,
            "heard_from": _SHARE_STEPS[step],
            "heard_to": _SHARE_STEPS[step + 1],
            "wrong": 1 - float(right[steps == step].mean()),
            "pairs": int((steps == step).sum()),
        }


def _by_motion(pairs: Sequence[Pair], right: Mask) -> list[tuple[float, ...]]:
    """The accuracies of the speeches of each motion."""
    of_speech = grouped(
        ((pair.motion, pair.speech), bool(is_right)) for pair, is_right in zip(pairs, right, strict=True)
    )
    return list(
        grouped((motion, float(np.mean(decisions))) for (motion, _), decisions in sorted(of_speech.items())).values()
    )


def _title(row: Row) -> str:
    """The table that a row is in: the table itself, that on iDebate's arguments, the passages shown, or rebuttals."""
    if "question" in row:
        return "rebuttals"
    if "carrier" in row:
        return "the right passage"
    if "wrong" in row:
        return "errors by the share of people who heard it"
    return "arguments of iDebate" if "claims" in row else "listening"


def _is_shown(scored: MethodScores) -> bool:
    """Whether a figure shows the method: the paper's methods at their best, detectors, and the prior alone."""
    paper = scored.method in ("w2v", "skip-thought") and scored.config == "arg-sentence"
    return paper or (scored.probable and scored.config in ("", "no listening"))


def _notes(rows: Sequence[Row], skip_thought: Path | None, cross_encoders: Sequence[str]) -> Iterator[str]:
    yield "accuracy is of each speech, averaged, its interval by bootstrap over motions; thresholds are from training"
    yield (
        "carrier: the passage that is shown has a sentence in which people heard the claim; carrier_sentence: the best "
        "sentence is one; shown: the share of mentions with a passage, without: how many have none; auc and ap there: "
        "of all labelled sentences"
    )
    if any(row["method"] == "people" for row in rows):
        yield "people: one person; right is what most of the others heard of the same pair, a tie counted half"
    if not any(row["method"] == "trained detector" for row in rows):
        yield "trained detectors: none; they need labels of both kinds, on two motions or more, to learn from"
    if skip_thought is None:
        yield "skip-thought: no weights given (--skip-thought DIR)"
    if not cross_encoders:
        yield "cross-encoders: none given (--cross-encoder NAME)"


def draw(folder: Path, scored: Sequence[MethodScores], data: Listening) -> tuple[str, ...]:
    """Write each figure as PNG and SVG into a folder; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = data.labels()
    figures = {
        "precision-recall": _precision_recall(scored, labels),
        "reliability": _reliability([method for method in scored if method.probable], labels),
    }
    if shares := vote_shares(data):
        figures["votes"] = _votes(shares)
    paths = []
    for name, figure in figures.items():
        for path in (folder / f"{name}.png", folder / f"{name}.svg"):
            figure.savefig(path, dpi=150)
            paths.append(str(path))
    return tuple(paths)


def precision_recall(scores: Floats, labels: Mask) -> tuple[Floats, Floats]:
    """Recall and precision at every threshold, from the strictest on."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, _ = precision_recall_curve(labels, scores)
    return recall[-2::-1], precision[-2::-1]  # without the last point, which is no threshold's


def _precision_recall(scored: Sequence[MethodScores], labels: Mask) -> Any:
    figure, axes = _figure("recall", "precision")
    for method in scored:
        axes.plot(*precision_recall(method.test, labels), label=_method_name(method))
    axes.axhline(labels.mean(), color="grey", linestyle=":", label="all-yes")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.legend(fontsize=7)
    return figure


def _reliability(scored: Sequence[MethodScores], labels: Mask) -> Any:
    figure, axes = _figure("probability", "share that is mentioned")
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
    for method in scored:
        curve = calibration(method.test, labels)
        axes.plot(
            [mean for mean, _, _ in curve], [share for _, share, _ in curve], marker="o", label=_method_name(method)
        )
    axes.legend(fontsize=7)
    return figure


def _votes(shares: Sequence[float]) -> Any:
    figure, axes = _figure("share of people who heard the argument", "pairs")
    axes.hist(shares, bins=np.linspace(-0.05, 1.05, 12), edgecolor="white")
    return figure


def _figure(x: str, y: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return figure, axes


def _method_name(scored: MethodScores) -> str:
    return f"{scored.method} {scored.config}".strip()
