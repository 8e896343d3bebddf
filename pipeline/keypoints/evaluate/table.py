"""The evaluation of KPA 2021: matching (track 1) by the task's own score, and generation (track 2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, Value, signature
from pipeline.keypoints.evaluate.annotation import (
    MOST_MATCHES,
    check_new,
    export,
    judged_rows,
    write_labels,
)
from pipeline.keypoints.evaluate.data import (
    Part,
    Parts,
    as_predictions,
    choose_parts,
    read_predictions,
    score_matrix,
    write_key_points,
    write_predictions,
)
from pipeline.keypoints.evaluate.matchers import ENSEMBLE, FINE_TUNED, Weights, fine_tuned, learned_weights
from pipeline.keypoints.evaluate.matching import MethodScores, matching_rows, people_rows, reported_on
from pipeline.keypoints.evaluate.writing import WRITTEN, Written, write_all, writing_rows
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matcher import Matcher, always_shown, load_matcher
from pipeline.matching.matchers.encoders import TUNED_BGE_WEIGHTS, TUNED_WEIGHTS, trained_file
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER

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
    most_matches: int = MOST_MATCHES,
    people: Path | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Evaluation:
    """All methods on the test part if there is one, else on dev. Methods learn from the training part of `data`.

    Without a training part, the weights are those that were trained before, or those that come with rostrum. `encoder`
    and `matchers` are compared as well, `predictions` are submissions to score. `out` is the folder for every method's
    predictions. `judges` are the matchers that judge what was written, besides the one that wrote. `asked` is the large
    language model; with `llm_writes` it writes, too. What people are to label is written to `annotate`, at
    most `most_matches` of a system on one side, and their labels are read from `annotated`. `people` has what each
    person decided on the pairs of the part.
    """
    if annotate:
        check_new(annotate)
    parts = choose_parts(data, test)
    part = parts.figures
    weights, how = _weights(parts, encoder, progress)
    learned = fine_tuned(weights)
    compared = [*(load_matcher(name, asked) for name in (*always_shown(), encoder, *matchers)), *learned]
    rows, remarks = _matched(parts, compared, predictions, people, seed)
    notes = [*part.remarks, how, *remarks]
    writer = weights.ensemble(ENSEMBLE)
    written = write_all(part, writer, seed=seed, asked=asked if llm_writes else None)
    rows += writing_rows(written, [writer, *(load_matcher(name, asked) for name in judges)])
    notes += [asked.use().report_line()] if asked else []
    notes += [line for side in written for line in side.lines(writer)]
    if annotated:
        rows += judged_rows(annotated)
        notes += write_labels(annotated, written)
    if annotate:
        files = export(annotate, written, writer, seed=seed, most=most_matches)
        notes += [f"written: {file}" for file in files]
    if out:
        notes += _write(out, part, compared, written, writer)
    facts = signature(
        "numpy",
        "sentence-transformers",
        seed=seed,
        scorer="leaderboard unless a row says later",
        figures=f"{part.name or 'the only part'} of {parts.folder.name}",
        learned_from=(parts.training.name or "the only part") if parts.training else "trained before",
        bootstrap="topics and stances",
        models={matcher.name: matcher.digest for matcher in compared if matcher.digest},
    )
    return Evaluation(name="keypoints", signature=facts, rows=tuple(rows), notes=tuple(notes), tables=tables(rows))


def _weights(parts: Parts, encoder: str, progress: Progress) -> tuple[Weights, str]:
    """(files of weights, where they are from): from this data, or from before without a training part."""
    if parts.training is None:
        file = trained_file() if trained_file().exists() else TUNED_WEIGHTS
        weights, when = Weights(file, TUNED_BGE_WEIGHTS), "before"
    else:
        weights, now = learned_weights(parts.training, parts.dev, encoder, progress)
        when = "on this data now" if now else "on this data before"
    name = "those that come with rostrum" if weights.first == TUNED_WEIGHTS else str(weights.first)
    return weights, f"{FINE_TUNED}: weights trained {when}, {name}"


def _matched(
    parts: Parts, matchers: Sequence[Matcher], predictions: Sequence[Path], people: Path | None, seed: int
) -> tuple[list[Row], list[str]]:
    """(the rows of track 1, remarks on them); no rows without labels."""
    part = parts.figures
    if not part.labels:
        return [], [f"{parts.folder}: no labels, so the matching cannot be scored"] if part.key_points else []
    random = np.random.default_rng(seed)
    draws = tuple(tuple(random.random(group.labels.shape) for _ in range(RANDOM_DRAWS)) for group in part.groups)
    scored = [MethodScores("random", draws), *(MethodScores.of(matcher, part) for matcher in matchers)]
    scored += _published(parts, predictions)
    lone = [f"{group.topic!r} {group.stance}" for group in part.groups if len(group.arguments) == 1]
    remarks = [f"a single argument has no better half, so not counted: {', '.join(lone)}"] if lone else []
    rows = list(matching_rows(part, scored, seed, reported_on(part)))
    return rows + (people_rows(people, part, scored) if people else []), remarks


def _published(parts: Parts, files: Iterable[Path]) -> Iterator[MethodScores]:
    """Submissions: those named, and those beside the data that are about its arguments."""
    arguments = {argument.id for argument in parts.figures.arguments}
    for file in (*files, *sorted((parts.folder / _PUBLISHED).glob("*.json"))):
        predictions = read_predictions(file)
        if not arguments.isdisjoint(predictions):
            yield MethodScores(file.stem, tuple((score_matrix(group, predictions),) for group in parts.figures.groups))
        elif file in files:
            raise RostrumError(f"{file}: has no prediction for any argument of {parts.folder}")


def _write(
    out: Path, part: Part, matchers: Sequence[Matcher], written: Sequence[Written], writer: Matcher
) -> list[str]:
    """The submissions as the task's own tools read them."""
    files = []
    if part.key_points:
        for matcher in matchers:
            file = out / matcher.name.replace("/", "-").replace(" ", "-") / "predictions.p"
            write_predictions(file, as_predictions(part.groups, matcher))
            files.append(f"written: {file}")
    groups = [replace(side.group, key_points=tuple(side.statements(WRITTEN))) for side in written]
    write_key_points(out / "generated" / "key_points.csv", [point for group in groups for point in group.key_points])
    write_predictions(out / "generated" / "predictions.p", as_predictions(groups, writer))
    return [*files, f"written: {out / 'generated'}"]


