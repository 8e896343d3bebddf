"""This machine: its cores, GPUs, threads and memory, the environment of libraries, and torchaudio on any build."""

import functools
import math
import os
import sys
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Literal, NoReturn

from pipeline.errors import RostrumError

CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")
CGROUP_MEMORY = Path("/sys/fs/cgroup/memory.max")
MEMORY = Path("/proc/meminfo")
# The memory that a job may need, in bytes, without the models, which all jobs share.
_JOB_MEMORY = 2**30
# Set if rostrum, not the user, has set HF_HUB_OFFLINE. Then a setting may still allow the hub.
HUB_ON_REQUEST = "_ROSTRUM_HUB_ON_REQUEST"
# More threads than this do not make a speech model faster.
MOST_THREADS = 8


def usable_cores() -> int:
    """How many cores this process may use, by its affinity and the quota of its container."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(available, _quota() or available))


def _quota() -> int | None:
    try:
        limit, period = CGROUP_QUOTA.read_text().split()
    except (OSError, ValueError):
        return None
    return None if limit == "max" else math.ceil(int(limit) / int(period))


def jobs_at_once() -> int:
    """How many jobs to run at once: one per core, or fewer if there is not enough memory."""
    free = _free_memory()
    return usable_cores() if free is None else max(1, min(usable_cores(), free // _JOB_MEMORY))


def _free_memory() -> int | None:
    """The free memory of this machine or container in bytes; None if this is not Linux."""
    try:
        facts = dict(line.split(":") for line in MEMORY.read_text().splitlines())
        free = int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return None
    try:
        return min(free, int(CGROUP_MEMORY.read_text()))
    except (OSError, ValueError):  # "max"
        return free


def model_threads() -> int:
    """How many threads a model uses. One core is left free: if one thread waits for a core, all others wait for it."""
    return max(1, min(MOST_THREADS, usable_cores() - 1))


def prepare_environment() -> None:
    """Set the number of threads, and turn off telemetry and downloads. What the user's environment sets stays.

    Libraries read these variables when they are first imported, so call this before. NumPy may be imported already, as
    in a notebook. It is limited too, because with another number of threads its results differ in their last digits.
    """
    if "HF_HUB_OFFLINE" not in os.environ:
        os.environ |= {"HF_HUB_OFFLINE": "1", HUB_ON_REQUEST: "1"}
    for variable, value in {
        "OMP_NUM_THREADS": str(model_threads()),
        "NUMBA_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYANNOTE_METRICS_ENABLED": "0",
        "ORT_DISABLE_TELEMETRY": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
        "DO_NOT_TRACK": "1",
    }.items():
        os.environ.setdefault(variable, value)
    threads = os.environ["OMP_NUM_THREADS"].partition(",")[0]
    if "numpy" in sys.modules and threads.isdecimal():
        _limit_numpy(int(threads))


@functools.cache
def _limit_numpy(threads: int) -> None:
    from threadpoolctl import threadpool_limits

    threadpool_limits(threads, user_api="blas")


# Two threads at once would each remove the modules that the other has begun to import.
_ONE_AT_A_TIME = Lock()


def import_torchaudio() -> Any:
    """The torchaudio module, with its extension if that can be loaded."""
    with _ONE_AT_A_TIME:
        return _imported()


@functools.cache
def _imported() -> Any:
    try:
        import torchaudio
    except OSError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchaudio"]:
            del sys.modules[name]
        sys.modules["torchaudio._extension"] = _extension()
        import torchaudio
    return torchaudio


def has_extension() -> bool:
    """Whether torchaudio's own C++ code can be used (forced alignment, fast filters)."""
    return bool(import_torchaudio()._extension._IS_TORCHAUDIO_EXT_AVAILABLE)


def _extension() -> ModuleType:
    module = ModuleType("torchaudio._extension")
    vars(module).update(
        _IS_TORCHAUDIO_EXT_AVAILABLE=False,
        _IS_ALIGN_AVAILABLE=False,
        fail_if_no_align=_fail_if_no_align,
    )
    return module


def _fail_if_no_align(function: Any) -> Any:
    @functools.wraps(function)
    def fail(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"{function.__name__} needs torchaudio's C++ extension, which this build of torch cannot load"
        )

    return fail


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
