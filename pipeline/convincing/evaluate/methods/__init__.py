"""The methods that say which of two arguments is more convincing, a file for each kind of method."""

from pipeline.convincing.evaluate.judging import Method
from pipeline.family import Family

KINDS = Family(__name__, "kind of method")
_ORDER = ("baseline", "published", "ours")


def methods() -> tuple[Method, ...]:
    """Every method: baselines, then published ones, then this project's."""
    found = [method for module in KINDS.all() for method in module.METHODS]
    return tuple(sorted(found, key=lambda method: _ORDER.index(method.kind)))
