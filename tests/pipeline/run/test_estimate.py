"""How far a run is: by how much speech each stage has to work on, not by counting stages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.corpus import open_corpus
from pipeline.run.configuration import Settings
from pipeline.run.estimate import Estimate, ProgressWatcher
from pipeline.run.execute import execute
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan, plan_run
from pipeline.run.store import Store
from tests.sounds import sine, write

STAGES = ["transcribe"]
SETTINGS = Settings(diarize={"mode": "vad"})  # type: ignore[arg-type]


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    """A recording of 10 s and one of 30 s, to be decoded, searched for speech and transcribed."""
    for name, seconds in (("long", 30.0), ("short", 10.0)):
        write(tmp_path / "corpus" / f"{name}.wav", sine(seconds, 8_000), 8_000)
    return plan_run(open_corpus(tmp_path / "corpus"), Store(tmp_path / "run"), SETTINGS, STAGES)


def job_of(plan: RunPlan, stage: str, speech: str) -> Job:
    return next(job for job in plan.jobs if job.stage.name == stage and job.item.id == speech)


@pytest.fixture
def do(plan: RunPlan) -> Callable[..., None]:
    """Lets a job take some seconds of the estimate's clock."""

    def work(estimate: Estimate, stage: str, speech: str, seconds: float, **facts: object) -> None:
        assert isinstance(estimate.clock, Clock)
        job = job_of(plan, stage, speech)
        estimate.began(job)
        estimate.clock.now += seconds
        estimate.ended(job, Outcome(stage, job.item.scope, **({"state": "run", "seconds": seconds} | facts)))

    return work


def test_what_is_done_is_weighted_by_stage_and_audio(plan: RunPlan, do: Callable[..., None]) -> None:
    estimate = Estimate(plan, Clock())
    assert (estimate.share, estimate.audio_total, estimate.audio_done) == (0.0, pytest.approx(40), 0.0)
    for speech in ("long", "short"):
        do(estimate, "ingest", speech, 0.01)
    assert estimate.share < 0.1, "a third of the jobs, and hardly any of the work"
    do(estimate, "diarize", "long", 3.0)
    do(estimate, "transcribe", "long", 3.0)
    assert estimate.share == pytest.approx(0.75, abs=0.05)
    assert estimate.audio_done == pytest.approx(30.0, abs=1.0)
    do(estimate, "diarize", "short", 1.0)
    do(estimate, "transcribe", "short", 1.0)
    assert (estimate.share, estimate.audio_done) == (pytest.approx(1.0), pytest.approx(40.0))


def test_a_job_that_says_how_far_it_is_counts_in_part(plan: RunPlan, do: Callable[..., None]) -> None:
    estimate = Estimate(plan, Clock())
    for speech in ("long", "short"):
        do(estimate, "ingest", speech, 0.01)
        do(estimate, "diarize", speech, 0.01)
    before, job = estimate.audio_done, job_of(plan, "transcribe", "long")
    estimate.began(job)
    estimate.progressed(job, 0.5, "and so we should")
    assert estimate.audio_done - before == pytest.approx(15, abs=8)
    (running,) = estimate.running
    assert running == ("transcribe", "long", 0.5, "and so we should")


def test_a_job_that_loads_its_model_has_done_nothing_yet(plan: RunPlan, do: Callable[..., None]) -> None:
    """A stage that will say how far it is counts from its first word on, or the bar would go back."""
    estimate = Estimate(plan, Clock())
    for stage in ("ingest", "diarize"):
        do(estimate, stage, "long", 0.1)
    before = estimate.audio_done
    estimate.began(job_of(plan, "transcribe", "long"))
    assert isinstance(estimate.clock, Clock)
    estimate.clock.now += 60
    assert estimate.audio_done == before


def test_how_long_it_takes_is_learnt_from_the_run(plan: RunPlan, do: Callable[..., None]) -> None:
    """A recogniser a hundred times slower than expected: what is left is known after the first recording's half."""
    estimate = Estimate(plan, Clock())
    for speech in ("long", "short"):
        do(estimate, "ingest", speech, 0.1)
        do(estimate, "diarize", speech, 0.1)
    assert estimate.seconds_left is None, "too early to say"
    job = job_of(plan, "transcribe", "long")
    estimate.began(job)
    assert isinstance(estimate.clock, Clock)
    estimate.clock.now += 150
    estimate.progressed(job, 0.5, "")
    assert estimate.seconds_left == pytest.approx(150 + 100, rel=0.15)
    estimate.clock.now += 150
    estimate.ended(job, Outcome("transcribe", "long", "run", seconds=300))
    assert estimate.seconds_left == pytest.approx(100, rel=0.15)


