"""What every command shares: options, paths, tables, progress on stderr, and what the shell offers after Tab."""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, get_args

import click
import rich.box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pipeline.errors import RostrumError, printable
from pipeline.family import Family
from pipeline.progress import Progress as Report
from pipeline.system.interrupt import interruptible, tidied_by

# Progress of one long piece of work, on stderr: a bar in a terminal, or a line from time to time in a file.

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


# Rows as a table in the terminal.


def print_rows(title: str, rows: Iterable[Mapping[str, Any]], decimals: int = 3) -> None:
    """Print mappings with a shared set of keys on stdout, one column per key."""
    rows = list(rows)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(title=escape(printable(title)) or None, title_justify="left", box=rich.box.SIMPLE_HEAD)
    for column in columns:
        is_number = any(isinstance(row.get(column), int | float) for row in rows)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell(row.get(column), decimals) for column in columns))
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(table)
        return
    # A pipe has no width. The table is as wide as it needs to be, instead of folded at 80 columns.
    wide = Console(highlight=False, width=1000)
    with wide.capture() as capture:
        wide.print(table)
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def cell(value: Any, decimals: int) -> str:
    """The text of a cell. Brackets are escaped, because rich would take them for colours."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return escape(printable(value))


# Paths that a user types. A URL is an error that says so, instead of a missing file.

# The name and password, or the keys, of an address.
_KEYS = re.compile(r"://[^@]*@")
_FETCH_FIRST = (
    ", and rostrum fetches nothing; get the recording first (`curl -LO URL`, or `yt-dlp -x URL` for the page of a "
    "video), then give the file"
)
_FOLDER_HERE = "; name a folder of this machine"


class LocalPath(click.Path):
    """A path on this machine. A URL is an error with this advice; rostrum itself fetches nothing."""

    def __init__(self, *, advice: str = _FETCH_FIRST, **options: Any) -> None:
        super().__init__(path_type=Path, **options)
        self._advice = advice

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        option = f"{param.opts[0]} " if isinstance(param, click.Option) else ""
        refuse_url(str(value), option, self._advice)
        return super().convert(value, param, ctx)


# Paths that a command reads, and a folder that it writes.
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = LocalPath(advice=_FOLDER_HERE, file_okay=False)


def refuse_url(text: str, option: str = "", advice: str = _FETCH_FIRST) -> None:
    """Raise an error if the text is a URL."""
    if "://" in text:
        without_keys = _KEYS.sub("://...@", text)
        raise RostrumError(f"{option}{without_keys}: a URL{advice}")


def shown(path: Path) -> str:
    """A path for stdout: unchanged for another program, with control characters spelled out for a terminal."""
    return printable(path) if sys.stdout.isatty() else str(path)


# Options that several commands have, and what --help says of names that they take.


def listed(title: str, family: Family) -> str:
    """The members of a family for --help, one per line. (The mark at the beginning keeps click from joining lines.)"""
    width = max(map(len, family.names()))
    return f"\b\n{title}:\n" + "\n".join(f"  {name:<{width}}  {text}" for name, text in family.summaries().items())


F = TypeVar("F", bound=Callable[..., Any])


def setting_options(command: F) -> F:
    """The options `--settings` and `--set`, which a command takes as `file` and `assignments`."""
    from_file = click.option(
        "--settings", "file", type=LocalPath(), help="A TOML file with settings. Default: ./rostrum.toml."
    )
    one_by_one = click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="STAGE.SETTING=VALUE",
        help="Change a setting. Repeatable.",
        shell_complete=assignments_like,
    )
    return from_file(one_by_one(command))


# What the shell offers after Tab: names of stages, formats, settings, speeches and models.


def stages_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Names for `--stages`, which are separated by commas."""
    from pipeline.stage import STAGES

    before, comma, last = typed.rpartition(",")
    return [f"{before}{comma}{name}" for name in _like(STAGES, last)]


def formats_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Names of export formats."""
    from pipeline.export.formats import FORMATS

    return _like(FORMATS.names(), typed)


def models_like(_context: click.Context, _argument: click.Parameter, typed: str) -> list[str]:
    """Names of models that can be fetched."""
    from pipeline.models.catalogue import CATALOGUE

    return _like((model.name for model in CATALOGUE), typed)


def assignments_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Settings for `--set`. After the '=', the values of a setting that has a list of them."""
    from pipeline.run.configuration import Settings, known_settings

    name, equals, value = typed.partition("=")
    if not equals:
        return [f"{setting}=" for setting in _like(known_settings(), name)]
    if name not in known_settings():
        return []
    stage, _, setting = name.partition(".")
    own = Settings().of(stage)
    assert own is not None
    field = type(own).model_fields[setting]
    choices = ("true", "false") if field.annotation is bool else get_args(field.annotation)
    return _like((f"{name}={each}" for each in choices if isinstance(each, str)), f"{name}={value}")


def speeches_like(context: click.Context, _argument: click.Parameter, typed: str) -> list[str]:
    """Speeches and motions of the run that is named earlier on the command line."""
    return _like(_items(context.params.get("run") or ""), typed)


def _items(run: str) -> Iterator[str]:
    """The ids of a run's speeches and motions; none where there is no run."""
    from pipeline.errors import RostrumError
    from pipeline.run.index import load
    from pipeline.run.store import Store

    try:
        summary = load(Store(run))
    except (RostrumError, OSError):
        return
    yield from (item.id for item in summary.items) if summary else ()


def _like(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]
