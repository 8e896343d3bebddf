"""Files of weights: only tensors and plain values are read from them, and no code in them is run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError


def load_tensors(path: Path, *, allowed: Sequence[type] = ()) -> Any:
    """What a file that `torch.save` made holds, on the CPU. It may hold objects of the `allowed` classes.

    A file that can be read only by running code in it is an error.
    """
    import torch

    try:
        with torch.serialization.safe_globals(list(allowed)):
            return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # of many kinds, whatever is wrong with the file
        if "GLOBAL" in str(error):
            raise RostrumError(
                f"{path}: not loaded, because loading it would run code that is in it; if you trust it, convert it to "
                "tensors (docs/models.md says how)"
            ) from error
        raise RostrumError(f"{path}: cannot be read as weights; is it complete, and of the right kind?") from error
