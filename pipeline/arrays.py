"""The types of arrays, each under one name."""

import numpy as np
from numpy.typing import NDArray

# 16 kHz mono audio.
Samples = NDArray[np.float32]
# Scores or frequencies: one for each of some things, or for each pair of them.
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
# Which of some things, or of some pairs.
Mask = NDArray[np.bool_]
