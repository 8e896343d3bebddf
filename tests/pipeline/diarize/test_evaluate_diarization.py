"""The scorer beside one that counts every millisecond, and beside spyder."""

import json
import os
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cli.evaluate import evaluate as command
from pipeline.diarize import diarization, evaluate_diarization
from pipeline.diarize.evaluate_diarization import Case, Errors, evaluate, score
from pipeline.diarize.stage import DiarizeSettings
from pipeline.errors import RostrumError
from pipeline.formats import read_rttm_recordings, rttm
from pipeline.records import Turn
from tests.models import needs
from tests.sounds import write_speech

SHARED = Path(os.environ["ROSTRUM_DATA"]) if "ROSTRUM_DATA" in os.environ else None
DURATION = 4.0
MILLISECONDS = int(DURATION * 1000)

moments = st.integers(0, 80).map(lambda step: step * 50)


def turns_of(names: str) -> st.SearchStrategy[list[Turn]]:
    """Turns on a grid of 50 ms; those of one speaker do not overlap one another."""

    def placed(edges: dict[str, list[int]]) -> list[Turn]:
        return [
            Turn(start=start / 1000, end=end / 1000, speaker=name)
            for name, moments in edges.items()
            for start, end in zip(sorted(moments)[::2], sorted(moments)[1::2], strict=False)
        ]

    edges = st.lists(moments, unique=True, max_size=6)
    return st.fixed_dictionaries(dict.fromkeys(names, edges)).map(placed)


def by_milliseconds(case: Case, collar: float, skip_overlap: bool) -> tuple[float, float]:
    """Seconds scored and seconds wrong, by trying every mapping of speakers on every millisecond."""

    def active(turns: list[Turn]) -> dict[str | None, np.ndarray]:
        found = {turn.speaker: np.zeros(MILLISECONDS, dtype=bool) for turn in turns}
        for turn in turns:
            found[turn.speaker][round(turn.start * 1000) : round(turn.end * 1000)] = True
        return found

    reference, found = active(list(case.reference)), active(list(case.found))
    scored = np.ones(MILLISECONDS, dtype=bool)
    for turn in case.reference:
        for edge in (turn.start, turn.end):
            low, high = (max(0, round((edge + side * collar / 2) * 1000)) for side in (-1, 1))
            scored[low:high] = False
    spoken = sum(reference.values(), np.zeros(MILLISECONDS, dtype=int))
    if skip_overlap:
        scored &= spoken < 2
    claimed = sum(found.values(), np.zeros(MILLISECONDS, dtype=int))
    names = [*reference, *([None] * len(found))]
    right = max(
        (
            sum(
                int((reference[own] & mask & scored).sum())
                for own, mask in zip(mapping, found.values(), strict=True)
                if own is not None
            )
            for mapping in set(permutations(names, len(found)))
        ),
        default=0,
    )
    wrong = np.maximum(spoken, claimed)[scored].sum() - right
    return spoken[scored].sum() / 1000, wrong / 1000


