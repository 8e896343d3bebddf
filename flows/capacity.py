"""Room on this machine: one model at a time has the device, and no more light stages run than there are cores."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pipeline.machine import usable_cores
from pipeline.stage import Stage

_device = threading.Lock()
_cores = threading.BoundedSemaphore(usable_cores())


@contextmanager
def room_for(stage: Stage[..., Any]) -> Iterator[None]:
    """Wait until the stage may run."""
    with _device if stage.heavy else _cores:
        yield
