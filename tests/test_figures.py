"""Figures of the pages: a drawn handful of the documented commands is run again, and compared with its page."""

import os
import random
import re
from datetime import date
from pathlib import Path

import pytest

from benchmarks.documented import DOCUMENTED, NOT_RERUN, ROOT, Documented
from benchmarks.figures import difference, is_among, run, stale

QUICK = [documented for documented in DOCUMENTED if documented.quick]
HANDFUL = 3


def drawn() -> list[Documented]:
    """The commands of today: every day others, so that each has its turn, and the same all day."""
    return random.Random(date.today().toordinal()).sample(QUICK, HANDFUL)


@pytest.mark.slow
@pytest.mark.parametrize("documented", drawn(), ids=lambda documented: documented.command)
def test_a_drawn_command_still_prints_the_figures_of_its_page(documented: Documented) -> None:
    data = Path(os.environ["ROSTRUM_DATA"]) if "ROSTRUM_DATA" in os.environ else None
    if documented.needs_data and (
        data is None or not (data / re.findall(r"data/([\w-]+)", documented.command)[0]).is_dir()
    ):
        pytest.skip("needs ROSTRUM_DATA, a folder with the data sets in it")
    assert difference(documented, data) == []


@pytest.mark.parametrize("documented", DOCUMENTED, ids=lambda documented: documented.command)
def test_every_documented_part_of_a_page_is_there_and_has_figures(documented: Documented) -> None:
    lines = documented.part()
    assert sum(bool(re.search(r"\.\d", line)) for line in lines) > 0


# A command in a page: with the data that it reads, or a benchmark.
_COMMAND = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:rostrum (?:evaluate|train) .*(?:\.\./data|audio_samples)|python benchmarks/)"
)


def commands_of(text: str) -> set[str]:
    """The commands of a page, in blocks and within lines, as they are run: without the files that they write."""
    blocks = re.findall(r"```(?:bash)?\n(.*?)```", text, re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
    return {plain(line) for line in lines if _COMMAND.match(" ".join(line.split()))}


def plain(command: str) -> str:
    """The command without what changes no figure: quotes, folders of pictures, options in brackets."""
    words = re.sub(r" --figures figures|\[[^]]*\]|\.\.\.", "", command).split()
    return re.sub(r"['\"]", "", " ".join(words))


def test_every_command_of_a_page_is_run_again_or_has_the_reason_why_not() -> None:
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    written = {command: page.name for page in pages for command in commands_of(page.read_text("utf-8"))}
    again = {plain(documented.command) for documented in DOCUMENTED}
    not_again = [plain(command) for commands in NOT_RERUN.values() for command in commands]
    assert len(set(not_again)) == len(not_again)
    # a page may name the whole command of which others are parts
    unknown = {
        command: page
        for command, page in written.items()
        if command not in not_again and not any(each.startswith(command) for each in again)
    }
    assert unknown == {}
    assert sorted(set(not_again) - written.keys()) == []


ROWS = [
    {"method": "JS", "accuracy": 0.6591, "mrr": 0.8295, "note": None},
    {"method": "Cos", "accuracy": 0.5, "mrr": 0.75},
]
PAGE = [
    "| method | here | published |",
    "|---|---|---|",
    "| `JS` | 65.9, 0.83 | 51.1 |",
    "| `Cos` | 50.0, 0.75 | 40.0 |",
]


def test_a_page_that_says_what_is_printed_holds() -> None:
    assert stale(PAGE, ROWS, [], tables_only=True) == []


def test_another_figure_is_found_and_so_is_that_of_another_method() -> None:
    wrong = [*PAGE[:2], "| `JS` | 66.9, 0.75 | 51.1 |", "in 65.9 % of all"]
    # .75 is the rank of Cos, not of JS; what stands between tables counts where it is asked for
    assert [each.split()[0] for each in stale(wrong, ROWS, [], tables_only=True)] == ["66.9", "0.75"]
    assert stale(["in 65.8 % of all"], ROWS, [], tables_only=False) == ["65.8 in: in 65.8 % of all"]


def test_a_figure_is_rounded_as_the_page_rounds_it() -> None:
    assert is_among("65.9", [0.6591])
    assert is_among(".66", [0.6591])
    assert not is_among(".67", [0.6591])
    assert is_among(".67", [0.6591], units=1)
    assert not is_among(".68", [0.6591], units=1)


def test_of_a_table_some_columns_and_rows_are_another_command_s() -> None:
    page = ["| method | one, F1 | other, F1 |", "|---|---|---|", "| JS | .66 | .99 |", "| BERT | .12 | .13 |"]
    found = stale(page, ROWS, [], tables_only=True, columns="one", without="BERT")
    assert found == []
    assert len(stale(page, ROWS, [], tables_only=True)) == 3


def test_what_a_command_printed_is_kept_and_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = []
    monkeypatch.setattr(
        "benchmarks.figures._printed", lambda command, data: printed.append(command) or {"rows": ROWS, "notes": ["n"]}
    )
    documented = Documented("rostrum evaluate counter", "counter.md", "", "")
    assert run(documented, None, tmp_path / "kept") == run(documented, None, tmp_path / "kept") == (ROWS, ["n"])
    assert printed == ["rostrum evaluate counter"]