def tables(rows: Sequence[Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """(title, rows): one table for each score, one of the groups with the methods across, one of what was written."""
    over_all = [row for row in rows if "topic" not in row]
    scorers = dict.fromkeys(row["scorer"] for row in over_all if "scorer" in row)
    titled = [(f"matching, {scorer} scorer", _only(over_all, "scorer", scorer)) for scorer in scorers]
    groups: dict[tuple[Value, Value], Row] = {}
    for row in rows:
        if "topic" in row and row.get("scorer") == "leaderboard":
            line = groups.setdefault((row["topic"], row["stance"]), {"topic": row["topic"], "stance": row["stance"]})
            line[str(row["method"])] = "/".join(_figure(row[reading]) for reading in ("strict", "relaxed"))
    if groups:
        titled.append(("strict/relaxed by topic and stance, leaderboard scorer", tuple(groups.values())))
    ranking = [row for row in over_all if row.get("scorer") == "leaderboard"]
    if ranking:
        columns = ("method", "strict", "relaxed", "strict_rank", "relaxed_rank", "mean_rank")
        by_rank = sorted(ranking, key=lambda row: row["mean_rank"] or 0)
        titled.append(
            ("ranking, by the mean of both ranks", tuple({name: row[name] for name in columns} for row in by_rank))
        )
    if beside := tuple(row for row in over_all if "decided" in row):
        titled.append(("people beside methods, pair by pair", _only(beside, "decided", beside[0]["decided"])))
    written = [row for row in over_all if "judge" in row]
    for judge in dict.fromkeys(row["judge"] for row in written):
        titled.append((f"generation, counted by {judge}", _only(written, "judge", judge)))
    return tuple(titled)


def _figure(value: Value) -> str:
    return "-" if value is None else f"{value:.3f}"


def _only(rows: Sequence[Row], column: str, value: Value) -> tuple[Row, ...]:
    """The rows with this value in a column, without the column."""
    return tuple(
        {name: value for name, value in row.items() if name != column} for row in rows if row.get(column) == value
    )
