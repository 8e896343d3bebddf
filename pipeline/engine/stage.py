"""What a stage is.

A stage is a plain function from records to a record. The types of its parameters are its wiring: a parameter of type
`Transcript` takes what the stage that returns a `Transcript` made; `Transcript | None` takes it if it is there; and a
`Mapping[str, Sentences]` takes it from every speech of a motion, which makes the stage one of motions.
"""

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from pipeline.records import Record

P = ParamSpec("P")
R = TypeVar("R", bound=Record)


class Skip(Exception):
    """Raised by a stage that lacks what it needs; the reason is stored in place of a record."""


@dataclass(frozen=True)
class Input:
    """One parameter of a stage."""

    name: str
    kind: type[Record]
    optional: bool
    many: bool

    @property
    def spelled(self) -> str:
        """The record's name as a person says it: 'given transcript'."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.kind.__name__).lower()


@dataclass(frozen=True)
class Stage(Generic[P, R]):
    """A stage: call it like the function it is."""

    function: Callable[P, R]
    version: int
    model: Callable[[Any], Mapping[str, str]] | None
    heavy: bool
    inputs: tuple[Input, ...]
    output: type[R]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """A stage travels to other processes by its name."""
        from pipeline.stages import stage_named

        return stage_named, (self.name,)

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The first line of the stage's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def scope(self) -> Literal["speech", "motion"]:
        return "motion" if any(each.many for each in self.inputs) else "speech"


def stage(
    *, version: int, model: Callable[[Any], Mapping[str, str]] | None = None, heavy: bool = False
) -> Callable[[Callable[P, R]], Stage[P, R]]:
    """Make a stage of a function.

    `version` is raised when the stage's results change; `model` tells, from the stage's settings, the name and digest
    of the weights it will use; `heavy` says that it wants the device for itself.
    """

    def decorate(function: Callable[P, R]) -> Stage[P, R]:
        hints = typing.get_type_hints(function)
        output = hints.pop("return")
        hints.pop("settings", None)
        inputs = tuple(_input(name, hint) for name, hint in hints.items())
        return Stage(function, version, model, heavy, inputs, output)

    return decorate


def _input(name: str, hint: Any) -> Input:
    optional = typing.get_origin(hint) in (typing.Union, types.UnionType)
    if optional:
        hint = next(each for each in typing.get_args(hint) if each is not type(None))
    many = typing.get_origin(hint) is Mapping
    if many:
        hint = typing.get_args(hint)[1]
    return Input(name, hint, optional, many)
