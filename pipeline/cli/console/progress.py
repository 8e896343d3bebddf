"""Progress of one long piece of work, on stderr: a bar in a terminal, a line now and then where it goes to a file."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from pipeline.printable import printable
from pipeline.progress import Progress as Report
from pipeline.system.interrupt import tidied_by

# Lines in a file: the first after so many seconds, the next ones after as many or after this share of the time so far.
_FIRST_LINE, _SHARE_OF_TIME = 10.0, 0.1


class NowAndThen:
    """Prints a line when it is time for one. May be called from any thread."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo, self._lock = echo, Lock()
        self._began = self._last = time.monotonic()

    def __call__(self, line: Callable[[], str]) -> None:
        """Print what `line` returns, if the last line is long enough ago."""
        with self._lock:
            now = time.monotonic()
            if now - self._last < max(_FIRST_LINE, _SHARE_OF_TIME * (now - self._began)):
                return
            self._last = now
        self._echo(line())


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """A bar; call what it yields with the share that is done, from 0 to 1, and what is being done."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        print_line = NowAndThen(lambda text: console.print(text, markup=False, soft_wrap=True))

        def tell(share: float, what: str) -> None:
            if share < 1:
                print_line(lambda: printable(f"{title}: {share:.0%}, {what}"))

        yield tell
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as bars, tidied_by(bars.stop, at_once=True):
        task = bars.add_task(title, total=1.0)
        yield lambda share, what: bars.update(task, completed=share, description=f"{title}: {escape(printable(what))}")
