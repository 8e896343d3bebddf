"""Errors of a pitch contour, as Rabiner et al. (1976) and Bagshaw et al. (1993) count them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Floats
from pipeline.evaluation.pitch.data import REFERENCE_STEP

# An estimate further than this share from the reference is a gross error.
GROSS = 0.2


class Contour(NamedTuple):
    """A tracker's frames: their times in seconds, and the pitch in Hz, 0 where it finds no voice."""

    times: Floats
    hertz: Floats


class Counts(NamedTuple):
    """The counts of an utterance. They add up. `squares` and `deviation` are of the frames without gross error."""

    frames: int = 0
    both_voiced: int = 0
    gross: int = 0
    missed_voice: int = 0
    false_voice: int = 0
    deviation: float = 0.0
    squares: float = 0.0


def count(contour: Contour, reference: Floats) -> Counts:
    """Compare a contour with the reference's frames."""
    estimate = at(contour, np.arange(len(reference), dtype=np.float64) * REFERENCE_STEP)
    both = (reference > 0) & (estimate > 0)
    error = estimate[both] / reference[both] - 1
    fine = error[np.abs(error) <= GROSS]
    return Counts(
        frames=len(reference),
        both_voiced=int(both.sum()),
        gross=int((np.abs(error) > GROSS).sum()),
        missed_voice=int(((reference > 0) & (estimate <= 0)).sum()),
        false_voice=int(((reference <= 0) & (estimate > 0)).sum()),
        deviation=float(fine.sum()),
        squares=float((fine**2).sum()),
    )


def at(contour: Contour, times: Floats) -> Floats:
    """The contour at these times: voiced as its nearest frame is, in semitones between two voiced ones."""
    nearest = np.searchsorted((contour.times[1:] + contour.times[:-1]) / 2, times)
    before = np.clip(np.searchsorted(contour.times, times, side="right") - 1, 0, len(contour.times) - 2)
    logs = np.log(np.maximum(contour.hertz, 1.0))
    between = np.exp(np.interp(times, contour.times, logs))
    both = (contour.hertz[before] > 0) & (contour.hertz[before + 1] > 0)
    own = contour.hertz[nearest]
    return np.where((own > 0) & both, between, own)


def rates(counts: Sequence[Counts]) -> dict[str, float | None]:
    """The rates over all utterances together."""
    total = Counts(*(sum(values) for values in zip(*counts, strict=True)))
    fine = total.both_voiced - total.gross
    bias = total.deviation / fine if fine else None
    return {
        "gpe": total.gross / total.both_voiced if total.both_voiced else None,
        "fine_error": None if bias is None else float(np.sqrt(total.squares / fine - bias**2)),
        "bias": bias,
        "voicing_error": (total.missed_voice + total.false_voice) / total.frames,
        "missed_voice": total.missed_voice / total.frames,
        "false_voice": total.false_voice / total.frames,
    }
