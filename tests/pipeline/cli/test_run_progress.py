"""What a run says of itself while it goes."""

import io
from pathlib import Path

import pytest
from rich.console import Console

import pipeline.cli.console
from pipeline.cli.run_progress import RunProgress
from pipeline.corpus import open_corpus
from pipeline.run.configuration import Settings
from pipeline.run.job import Outcome
from pipeline.run.plan import RunPlan, plan_run
from pipeline.run.store import Store
from tests.sounds import sine, write


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pipeline.cli.console, "time", clock)
    return clock


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    for name, seconds in (("long", 90.0), ("short", 30.0)):
        write(tmp_path / "corpus" / f"{name}.wav", sine(seconds, 8_000), 8_000)
    return plan_run(open_corpus(tmp_path / "corpus"), Store(tmp_path / "run"), Settings(), ["transcribe"])


def shown(plan: RunPlan, *, terminal: bool) -> tuple[RunProgress, io.StringIO]:
    output = io.StringIO()
    progress = RunProgress(plan, Console(file=output, force_terminal=terminal, width=100, color_system=None))
    return progress, output


def test_a_file_gets_a_line_now_and_then(plan: RunPlan, clock: Clock) -> None:
    progress, output = shown(plan, terminal=False)
    progress.clock = clock.monotonic
    job = plan.jobs[0]
    for _ in range(300):
        clock.now += 1.0
        progress.began(job)
        progress.progressed(job, 0.5, "and so")
    lines = output.getvalue().splitlines()
    assert 15 < len(lines) < 31, "every ten seconds, then more rarely"
    assert "of 2 min of audio" in lines[-1]
    assert lines[-1].endswith("; now: ingest long 50%: and so")


def test_a_short_run_says_nothing_in_a_file(plan: RunPlan, clock: Clock) -> None:
    progress, output = shown(plan, terminal=False)
    clock.now += 9.0
    progress.progressed(plan.jobs[0], 0.5, "")
    assert output.getvalue() == ""


def test_a_terminal_sees_what_runs_how_far_and_how_long(plan: RunPlan, clock: Clock) -> None:
    progress, output = shown(plan, terminal=True)
    progress.clock = clock.monotonic
    console = Console(file=output, force_terminal=True, width=100, color_system=None)
    console.print(progress.picture())
    assert " 0 s of 2 min of audio" in output.getvalue()
    jobs = [job for job in plan.jobs if job.stage.name == "ingest"]
    for job in jobs:
        progress.began(job)
    clock.now += 60
    progress.progressed(jobs[0], 0.5, "we should [b]ban[/b] them")
    console.print(progress.picture())
    last = output.getvalue().splitlines()[-3:]
    assert "left" in last[0]
    assert last[1:] == ["ingest long 50%: we should [b]ban[/b] them", "ingest short"]


def test_a_failure_is_said_at_once(plan: RunPlan, clock: Clock) -> None:
    progress, output = shown(plan, terminal=True)
    job = plan.jobs[0]
    progress.began(job)
    progress.ended(job, Outcome("ingest", "long", "failed", "long.wav: is empty [0 bytes]"))
    assert output.getvalue() == "failed: long: ingest: long.wav: is empty [0 bytes]\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_while_the_report_is_written_a_run_says_so_and_not_that_it_is_done(
    plan: RunPlan, clock: Clock, terminal: bool
) -> None:
    progress, output = shown(plan, terminal=terminal)
    progress.clock = clock.monotonic
    for job in plan.jobs:
        progress.began(job)
        progress.ended(job, Outcome(job.stage.name, job.item.id, "run", seconds=1.0))
    clock.now += 60.0
    progress.reporting(0.25, "long")
    if terminal:
        Console(file=output, force_terminal=True, width=100, color_system=None).print(progress.picture())
    (line,) = output.getvalue().splitlines()
    assert line.endswith(f"25%{' ' if terminal else ', '}all results are stored, writing the report")
