"""Families of interchangeable modules: recognisers, methods, formats, evaluations.

Every file in the family's folder is a member. To add a member, add a file; there is no list of members.
"""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType

from pipeline.errors import RostrumError, hint


@dataclass(frozen=True)
class Family:
    """A package whose modules are the members of a family.

    A member has the name of its file, with '-' for '_'. The first line of its docstring describes it. Files that begin
    with '_' are not members. Listing the members does not import them, so the package's `__init__` must stay light.

    `noun` is the word for a member in errors. With `packages`, only packages in the folder are members; modules beside
    them are helpers. With a `prefix`, only files whose names begin with it are members.

    >>> evaluations = Family("pipeline.evaluation", "evaluation", packages=True)
    >>> evaluations.names()[:3]
    ['content', 'convincing', 'counter']
    >>> evaluations.load("countr")
    Traceback (most recent call last):
    pipeline.errors.RostrumError: there is no evaluation 'countr'; did you mean counter?
    """

    package: str
    noun: str
    packages: bool = False
    prefix: str = ""

    def names(self) -> list[str]:
        """The members' names, in alphabetical order."""
        return sorted(self._modules())

    def summaries(self) -> dict[str, str]:
        """The first line of each member's docstring, by name; read from the source, not imported."""
        return {name: _first_line(module) for name, module in sorted(self._modules().items())}

    def check(self, name: str) -> str:
        """Return the name if a member has it. Raise an error with the nearest name otherwise."""
        names = self.names()
        if name in names:
            return name
        raise RostrumError(f"there is no {self.noun} {name!r}; {hint(name, names)}")

    def load(self, name: str) -> ModuleType:
        """The module of a member, imported now."""
        return importlib.import_module(self._modules()[self.check(name)])

    def all(self) -> Iterator[ModuleType]:
        """The modules of all members, imported one after the other."""
        return (self.load(name) for name in self.names())

    def _modules(self) -> dict[str, str]:
        """The full module name of each member, by name."""
        found = pkgutil.iter_modules(importlib.import_module(self.package).__path__)
        return {
            each.name.removeprefix(self.prefix).replace("_", "-"): f"{self.package}.{each.name}"
            for each in found
            if each.name.startswith(self.prefix) and not each.name.startswith("_") and (each.ispkg or not self.packages)
        }


def _first_line(module: str) -> str:
    """The first line of a module's docstring."""
    spec = find_spec(module)
    source = spec.loader.get_source(module) if spec and spec.loader else None  # type: ignore[attr-defined]
    text = ast.get_docstring(ast.parse(source or "")) or ""
    return text.partition("\n")[0]
