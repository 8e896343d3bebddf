"""People beside methods: how often they choose a speech that answers, on questions whose answers are known."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.counter.evaluate.debates import AnsweredDebate
from pipeline.counter.evaluate.rows import Line
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.measures import mean_of_defined, pooled_mean, with_interval

_COLUMNS = ("speech", "annotator", "answer")


class PersonsAnswer(NamedTuple):
    """Which opposing speech a person chose for a supporting one, and whether it answers it."""

    motion: str
    speech: str
    answer: str
    right: bool


def people_rows(file: Path, debates: Sequence[AnsweredDebate]) -> list[Row]:
    """One row: the accuracy of an answer, with its interval over motions, and how often two people choose the same.

    The file is `answers.csv` of `rostrum annotate collect`: speech, annotator, answer.
    """
    given = read_answers(file, debates)
    if not given:
        raise RostrumError(f"{file}: no answer to a speech that is known to be answered here")
    by_motion = list(grouped((answer.motion, answer.right) for answer in given).values())
    pairs = [
        one.answer == other.answer
        for of_speech in grouped((answer.speech, answer) for answer in given).values()
        for one, other in combinations(of_speech, 2)
    ]
    return [
        {
            **Line("as people had it", "motion", "all", "people", "")._asdict(),
            "sees": "candidates",
            **with_interval("accuracy", by_motion, pooled_mean),
            "mrr": None,
            "agreement": mean_of_defined(pairs),
            "answers": len(given),
        }
    ]


def read_answers(file: Path, debates: Sequence[AnsweredDebate]) -> list[PersonsAnswer]:
    """The answers to supporting speeches that an opposing one is known to answer."""
    places = {speech.id: (debate, row) for debate in debates for row, speech in enumerate(debate.supporting)}
    given = []
    for _, row in read_rows(file, _COLUMNS):
        if row["speech"] in places:
            debate, place = places[row["speech"]]
            right = {debate.opposing[column].id for column in np.flatnonzero(debate.answers[place])}
            if right:
                given.append(PersonsAnswer(debate.motion, row["speech"], row["answer"], row["answer"] in right))
    return given
