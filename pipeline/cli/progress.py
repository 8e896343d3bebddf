"""Progress of one long piece of work, on stderr and only where somebody watches."""

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.printable import printable
from pipeline.progress import Progress as Report


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """A bar; call what it yields with the share that is done, from 0 to 1, and what is being done."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        task = bars.add_task(title, total=1.0)
        yield lambda share, what: bars.update(task, completed=share, description=f"{title}: {escape(printable(what))}")
