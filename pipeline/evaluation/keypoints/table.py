"""Key point analysis as in the KPA 2021 task: matching (track 1) by the task's own score, and generation (track 2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipeline.argue.keypoints.matcher import Matcher, always_shown, load_matcher
from pipeline.argue.keypoints.matchers.ensemble import with_second
from pipeline.argue.keypoints.matchers.trained import trained_file
from pipeline.argue.keypoints.matchers.tuned import PACKAGED_FILE
from pipeline.argue.keypoints.matchers.weights import load_weights
from pipeline.errors import RostrumError
from pipeline.evaluation.keypoints.annotation import check_new, export, judged_rows
from pipeline.evaluation.keypoints.cross_validation import cross_validated, differences, unlearned_matchers
from pipeline.evaluation.keypoints.data import (
    Part,
    as_predictions,
    read_predictions,
    score_matrix,
    write_key_points,
    write_predictions,
)
from pipeline.evaluation.keypoints.generation import WRITTEN, Written, write_all, writing_rows
from pipeline.evaluation.keypoints.matching_rows import Scored, matching_rows
from pipeline.evaluation.keypoints.parts import Parts, choose_parts, labelled_parts
from pipeline.evaluation.keypoints.published import reported_on
from pipeline.evaluation.keypoints.rivals import AgainstRivals
from pipeline.evaluation.keypoints.titled_rows import tables
from pipeline.evaluation.keypoints.training.fitting import data_digest, group_scores, learn, stored_weights, weights_of
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.llm.large_model import LargeModel
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER

ENSEMBLE = "ensemble"
FINE_TUNED = "fine-tuned"
COSINE = "fine-tuned, cosine alone"
RANDOM_DRAWS = 100
# These share nothing with the matchers that write.
JUDGES = ("token overlap", "tf-idf")
_PUBLISHED = "published-predictions"


def evaluate(
    data: Path,
    test: Path | None = None,
    *,
    encoder: str = DEFAULT_ENCODER,
    matchers: Sequence[str] = (),
    predictions: Sequence[Path] = (),
    out: Path | None = None,
    judges: Sequence[str] = JUDGES,
    asked: LargeModel | None = None,
    llm_writes: bool = False,
    annotate: Path | None = None,
    annotated: Path | None = None,
    folds: int | None = None,
    unlearned: bool = False,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Evaluation:
    """All methods on the test part if there is one, else on dev. Methods learn from the training part of `data`.

    Without a training part, the weights are those that were trained before, or those that come with rostrum. `encoder`
    and `matchers` are compared as well, `predictions` are submissions to score. `out` is the folder for every method's
    predictions. `judges` are the matchers that judge what was written, besides the one that wrote. `asked` is the large
    language model; with `llm_writes` it writes, too. What people are to label is written to `annotate`, and their
    labels are read from `annotated`. With `folds`, all labelled topics of `data` are scored, each by what was learned
    from the other folds; with `unlearned`, by methods that learn nothing.
    """
    if folds or unlearned:
        given = (test, matchers, predictions, out, judges != JUDGES, llm_writes, annotate, annotated)
        _refuse_with_folds(given)
        return _all_topics(data, folds, encoder, seed, progress)
    if annotate:
        check_new(annotate)
    parts = choose_parts(data, test)
    part = parts.figures
    tuned, how = _fine_tuned(parts, encoder, progress)
    compared = [load_matcher(name, asked) for name in (*always_shown(), encoder, *matchers)]
    compared += _with_tuned(tuned) if tuned else []
    writer = with_second(tuned, ENSEMBLE) if tuned else compared[-1]
    rows, remarks = _matched(parts, compared, predictions, seed)
    notes = [*part.remarks, how, *remarks]
    written = write_all(part, writer, seed=seed, asked=asked if llm_writes else None)
    rows += writing_rows(written, [writer, *(load_matcher(name, asked) for name in judges)])
    notes += [asked.use().report_line()] if asked else []
    notes += [line for each in written for line in each.lines(writer)]
    if annotated:
        rows += judged_rows(annotated)
    if annotate:
        notes += [f"written: {file}" for file in export(annotate, written, writer, seed=seed)]
    if out:
        notes += _write(out, part, compared, written, writer)
    facts = _signature(parts, compared, seed)
    return Evaluation(name="keypoints", signature=facts, rows=tuple(rows), notes=tuple(notes), tables=tables(rows))


def _refuse_with_folds(given: Sequence[object]) -> None:
    """An error that names the options that go with the task's own parts, and not with folds."""
    options = ("--test", "--matcher", "--predictions", "--out", "--judge", "--writer", "--annotate", "--annotated")
    if wrong := [option for option, value in zip(options, given, strict=True) if value]:
        raise RostrumError(f"--folds and --unlearned score all topics of the data; leave out {', '.join(wrong)}")