def test_a_stage_that_was_fast_makes_no_other_one_fast(plan: RunPlan, do: Callable[..., None]) -> None:
    """Speech activity takes a tenth of the time that speakers take. The bar went back when transcription began."""
    estimate = Estimate(plan, Clock())
    for speech in ("long", "short"):
        do(estimate, "ingest", speech, 0.05)
        do(estimate, "diarize", speech, 0.1)
    before = estimate.share
    assert before < 0.25
    job = job_of(plan, "transcribe", "long")
    estimate.began(job)
    assert isinstance(estimate.clock, Clock)
    estimate.clock.now += 1.5
    estimate.progressed(job, 0.5, "")
    assert estimate.share > before


def test_waiting_for_the_device_of_another_run_is_shown_and_is_no_work(plan: RunPlan, do: Callable[..., None]) -> None:
    estimate = Estimate(plan, Clock())
    assert isinstance(estimate.clock, Clock)
    for speech in ("long", "short"):
        do(estimate, "ingest", speech, 0.1)
        do(estimate, "diarize", speech, 0.5)
    job = job_of(plan, "transcribe", "long")
    estimate.began(job)
    estimate.progressed(job, 0.0, "waits, another run uses the device cpu")
    assert [running.what for running in estimate.running] == ["waits, another run uses the device cpu"]
    estimate.clock.now += 3600
    estimate.began(job)
    estimate.clock.now += 6
    estimate.progressed(job, 0.5, "")
    assert estimate.seconds_left == pytest.approx(6 + 4, rel=0.15), "not hours"
    assert [running.what for running in estimate.running] == [""]


def test_what_cannot_be_done_any_more_is_not_waited_for(plan: RunPlan, do: Callable[..., None]) -> None:
    estimate = Estimate(plan, Clock())
    do(estimate, "ingest", "long", 0.1, state="failed")
    for stage in ("ingest", "diarize", "transcribe"):
        do(estimate, stage, "short", 1.0)
    assert estimate.share == pytest.approx(1.0)


def test_a_duration_that_the_file_did_not_say_is_taken_from_its_samples(plan: RunPlan, do: Callable[..., None]) -> None:
    estimate = Estimate(plan, Clock())
    do(estimate, "ingest", "long", 1.0, figures={"duration": 3000.0})
    assert estimate.audio_total == pytest.approx(3010)
    for stage, speech in (("ingest", "short"), ("diarize", "short"), ("transcribe", "short"), ("diarize", "long")):
        do(estimate, stage, speech, 1.0)
    do(estimate, "transcribe", "long", 100.0)
    assert estimate.share == pytest.approx(1.0)


def test_a_real_run_ends_at_one(plan: RunPlan, tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    short = plan_run(plan.corpus, Store(tmp_path / "other"), SETTINGS, ["diarize"])
    execute(short, watcher=ProgressWatcher(short, lambda *each: told.append(each)))
    shares = [share for share, _ in told]
    assert shares[-1] == pytest.approx(1.0)
    assert told[-1][1].startswith("diarize ")


def test_speeches_without_audio_count_by_their_words(tmp_path: Path) -> None:
    """A run over texts alone begins at 0 %, and a text of three times the length is three times the work."""
    for name, words in (("long", 300), ("short", 100)):
        (tmp_path / "corpus").mkdir(exist_ok=True)
        (tmp_path / "corpus" / f"{name}.txt").write_text("Phones distract. " * (words // 2))
    settings = Settings(transcribe={"text": "reference"})  # type: ignore[arg-type]
    plan = plan_run(open_corpus(tmp_path / "corpus"), Store(tmp_path / "run"), settings, ["segment"])
    estimate = Estimate(plan, Clock())
    assert (estimate.share, estimate.audio_total) == (0.0, 0.0)
    for job in [job for job in plan.jobs if job.item.id == "long"]:
        estimate.began(job)
        estimate.ended(job, Outcome(job.stage.name, job.item.scope, state="run", seconds=1.0))
    assert estimate.share == pytest.approx(0.75)
