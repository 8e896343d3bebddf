"""What a run says at its end of the word error rate, and why there is none."""

from pathlib import Path

import pytest

from flows.command import print_summary
from pipeline.run.configuration import Settings
from pipeline.run.job import Outcome
from pipeline.run.store import Store
from pipeline.run.summary import ItemSummary, RunSummary, now


def ended(*outcomes: Outcome) -> RunSummary:
    """A run of one speech whose stages ended like this."""
    item = ItemSummary(id="anna", scope="speeches/anna", motion=None, outcomes=list(outcomes))
    return RunSummary(
        corpus="c", started=now(), seconds=1.0, flow_run=None, settings=Settings(), problems=[], items=[item]
    )


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome("transcribe", "speeches/anna", "run"), "the stage score did not run"),
        (Outcome("score", "speeches/anna", "failed", "no words"), "no speech could be scored"),
        (
            Outcome("score", "speeches/anna", "skipped", "no reference"),
            "no speech has both a recognised and a reference transcript",
        ),
    ],
)
def test_why_there_is_no_word_error_rate(
    outcome: Outcome, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(ended(outcome), Store(str(tmp_path)), None)
    assert f"no word error rate: {told}\n" in capsys.readouterr().out
