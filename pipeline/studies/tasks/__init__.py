"""The tasks that people can be given. Each is one file, found by being here.

A task's module has:

- `draw(source, options)`: the items that could be asked, in random order.
- `NOTHING`: what a source lacks that has none; `{medium}` stands for recordings or transcripts.
- `OPTIONS`: the names of the options of `Options` that it reads.
- `TITLE`: the title of its forms.
- `write(collected, output)`: writes the labels as corpora, evaluations and trainings read them.
- `figures(collected)`, if it has any: (title, rows) of tables.

What workers read first is in `guidelines/NAME.md`, after the guidelines of the paper that the task comes from.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.family import Family

TASKS = Family("pipeline.studies.tasks", "task")


def guidelines_of(task: str) -> str:
    """The text that workers of a task read first, as Markdown."""
    return (files("pipeline.studies") / "guidelines" / f"{task}.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Options:
    """What `rostrum annotate make` was asked for. A task reads some of it.

    `by` is the order in which items are taken: by chance, or those first on which runs differ or are least sure.
    """

    random: np.random.Generator
    medium: Literal["audio", "text"] | None = None
    reading: float = 0.0
    seek: bool = False
    none: bool = False
    candidates: int = 5
    rubric: Path | None = None
    empty: bool = False
    other_runs: tuple[Path, ...] = ()
    by: Literal["chance", "uncertainty"] = "chance"
    most: int | None = None
