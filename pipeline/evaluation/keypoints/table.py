"""Key point analysis as in the KPA 2021 task: matching (track 1) by the task's own score, and generation (track 2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.argue.keypoints.matcher import Matcher, kinds, load_matcher
from pipeline.argue.keypoints.matchers.ensemble import with_second
from pipeline.argue.keypoints.matchers.trained import trained_file
from pipeline.argue.keypoints.matchers.tuned import PACKAGED_FILE
from pipeline.argue.keypoints.matchers.weights import load_weights
from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.evaluation.keypoints.data import (
    Part,
    as_predictions,
    part_names,
    read_part,
    read_predictions,
    score_matrix,
    write_key_points,
    write_predictions,
)
from pipeline.evaluation.keypoints.fitting import by_data, data_digest, group_scores, learn, weights_of
from pipeline.evaluation.keypoints.generation import Writing, write_all, writing_rows
from pipeline.evaluation.keypoints.rivals import AgainstRivals
from pipeline.evaluation.keypoints.scoring import READINGS, SCORERS, Scorer, better_half, expected_precision, mean
from pipeline.evaluation.keypoints.tables import tables
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER

ENSEMBLE = "ensemble"
FINE_TUNED = "fine-tuned"
COSINE = "fine-tuned, cosine alone"
RANDOM_DRAWS = 100
_PUBLISHED = "published-predictions"


@dataclass(frozen=True)
class Parts:
    """The part that the figures are of, the part to learn from, and the one that a threshold is chosen on."""

    figures: Part
    folder: Path
    training: Part | None
    dev: Part | None


@dataclass(frozen=True)
class Scored:
    """A method's scores: for each group one matrix, or several where it is chance that gives them."""

    method: str
    groups: tuple[tuple[Matrix, ...], ...]


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    encoder: str = DEFAULT_ENCODER,
    matchers: Sequence[str] = (),
    predictions: Sequence[Path] = (),
    out: Path | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Evaluation:
    """All methods on dev, or on the test part that there is; what is learned comes from the training part of `data`.

    A folder without a training part is scored with the weights that were trained before, or come with rostrum.
    `encoder` and `matchers` are compared as well, `predictions` are submissions to be scored. `out` is the folder that
    every method's predictions are written to.
    """
    parts = choose_parts(data, test)
    part, notes = parts.figures, list(parts.figures.remarks)
    tuned, how = _fine_tuned(parts, encoder, progress)
    notes.append(how)
    compared = [load_matcher(name) for name in (*_always_shown(), encoder, *matchers)]
    compared += _with_tuned(tuned) if tuned else []
    writer = with_second(tuned, ENSEMBLE) if tuned else compared[-1]
    rows: list[Row] = []
    if part.labels:
        scored = [_random(part, seed), *(_scored(matcher, part) for matcher in compared)]
        scored += _published(parts, predictions)
        rows += _matching_rows(part, scored, seed)
        notes += _undefined(part)
    elif part.key_points:
        notes.append(f"{parts.folder}: no labels, so the matching cannot be scored")
    writings = write_all(part, writer, seed=seed)
    rows += writing_rows(writings)
    notes += [line for writing in writings for line in writing.lines()]
    if out:
        notes += _write(out, part, compared, writings)
    return Evaluation(
        name="keypoints",
        signature=_signature(parts, compared, seed),
        rows=tuple(rows),
        notes=tuple(notes),
        tables=tables(rows),
    )


def _always_shown() -> list[str]:
    """The matchers that have a place in the table."""
    placed = [(kind.place, kind.name) for kind in kinds().values() if kind.place is not None]
    return [name for _, name in sorted(placed)]


def choose_parts(data: Path, test: Path | None) -> Parts:
    """Which parts of the folders are for what."""
    names = part_names(data)
    training, dev = training_parts(data) if test or "train" in names else (None, None)
    if test:
        return Parts(read_part(test, _only(part_names(test), test, "test")), test, training, dev)
    others = [name for name in names if name != "train"]
    if not others:
        raise RostrumError(f"{data}: a training part and nothing to score; add dev, or give --test")
    return Parts(read_part(data, _only(others, data, "dev" if training else "test")), data, training, dev)


def training_parts(data: Path) -> tuple[Part, Part | None]:
    """The part of a folder to learn from, and dev if it is there."""
    names = part_names(data)
    name = _only(names, data, "train")
    return read_part(data, name), read_part(data, "dev") if "dev" in names and name != "dev" else None


def _only(names: Sequence[str], folder: Path, preferred: str) -> str:
    """The only part there is, or the preferred one of several."""
    if len(names) == 1:
        return names[0]
    if preferred in names:
        return preferred
    raise RostrumError(f"{folder}: has the parts {', '.join(map(repr, names))}, and none of them is called {preferred}")


def _fine_tuned(parts: Parts, encoder: str, progress: Progress) -> tuple[Matcher | None, str]:
    """The fine-tuned matcher and where its weights are from: this data, or, when that teaches nothing, from before."""
    if parts.training is None:
        file = next((each for each in (trained_file(), PACKAGED_FILE) if each.exists()), None)
        if file is None:
            return None, "no trained weights; make them with: rostrum train keypoints --data DIR"
        return load_weights(file, COSINE), f"{FINE_TUNED}: weights trained before, {_named(file)}"
    digest = data_digest(parts.training)
    file = weights_of(digest)
    if file is not None:
        return load_weights(file, COSINE), f"{FINE_TUNED}: weights trained on this data before, {_named(file)}"
    file = by_data(digest)
    learn(parts.training, parts.dev, file, base=encoder, progress=progress)
    return load_weights(file, COSINE), f"{FINE_TUNED}: weights trained on this data now, {_named(file)}"


