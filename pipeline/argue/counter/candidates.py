"""Which opposing speeches may have been recorded in answer to which supporting ones."""

from collections.abc import Sequence

import numpy as np

from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.arrays import Mask


def allowed_pairs(supporting: Sequence[SpeechText], opposing: Sequence[SpeechText]) -> Mask:
    """Every pair but those with a speaker in common: nobody answers their own speech."""
    pairs = [[not _speakers(one) & _speakers(other) for other in opposing] for one in supporting]
    return np.array(pairs, dtype=np.bool_).reshape(len(supporting), len(opposing))


def _speakers(speech: SpeechText) -> set[str]:
    return {name.casefold() for name in speech.speakers}
