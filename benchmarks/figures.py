"""The documented figures, by the commands beside them: what a page says and the command no longer prints.

    python benchmarks/figures.py [--data DIR] [--quick] [--only TEXT]... [--keep FOLDER] [--out FILE]

DIR holds the data sets' folders, as the pages have them (`../data`). Every command is run; every figure with a decimal
point in its part of the page, published ones aside, must be among those that the command gives, rounded alike, as a
fraction or in percent. In a table the row says whose figures these are. What differs is printed, and written to FILE as
one JSON object per line. Exit 1 if anything differs. What a command printed is kept in FOLDER and not made again, so
that a page that was mended is compared at once. Commands that are not run again are listed with the reason.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.documented import DOCUMENTED, NOT_RERUN, ROOT, Documented

_FIGURE = re.compile(r"(?<![\w.])-?\d*\.\d+(?![\w]|\.\d)")
# Columns and rows whose figures are other people's, or of another version.
_NOT_OURS = re.compile(r"published|reported|before|ROUGE-1\.5\.5", re.IGNORECASE)


def numbers(value: Any) -> Iterator[float]:
    """Every number in what a command printed as JSON."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(figure) for figure in _FIGURE.findall(value))
    elif isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)


def is_among(figure: str, values: Iterable[float], units: int = 0) -> bool:
    """Whether one of the values is written so, as a fraction or in percent, or so but for some units of the last digit.

    >>> is_among(".705", [0.7045]), is_among("70.5", [0.7045]), is_among("70.4", [0.7045]), is_among("0.88", [0.7])
    (True, True, True, False)
    """
    decimals = len(figure.partition(".")[2])
    near = (0.5 + units) * 10**-decimals + 1e-9
    return any(abs(float(figure) - scale * value) <= near for value in values for scale in (1.0, 100.0))


def stale(
    lines: Sequence[str],
    rows: Sequence[dict[str, Any]],
    notes: Sequence[str],
    *,
    tables_only: bool,
    columns: str = "",
    without: str = "(?!)",
    units: int = 0,
) -> list[str]:
    """The figures of a page's lines that a command's rows do not have, each with the beginning of its line."""
    everything = [*numbers(list(rows)), *numbers(list(notes))]
    header: list[str] = []
    missing = []
    for number, line in enumerate(lines):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            header, cells = [], [] if tables_only else [line]
        elif number + 1 < len(lines) and lines[number + 1].startswith("|--"):
            header, cells = cells, []
        if cells and re.search(without, cells[0]):
            continue
        ours = _of_method(cells, rows) or everything
        for column, cell in enumerate(cells):
            title = header[column] if column < len(header) else ""
            if _NOT_OURS.search(title) or _NOT_OURS.search(cells[0]) or (header and not re.search(columns, title)):
                continue
            found = _FIGURE.findall(re.sub(r"\*|\(\.?\d+\)", "", cell.replace("–", " ")))
            missing += [f"{figure} in: {line[:70]}" for figure in found if not is_among(figure, ours, units)]
    return missing


def _of_method(cells: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[float]:
    """The numbers of the rows whose method the first cell of a table's line names; none if it names no method."""
    name = re.sub(r"[`*]", "", cells[0]).strip() if len(cells) > 1 else ""
    return [value for row in rows if row.get("method") == name for value in numbers(row)]


def run(documented: Documented, data: Path | None, keep: Path | None = None) -> tuple[list[dict[str, Any]], list[str]]:
    """(rows, notes) that the command gives. A training and a benchmark give lines of text: all are notes."""
    digest = hashlib.sha256(documented.command.encode()).hexdigest()[:16]
    file = keep / f"{digest}.json" if keep else None
    if file and file.exists():
        found = json.loads(file.read_text("utf-8"))
        return found["rows"], list(found.get("notes", ()))
    found = _printed(documented.command, data)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"command": documented.command, **found}), encoding="utf-8")
    return found["rows"], list(found.get("notes", ()))


def _printed(command: str, data: Path | None) -> dict[str, Any]:
    words = [word.replace("../data", str(data)) if data else word for word in shlex.split(command)]
    variables = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
    program, *arguments = words[len(variables) :]
    is_json = [program, *arguments[:1]] == ["rostrum", "evaluate"]
    printed = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments, *(["--json"] if is_json else [])],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        stdout=subprocess.PIPE,
        stderr=None if is_json else subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout
    found: dict[str, Any] = json.loads(printed) if is_json else {"rows": [], "notes": printed.splitlines()}
    return found


def difference(documented: Documented, data: Path | None, keep: Path | None = None) -> list[str]:
    """What the page has and the command does not print."""
    rows, notes = run(documented, data, keep)
    return stale(
        documented.part(),
        rows,
        notes,
        tables_only=documented.tables_only,
        columns=documented.columns,
        without=documented.without,
        units=documented.units,
    )


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The data sets' folders.")
@click.option("--quick", is_flag=True, help="Only commands that take less than a minute.")
@click.option("--only", multiple=True, help="Only commands with this text; repeatable.")
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep what commands print, and reuse it."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write what differs to this file.")
def main(data: Path | None, quick: bool, only: tuple[str, ...], keep: Path | None, out: Path | None) -> None:
    """Run the documented commands and print the figures that differ."""
    found = []
    for documented in DOCUMENTED:
        left_out = (quick and not documented.quick) or (only and not any(text in documented.command for text in only))
        if left_out or (documented.needs_data and data is None):
            continue
        try:
            missing = difference(documented, data, keep)
        except subprocess.CalledProcessError as error:
            missing = [f"the command failed with exit code {error.returncode}"]
        found.append({"command": documented.command, "page": documented.page, "differs": missing})
        click.echo(f"{'differs' if missing else 'holds':8} {documented.page:14} {documented.command}")
        for figure in missing:
            click.echo(f"         {figure}")
    if not (quick or only):
        for reason, commands in NOT_RERUN.items():
            click.echo(f"not run again, {reason}:" + "".join(f"\n         {command}" for command in commands))
    if out:
        out.write_text("\n".join(map(json.dumps, found)) + "\n", encoding="utf-8")
    sys.exit(any(each["differs"] for each in found))


if __name__ == "__main__":
    main()
