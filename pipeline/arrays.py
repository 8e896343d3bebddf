"""The types of arrays, each under one name."""

import numpy as np
from numpy.typing import NDArray

# 16 kHz mono audio.
Samples = NDArray[np.float32]
# One row per text or word, as an encoder makes them.
Vectors = NDArray[np.float32]
# What a neural network reads and gives.
Floats32 = NDArray[np.float32]
# Scores or frequencies: one for each of some things, or for each pair of them.
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Scores = NDArray[np.float64]
Probabilities = NDArray[np.float64]
# Numbers of any other kind.
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
# Which of some things, or of some pairs.
Mask = NDArray[np.bool_]
