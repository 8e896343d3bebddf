"""The command `rostrum` in this process, as fast as a function: what it prints, and how it exits."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result

import flows.cli


class _Main:
    """The entry point of `rostrum`, as click's runner calls it: errors and exit codes are made there."""

    name = "rostrum"

    def main(self, args: list[str], prog_name: str, **_: Any) -> None:
        with patch.object(sys, "argv", [prog_name, *args]):
            flows.cli.main()


def rostrum(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> Result:
    """The result of a command that neither begins a run by Prefect nor waits for a signal: those need a process."""
    with chdir(cwd or Path.cwd()), patch.dict(os.environ), _own_logs():
        return CliRunner().invoke(_Main(), [str(each) for each in arguments], input=stdin)  # type: ignore[arg-type]


@contextmanager
def _own_logs() -> Iterator[None]:
    """What the command logs goes where it prints; afterwards, loggers are as they were."""
    loggers = [logging.getLogger(name) for name in ("rostrum", "py.warnings")]
    before = [(each.handlers, each.propagate, each.level) for each in loggers]
    try:
        yield
    finally:
        for each, (handlers, propagate, level) in zip(loggers, before, strict=True):
            each.handlers, each.propagate = handlers, propagate
            each.setLevel(level)
