"""Where a recording is silent, judged by its own levels."""

import numpy as np

from pipeline.arrays import Indices, Mask
from pipeline.audio.voice.contours import Contours

# A frame is silent this far below the speech, or nearer where the room is loud: then where a third of the way from
# the noise up to the speech is. What is below the last of them is silent in any recording.
_BELOW_SPEECH_DB = 30.0
_ABOVE_NOISE_SHARE = 0.35
_ALWAYS_SILENT_DB = -90.0
# Shorter sounds without a voice are clicks.
_SHORTEST_SOUND = 3


def silent_frames(contours: Contours, spoken: Mask) -> Mask:
    """Which frames are silent; `spoken` marks those inside words, which tell how loud speech is."""
    from scipy.ndimage import binary_opening

    speech = np.percentile(contours.level[spoken], 90) if spoken.any() else contours.level.max()
    noise = np.percentile(contours.level, 5)
    threshold = max(speech - _BELOW_SPEECH_DB, noise + _ABOVE_NOISE_SHARE * (speech - noise), _ALWAYS_SILENT_DB)
    voiced = ~np.isnan(contours.pitch)
    sounding = voiced | (contours.level >= threshold)
    return np.asarray(~(binary_opening(sounding, np.ones(_SHORTEST_SOUND)) | voiced))


def runs(flags: Mask) -> Indices:
    """Rows of first and last frame (not included) of every run of true flags."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    return np.flatnonzero(edges).reshape(-1, 2)
