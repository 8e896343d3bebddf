"""How often a point that the flow shows without an answer was answered in fact, and one with an answer was not.

python benchmarks/unanswered.py RUN... --judged FILE [--sheet FILE] [--cells 40] [--seed 3]

A run is one over debates with known sides. With --sheet, so many cells of either kind are drawn, with what the other
side says nearest to the point and right after it; write y or n behind `answered` in FILE, for each cell. FILE has no
word of the debates, only digests: without --sheet, the shares are printed of what was judged.
"""

import csv
import hashlib
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.matching.matchers.encoders import SECOND_ENCODER
from pipeline.measures import bootstrap_interval, pooled_mean
from pipeline.report.flow import FlowColumn, FlowRow
from pipeline.report.run_data import ReportData
from pipeline.run.store import Store
from pipeline.text.encoders.sentence_encoder import load_encoder

NEAREST, AFTER = 7, 4
COLUMNS = ("cell", "motion", "state", "answered")


@dataclass(frozen=True)
class Cell:
    """A point in an exchange, whether the flow has an answer to it, and what the other side says that could be one."""

    motion: str
    point: str
    state: str
    made: str
    shown: Sequence[str]
    said: Sequence[str]

    @property
    def id(self) -> str:
        return hashlib.sha256(f"{self.motion}\0{self.point}\0{self.made}".encode()).hexdigest()[:12]


def cells(run: Path) -> Iterator[Cell]:
    """Every point that is made in an exchange in which the other side speaks after it."""
    data = ReportData.read(Store(run))
    for motion in data.run.motions:
        flow = data.flow(motion) if data.has_flow(motion) else None
        for row in flow.rows if flow else ():
            for exchange in sorted({column.exchange for column in flow.columns}) if flow else ():
                columns = [column for column in flow.columns if column.exchange == exchange] if flow else []
                yield from _cell(data, motion.text, row, columns)


def _cell(data: ReportData, motion: str, row: FlowRow, columns: Sequence[FlowColumn]) -> Iterator[Cell]:
    makers = [column for column in columns if (cell := row.cells.get(column.id)) and cell.state == "made" and cell.said]

    others = {one.id for one in columns if one.stance not in (None, row.stance)}
    answers = [row.cells[id] for id in others if id in row.cells and row.cells[id].state in ("answered", "conceded")]
    is_open = any(id in row.cells and row.cells[id].state == "dropped" for id in others)
    if not makers or not (answers or is_open):
        return
    made = row.cells[makers[0].id].said[0]
    is_timed = makers[0].facts.speech.recording is not None
    sentences = [one for id in others for one in data.run.sentences_of(id) if not is_timed or one.start > made.start]
    said = [one.text for one in sorted(sentences, key=lambda one: one.start)]
    if said:
        encoder = load_encoder(SECOND_ENCODER)
        near = encoder.encode(said) @ encoder.encode([row.text])[0]
        chosen = {int(index) for index in np.argsort(-near)[:NEAREST]} | set(range(AFTER))
        around = sorted({i for index in chosen for i in (index, index + 1) if i < len(said)})
        state = "answered" if answers else "no answer found"
        shown = [one.quoted for cell in answers for one in cell.said[:3]]
        yield Cell(motion, row.text, state, made.quoted, shown, [f"[{i}] {said[i]}" for i in around])


@click.command()
@click.argument("runs", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--judged", required=True, type=click.Path(path_type=Path), help="What was judged.")
@click.option("--sheet", type=click.Path(path_type=Path), help="Draw cells, and write them here to be read.")
@click.option("--cells", "count", default=40, show_default=True, help="How many cells of each kind to draw.")
@click.option("--seed", default=3, show_default=True)
def main(runs: Sequence[Path], judged: Path, sheet: Path | None, count: int, seed: int) -> None:
    """Draw a sheet, or print what was judged."""
    if sheet:
        every = [cell for run in runs for cell in cells(run)]
        drawn = [cell for state in ("no answer found", "answered") for cell in _drawn(every, state, count, seed)]
        sheet.write_text("\n\n".join(map(_printed, drawn)), encoding="utf-8")
        with judged.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *((one.id, _digest(one.motion), one.state, "") for one in drawn)])
        click.echo(f"{len(every)} cells; {len(drawn)} are in {sheet}", err=True)
        return
    with judged.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["answered"] in ("y", "n")]
    print_rows("answered in fact", [_row(state, rows) for state in dict.fromkeys(row["state"] for row in rows)])


def _drawn(every: Sequence[Cell], state: str, count: int, seed: int) -> Sequence[Cell]:
    own = [cell for cell in every if cell.state == state]
    return random.Random(seed).sample(own, min(count, len(own)))


def _digest(motion: str) -> str:
    return hashlib.sha256(motion.encode()).hexdigest()[:6]


def _printed(cell: Cell) -> str:
    shown = [f"    shown as the answer: {text}" for text in cell.shown]
    said = [f"    {text}" for text in cell.said]
    head = [f"{cell.id} ({cell.state}) motion: {cell.motion}", f"  point: {cell.point}", f"  made: {cell.made}"]
    return "\n".join([*head, *shown, "  the other side:", *said])


def _row(state: str, rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    by_motion: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["state"] == state:
            by_motion[row["motion"]].append(float(row["answered"] == "y"))
    groups = list(by_motion.values())
    low, high = bootstrap_interval(groups, pooled_mean)
    answered = {"answered": pooled_mean(groups), "answered_low": low, "answered_high": high}
    return {"shown": state, "cells": sum(map(len, groups)), "motions": len(groups), **answered}


if __name__ == "__main__":
    main()
