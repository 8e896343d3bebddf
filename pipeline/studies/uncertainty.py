"""What to ask next: items on which a run is least sure come first. What is known already is not asked again."""

from collections.abc import Callable, Sequence
from statistics import fmean

from pipeline.counter import CounterScores
from pipeline.errors import RostrumError
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mentions
from pipeline.report.judging import doubt_of
from pipeline.run.finished import FinishedRun
from pipeline.studies.items import Item


def most_doubtful(task: str, items: Sequence[Item], run: FinishedRun | None) -> list[Item]:
    """The items without known answers, those first on which the run is least sure. The order of equals stays."""
    if task not in _DOUBTS:
        raise RostrumError(f"the task {task} has no order by uncertainty; there is one for {', '.join(_DOUBTS)}")
    if run is None:
        raise RostrumError("--by uncertainty needs to know what a run decided; give a run as SOURCE")
    doubt = _DOUBTS[task]
    return sorted((item for item in items if not item.known), key=lambda item: -doubt(run, item))


def _of_listening(run: FinishedRun, item: Item) -> float:
    """The mean doubt about the arguments of a speech; 0 if the run did not look for them."""
    record = run.of_speech(Mentions, item.subject)
    asked = set(item.about.values())
    own = [each.probability for each in record.mentions if each.argument in asked] if record else []
    return fmean(doubt_of(probability, record.threshold) for probability in own) if record and own else 0.0


def _of_counter(run: FinishedRun, item: Item) -> float:
    """How near the second candidate's score is to the first's, in the spread of the motion's scores."""
    record = run.of_motion(CounterScores, item.group)
    pairs = record.pairs if record else ()
    candidates = set(item.about.values())
    own = sorted(pair.score for pair in pairs if pair.supporting == item.subject and pair.opposing in candidates)
    spread = max((pair.score for pair in pairs), default=0.0) - min((pair.score for pair in pairs), default=0.0)
    return 1.0 - (own[-1] - own[-2]) / spread if len(own) > 1 and spread else 0.0


def _of_keypoints(run: FinishedRun, item: Item) -> float:
    """How near the best score of a sentence is to the threshold for a match."""
    text = item.shown[0].text
    scores = [
        (match.score, record.threshold)
        for motion in run.motions
        if motion.text == item.group and (record := run.of_motion(KeyPoints, motion.id))
        for point in record.points
        for match in point.matches
        if match.said.text == text
    ]
    if not scores:
        return 0.0
    score, threshold = max(scores)
    return max(0.0, 1.0 - (score - threshold) / max(1 - threshold, 0.001))


_DOUBTS: dict[str, Callable[[FinishedRun, Item], float]] = {
    "listening": _of_listening,
    "counter": _of_counter,
    "keypoints": _of_keypoints,
}
