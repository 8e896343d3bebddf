"""The device that models run on: the cores of this machine, or one of its GPUs."""

from typing import Literal

from pipeline.errors import RostrumError

Device = Literal["auto", "cpu", "cuda", "cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:5", "cuda:6", "cuda:7"]


def chosen_device(wanted: str, gpus: int, setting: str, library: str) -> str:
    """`cpu` or `cuda:N`, of so many GPUs that the `library` can use. An error names the `setting`.

    >>> chosen_device("auto", 2, "diarize.device", "torch"), chosen_device("cuda:1", 2, "diarize.device", "torch")
    ('cuda:0', 'cuda:1')
    """
    if wanted == "cpu" or (wanted == "auto" and not gpus):
        return "cpu"
    number = int(wanted.partition(":")[2] or 0)
    if number >= gpus:
        there = f"has {gpus} GPU{'s' if gpus > 1 else ''}, counted from cuda:0," if gpus else "has no GPU"
        raise RostrumError(f"{setting}={wanted}: this machine {there} that {library} can use; set it to cpu or auto")
    return f"cuda:{number}"


def device_name(wanted: str) -> str:
    """A name of the device that is the same in all containers of a machine: `cpu`, or the identifier of a GPU."""
    import torch

    if wanted == "cpu" or not torch.cuda.is_available():
        return "cpu"
    number = int(wanted.partition(":")[2] or 0)
    if number >= torch.cuda.device_count():  # the stage itself reports it
        return "cpu"
    return str(getattr(torch.cuda.get_device_properties(number), "uuid", f"cuda:{number}"))
