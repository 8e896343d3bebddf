"""A member of a family from one file, as somebody would add it: in a folder that the family's package also looks in."""

import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest


def add_member(monkeypatch: pytest.MonkeyPatch, folder: Path, package: str, file: str, source: str) -> None:
    """Write `file` into the folder and let the package find it there, until the test ends."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(source), encoding="utf-8")
    found = import_module(package)
    monkeypatch.setattr(found, "__path__", [*found.__path__, str(folder)])
    # what the test imports is forgotten with it
    name = f"{package}.{Path(file).parts[0].removesuffix('.py')}"
    for module in (name, *(each for each in sys.modules if each.startswith(f"{name}."))):
        monkeypatch.setitem(sys.modules, module, sys.modules.get(module))
        monkeypatch.delitem(sys.modules, module)
