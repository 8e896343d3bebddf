"""Which of two or three sets of key points says better what was argued, blind.

After the key point analysis task of 2021, track 2: each point with its share, the sets in random order.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations

from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows, write_rows
from pipeline.keypoints import KeyPoints
from pipeline.keypoints.evaluate.annotation import MATCH_COLUMNS, MATCHES, SET_COLUMNS, SETS, SYSTEMS
from pipeline.run.finished import FinishedRun
from pipeline.studies.collect import Collected
from pipeline.studies.items import Item, Option, Question, Shown, letters
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output
from pipeline.studies.source import Source
from pipeline.studies.tasks import Options

TITLE = "Which summary is better?"
OPTIONS = ("other_runs",)
NOTHING = "there are no two sets of key points of one side"
EQUAL = "equal"
FOLDER = "sets"


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per comparison: those of `evaluate keypoints --annotate`, or the sides of several runs."""
    if (source.path / SETS).is_file():
        items = list(_of_sheet(source))
    elif source.run and asked.other_runs:
        items = list(_of_runs(source.runs(asked.other_runs)))
    else:
        raise RostrumError(
            f"{source.path}: give the folder of `rostrum evaluate keypoints --annotate`, or a run and "
            "another one with --other-run"
        )
    return shuffled(items, asked.random)


def _of_sheet(source: Source) -> Iterator[Item]:
    known = json.loads((source.path / SYSTEMS).read_text(encoding="utf-8"))["comparisons"]
    for _, row in read_rows(source.path / SETS, SET_COLUMNS):
        sets = dict(zip(known[row["comparison"]], (row["left"], row["right"]), strict=True))
        yield _item(row["comparison"], row["topic"], row["stance"], sets)


def _of_runs(runs: Sequence[FinishedRun]) -> Iterator[Item]:
    """Every side of every motion for which two runs have different key points."""
    for motion in runs[0].motions:
        for stance in ("pro", "con"):
            sets = {f"run {number}": _written(run, motion.id, stance) for number, run in enumerate(runs, 1)}
            different = {text: system for system, text in sets.items() if text}
            if len(different) > 1:
                shown = {system: text for text, system in different.items()}
                yield _item(f"{motion.id}-{stance}", motion.text, stance, shown)


def _written(run: FinishedRun, motion: str, stance: str) -> str:
    """The key points of one side, the most frequent first, each with the share of matched sentences that make it."""
    record = run.of_motion(KeyPoints, motion)
    points = [point for point in record.points if point.stance == stance] if record else []
    total = sum(len(point.matches) for point in points)
    points = sorted(points, key=lambda point: -len(point.matches))
    return "\n".join(f"{point.text} ({len(point.matches) / total:.0%})" for point in points)


def _item(comparison: str, topic: str, stance: str, sets: dict[str, str]) -> Item:
    names = dict(zip(letters(len(sets)), sets, strict=True))
    choices = [Option(value=letter, stands_for=letter) for letter in names]
    side = {"pro": "What was said for it.", "con": "What was said against it."}.get(stance, "")
    return Item(
        id=f"sets-{comparison}",
        subject=comparison,
        group=topic,
        side=stance,
        title=topic,
        lead=side,
        shown=tuple(Shown(id=letter, text=sets[system]) for letter, system in names.items()),
        questions=(
            Question(
                id="better",
                text="Which list says better what was argued?",
                kind="choice",
                options=(*choices, Option(value=EQUAL, text="Equally good")),
            ),
        ),
        shuffled=True,
        noun="List",
        about=names,
    )


def write(collected: Collected, output: Output) -> None:
    """Write a folder for `rostrum evaluate keypoints --annotated`: one row per worker and pair of sets."""
    rows, comparisons = [], {}
    for item, _ in collected.labelled():
        texts = {part.id: part.text for part in item.shown}
        for left, right in combinations(item.about, 2):
            name = item.subject if len(item.about) == 2 else f"{item.subject}-{left}{right}"
            comparisons[name] = [item.name(left), item.name(right)]
            for given in collected.answers_to(item):
                better = _better(str(given.answers["better"]), left, right)
                if better:
                    rows.append((name, item.group, item.side, texts[left], texts[right], better))
    write_rows(output.new(f"{FOLDER}/{SETS}"), SET_COLUMNS, rows)
    matches: dict[str, list[str]] = {
        name: [] for name in sorted({one for pair in comparisons.values() for one in pair})
    }
    systems = json.dumps({"matches": matches, "comparisons": comparisons}, indent=1)
    output.new(f"{FOLDER}/{SYSTEMS}").write_text(systems, encoding="utf-8")
    write_rows(output.new(f"{FOLDER}/{MATCHES}"), MATCH_COLUMNS, ())


def _better(answer: str, left: str, right: str) -> str:
    """Which of two sets is better by an answer; empty if it says nothing of these two."""
    return {EQUAL: "equal", left: "left", right: "right"}.get(answer, "")
