"""Figures of the pages: a drawn handful of the documented commands is run again, and compared with its page."""

import os
import random
import re
import shlex
from datetime import date
from pathlib import Path

import pytest

from benchmarks.figures import DOCUMENTED, Documented, difference, is_among, stale

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
    assert shlex.split(documented.command)[:2] == ["rostrum", "evaluate"]


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
