"""For a paper: the argument map and the flow of each motion as SVG, tables as LaTeX and CSV, and how they were made."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from pipeline.export.formats import FolderFormat, write
from pipeline.export.formats.tables import write_csv
from pipeline.export.provenance import provenance
from pipeline.export.table import frame
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


# The tables that a paper shows, and their columns.
_TABLES = {
    "speeches": ("speech", "motion", "stance", "speakers", "duration", "words", "wer", "words_per_minute"),
    "speakers": ("recording", "voice", "name", "role", "side", "words", "share"),
    "key_points": ("motion", "stance", "text", "speeches", "speakers", "minutes"),
    "ranking": ("motion", "rank", "strength", "title", "stance", "speaker"),
    "mentions": ("speech", "speaker", "argument", "stance", "probability", "mentioned"),
    "counter": ("motion", "supporting", "opposing", "rank", "score"),
    "coverage": ("speech", "speaker", "expected", "covered", "soft_recall"),
}
# How many letters of how a drawing was made fit under it on one line.
_LINE = 150
# How many rows fit on a page. LaTeX cannot break a longer `table`, only a `longtable`.
_PAGE = 40
# What LaTeX would take for a command, and how it writes that.
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\n": " ",
    }
)


def _paper_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    from pipeline.export.frames import tables

    how = provenance(run)
    line = how.line
    yield from _drawings(run, folder, line)
    for name, columns in _TABLES.items():
        table = frame(tables()[name], run)
        if len(table):
            shown = table[list(columns)].dropna(axis="columns", how="all")
            write_csv(shown, folder / f"{name}.csv")
            yield folder / f"{name}.csv"
            caption = f"One row per {tables()[name].meaning.removeprefix('a ').removeprefix('an ')}."
            yield write(folder / f"{name}.tex", latex(shown, caption, f"tab:{name}", line))
    yield write(folder / "how-it-was-made.txt", f"{line}\n\nModels:\n{how.model_lines}")


def _drawings(run: FinishedRun, folder: Path, line: str) -> Iterator[Path]:
    """The argument map and the flow of each motion, as the report has them."""
    from pipeline.report.flow import svg
    from pipeline.report.page import render
    from pipeline.report.run_data import ReportData

    lines = wrap(line, _LINE)
    data = ReportData.read(run)
    for motion in run.motions:
        name = run.file_name_of_motion(motion.id)
        if view := data.motion_page(motion)["map"]:
            yield write(folder / f"{name}-map.svg", render("map.svg", map=view, motion=motion, lines=lines))
        if data.has_flow(motion):
            yield write(folder / f"{name}-flow.svg", svg(data.flow(motion), motion, lines))


def latex(table: "pd.DataFrame", caption: str, label: str, line: str) -> str:
    """The table as a LaTeX table in the style of booktabs, with its caption and how it was made.

    Numbers are on the right. Long texts get columns that wrap. A table that is longer than a page is a `longtable`.
    """
    columns = "".join(map(_alignment, (table[name] for name in table)))
    rows = [" & ".join(map(_cell, row)) + r" \\" for row in table.astype(object).itertuples(index=False)]
    head = [r"\toprule", " & ".join(_escaped(str(name).replace("_", " ")) for name in table) + r" \\", r"\midrule"]
    title = f"\\caption{{{_escaped(caption)} {_escaped(line)}}}\n\\label{{{label}}}"
    if len(rows) > _PAGE:
        begin = [f"\\begin{{longtable}}{{{columns}}}", rf"{title} \\", *head, r"\endfirsthead", *head, r"\endhead"]
        end = [r"\bottomrule", r"\end{longtable}"]
    else:
        begin = [r"\begin{table}", title, f"\\begin{{tabular}}{{{columns}}}", *head]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    lines = [f"% {line}", *begin, *rows, *end]
    return "\n".join(lines) + "\n"


def _alignment(column: "pd.Series[object]") -> str:
    if str(column.dtype) in ("Int64", "Float64"):
        return "r"
    return "p{6cm}" if column.astype(str).str.len().max() > 40 else "l"


def _cell(value: object) -> str:
    import pandas as pd

    if pd.isna(value):
        return "--"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 1000 else _escaped(str(value))


def _escaped(text: str) -> str:
    return text.translate(_LATEX)


FORMAT = FolderFormat(_paper_files)
