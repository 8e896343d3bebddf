"""One package per published evaluation: its data, its methods, its table, its training and its commands.

A package in this folder is an evaluation. `rostrum evaluate NAME` calls the click command `command` of its module
`command.py`; the first line of the package's docstring is its help. `rostrum train NAME` calls the one of a module
`train_NAME.py` in any of the packages.
"""

from pipeline.family import Family

EVALUATIONS = Family("pipeline.evaluation", "evaluation", packages=True)


def trainings() -> dict[str, Family]:
    """Everything that can be trained, by name, each with the family that it is found in."""
    tasks = (Family(f"{EVALUATIONS.package}.{task}", "model to train", prefix="train_") for task in EVALUATIONS.names())
    return {name: family for family in tasks for name in family.names()}
