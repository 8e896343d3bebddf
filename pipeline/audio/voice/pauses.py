"""Where a recording is silent, judged by its own levels."""

import numpy as np

from pipeline.arrays import Mask
from pipeline.audio.voice.contours import Contours

# A frame is silent this far below the speech. In a loud room the limit is higher: this share of the way from the noise
# up to the speech. Below the last level a frame is silent in any recording.
_BELOW_SPEECH_DB = 30.0
_ABOVE_NOISE_SHARE = 0.35
_ALWAYS_SILENT_DB = -90.0
# Sounds without a voice of fewer frames are clicks, and count as silence.
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