@settings(max_examples=60, deadline=None)
@given(turns_of("abc"), turns_of("xyz"), st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
def test_errors_are_those_of_every_millisecond(
    reference: list[Turn], found: list[Turn], collar: float, skip_overlap: bool
) -> None:
    case = Case("any", reference, found, DURATION)
    errors = score(case, collar=collar, skip_overlap=skip_overlap)
    total, wrong = by_milliseconds(case, collar, skip_overlap)
    assert errors.total == pytest.approx(total, abs=1e-6)
    assert errors.missed + errors.false_alarm + errors.confusion == pytest.approx(wrong, abs=1e-6)


def test_a_worked_example() -> None:
    """As the metric's own documentation has it: 10 s of A and 8 s of B, found a second late and half confused."""
    reference = [Turn(start=0, end=10, speaker="A"), Turn(start=12, end=20, speaker="B")]
    found = [
        Turn(start=1, end=10, speaker="x"),
        Turn(start=12, end=16, speaker="x"),
        Turn(start=16, end=21, speaker="y"),
    ]
    assert score(Case("talk", reference, found, 30.0)) == Errors(18, 1, 1, 4)
    assert score(Case("talk", reference, found, 30.0)).rate == pytest.approx(6 / 18)


@pytest.fixture
def given_turns(tmp_path: Path) -> Path:
    (tmp_path / "ref").mkdir()
    (tmp_path / "sys").mkdir()
    truth = {"one": [Turn(start=0, end=4, speaker="A")], "two": [Turn(start=1, end=3, speaker="A")]}
    (tmp_path / "ref" / "all.rttm").write_text(rttm(truth))
    (tmp_path / "sys" / "perfect.rttm").write_text(rttm(truth))
    (tmp_path / "sys" / "half.rttm").write_text(rttm({"one": [Turn(start=0, end=2, speaker="x")]}))
    return tmp_path


def test_given_turns_are_scored(given_turns: Path) -> None:
    rows = {(row["method"], row["file"], row["collar"], row["overlap"]): row for row in evaluate(given_turns).rows}
    assert rows["perfect", "total", 0.0, "in"]["der"] == 0
    assert rows["half", "one", 0.0, "in"]["der"] == pytest.approx(0.5)
    assert rows["half", "two", 0.0, "in"]["missed"] == 1
    assert rows["half", "total", 0.0, "in"]["der"] == pytest.approx(4 / 6)
    assert len(rows) == 2 * 3 * 6


def test_the_command(given_turns: Path) -> None:
    result = CliRunner().invoke(command, ["diarization", "--data", str(given_turns), "--json"])
    found = json.loads(result.stdout)
    assert found["name"] == "diarization"
    assert found["signature"]["pyannote.metrics"]
    assert {row["method"] for row in found["rows"]} == {"perfect", "half"}


def test_what_cannot_be_scored(tmp_path: Path, given_turns: Path) -> None:
    with pytest.raises(RostrumError, match="no audio file has the name"):
        evaluate(given_turns / "ref")
    (given_turns / "ref" / "again.rttm").write_text(rttm({"one": []}))
    (given_turns / "ref" / "again.rttm").write_text(rttm({"one": [Turn(start=0, end=1, speaker="A")]}))
    with pytest.raises(RostrumError, match="in another file already"):
        evaluate(given_turns)


def test_two_recordings_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "talk.wav").write_bytes(b"RIFF")
    (tmp_path / "monday" / "talk.rttm").write_text("SPEAKER talk 1 0.0 0.1 <NA> <NA> anna <NA> <NA>\n")
    with pytest.raises(RostrumError, match=r"talk\.wav: there is another recording called talk"):
        evaluate(tmp_path)


@needs("segmentation-3.0", "campplus")
def test_loading_the_networks_is_no_part_of_a_recordings_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_speech(tmp_path / "anna.wav")
    (tmp_path / "anna.rttm").write_text(rttm({"anna": [Turn(start=0.0, end=1.0, speaker="anna")]}))
    clock = [0.0]
    load = diarization._from_weights

    def load_slowly(chosen: DiarizeSettings) -> object:
        clock[0] += 100.0
        return load(chosen)

    monkeypatch.setattr(diarization, "_from_weights", load_slowly)
    monkeypatch.setattr(evaluate_diarization, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    diarization.load_pipeline.cache_clear()
    assert all("times_realtime" not in row for row in evaluate(tmp_path).rows)  # as no time has passed
    assert clock[0] == 200.0  # every window, and every few seconds


def test_nothing_to_score_is_no_rate(given_turns: Path) -> None:
    (given_turns / "ref" / "short.rttm").write_text(rttm({"three": [Turn(start=1, end=1.1, speaker="A")]}))
    rows = [row for row in evaluate(given_turns).rows if row["file"] == "three" and row["collar"] == 0.5]
    assert {row["der"] for row in rows} == {None}
    assert {row["note"] for row in rows} == {"no speech to score"}


# What spyder 0.4.1 (an independent scorer, in C++) gives at a collar of 0 and of 0.25 on either side.
SPYDER = {
    "diart_offline_vbx+overlap_aware_segmentation.AMI": (0.2684, 0.2100),
    "diart_offline_vbx.AMI": (0.3538, 0.2870),
    "diart_online_1.0s.AMI": (0.3239, 0.2663),
    "diart_online_5.0s.AMI": (0.2905, 0.2368),
}


@pytest.mark.slow
@pytest.mark.skipif(SHARED is None, reason="needs ami-der-crosscheck in the folder that ROSTRUM_DATA names")
def test_meetings_as_an_independent_scorer_has_them() -> None:
    assert SHARED is not None
    folder = SHARED / "ami-der-crosscheck"
    references = {name: turns for path in folder.glob("ref/*") for name, turns in read_rttm_recordings(path).items()}
    for method, expected in SPYDER.items():
        found = read_rttm_recordings(folder / "sys" / f"{method}.rttm")
        for collar, rate in zip((0.0, 0.5), expected, strict=True):
            cases = [Case(name, turns, found[name]) for name, turns in references.items()]
            total = sum((score(case, collar=collar) for case in cases), Errors(0, 0, 0, 0))
            assert total.rate == pytest.approx(rate, abs=5e-5)
