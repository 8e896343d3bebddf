"""The methods of the listening table, a file for each kind. `PLACE` is where a kind stands in the table."""

from collections.abc import Iterator

from pipeline.family import Family
from pipeline.mentions.evaluate.lists import MethodScores, Resources, TrainAndTest

KINDS = Family(__name__, "kind of method")


def all_scores(data: TrainAndTest, resources: Resources) -> Iterator[MethodScores]:
    """The scores of every method."""
    for kind in sorted(KINDS.all(), key=lambda module: module.PLACE):
        yield from kind.scores(data, resources)
