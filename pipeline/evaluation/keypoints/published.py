"""The figures that systems of the KPA 2021 task reported on its test part. Their predictions were not published."""

from pipeline.evaluation.keypoints.data import Part
from pipeline.evaluation.keypoints.matching_rows import Reported

_TEST_TOPICS = {
    "Routine child vaccinations should be mandatory",
    "Social media platforms should be regulated by the government",
    "The USA is a good country to live in",
}
# Strict and relaxed figures of the leaderboard (Friedman et al. 2021), but for Enigma's, which is from after it.
_REPORTED: dict[str, Reported] = {
    "mspl (RoBERTa-large)": (0.908, 0.972),
    "heinrichreimer (RoBERTa)": (0.912, 0.967),
    "vund (RoBERTa-large)": (0.878, 0.968),
    "HKL (ALBERT-XXL)": (0.896, 0.963),
    "sohanpatnaik": (0.872, 0.966),
    "Enigma, after the evaluation": (0.921, 0.982),
    "token overlap of the task": (0.483, 0.575),
}


def reported_on(part: Part) -> dict[str, Reported]:
    """The reported figures, where the part is the test part of the task; else none."""
    topics = {argument.topic.strip().rstrip(".") for argument in part.arguments}
    return _REPORTED if topics == _TEST_TOPICS else {}
