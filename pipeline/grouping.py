"""Groups values by a key."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """All values of each key, in order.

    >>> grouped([("pro", "anna"), ("con", "ruth"), ("pro", "mateo")])
    {'pro': ('anna', 'mateo'), 'con': ('ruth',)}
    """
    found: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}
