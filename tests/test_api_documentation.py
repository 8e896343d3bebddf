"""docs/api.md lists what a notebook calls. `python -m tests.test_api_documentation` writes its lists."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import rostrum
from pipeline.records import Record
from pipeline.stage import STAGES, all_stages

DOCUMENT = Path(__file__).parents[1] / "docs" / "api.md"
HEADING = "## `rostrum`\n"


def plain(annotation: object) -> str:
    """A type as it is written, without the modules that it comes from."""
    text = inspect.formatannotation(annotation) if not isinstance(annotation, str) else annotation
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", text).replace("'", "").replace('"', "")


def call(name: str, function: Callable[..., Any]) -> str:
    """A function's name, parameters and result."""
    signature = inspect.signature(function)
    parameters = [each.replace(annotation=plain(each.annotation)) for each in signature.parameters.values()]
    written = re.sub(r": '([^']*)'", r": \1", str(inspect.Signature(parameters)))
    written = re.sub(r"<function (\w+) at [^>]*>", r"\1", written)
    return f"{name}{written} -> {plain(signature.return_annotation)}"


def members(kind: type) -> Iterator[str]:
    """A row for each public member that the class says something of."""
    for name, member in vars(kind).items():
        attribute = member.func if isinstance(member, cached_property) else getattr(member, "fget", member)
        if name.startswith("_") or not inspect.isfunction(attribute) or not attribute.__doc__:
            continue
        shown = f"{name}()" if inspect.isfunction(member) else name
        yield f"| `{shown}` | {first_paragraph(attribute)} |"


def first_paragraph(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def entry(name: str) -> Iterator[str]:
    """A function with its whole docstring, or a class with its members."""
    thing = getattr(rostrum, name)
    if inspect.isclass(thing):
        yield f"### `{name}`\n\n{first_paragraph(thing)}\n"
        if rows := list(members(thing)):
            yield "\n".join(["| member | what it is |", "|---|---|", *rows]) + "\n"
    else:
        text = (inspect.getdoc(thing) or "").split(">>>")[0].strip()
        yield f"### `{name}`\n\n```python\n{call(name, thing)}\n```\n\n{text}\n"


def listing() -> str:
    """All lists of the page."""
    lines = [HEADING]
    for name in rostrum.__all__:
        lines += entry(name)
    lines += ["## Stages\n\n`from pipeline.NAME.stage import NAME`. The order is that of a run.\n"]
    for stage in all_stages():
        lines += [f"**{stage.name}**: {stage.summary}\n\n```python\n{call(stage.name, stage.function)}\n```\n"]
    lines += ["## Records\n\nThose of stages are in their rooms, the others in `pipeline.records`. All are frozen.\n"]
    rooms = [import_module(f"pipeline.{name}") for name in ("records", *(f"{stage}.stage" for stage in STAGES))]
    kinds = {
        kind for room in rooms for kind in vars(room).values() if inspect.isclass(kind) and issubclass(kind, Record)
    } - {Record}
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        fields = ", ".join(f"`{name}: {plain(field.annotation)}`" for name, field in kind.model_fields.items())
        lines += [f"- **{kind.__name__}**: {first_paragraph(kind)} {fields}"]
    return "\n".join(lines) + "\n"


def facts(page: str) -> set[str]:
    """Calls, members and fields that a page names, whatever it says of them."""
    return set(re.findall(r"^\w+\(.*\) -> .*$|^\| `\w+(?:\(\))?` \||`\w+: [^`]+`|^- \*\*\w+\*\*", page, re.M))


def test_the_page_lists_what_there_is() -> None:
    documented = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[2]
    assert len(facts(documented)) > 200
    assert facts(documented) == facts(listing()), __doc__


if __name__ == "__main__":
    before = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0]
    DOCUMENT.write_text(before + listing(), encoding="utf-8")
