"""What may run beside what."""

import pytest

from pipeline.diarize.stage import DiarizeSettings
from pipeline.run.job import Item, Job
from pipeline.run.schedule import Capacity, Schedule
from pipeline.settings import StageSettings
from pipeline.stage import stage_named
from pipeline.transcribe.stage import TranscribeSettings


def jobs(stage: str, settings: StageSettings) -> list[Job]:
    items = [Item(id=name, scope=name, motion=None) for name in ("anna", "bob", "carla", "dan")]
    return [Job(stage_named(stage), item, settings, {}, {}) for item in items]


def begun(schedule: Schedule) -> list[str]:
    return [f"{job.stage.name} {job.item.id}" for job in schedule.begin()]


@pytest.mark.parametrize(("engine", "at_once"), [("ctranslate2", 3), ("openai", 1)])
def test_speeches_are_transcribed_side_by_side_where_the_recogniser_can(engine: str, at_once: int) -> None:
    every = jobs("transcribe", TranscribeSettings(model="tiny.en", engine=engine, device="cpu"))
    schedule = Schedule(every, [], Capacity(device=1, others=3))
    assert len(begun(schedule)) == at_once
    schedule.end(every[0], failed=False)
    assert begun(schedule) == [f"transcribe {every[at_once].item.id}"], "one has ended, one begins"


def test_diarization_is_alone_but_for_stages_that_leave_it_the_device() -> None:
    words = jobs("transcribe", TranscribeSettings(model="tiny.en", engine="ctranslate2", device="cpu"))
    schedule = Schedule([*jobs("diarize", DiarizeSettings()), *words], [], Capacity(device=1, others=2))
    assert sorted(begun(schedule)) == ["diarize anna", "transcribe anna", "transcribe bob"]


def test_the_longest_recording_begins_first_and_those_of_one_length_in_order() -> None:
    every = jobs("transcribe", TranscribeSettings(model="tiny.en", engine="openai", device="cpu"))
    schedule = Schedule(every, [], Capacity(device=4, others=1), {"anna": 60.0, "bob": 60.0, "dan": 5400.0})
    order = []
    while began := begun(schedule):
        order += began
        schedule.end(next(job for job in every if began[0].endswith(job.item.id)), failed=False)
    assert order == ["transcribe dan", "transcribe anna", "transcribe bob", "transcribe carla"]


def test_a_model_that_is_not_there_is_the_stage_s_to_tell() -> None:
    every = jobs("transcribe", TranscribeSettings(model="nowhere.bin", engine="auto"))
    assert len(begun(Schedule(every, [], Capacity(device=1, others=3)))) == 1
