"""A stage is a room and a line in the list of stages: its settings, its command line and its page follow."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sounds import write_speech

ROOT = Path(__file__).parents[2]
STAGE = '''
from pydantic import Field

from pipeline.ingest import Recording
from pipeline.records import Record
from pipeline.settings import StageSettings
from pipeline.stage import stage


class Laughter(Record):
    """Where people laugh."""

    times: tuple[float, ...]


class LaughterSettings(StageSettings):
    """How laughter is found."""

    every: float = Field(0.5, gt=0, description="Seconds from one laugh to the next.")


@stage(version=1)
def laughter(recording: Recording, *, settings: LaughterSettings) -> Laughter:
    """Find where people laugh."""
    return Laughter(times=tuple(settings.every * number for number in range(int(recording.duration / settings.every))))
'''
PAGE = """
def headline(record):
    return f"{len(record.times)} laughs"

def page(record):
    return f"People laugh {len(record.times)} times."
"""
CALL = """
import sys
import pipeline, pipeline.stage

pipeline.__path__.append(sys.argv[1])
pipeline.stage.STAGES = (*pipeline.stage.STAGES, "laughter")
if sys.argv[2] == "run":
    import rostrum

    summary = rostrum.run(sys.argv[3], sys.argv[4], ["laughter"], {"laughter.every": 1.0})
    print([(outcome.stage, outcome.state) for item in summary.items for outcome in item.outcomes])
else:
    from pipeline.cli import main_group

    main_group(sys.argv[2:])
"""


@pytest.mark.slow
def test_a_stage_is_a_room(tmp_path: Path) -> None:
    room = tmp_path / "rooms" / "laughter"
    room.mkdir(parents=True)
    for name, content in (("__init__.py", ""), ("stage.py", STAGE), ("show.py", PAGE)):
        (room / name).write_text(content)

    def call(*words: str) -> str:
        command = [sys.executable, "-c", CALL, str(tmp_path / "rooms"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout

    assert "laughter.every" in call("settings")
    write_speech(tmp_path / "corpus" / "one.wav", seconds=3)
    done = call("run", str(tmp_path / "corpus"), str(tmp_path / "run"))
    assert done.strip() == "[('ingest', 'run'), ('laughter', 'run')]"
    assert call("show", str(tmp_path / "run"), "one", "laughter").strip() == "People laugh 3 times."
