"""Families of interchangeable modules: recognisers, methods, formats, evaluations.

Every file in the family's folder is a member, or holds several. To add a member, add a file; the package has no list.
"""

import ast
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from threading import Lock
from types import ModuleType

from pipeline.errors import RostrumError, hint

# Python 3.11 may fail where two threads parse at the same time.
_PARSING = Lock()


@dataclass(frozen=True)
class Family:
    """A package whose modules are the members of a family.

    A member has the name of its file, with '-' for '_'. The first line of its docstring describes it. A file that holds
    several members names and describes them in a literal `MEMBERS = {name: description}` instead. Files that begin with
    '_' are not members. Listing the members imports neither them nor the package.

    `noun` is the word for a member in errors. With a `prefix`, only files whose names begin with it are members.

    >>> evaluations = Family("pipeline.matching", "evaluation", prefix="evaluate_")
    >>> evaluations.names()
    ['pairs', 'relations']
    >>> evaluations.load("pair")
    Traceback (most recent call last):
    pipeline.errors.RostrumError: there is no evaluation 'pair'; did you mean pairs?
    """

    package: str
    noun: str
    prefix: str = ""

    def names(self) -> list[str]:
        """The members' names, in alphabetical order."""
        return sorted(self._members())

    def summaries(self) -> dict[str, str]:
        """The description of each member, by name; read from the source, not imported."""
        return {name: description for name, (_, description) in sorted(self._members().items())}

    def check(self, name: str) -> str:
        """Return the name if a member has it. Raise an error with the nearest name otherwise."""
        names = self.names()
        if name in names:
            return name
        raise RostrumError(f"there is no {self.noun} {name!r}; {hint(name, names)}")

    def load(self, name: str) -> ModuleType:
        """The module that holds a member, imported now."""
        return importlib.import_module(self._members()[self.check(name)][0])

    def all(self) -> Iterator[ModuleType]:
        """The modules that hold the members, in the order of their first members."""
        return map(importlib.import_module, dict.fromkeys(module for _, (module, _) in sorted(self._members().items())))

    def _members(self) -> dict[str, tuple[str, str]]:
        """(name of its module, description) of each member, by name."""
        members: dict[str, tuple[str, str]] = {}
        for file in pkgutil.iter_modules(_folders(self.package)):
            if file.name.startswith(self.prefix) and not file.name.startswith("_"):
                module = f"{self.package}.{file.name}"
                described = _described(file, file.name.removeprefix(self.prefix).replace("_", "-"))
                members |= {name: (module, description) for name, description in described.items()}
        return members


def _folders(package: str) -> list[str]:
    """The folders of a package, which is not imported for that."""
    if package in sys.modules:
        return list(sys.modules[package].__path__)
    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []


def _described(file: pkgutil.ModuleInfo, own_name: str) -> dict[str, str]:
    """The description of each member that a module holds, by name: of those in `MEMBERS`, or of the module itself."""
    spec = file.module_finder.find_spec(file.name, None)
    source = spec.loader.get_source(file.name) if spec and spec.loader else None  # type: ignore[attr-defined]
    with _PARSING:
        members, docstring = _declared(source or "")
    return members or {own_name: docstring.partition("\n")[0]}


@cache
def _declared(source: str) -> tuple[dict[str, str], str]:
    """(`MEMBERS`, docstring) of a module's source."""
    tree = ast.parse(source)
    tables = [
        line.value for line in tree.body if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "MEMBERS"
    ]
    return (ast.literal_eval(tables[0]) if tables else {}), ast.get_docstring(tree) or ""
