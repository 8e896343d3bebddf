"""How long-running work reports its progress."""

from collections.abc import Callable

# Called with the share that is done, from 0 to 1, and what is being done.
Progress = Callable[[float, str], None]


def no_progress(share: float, what: str) -> None:
    """Report progress to nobody."""
