"""Reads tensors and plain values from files of weights. Code in them is never run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError


def load_tensors(path: Path, *, allowed: Sequence[type] = ()) -> Any:
    """The content of a file that `torch.save` made, on the CPU. It may contain objects of the `allowed` classes.

    A file that can only be read by running code in it is an error.
    """
    import torch

    try:
        with torch.serialization.safe_globals(list(allowed)):
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file can raise errors of many kinds
        if "GLOBAL" in str(error):
            raise RostrumError(
                f"{path}: not loaded, because loading it would run code that is in it; if you trust it, convert it to "
                "tensors (docs/models.md says how)"
            ) from error
        raise RostrumError(f"{path}: cannot be read as weights; is it complete, and of the right kind?") from error
