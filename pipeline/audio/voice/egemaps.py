"""The extended Geneva Minimalistic Acoustic Parameter Set, by openSMILE.

openSMILE is free for research and personal use only. So it is not installed with rostrum.
"""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from pipeline.arrays import Floats32, Samples
from pipeline.errors import RostrumError
from pipeline.records import SAMPLE_RATE


def egemaps(
    read: Callable[[float, float], Samples], spans: Sequence[tuple[float, float]]
) -> tuple[list[str], Floats32]:
    """The names of the 88 functionals, and a row of them for each (start, end); NaN where one is too short."""
    try:
        import opensmile
    except ImportError as error:
        raise RostrumError(
            "prosody.egemaps=true needs openSMILE: pip install opensmile (its licence is free for research only)"
        ) from error
    smile = opensmile.Smile(
        feature_set=opensmile.FeatureSet.eGeMAPSv02, feature_level=opensmile.FeatureLevel.Functionals
    )
    rows = np.full((len(spans), len(smile.feature_names)), np.nan, dtype=np.float32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Segment too short")
        for row, (start, end) in zip(rows, spans, strict=True):
            row[:] = smile.process_signal(read(start, end), SAMPLE_RATE).to_numpy()[0]
    return list(smile.feature_names), rows
