from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pipeline.export.formats.textgrid import textgrid
from pipeline.export.tiers import Interval, Tier, without_overlap
from tests.pipeline.report.speeches import intervals, speech

parselmouth = pytest.importorskip("parselmouth")


def opened(folder: Path, text: str):
    path = folder / "speech.TextGrid"
    path.write_text(text, encoding="utf-8")
    return parselmouth.read(str(path))


def labels(grid, tier: int) -> list[tuple[float, float, str]]:
    count = parselmouth.praat.call(grid, "Get number of intervals", tier)
    return [
        (
            round(parselmouth.praat.call(grid, "Get start time of interval", tier, each), 3),
            round(parselmouth.praat.call(grid, "Get end time of interval", tier, each), 3),
            parselmouth.praat.call(grid, "Get label of interval", tier, each),
        )
        for each in range(1, count + 1)
    ]


def test_praat_opens_it(tmp_path: Path) -> None:
    found = speech('She said "no".', "Été, שלום 🙂.", speakers=("Anna", "Ben"))
    grid = opened(tmp_path, textgrid(found.tiers, found.duration))
    assert parselmouth.praat.call(grid, "Get number of tiers") == 3
    assert [parselmouth.praat.call(grid, "Get tier name", each) for each in (1, 2, 3)] == [
        "words",
        "sentences",
        "speakers",
    ]
    assert labels(grid, 2) == [(0, 1.2, 'She said "no".'), (1.2, 2.4, "Été, שלום 🙂."), (2.4, 3.4, "")]
    assert grid.xmax == 3.4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(intervals)
def test_praat_opens_whatever_a_recogniser_gives(tmp_path: Path, given_intervals: list[Interval]) -> None:
    tier = Tier("words", without_overlap(given_intervals, 15.0))
    grid = opened(tmp_path, textgrid([tier], 15.0))
    assert [each for each in labels(grid, 1) if each[2]] == [tuple(each) for each in tier.intervals]
