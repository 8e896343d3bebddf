"""Progress of one long piece of work, on stderr: a bar in a terminal, or a line from time to time in a file."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

import click

from pipeline.printable import printable
from pipeline.progress import Progress as Report
from pipeline.system.interrupt import interruptible, tidied_by

# Between two lines in a file pass at least so many seconds, and this share of the time since the beginning.
_FIRST_LINE, _SHARE_OF_TIME = 10.0, 0.1


class NowAndThen:
    """Prints a line from time to time. May be called from any thread."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo, self._lock = echo, Lock()
        self._began = self._last = time.monotonic()

    def __call__(self, line: Callable[[], str]) -> None:
        """Print what `line` returns, if enough time has passed since the last line."""
        with self._lock:
            now = time.monotonic()
            if now - self._last < max(_FIRST_LINE, _SHARE_OF_TIME * (now - self._began)):
                return
            self._last = now
        self._echo(line())


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """Show a progress bar. Yields a function that takes the share that is done, from 0 to 1, and what is being done."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        print_line = NowAndThen(lambda text: console.print(text, markup=False, soft_wrap=True))

        def report(share: float, what: str) -> None:
            if share < 1:
                print_line(lambda: printable(f"{title}: {share:.0%}, {what}"))

        yield report
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as bars, tidied_by(bars.stop, at_once=True):
        task = bars.add_task(title, total=1.0)
        yield lambda share, what: bars.update(task, completed=share, description=f"{title}: {escape(printable(what))}")


def with_progress(title: str, command: click.Command, options: Mapping[str, Any]) -> Any:
    """Call a command's function with a progress bar, so that Ctrl-C ends it, and return its result."""
    assert command.callback
    callback = command.callback
    with progress_bar(title) as progress:
        return interruptible(lambda: callback(progress=progress, **options), "interrupted")
