"""How loud, how clipped and how noisy a recording is, measured block by block."""

import numpy as np

from pipeline.arrays import Floats, Samples
from pipeline.records import SAMPLE_RATE

HOP = SAMPLE_RATE // 10
CLIPPED_AT = 0.999
# ITU-R BS.1770: blocks of 400 ms overlapping by 75 %, an absolute and a relative gate.
BLOCK_HOPS, ABSOLUTE_GATE, RELATIVE_GATE, OFFSET = 4, -70.0, -10.0, -0.691
QUIET, LOUD = 15, 95


class LevelMeter:
    """Collects 100 ms energies of a 16 kHz signal, plain and K-weighted, from blocks of any length."""

    def __init__(self) -> None:
        from pyloudnorm import Meter

        filters = Meter(SAMPLE_RATE)._filters.values()
        self._filters = [(each.b, each.a, np.zeros(max(len(each.a), len(each.b)) - 1)) for each in filters]
        self._rest: tuple[Floats, ...] = (np.zeros(0), np.zeros(0))
        self._energies: tuple[list[Floats], ...] = ([], [])

    def push(self, block: Samples) -> None:
        if not len(block):  # scipy's filter would return a broken state for it
            return
        plain = block.astype(np.float64)
        for index, signal in enumerate((plain, self._weighted(plain))):
            signal = np.concatenate([self._rest[index], signal])
            whole = len(signal) // HOP * HOP
            self._energies[index].append((signal[:whole].reshape(-1, HOP) ** 2).mean(axis=1))
            self._rest = (*self._rest[:index], signal[whole:], *self._rest[index + 1 :])

    def _weighted(self, signal: Floats) -> Floats:
        from scipy.signal import lfilter

        for index, (b, a, state) in enumerate(self._filters):
            signal, state = lfilter(b, a, signal, zi=state)
            self._filters[index] = (b, a, state)
        return signal

    def loudness(self) -> float | None:
        """Integrated loudness in LUFS; None where nothing is above the gate or less than 400 ms are there."""
        hops = np.concatenate([*self._energies[1], np.zeros(0)])
        if len(hops) < BLOCK_HOPS:
            return None
        energy = np.convolve(hops, np.ones(BLOCK_HOPS) / BLOCK_HOPS, mode="valid")
        energy = energy[_lufs(energy) > ABSOLUTE_GATE]
        if not len(energy):
            return None
        energy = energy[_lufs(energy) > _lufs(energy.mean()) + RELATIVE_GATE]
        return round(float(_lufs(energy.mean())), 2)

    def signal_to_noise(self) -> float | None:
        """An estimate in dB: the loud tenths of a second (95th percentile) over the quiet ones (15th)."""
        hops = np.concatenate([*self._energies[0], np.zeros(0)])
        if len(hops) < 10:
            return None
        quiet, loud = np.percentile(hops, [QUIET, LOUD])
        if loud <= 0 or quiet <= 0:
            return None
        return round(float(10 * np.log10(loud / quiet)), 1)


def _lufs(energy: Floats | np.float64) -> Floats:
    return np.asarray(OFFSET + 10 * np.log10(np.maximum(energy, 1e-20)))