def _matched(
    parts: Parts, matchers: Sequence[Matcher], predictions: Sequence[Path], seed: int
) -> tuple[list[Row], list[str]]:
    """(the rows of track 1, remarks on them); no rows without labels."""
    part = parts.figures
    if part.labels:
        scored = [_random(part, seed), *(_scored(matcher, part) for matcher in matchers)]
        scored += _published(parts, predictions)
        return list(matching_rows(part, scored, seed, reported_on(part))), _undefined(part)
    return [], [f"{parts.folder}: no labels, so the matching cannot be scored"] if part.key_points else []


def _all_topics(data: Path, folds: int | None, encoder: str, seed: int, progress: Progress) -> Evaluation:
    """Matching on all labelled topics, and how methods differ. Without folds, nothing is learned."""
    part = labelled_parts(data)
    if folds:
        scored = cross_validated(part, folds, encoder=encoder, seed=seed, progress=progress)
    else:
        scored = [_scored(matcher, part) for matcher in unlearned_matchers(encoder)]
    rows = tuple(matching_rows(part, scored, seed))
    facts = signature(
        "numpy",
        "sentence-transformers",
        seed=seed,
        figures=f"{part.name} of {data.name}",
        learned_from=f"the topics of the other of {folds} folds" if folds else "nothing",
        bootstrap="topics",
    )
    notes = (*part.remarks, *differences(part, scored, seed))
    return Evaluation(name="keypoints", signature=facts, rows=rows, notes=notes, tables=tables(rows))


def _fine_tuned(parts: Parts, encoder: str, progress: Progress) -> tuple[Matcher | None, str]:
    """(the fine-tuned matcher, where its weights are from): from this data, or from before without a training part."""
    if parts.training is None:
        file = next((each for each in (trained_file(), PACKAGED_FILE) if each.exists()), None)
        if file is None:
            return None, "no trained weights; make them with: rostrum train keypoints --data DIR"
        return load_weights(file, COSINE), f"{FINE_TUNED}: weights trained before, {_named(file)}"
    digest = data_digest(parts.training)
    file = weights_of(digest, encoder)
    if file is not None:
        return load_weights(file, COSINE), f"{FINE_TUNED}: weights trained on this data before, {_named(file)}"
    file = stored_weights(digest, encoder)
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


def _undefined(part: Part) -> list[str]:
    lone = [f"{group.topic!r} {group.stance}" for group in part.groups if len(group.arguments) == 1]
    return [f"a single argument has no better half, so not counted: {', '.join(lone)}"] if lone else []


def _write(
    out: Path, part: Part, matchers: Sequence[Matcher], written: Sequence[Written], writer: Matcher
) -> list[str]:
    """The submissions as the task's own tools read them."""
    files = []
    if part.key_points:
        for matcher in matchers:
            pairs = (as_predictions(group, group_scores(matcher, group)) for group in part.groups)
            file = out / matcher.name.replace("/", "-").replace(" ", "-") / "predictions.p"
            write_predictions(file, {argument: scores for each in pairs for argument, scores in each.items()})
            files.append(f"written: {file}")
    points = [point for each in written for point in each.statements(WRITTEN)]
    write_key_points(out / "generated" / "key_points.csv", points)
    groups = (replace(each.group, key_points=tuple(each.statements(WRITTEN))) for each in written)
    pairs = (as_predictions(group, group_scores(writer, group)) for group in groups)
    predictions = {argument: scores for each in pairs for argument, scores in each.items()}
    write_predictions(out / "generated" / "predictions.p", predictions)
    return [*files, f"written: {out / 'generated'}"]


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
