"""What a stage made, in a few words: the message of its state in the Prefect UI, and a line of the log."""

from importlib import import_module

import pytest

from pipeline.report.markdown import headline
from pipeline.run.index import load
from pipeline.run.store import Store
from pipeline.stage import all_stages


def test_every_stage_s_records_have_a_headline_of_one_line(run: Store) -> None:
    summary = load(run)
    assert summary is not None
    said: dict[str, str] = {}
    for stage in all_stages():
        for item in summary.items:
            artifact = run.artifact(item.scope, stage.name)
            if artifact is not None and artifact.data is not None:
                said[stage.name] = headline(stage.name, run.record(stage.output, item.scope, artifact))
    assert {"transcribe", "counter", "keypoints", "mentions", "convincing"} <= set(said)
    assert all(line and len(line) < 120 and "\n" not in line and "\xa0" not in line for line in said.values()), said


@pytest.mark.parametrize("stage", [stage.name for stage in all_stages()])
def test_every_stage_has_a_headline(stage: str) -> None:
    assert callable(import_module(f"pipeline.{stage}.show").headline)
