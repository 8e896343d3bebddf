"""Progress of a run, on stderr: a few lines that change in a terminal, or a line from time to time in a file."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pipeline.cli.console import NowAndThen
from pipeline.errors import printable
from pipeline.report.formatting import duration
from pipeline.run.estimate import Estimate, Running
from pipeline.run.job import Job, Outcome
from pipeline.run.plan import RunPlan
from pipeline.system.interrupt import tidied_by

_MOST_SHOWN = 3
_BAR_WIDTH = 30


class RunProgress(Estimate):
    """Watches a run and shows what runs now, how much of the audio is done, and how much time is left."""

    def __init__(self, plan: RunPlan, console: Console) -> None:
        super().__init__(plan)
        self._console = console
        self._now_and_then = NowAndThen(lambda text: console.print(text, markup=False, soft_wrap=True))
        self._reported: float | None = None

    def progressed(self, job: Job, share: float, what: str) -> None:
        super().progressed(job, share, what)
        self._line_now_and_then()

    def ended(self, job: Job, outcome: Outcome) -> None:
        super().ended(job, outcome)
        if outcome.state == "failed" and self._console.is_terminal:
            failure = f"failed: {job.item.id}: {outcome.stage}: {outcome.reason}"
            self._console.print(printable(failure), markup=False)
        self._line_now_and_then()

    def reporting(self, share: float, what: str) -> None:
        """Note that the report is being written, and this share of it is done."""
        self._reported = share
        self._line_now_and_then()

    def picture(self) -> RenderableType:
        """The lines that a terminal shows during the run."""
        share = self._shown_share
        line = Table.grid(padding=(0, 1))
        line.add_row(ProgressBar(total=1.0, completed=share, width=_BAR_WIDTH), f"{share:>4.0%}", self._amount())
        running = [Text(text, no_wrap=True, overflow="ellipsis", style="dim") for text in self._running()]
        return Group(line, *running)

    def line(self) -> str:
        """The line that is printed from time to time if stderr is a file."""
        now = "; ".join(self._running())
        return f"{self._shown_share:.0%}, {self._amount()}{'; now: ' if now else ''}{now}"

    @property
    def _shown_share(self) -> float:
        """The share of the results that is done; when all are stored, that of the report."""
        return self.share if self._reported is None else self._reported

    def _amount(self) -> str:
        if self._reported is not None:
            return "all results are stored, writing the report"
        done, total, left = self.audio_done, self.audio_total, self.seconds_left
        ended, jobs = self.ended_jobs, len(self.plan.jobs)
        audio = f"{_time(done)} of {_time(total)} of audio" if total else f"{ended} of {jobs} results" if ended else ""
        until = "" if left is None else f"about {_time(left)} left" if left >= 1 else "nearly done"
        return ", ".join(part for part in (audio, until) if part) or "starting"

    def _running(self) -> list[str]:
        running = self.running
        more = len(running) - _MOST_SHOWN
        return [*map(_running_line, running[:_MOST_SHOWN]), *([f"and {more} more"] if more > 0 else [])]

    def _line_now_and_then(self) -> None:
        if not self._console.is_terminal:
            self._now_and_then(self.line)


@contextmanager
def run_progress(plan: RunPlan) -> Iterator[RunProgress]:
    """Show the progress of a run. Yields the watcher of the run."""
    console = Console(stderr=True, highlight=False)
    shown = RunProgress(plan, console)
    if not console.is_terminal:
        yield shown
        return
    live = Live(get_renderable=shown.picture, console=console, transient=True, refresh_per_second=4)
    with live, tidied_by(live.stop, at_once=True):
        yield shown


def _running_line(running: Running) -> str:
    share = f" {running.share:.0%}" if running.share else ""
    return printable(f"{running.stage} {running.item}{share}{': ' if running.what else ''}{running.what}")


def _time(seconds: float) -> str:
    """A duration for people, without tenths of a second."""
    return f"{seconds:.0f} s" if seconds < 60 else duration(seconds).replace("\u00a0", " ")
