"""The table of pitch trackers against a laryngograph.

Praat and pYIN are measured where parselmouth and librosa are installed.
"""

import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from pipeline.evaluation.pitch.data import Utterance, read
from pipeline.evaluation.pitch.scoring import GROSS, count, rates
from pipeline.evaluation.pitch.trackers import CEILING, FLOOR, Tracker, trackers
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval

_SEED = 0


def evaluate(data: Path, test: Path | None = None) -> Evaluation:
    """The table on `test`, else on `data`. Nothing is tuned, so that `data` is not used if there is a `test`."""
    folder = test or data
    utterances = read(folder)
    rows = tuple(_row(method, tracker, utterances) for method, tracker in trackers().items())
    installed = {"praat-parselmouth": "parselmouth", "librosa": "librosa"}
    packages = ["swift-f0", "torchaudio", *(name for name, module in installed.items() if find_spec(module))]
    notes = tuple(f"{name} is not installed: its rows are missing" for name, m in installed.items() if not find_spec(m))
    return Evaluation(
        name="pitch",
        signature=signature(*packages, data=folder.name, utterances=len(utterances), floor=FLOOR, ceiling=CEILING),
        rows=rows,
        notes=(*notes, _LEGEND),
    )


_LEGEND = (
    f"gpe: share of frames voiced in both that are off by more than {GROSS:.0%}; fine_error: standard deviation of the "
    "relative error of the others, bias its mean; voicing_error: share of all frames wrongly voiced or unvoiced, of "
    "which missed_voice and false_voice; times_realtime: on this machine, now."
)


def _row(method: str, tracker: Tracker, utterances: Sequence[Utterance]) -> Row:
    started = time.perf_counter()
    contours = [tracker(utterance.samples, utterance.rate) for utterance in utterances]
    seconds = time.perf_counter() - started
    counts = [count(contour, each.reference) for contour, each in zip(contours, utterances, strict=True)]
    low, high = bootstrap_interval(counts, lambda drawn: rates(drawn)["gpe"] or 0.0, seed=_SEED)
    duration = sum(len(each.samples) / each.rate for each in utterances)
    return {"method": method, **rates(counts), "gpe_low": low, "gpe_high": high, "times_realtime": duration / seconds}
