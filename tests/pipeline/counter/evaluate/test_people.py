"""People beside methods in the evaluation of who answers whom."""

from pathlib import Path

import pytest

from pipeline.counter.evaluate.debates import read_debates
from pipeline.counter.evaluate.people import people_rows
from pipeline.errors import RostrumError

SAMPLES = Path(__file__).parents[4] / "audio_samples"
HEADER = "speech,candidates,annotator,answer,sure\n"


def test_accuracy_and_agreement_by_hand(tmp_path: Path) -> None:
    """Of four answers three are right; of the two pairs of people who answered the same speech, one agrees."""
    file = tmp_path / "answers.csv"
    file.write_text(
        HEADER
        + "schools_pro_anna,,w1,schools_con_ruth,sure\n"
        + "schools_pro_anna,,w2,schools_con_lena,guess\n"
        + "transport_pro_oliver,,w1,transport_con_paul,sure\n"
        + "transport_pro_oliver,,w3,transport_con_paul,sure\n"
        + "somebody_else,,w3,transport_con_paul,sure\n"
    )
    (row,) = people_rows(file, read_debates(SAMPLES, "reference"))
    assert (row["accuracy"], row["agreement"], row["answers"]) == (0.75, 0.5, 4)


def test_answers_to_other_speeches_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(HEADER + "somebody_else,,w1,transport_con_paul,sure\n")
    with pytest.raises(RostrumError, match="no answer to a speech"):
        people_rows(file, read_debates(SAMPLES, "reference"))