def _with_tuned(tuned: Matcher) -> list[Matcher]:
    """The fine-tuned encoder and its ensemble, each by its cosines and against rivals."""
    both = with_second(tuned, f"{ENSEMBLE}, cosine alone")
    return [tuned, AgainstRivals(tuned, FINE_TUNED), both, AgainstRivals(both, ENSEMBLE)]


def _named(file: Path) -> str:
    return "those that come with rostrum" if file == PACKAGED_FILE else str(file)


def _scored(matcher: Matcher, part: Part) -> Scored:
    return Scored(matcher.name, tuple((group_scores(matcher, group),) for group in part.groups))


def _random(part: Part, seed: int) -> Scored:
    random = np.random.default_rng(seed)
    return Scored(
        "random",
        tuple(tuple(random.random(group.labels.shape) for _ in range(RANDOM_DRAWS)) for group in part.groups),
    )


def _published(parts: Parts, files: Iterable[Path]) -> Iterator[Scored]:
    """Submissions: those named, and those beside the data that are about its arguments."""
    arguments = {argument.id for argument in parts.figures.arguments}
    for file in (*files, *sorted((parts.folder / _PUBLISHED).glob("*.json"))):
        predictions = read_predictions(file)
        if not arguments.isdisjoint(predictions):
            yield Scored(file.stem, tuple((score_matrix(group, predictions),) for group in parts.figures.groups))
        elif file in files:
            raise RostrumError(f"{file}: has no prediction for any argument of {parts.folder}")


def _matching_rows(part: Part, scored: Sequence[Scored], seed: int) -> Iterator[Row]:
    """The table over all groups first, by the leaderboard's scorer and then the later one; then group by group."""
    figures = {
        (each.method, scorer): [
            _figures(group.labels, matrices, scorer, seed)
            for group, matrices in zip(part.groups, each.groups, strict=True)
        ]
        for scorer in SCORERS
        for each in scored
    }
    for (method, scorer), of_groups in figures.items():
        yield {"method": method, "scorer": scorer, **_over_groups(of_groups, seed)}
    for (method, scorer), of_groups in figures.items():
        for group, values in zip(part.groups, of_groups, strict=True):
            about: Row = {"topic": group.topic, "stance": group.stance, "arguments": len(group.arguments)}
            yield {"method": method, "scorer": scorer, **values, **about}


def _figures(
    labels: NDArray[np.int8], matrices: Sequence[Matrix], scorer: Scorer, seed: int
) -> dict[str, float | None]:
    """One group's figures: by one seeded draw where there are ties, and what is to be expected over them."""
    half = better_half(matrices[0], labels, np.random.default_rng(seed))
    figures: dict[str, float | None] = {reading: half.precision(reading, scorer) for reading in READINGS}
    for reading in READINGS:
        expected = [expected_precision(matrix, labels, reading, scorer, seed=seed) for matrix in matrices]
        figures[f"{reading}_expected"] = mean(expected)
    return figures


def _over_groups(of_groups: Sequence[dict[str, float | None]], seed: int) -> Row:
    """The macro average of the groups' figures, with an interval over resampled groups."""
    row: Row = {name: mean([values[name] for values in of_groups]) for name in of_groups[0]}
    for reading in READINGS:
        defined = [value for values in of_groups if (value := values[f"{reading}_expected"]) is not None]
        low, high = bootstrap_interval(defined, lambda values: float(np.mean(values)), seed=seed)
        row |= {f"{reading}_low": low, f"{reading}_high": high}
    return row


def _undefined(part: Part) -> list[str]:
    lone = [f"{group.topic!r} {group.stance}" for group in part.groups if len(group.arguments) == 1]
    return [f"a single argument has no better half, so not counted: {', '.join(lone)}"] if lone else []


def _write(out: Path, part: Part, matchers: Sequence[Matcher], writings: Sequence[Writing]) -> list[str]:
    """The submissions as the task's own tools read them."""
    written = []
    if part.key_points:
        for matcher in matchers:
            pairs = (as_predictions(group, group_scores(matcher, group)) for group in part.groups)
            file = out / matcher.name.replace("/", "-").replace(" ", "-") / "predictions.p"
            write_predictions(file, {argument: scores for each in pairs for argument, scores in each.items()})
            written.append(f"written: {file}")
    predictions = {argument: scores for writing in writings for argument, scores in writing.predictions().items()}
    write_predictions(out / "generated" / "predictions.p", predictions)
    write_key_points(out / "generated" / "key_points.csv", [point for each in writings for point in each.statements()])
    return [*written, f"written: {out / 'generated'}"]


def _signature(parts: Parts, matchers: Sequence[Matcher], seed: int) -> dict[str, object]:
    return signature(
        "numpy",
        "sentence-transformers",
        seed=seed,
        scorer="leaderboard unless a row says later",
        figures=f"{parts.figures.name or 'the only part'} of {parts.folder.name}",
        learned_from=(parts.training.name or "the only part") if parts.training else "trained before",
        bootstrap="topics and stances",
        models={matcher.name: matcher.digest for matcher in matchers if matcher.digest},
    )
