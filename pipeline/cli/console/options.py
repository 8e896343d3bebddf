"""Options that several commands have."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pipeline.cli.console.completion import assignments_like
from pipeline.cli.console.paths import LocalPath

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
