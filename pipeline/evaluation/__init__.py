"""What evaluations and trainings share, and which ones there are.

`rostrum evaluate NAME` calls the click command `command` of a module `evaluate_NAME.py` in any room, `rostrum train
NAME` that of a module `train_NAME.py`. The first line of the module's docstring is its help.
"""

from pathlib import Path

from pipeline.family import Family

_ROOMS = sorted(path.parent.name for path in Path(__file__).parents[1].glob("*/__init__.py"))


def evaluations() -> dict[str, Family]:
    """Every evaluation by name, each with the room that it is found in."""
    return _members("evaluation", "evaluate_")


def trainings() -> dict[str, Family]:
    """Everything that can be trained, by name, each with the room that it is found in."""
    return _members("model to train", "train_")


def _members(noun: str, prefix: str) -> dict[str, Family]:
    rooms = (Family(f"pipeline.{room}", noun, prefix=prefix) for room in _ROOMS)
    return dict(sorted((name, room) for room in rooms for name in room.names()))
