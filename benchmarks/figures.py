"""The documented figures, by the commands beside them: what a page says and the command no longer prints.

    python benchmarks/figures.py [--data DIR] [--quick] [--only TEXT]... [--out FILE]

DIR holds the data sets' folders, as the pages have them (`../data`). Every command is run; every figure with a decimal
point in its part of the page, published ones aside, must be among those that the command gives, rounded alike, as a
fraction or in percent. In a table the row says whose figures these are. What differs is printed, and written to FILE as
one JSON object per line. Exit 1 if anything differs.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
_FIGURE = re.compile(r"(?<![\w.])-?\d*\.\d+(?![\w]|\.\d)")
# Columns whose figures are other people's, or of another version.
_NOT_OURS = re.compile(r"published|reported|before|ROUGE-1\.5\.5", re.IGNORECASE)


@dataclass(frozen=True)
class Documented:
    """A command, and the part of a page that has its figures: from the first line with `begins` to that with `ends`.

    A `quick` one takes less than a minute of a free core. With `tables_only` the text between tables is left out.
    """

    command: str
    page: str
    begins: str
    ends: str
    quick: bool = False
    tables_only: bool = True

    @property
    def needs_data(self) -> bool:
        return "../data/" in self.command

    def part(self) -> list[str]:
        lines = (ROOT / "docs" / self.page).read_text("utf-8").splitlines()
        start = next((n for n, line in enumerate(lines) if self.begins in line), None)
        if start is None:
            raise click.ClickException(f"docs/{self.page}: no line has {self.begins!r}; correct benchmarks/figures.py")
        end = next((n for n in range(start + 1, len(lines)) if self.ends in lines[n]), len(lines))
        return lines[start:end]


DOCUMENTED = (
    Documented(
        "rostrum evaluate counter --data audio_samples --encoder none --vectors none --protocol motion",
        "counter.md",
        "**With kinds of answers.**",
        "All responses are told",
        quick=True,
    ),
    Documented(
        "rostrum evaluate content --data ../data/rouge-testdata",
        "content.md",
        "## ROUGE as the script counts it",
        "## The scoring study",
        quick=True,
    ),
    Documented(
        "rostrum evaluate listening --data ../data/ibm-debates --labels",
        "mentions.md",
        "### Where the ceiling is",
        "The main table has a row `people`",
        quick=True,
        tables_only=False,
    ),
    Documented(
        "rostrum evaluate speeches --data ../data/ibm-debates",
        "speakers.md",
        "## Further uses of recorded debates",
        "## Nothing",
        quick=True,
    ),
    Documented(
        "rostrum evaluate convincing --data ../data/ukpconvarg1 --method majority --method 'longer (characters)'",
        "convincing.md",
        "| majority | .502",
        "| longer (words)",
        quick=True,
    ),
    Documented(
        "rostrum evaluate counter --data ../data/ibm-debates --protocol motion",
        "counter.md",
        "**`motion`**",
        "**`retrieval`**",
    ),
    Documented(
        "rostrum evaluate counter --data ../data/ibm-debates --protocol retrieval",
        "counter.md",
        "**`retrieval`**",
        "**By any speaker**",
    ),
    Documented(
        "rostrum evaluate graph --data ../data/ukpconvarg1", "convincing.md", "### The published graphs", "## Limits"
    ),
    Documented(
        "rostrum evaluate convincing --data ../data/ukpconvarg1 --method svm",
        "convincing.md",
        "| svm | .78",
        "| svm, lemma n-grams, C",
    ),
    Documented(
        "rostrum evaluate content --data ../data/mohler-asag",
        "content.md",
        "| 2,030 responses",
        "## Scoring a spoken answer",
    ),
    Documented(
        "rostrum evaluate listening --data ../data/ibm-debates",
        "mentions.md",
        "| method | asr accuracy",
        "### A run's own transcripts",
    ),
    Documented(
        "rostrum evaluate keypoints --data ../data/kpa2021", "papers.md", "Track 1 on dev", "| in the paper | here |"
    ),
    Documented("rostrum evaluate relations --data ../data/elecdeb", "pairs.md", "## Support and attack", "## Nothing"),
)


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


def is_among(figure: str, values: Iterable[float]) -> bool:
    """Whether one of the values is written so, as a fraction or in percent.

    >>> is_among(".705", [0.7045]), is_among("70.5", [0.7045]), is_among("70.4", [0.7045]), is_among("0.88", [0.7])
    (True, True, True, False)
    """
    decimals = len(figure.partition(".")[2])
    near = 0.5 * 10**-decimals + 1e-9
    return any(abs(float(figure) - scale * value) <= near for value in values for scale in (1.0, 100.0))


def stale(
    lines: Sequence[str], rows: Sequence[dict[str, Any]], notes: Sequence[str], *, tables_only: bool
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
        ours = _of_method(cells, rows) or everything
        for column, cell in enumerate(cells):
            title = header[column] if column < len(header) else ""
            if _NOT_OURS.search(title) or _NOT_OURS.search(cells[0]):
                continue
            found = _FIGURE.findall(re.sub(r"\*|\(\.?\d+\)", "", cell.replace("–", " ")))
            missing += [f"{figure} in: {line[:70]}" for figure in found if not is_among(figure, ours)]
    return missing


def _of_method(cells: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[float]:
    """The numbers of the rows whose method the first cell of a table's line names; none if it names no method."""
    name = re.sub(r"[`*]", "", cells[0]).strip() if len(cells) > 1 else ""
    return [value for row in rows if row.get("method") == name for value in numbers(row)]


def run(documented: Documented, data: Path | None) -> tuple[list[dict[str, Any]], list[str]]:
    """(rows, notes) that the command gives."""
    words = [word.replace("../data", str(data)) if data else word for word in shlex.split(documented.command)]
    assert words[0] == "rostrum"
    printed = subprocess.run(
        [Path(sys.executable).with_name(words[0]), *words[1:], "--json"], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    found = json.loads(printed.stdout)
    return found["rows"], list(found.get("notes", ()))


def difference(documented: Documented, data: Path | None) -> list[str]:
    """What the page has and the command does not print."""
    rows, notes = run(documented, data)
    return stale(documented.part(), rows, notes, tables_only=documented.tables_only)


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The data sets' folders.")
@click.option("--quick", is_flag=True, help="Only commands that take less than a minute.")
@click.option("--only", multiple=True, help="Only commands with this text; repeatable.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write what differs to this file.")
def main(data: Path | None, quick: bool, only: tuple[str, ...], out: Path | None) -> None:
    """Run the documented commands and print the figures that differ."""
    differs = False
    found = []
    for documented in DOCUMENTED:
        left_out = (quick and not documented.quick) or (only and not any(text in documented.command for text in only))
        if left_out or (documented.needs_data and data is None):
            continue
        missing = difference(documented, data)
        differs |= bool(missing)
        found.append({"command": documented.command, "page": documented.page, "differs": missing})
        click.echo(f"{'differs' if missing else 'holds':8} {documented.page:14} {documented.command}")
        for figure in missing:
            click.echo(f"         {figure}")
    if out:
        out.write_text("\n".join(map(json.dumps, found)) + "\n", encoding="utf-8")
    sys.exit(differs)


if __name__ == "__main__":
    main()
