"""How a command ends: the exit code that it gives, and what becomes of its errors."""

import sys

import click
import pytest

from pipeline.cli.lazy import run_command
from pipeline.errors import RostrumError


@click.group()
def group() -> None:
    pass


@group.command()
def works() -> None:
    pass


@group.command()
@click.pass_context
def fails(context: click.Context) -> None:
    context.exit(1)


@group.command()
def refuses() -> None:
    raise RostrumError("a.wav: is no recording")


@pytest.mark.parametrize(("command", "code"), [("works", 0), ("fails", 1), ("refuses", 2), ("--help", 0), ("typo", 2)])
def test_a_program_ends_with_the_code_of_its_command(
    command: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rostrum", command])
    with pytest.raises(SystemExit) as ended:
        run_command(group)
    assert ended.value.code == code
    assert "Traceback" not in capsys.readouterr().err
