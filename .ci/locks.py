"""Writes what pip reads of uv.lock, with digests: requirements.lock, requirements-dev.lock and requirements-cuda.lock.

    .ci/locks.py UV        (.ci/lock calls it)

uv.lock has the files of the Python package index. PyTorch's CPU builds for Linux are in an index of their own, which
lists their digests. If it cannot be reached, those of the same version in the former requirements.lock stay.
"""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

EXTRAS = ["dask", "linguistics", "s3", "writer"]
# What only PyTorch's CUDA build needs. triton is wanted by openai-whisper too, which uses it on a GPU only.
CUDA = re.compile(r"(cuda|nvidia)-|triton==")
CPU_INDEX = "https://download.pytorch.org/whl/cpu/torch/"
HEAD = (
    "# Written by .ci/lock from uv.lock: exact versions that are known to work together, with the sha256 of each file."
)


def main(uv: str) -> None:
    """Write the three files."""
    entries, dev = exported(uv, EXTRAS), exported(uv, [*EXTRAS, "dev", "docs"])
    torch = next(entry for entry in entries if entry.startswith("torch=="))
    whole = with_digests(torch, cpu_digests(torch.split()[0].removeprefix("torch==")))
    files = {
        "requirements.lock": [entry for entry in entries if not CUDA.match(entry)],
        "requirements-dev.lock": [entry for entry in dev if not CUDA.match(entry)],
        "requirements-cuda.lock": [entry for entry in entries if CUDA.match(entry)],
    }
    for name, kept in files.items():
        Path(name).write_text("".join([HEAD + "\n", *(whole if entry == torch else entry for entry in kept)]), "utf-8")


def exported(uv: str, extras: list[str]) -> list[str]:
    """The locked packages: for each one the line of its version and those of its digests."""
    options = ["--quiet", "--frozen", "--no-emit-project", "--no-annotate", "--no-header"]
    command = [uv, "export", *options, *(part for extra in extras for part in ("--extra", extra))]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\S.*\n(?:[ ]+.*\n)*", text, re.M)


def cpu_digests(version: str) -> set[str]:
    """The digests of PyTorch's CPU builds for Linux: as its index lists them, or as requirements.lock has them."""
    try:
        page = urllib.request.urlopen(CPU_INDEX, timeout=20).read().decode()
    except OSError as error:
        print(f"{CPU_INDEX}: {error}; the digests of torch {version} stay as they are", file=sys.stderr)
        entry = re.search(
            rf"^torch=={re.escape(version)} .*\n(?:[ ]+.*\n)*", Path("requirements.lock").read_text("utf-8"), re.M
        )
        found = set(re.findall(r"sha256:(\w+)", entry[0])) if entry else set()
    else:
        wheel = rf"torch-{re.escape(version)}(?:%2B|\+)cpu-(cp31[123])-\1-manylinux[^\"#]*\.whl#sha256=(\w+)"
        found = {digest for _, digest in re.findall(wheel, page)}
    if not found:
        raise SystemExit(
            f"no digests of PyTorch's CPU builds of {version}: run .ci/lock where {CPU_INDEX} can be reached"
        )
    return found


def with_digests(entry: str, more: set[str]) -> str:
    """An entry with more digests."""
    line, *_ = entry.split(" \\\n")
    digests = sorted({*re.findall(r"sha256:(\w+)", entry), *more})
    return " \\\n".join([line, *(f"    --hash=sha256:{digest}" for digest in digests)]) + "\n"


if __name__ == "__main__":
    main(sys.argv[1])
