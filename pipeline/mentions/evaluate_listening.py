"""Which known arguments a speech mentions (Mirkin et al. 2018)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Mask
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures.decisions import (
    area_under_curve,
    best_threshold,
    calibration_error,
    macro_accuracy,
    precision_recall_f1,
)
from pipeline.measures.intervals import bootstrap_interval, pooled_mean
from pipeline.mentions.evaluate.carriers import carrier_rows, error_rows
from pipeline.mentions.evaluate.data import Listening, Pair, read_listening, refuse_too_few_motions, split
from pipeline.mentions.evaluate.encoders import load_skip_thought
from pipeline.mentions.evaluate.heard_sentences import as_listening, has_heard_sentences, read_heard_sentences
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest
from pipeline.mentions.evaluate.methods import all_scores
from pipeline.mentions.evaluate.rebuttals import has_rebuttals, rebuttal_rows
from pipeline.mentions.stage import MentionsSettings
from pipeline.progress import Progress
from pipeline.text.encoders.cross_encoder import load_cross_encoder
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, load_encoder
from pipeline.text.encoders.word_vectors import load_vectors


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
    vectors: str,
    skip_thought: Path | None,
    cross_encoders: tuple[str, ...],
    run: Path | None,
    figures: Path | None,
    labels_only: bool,
    votes: Path | None,
    reading: Path | None,
) -> Evaluation:
    """Which known arguments a speech mentions (Mirkin et al. 2018).

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or a run of one: the run's transcripts are then
    evaluated on, too. Without --test, labels on three motions or more are needed.
    """
    if (votes or reading) and not labels_only:
        raise click.UsageError("--votes and --reading are for --labels")
    if labels_only:
        from pipeline.mentions.evaluate.data import read_listening
        from pipeline.mentions.evaluate.labels import analyse_labels

        return analyse_labels(read_listening(test or data), votes, reading)

    return evaluate(
        data,
        test,
        encoders=encoders or ENCODERS,
        vectors=vectors,
        run=run,
        skip_thought=skip_thought,
        cross_encoders=cross_encoders,
        figures=figures,
    )


# Listening comprehension over argumentative content (Mirkin et al. 2018): the paper's table, and more methods.

ENCODERS = (MentionsSettings().encoder, DEFAULT_ENCODER)


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
    resources = _resources(encoders, vectors, skip_thought, cross_encoders)
    all_parts = [
        TrainAndTest(training, _nearest(kind, training), tested, kind, training) for kind in tested.transcripts
    ]
    scored = {parts.test_transcript: list(all_scores(parts, resources)) for parts in all_parts}
    rows = [_row(each, parts) for parts in all_parts for each in scored[parts.test_transcript]]
    rows += [row for parts in all_parts for row in _errors(scored[parts.test_transcript], parts)]
    if has_heard_sentences(test or data):
        rows += _heard_rows(data, test or data, training, tested, resources)
    models = {name: encoder.digest[:12] for name, encoder in resources.encoders.items()}
    models[resources.words.name] = resources.words.digest[:12]
    return Evaluation(
        name="listening",
        signature=signature("numpy", "scikit-learn", "onnxruntime", seed=resources.seed, models=models, **facts),
        rows=tuple(rows),
        notes=tuple(_notes(rows, skip_thought, cross_encoders)),
        figures=_draw(figures, scored, tested) if figures else (),
        tables=tuple(grouped((_title(row), row) for row in rows).items()),
    )


def _resources(
    encoders: Sequence[str], vectors: str, skip_thought: Path | None, cross_encoders: Sequence[str]
) -> Resources:
    known = {name: load_encoder(name) for name in encoders}
    if skip_thought:
        known["skip-thought"] = load_skip_thought(skip_thought)
    return Resources(known, load_vectors(vectors), tuple(load_cross_encoder(name) for name in cross_encoders))


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
        yield from ({**_row(each, parts), "claims": "iDebate"} for each in all_scores(parts, resources))
    for claims in ("general-purpose", "iDebate"):
        heard = [each for each in read_heard_sentences(folder, claims) if each.motion in set(tested.motions)]
        if any(any(each.heard.values()) for each in heard):
            yield from carrier_rows(heard, claims, resources)
    if has_rebuttals(folder):
        yield from rebuttal_rows(folder, resources.first_encoder)


def _nearest(transcript: str, training: Listening) -> str:
    """The same kind of transcript to train on, else the first kind there is."""
    return transcript if transcript in training.transcripts else next(iter(training.transcripts))


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
    return parts.test.in_lists(), parts.test.labels(), scored.test >= _threshold(scored, parts)


def _errors(scored: Sequence[MethodScores], parts: TrainAndTest) -> Iterator[Row]:
    """How often the trained detector is wrong, by the share of people who heard the argument."""
    for each in scored:
        if (each.method, each.config) == ("trained detector", ""):
            pairs, labels, decisions = _decided(each, parts)
            yield from error_rows(each.method, parts.test_transcript, pairs, decisions == labels)


def _threshold(scored: MethodScores, parts: TrainAndTest) -> float:
    if scored.threshold is not None:
        return scored.threshold
    speeches = [pair.speech for pair in parts.training.in_lists()]
    return best_threshold(scored.tuning, parts.training.labels(), speeches)


def _by_motion(pairs: Sequence[Pair], right: Mask) -> list[tuple[float, ...]]:
    """The accuracies of the speeches of each motion."""
    of_speech = grouped(((pair.motion, pair.speech), bool(each)) for pair, each in zip(pairs, right, strict=True))
    return list(grouped((motion, float(np.mean(each))) for (motion, _), each in sorted(of_speech.items())).values())


def _title(row: Row) -> str:
    """The table that a row is in: the table itself, that on iDebate's arguments, the passages shown, or rebuttals."""
    if "question" in row:
        return "rebuttals"
    if "carrier" in row:
        return "the right passage"
    if "wrong" in row:
        return "errors by the share of people who heard it"
    return "arguments of iDebate" if "claims" in row else "listening"


def _draw(folder: Path, scored: dict[str, list[MethodScores]], tested: Listening) -> tuple[str, ...]:
    from pipeline.mentions.evaluate.figures import draw

    shown = [each for each in next(iter(scored.values())) if _is_shown(each)]
    return draw(folder, shown, tested)


def _is_shown(scored: MethodScores) -> bool:
    """Whether a figure shows the method: the paper's methods at their best, detectors, and the prior alone."""
    paper = scored.method in ("w2v", "skip-thought") and scored.config == "arg-sentence"
    return paper or (scored.probable and scored.config in ("", "no listening"))


def _notes(rows: Sequence[Row], skip_thought: Path | None, cross_encoders: Sequence[str]) -> Iterator[str]:
    yield "accuracy is of each speech, averaged, its interval by bootstrap over motions; thresholds are from training"
    yield (
        "carrier: the passage that is shown has a sentence in which people heard the claim; carrier_sentence: the most "
        "similar sentence is one; auc there: of all labelled sentences"
    )
    if not any(row["method"] == "trained detector" for row in rows):
        yield "trained detectors: none; they need labels of both kinds, on two motions or more, to learn from"
    if skip_thought is None:
        yield "skip-thought: no weights given (--skip-thought DIR)"
    if not cross_encoders:
        yield "cross-encoders: none given (--cross-encoder NAME)"
