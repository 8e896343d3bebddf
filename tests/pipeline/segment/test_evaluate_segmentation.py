"""Boundaries and their scores, and the table of `rostrum evaluate segmentation`."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.arrays import Mask
from pipeline.errors import RostrumError
from pipeline.segment import boundary_tagger, evaluate_segmentation
from pipeline.segment import train_segmenter as boundary_training
from pipeline.segment.evaluate_segmentation import BoundaryCounts, evaluate, window_errors
from pipeline.segment.train_segmenter import TaggerOptions

FLAGS = st.lists(st.booleans(), min_size=1, max_size=30)


def flags(text: str) -> Mask:
    return np.array([sign == "1" for sign in text])


def test_counts_by_hand() -> None:
    counts = BoundaryCounts.comparing(flags("0101001"), flags("0100101"))
    assert (counts.hits, counts.reference, counts.hypothesis) == (2, 3, 3)
    assert counts.precision == counts.recall == counts.f1 == pytest.approx(2 / 3)


def test_what_is_not_defined_is_none() -> None:
    assert BoundaryCounts().f1 is None
    assert BoundaryCounts.comparing(flags("010"), flags("000")).precision is None
    assert BoundaryCounts.comparing(flags("010"), flags("000")).f1 == 0
    assert window_errors([]) == (None, None)
    assert window_errors([(flags("000"), flags("010"))]) == (None, None)


@given(FLAGS, st.randoms(use_true_random=False))
def test_f1_is_the_harmonic_mean_and_counts_add_up(reference: list[bool], random) -> None:  # type: ignore[no-untyped-def]
    a = np.array(reference)
    b = np.array([random.random() < 0.5 for _ in reference])
    whole = BoundaryCounts.comparing(a, b)
    middle = len(a) // 2
    assert BoundaryCounts.comparing(a[:middle], b[:middle]) + BoundaryCounts.comparing(a[middle:], b[middle:]) == whole
    if whole.precision and whole.recall:
        assert whole.f1 == pytest.approx(2 * whole.precision * whole.recall / (whole.precision + whole.recall))


def test_pk_and_windowdiff_by_hand() -> None:
    # eight slots, two boundaries: windows of two. Windows 01 10 00 00 01 10 00 against 00 00 00 00 01 10 00:
    # two of seven differ, for either metric
    pk, windowdiff = window_errors([(flags("01000100"), flags("00000100"))])
    assert pk == pytest.approx(2 / 7)
    assert windowdiff == pytest.approx(2 / 7)


def test_windowdiff_counts_two_for_one_where_pk_does_not() -> None:
    pk, windowdiff = window_errors([(flags("000100000001"), flags("001100000001"))])
    assert pk is not None
    assert windowdiff is not None
    assert windowdiff > pk


@given(st.lists(FLAGS, max_size=4))
def test_a_perfect_hypothesis_has_no_window_errors(references: list[list[bool]]) -> None:
    pairs = [(np.array(reference), np.array(reference)) for reference in references]
    assert window_errors(pairs) in [(0.0, 0.0), (None, None)]


SENTENCES = ["We should ban it.", "It harms all of us, always.", "Why should we wait?", "They cannot stop."]


class MadeUpEncoder:
    """Vectors by the letters of the words, in place of a transformer's."""

    name = "made up"
    digest = "0" * 64

    def vectors(self, words: list[str]) -> np.ndarray:
        rows = [[len(word), ord(word[0]) % 7, ord(word[-1]) % 5] for word in words]
        return np.array(rows, dtype=np.float32).reshape(-1, 3)


@pytest.fixture(autouse=True)
def _without_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (boundary_tagger, boundary_training, evaluate_segmentation):
        monkeypatch.setattr(module, "load_contextual", lambda *_: MadeUpEncoder())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    for motion in range(6):
        for speaker in ("ann", "bob"):
            lines = random.choice(SENTENCES, 12).tolist()
            write(tmp_path, f"{speaker}_{motion}_topic_pro_opening", lines)
    return tmp_path


def write(folder: Path, name: str, lines: list[str]) -> None:
    time, tokens = 0.0, []
    for line in lines:
        for word in line.lower().replace(",", "").strip(".?").split():
            tokens.append(f"{word}[{time:.2f},{time + 0.3:.2f}]")
            time += 0.3
        time += 0.6
    contents = {
        "asr": " ".join(tokens),
        "trs.txt": "\n".join(lines),
        "asr.txt": "\n".join(f"{one} {other}" for one, other in zip(lines[::2], lines[1::2], strict=True)),
    }
    for kind, content in contents.items():
        place = folder / "speeches" / kind
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.{kind}").write_text(content)


OPTIONS = TaggerOptions(members=2, hidden=(8,), epochs=8, batch=16, dropout=0.1)


def test_the_table_by_turns(data: Path) -> None:
    found = evaluate(data, options=OPTIONS)
    rows = {row["method"]: row for row in found.rows}
    assert set(rows) == {"every 15 words", "pauses", "asr.txt", "tagger"}
    assert rows["pauses"]["f1"] == 1.0
    assert rows["tagger"]["f1"] > 0.95
    assert rows["pauses"]["pk"] == 0.0
    # every other end: 6 of 11 inner ones missed, none made up
    assert rows["asr.txt"]["precision"] == 1.0
    assert rows["asr.txt"]["recall"] == pytest.approx(5 / 11)
    assert rows["tagger"]["question_f1"] > 0.9
    assert rows["every 15 words"]["f1"] < 0.5
    assert found.signature["split"] == "5 folds by motion"


def test_figures_come_from_the_test_folder(data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "cat_9_topic_con_opening_ann", SENTENCES)
    found = evaluate(data, other, OPTIONS)
    assert {row["boundaries"] for row in found.rows} == {3}
    assert all(row["f1_low"] is None for row in found.rows)  # one motion: no interval
    assert found.signature["split"] == f"trained on {data.name}"


def test_without_the_data_s_own_splits_their_row_is_left_out(data: Path) -> None:
    for path in (data / "speeches" / "asr.txt").iterdir():
        path.unlink()
    assert "asr.txt" not in {row["method"] for row in evaluate(data, options=OPTIONS).rows}


def test_a_folder_without_speeches_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="no speech has both .asr"):
        evaluate(tmp_path)
    write(tmp_path, "ann_1_topic_pro_opening", SENTENCES)
    (tmp_path / "speeches" / "trs.txt" / "ann_1_topic_pro_opening.trs.txt").unlink()
    with pytest.raises(RostrumError, match=r"no speech has both \.asr"):
        evaluate(tmp_path)
