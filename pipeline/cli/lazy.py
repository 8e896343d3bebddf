"""Commands that are imported only when they are called, so that `--help` does not wait for torch."""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class FoundCommands(click.Group, ABC):
    """A group that finds its commands when it is used. A subclass lists them, and loads one by name."""

    @abstractmethod
    def summaries(self) -> Mapping[str, str]:
        """Each command's name and one line of help."""

    @abstractmethod
    def load(self, name: str) -> click.Command:
        """The command of that name, imported now."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.load(cmd_name) if cmd_name in self.summaries() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the user named. If there is none, the error names the nearest one."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from pipeline.errors import hint

            ctx.fail(f"no command {args[0]!r}; {hint(args[0], names)}")
        return super().resolve_command(ctx, args)


class LazyGroup(FoundCommands):
    """A group that knows each command's module and one line of help, and imports a command when it is called.

    `lazy` maps a name to (`module:attribute`, help).
    """

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def summaries(self) -> Mapping[str, str]:
        return {name: text for name, (_, text) in self.lazy.items()}

    def load(self, name: str) -> click.Command:
        module, attribute = self.lazy[name][0].split(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


def run_command(group: click.Group) -> None:
    """Run the command that the user typed, and exit. An error is one line on stderr and exit code 2.

    With ROSTRUM_TRACEBACK=1 in the environment, an error shows its traceback.
    """
    from pipeline.errors import printable
    from pipeline.system.environment import prepare_environment

    prepare_environment()
    # The current folder may be a corpus. No Python that is started from here may import modules from it.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        code = group.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)  # click returns the exit code of `context.exit`
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:  # the program that reads the output has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("ROSTRUM_TRACEBACK"):
            raise
        from pipeline.run.job import reason_of

        click.echo(f"error: {printable(reason_of(error))}", err=True)
        sys.exit(2)
