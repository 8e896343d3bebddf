"""Listening comprehension over argumentative content (Mirkin et al. 2018): the table, and past it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.argue.mentions.detector import Detector, find_detector
from pipeline.errors import RostrumError
from pipeline.evaluation.listening.data import Listening, Pair, read_listening, split
from pipeline.evaluation.listening.methods import (
    MethodScores,
    TrainAndTest,
    baselines,
    cross_encoder,
    detectors,
    likeness,
    similarities,
)
from pipeline.evaluation.listening.skip_thought import load_skip_thought
from pipeline.evaluation.listening.word_mean import WordMeanEncoder, inverse_document_frequencies
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.decisions import (
    area_under_curve,
    best_threshold,
    calibration_error,
    macro_accuracy,
    precision_recall_f1,
)
from pipeline.measures.intervals import bootstrap_interval
from pipeline.settings import MentionsSettings
from pipeline.text.encoders.cross_encoder import CrossEncoder, load_cross_encoder
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, Encoder, load_encoder
from pipeline.text.encoders.word_vectors import WordVectors, load_vectors

SEED = 0
ENCODERS = (MentionsSettings().encoder, DEFAULT_ENCODER)


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    encoders: Sequence[str] = ENCODERS,
    vectors: str = "glove-6B-50d",
    skip_thought: Path | None = None,
    cross_encoders: Sequence[str] = (),
    figures: Path | None = None,
) -> Evaluation:
    """Every method in every kind of transcript. The first encoder is the one that detectors are made for."""
    training, tested, facts = _parts(data, test)
    skip_thought = skip_thought or _trained_skip_thought()
    known: dict[str, Encoder] = {name: load_encoder(name) for name in encoders}
    if skip_thought:
        known["skip-thought"] = load_skip_thought(skip_thought)
    words = load_vectors(vectors)
    readers = [load_cross_encoder(name) for name in cross_encoders]
    all_parts = [TrainAndTest(training, _nearest(kind, training), tested, kind) for kind in tested.transcripts]
    scored = {parts.test_transcript: list(_scored(parts, known, words, readers)) for parts in all_parts}
    models = {name: encoder.digest[:12] for name, encoder in known.items()} | {words.name: words.digest[:12]}
    return Evaluation(
        name="listening",
        signature=signature("numpy", "scikit-learn", "onnxruntime", seed=SEED, models=models, **facts),
        rows=tuple(_row(each, parts) for parts in all_parts for each in scored[parts.test_transcript]),
        notes=tuple(_notes(skip_thought, cross_encoders)),
        figures=_draw(figures, scored, tested) if figures else (),
    )


def _scored(
    parts: TrainAndTest, encoders: Mapping[str, Encoder], words: WordVectors, readers: Sequence[CrossEncoder]
) -> Iterator[MethodScores]:
    """Every method in one kind of transcript."""
    first = next(iter(encoders.values()))
    yield from baselines(parts, SEED)
    yield from similarities("w2v", WordMeanEncoder(words, inverse_document_frequencies(_sentences(parts))), parts)
    for name, encoder in encoders.items():
        yield from similarities(name, encoder, parts)
        yield likeness(name, encoder, parts)
    for reader in readers:
        yield cross_encoder(reader, first, parts)
    yield from detectors(first, _shipped(first), parts)


def _parts(data: Path, test: Path | None) -> tuple[Listening, Listening, dict[str, Any]]:
    training = read_listening(data)
    if test:
        tested, how = read_listening(test), f"trained on {data.resolve().name}, tested on {test.resolve().name}"
    else:
        train_motions, test_motions = split(training.motions)
        if not test_motions:
            raise RostrumError(f"{data}: two motions are needed to split; give others to test on: --test DIR")
        training, tested = training.on(train_motions), training.on(test_motions)
        how = "by motion: of every five in order of their ids, the second and fourth are for testing"
    facts = {"split": how, "training_motions": len(training.motions), "test_motions": len(tested.motions)}
    return training, tested, facts | {"test_speeches": len(tested.lists()), "test_pairs": len(tested.pairs)}


def _nearest(transcript: str, training: Listening) -> str:
    """The same kind of transcript to train on, else the first kind there is."""
    return transcript if transcript in training.transcripts else next(iter(training.transcripts))


def _sentences(parts: TrainAndTest) -> list[str]:
    """What was said on the motions to train on: the documents of tf-idf."""
    speeches = dict.fromkeys(pair.speech for pair in parts.training.pairs)
    said = parts.training.transcripts[parts.training_transcript]
    return [sentence for speech in speeches for sentence in said[speech]]


def _trained_skip_thought() -> Path | None:
    from pipeline.models import cache_folder

    folder = cache_folder() / "skip-thought"
    return folder if folder.is_dir() else None


def _shipped(encoder: Encoder) -> Detector | None:
    try:
        return find_detector("shipped", encoder.name, encoder.digest)[1]
    except RostrumError:  # there is none for this encoder, and so no row
        return None


def _row(scored: MethodScores, parts: TrainAndTest) -> Row:
    """One method's figures; accuracy is of each speech, averaged over the speeches."""
    pairs = [pair for pairs in parts.test.lists() for pair in pairs]
    labels = np.array([pair.mentioned for pair in pairs])
    decisions = scored.test >= _threshold(scored, parts)
    precision, recall, f1 = precision_recall_f1(decisions, labels)
    low, high = bootstrap_interval(_by_motion(pairs, decisions == labels), _mean_of_all, seed=SEED)
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


def _threshold(scored: MethodScores, parts: TrainAndTest) -> float:
    if scored.threshold is not None:
        return scored.threshold
    pairs = [pair for pairs in parts.training.lists() for pair in pairs]
    labels = np.array([pair.mentioned for pair in pairs])
    return best_threshold(scored.tuning, labels, [pair.speech for pair in pairs])


def _by_motion(pairs: Sequence[Pair], right: Any) -> list[list[float]]:
    """The accuracies of the speeches of each motion."""
    of_speech: dict[tuple[str, str], list[bool]] = {}
    for pair, is_right in zip(pairs, right, strict=True):
        of_speech.setdefault((pair.motion, pair.speech), []).append(bool(is_right))
    ordered = sorted(of_speech.items())
    return [[float(np.mean(each)) for _, each in group] for _, group in groupby(ordered, lambda item: item[0][0])]


def _mean_of_all(motions: Sequence[list[float]]) -> float:
    return float(np.mean([accuracy for speeches in motions for accuracy in speeches]))


def _draw(folder: Path, scored: dict[str, list[MethodScores]], tested: Listening) -> tuple[str, ...]:
    from pipeline.evaluation.listening.figures import draw

    labels = np.array([pair.mentioned for pairs in tested.lists() for pair in pairs])
    shown = [each for each in next(iter(scored.values())) if _is_shown(each)]
    return draw(folder, shown, labels, tested)


def _is_shown(scored: MethodScores) -> bool:
    """The curves that are worth a line in a figure: the paper's methods at their best, detectors, and no listening."""
    paper = scored.method in ("w2v", "skip-thought") and scored.config == "arg-sentence"
    return paper or (scored.probable and scored.config in ("", "no listening"))


def _notes(skip_thought: Path | None, cross_encoders: Sequence[str]) -> Iterator[str]:
    yield "accuracy is of each speech, averaged, its interval by bootstrap over motions; thresholds are from training"
    if skip_thought is None:
        yield "skip-thought: no weights given (--skip-thought DIR; make some: rostrum train skip-thought)"
    if not cross_encoders:
        yield "cross-encoders: none given (--cross-encoder NAME)"
