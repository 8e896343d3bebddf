"""The types of arrays, each under one name."""

import numpy as np
from numpy.typing import NDArray

# 16 kHz mono audio.
Samples = NDArray[np.float32]
# What encoders make, one row per text or word, and what neural networks take.
Floats32 = NDArray[np.float32]
# Scores, probabilities or frequencies: one per thing, and one per pair of things.
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
# Any other numbers.
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
# True or False for each thing, or for each pair.
Mask = NDArray[np.bool_]
