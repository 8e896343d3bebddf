"""How large the container's image is, by what its Dockerfile installs: no Docker engine is needed.

    python benchmarks/image.py

Adds up the files, compiled ones included, of each package of requirements.lock as it is installed in this environment,
which must have the CPU build of PyTorch, as the image has. The
base image is as Docker lists `python:3.11-slim`; the default models are in the image with WEIGHTS=baked.
"""

from importlib.metadata import distribution

import click
from growth import ROOT
from packaging.requirements import Requirement

from pipeline.cli.console import print_rows
from pipeline.models import CATALOGUE

BASE = 130
SHOWN = 12


@click.command()
def main() -> None:
    """Print the table."""
    sizes = {name: _size(name) for name in _locked()}
    own = sum(path.stat().st_size for folder in ("pipeline", "flows") for path in (ROOT / folder).rglob("*.*"))
    rows = [("packages", sum(sizes.values())), ("rostrum", own), ("base image", BASE * 10**6)]
    rows += [("all, with the weights in a volume", sum(size for _, size in rows))]
    rows += [("default models", sum(model.size for model in CATALOGUE if model.default))]
    print_rows("", [{"part": name, "MB": round(size / 1e6)} for name, size in rows])
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:SHOWN]
    print_rows("largest packages", [{"package": name, "MB": round(size / 1e6)} for name, size in largest])


def _locked() -> list[str]:
    """The packages of the lock that this platform needs."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = [Requirement(line.rstrip("\\")) for line in lines if line and line[0] not in "# "]
    return [each.name for each in locked if each.marker is None or each.marker.evaluate()]


def _size(name: str) -> int:
    """The bytes of a package's installed files."""
    paths = (file.locate() for file in distribution(name).files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


if __name__ == "__main__":
    main()
