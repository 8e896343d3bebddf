"""What a stage is, and the list of all stages.

A stage is a plain function from records to a record. The types of its parameters are its wiring: a parameter of type
`Transcript` takes the record of the stage that returns a `Transcript`; `Transcript | None` takes it if there is one; a
`Mapping[str, Sentences]` takes it from every speech of a motion, which makes the stage one of motions. A record that no
stage makes comes from the corpus.
"""

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from pipeline.errors import RostrumError, hint
from pipeline.records import Record
from pipeline.settings import StageSettings

P = ParamSpec("P")
R = TypeVar("R", bound=Record)
# Every stage, in the order in which they run. Each is the function of its name in `pipeline/NAME/stage.py`.
STAGES = (
    "ingest",
    "diarize",
    "transcribe",
    "score",
    "segment",
    "prosody",
    "speakers",
    "grade",
    "mentions",
    "counter",
    "keypoints",
    "convincing",
    "content",
)


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
        """The record's name as a person says it."""
        return spelled(self.kind)


def spelled(kind: type[Record]) -> str:
    """The name of a kind of record as a person says it.

    >>> from pipeline.records import GivenTranscript
    >>> spelled(GivenTranscript)
    'given transcript'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


@dataclass(frozen=True)
class Stage(Generic[P, R]):
    """A stage: call it like the function it is. Without `settings`, it uses the defaults."""

    function: Callable[P, R]
    version: int
    model: Callable[[Any], Mapping[str, str]] | None
    uses_device: bool | Callable[[Any], bool]
    inputs: tuple[Input, ...]
    settings: type[StageSettings] | None
    output: type[R]
    one_of: tuple[str, ...] = ()
    both_sides: bool = False
    pace: float = 0.001
    reports: bool = False
    side_by_side: Callable[[Any], bool] | None = None
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)
    needs: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict, compare=False)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.settings:
            kwargs.setdefault("settings", self.settings())
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """A stage travels to other processes by its name."""
        return stage_named, (self.name,)

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The first line of the stage's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def wants(self, name: str, settings: StageSettings | None) -> bool:
        """Whether the stage reads an input at all with these settings."""
        return name not in self.needs or self.needs[name](settings)

    def part_read(self, name: str, record: Record, settings: StageSettings | None) -> Record | None:
        """What the stage reads of an input from the corpus. Nothing else can reach it, or its fingerprint."""
        if not self.wants(name, settings):
            return None
        return only(record, self.reads[name]) if name in self.reads else record

    @property
    def scope(self) -> Literal["speech", "motion"]:
        return "motion" if any(each.many for each in self.inputs) else "speech"


def stage(
    *,
    version: int,
    model: Callable[[Any], Mapping[str, str]] | None = None,
    uses_device: bool | Callable[[Any], bool] = False,
    one_of: tuple[str, ...] = (),
    both_sides: bool = False,
    pace: float = 0.001,
    side_by_side: Callable[[Any], bool] | None = None,
    reads: Mapping[str, Sequence[str]] = MappingProxyType({}),
    needs: Mapping[str, Callable[[Any], bool]] = MappingProxyType({}),
) -> Callable[[Callable[P, R]], Stage[P, R]]:
    """Make a stage of a function.

    `version` is raised when the stage's results change. `model` returns the names and digests of the weights that the
    stage will use with its settings. A stage that `uses_device` has the GPU, or the cores, to itself; a function
    says for which settings. One that can work on several speeches at once, a core each, returns true from
    `side_by_side` for the settings with which it can.

    A stage is skipped without one of the inputs in `one_of`, or for a motion without speeches on `both_sides`. They
    stand here so that this is known before anything runs. `pace` is roughly how many seconds a second of speech takes.
    It weights the progress of a run until the run has times of its own.

    `reads` names the fields that the stage reads of an input from the corpus, where it does not read all of them: a
    change of another field does not make its result stale. An input in `needs` is read only if the function there
    returns true for the settings.

    A function with a parameter `progress` (of type `Progress`) says how far it is.
    """

    def decorate(function: Callable[P, R]) -> Stage[P, R]:
        hints = typing.get_type_hints(function)
        output = hints.pop("return")
        settings = hints.pop("settings", None)
        reports = hints.pop("progress", None) is not None
        inputs = tuple(_input(name, hint) for name, hint in hints.items())
        facts = (function, version, model, uses_device, inputs, settings, output)
        return Stage(*facts, one_of, both_sides, pace, reports, side_by_side, reads, needs)

    return decorate


def only(record: Record, fields: Sequence[str]) -> Record:
    """The record with these fields, and the defaults of its others. A record with `items` has them of its items.

    >>> from pipeline.records import Speech
    >>> only(Speech(id="anna", motion="zoos", stance="pro"), ["stance"])
    Speech(id='', motion=None, stance='pro', speakers=(), answers=None, response=None, score=None, recording=None)
    """
    items = getattr(record, "items", None)
    if isinstance(items, tuple):
        return type(record).model_validate({"items": tuple(only(item, fields) for item in items)})
    values: dict[str, Any] = {
        name: getattr(record, name) if name in fields else "" if field.is_required() else field.get_default()
        for name, field in type(record).model_fields.items()
    }
    return type(record).model_construct(None, **values)


def _input(name: str, hint: Any) -> Input:
    optional = typing.get_origin(hint) in (typing.Union, types.UnionType)
    if optional:
        hint = next(each for each in typing.get_args(hint) if each is not type(None))
    many = typing.get_origin(hint) is Mapping
    if many:
        hint = typing.get_args(hint)[1]
    return Input(name, hint, optional, many)


@functools.cache
def stage_named(name: str) -> Stage[..., Any]:
    """The stage of that name; its module is imported on first use."""
    found: Stage[..., Any] = getattr(import_module(f"pipeline.{name}.stage"), name)
    return found


@functools.cache
def all_stages() -> tuple[Stage[..., Any], ...]:
    """Every stage, in the order in which they run."""
    return tuple(stage_named(name) for name in STAGES)


@functools.cache
def makers() -> dict[type[Record], str]:
    """Which stage makes which record."""
    return {each.output: each.name for each in all_stages()}


def chosen_stages(names: Sequence[str] | None) -> tuple[Stage[..., Any], ...]:
    """The named stages and their dependencies, in order; all stages if none are named."""
    if not names:
        return all_stages()
    if unknown := [name for name in names if name not in STAGES]:
        raise RostrumError(f"--stages: there is no stage {unknown[0]!r}; {hint(unknown[0], STAGES)}")
    wanted = set(names)
    for name in reversed(STAGES):
        if name in wanted:
            wanted |= {maker for one in stage_named(name).inputs if (maker := makers().get(one.kind))}
    return tuple(stage_named(name) for name in STAGES if name in wanted)
