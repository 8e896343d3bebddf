"""The types of arrays, each under one name."""

import numpy as np
from numpy.typing import NDArray

# 16 kHz mono audio.
Samples = NDArray[np.float32]
# One row per text or word, as an encoder makes them.
Vectors = NDArray[np.float32]
# Inputs and outputs of a neural network.
Floats32 = NDArray[np.float32]
# Scores or frequencies, one per thing or per pair of things.
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Scores = NDArray[np.float64]
Probabilities = NDArray[np.float64]
# Any other numbers.
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
# True or False for each thing, or for each pair.
Mask = NDArray[np.bool_]
