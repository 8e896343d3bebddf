"""Recordings with a microphone for each speaker: who speaks is who is loud in the own channel.

Each microphone also hears the others. So a channel counts as spoken into where it is louder than what the others
leave in it. How much they leave is measured in the recording itself.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, maximum_filter1d, uniform_filter1d

from pipeline.arrays import Floats, Samples
from pipeline.diarize.stage import BLOCK, CHANNELS, DiarizeSettings, Turns, speech_in, turns_record
from pipeline.diarize.voices import distance, voice_of, voice_record
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, Turn

_HOP = SAMPLE_RATE // 100
# Levels are means over so many hops of 10 ms. A room answers for so many hops after somebody has spoken.
_SMOOTH, _ECHO = 10, 20
# What counts as the level of a channel's own speaker: only clicks, and little of the speech, are louder.
_OWN_LEVEL = 99.0
# Where a channel is within so many decibels of that level, and louder than another, its speaker is heard in the other.
_CLEAR_DB, _LOUDER_DB = 15.0, 3.0
# A channel is spoken into if it is so much louder than what the others leave in it; never if they are so much louder.
_MARGIN_DB, _FAINT_DB = 6.0, -20.0
# Above this, a microphone hears another speaker nearly as well as its own: a stereo recording of a room, for example.
_APART_DB = -6.0
# An edge of what is spoken into a channel may lie in a word; so many hops on either side are kept.
_EDGE = 8
_MINUTE = 60.0
# A channel has a speaker if so many seconds are spoken into it.
_FEWEST_SECONDS = 2.0
# Loud speech is brought to this mean amplitude before voice activity is looked for.
_LOUDNESS = 0.1
Mask = NDArray[np.bool_]
Stretch = tuple[float, float]


class Separation(NamedTuple):
    """Which channel is spoken into in each hop (channels, hops), and how loud others are in it, in dB (from, into).

    `gains` bring the speakers of all channels to one level.
    """

    own: Mask
    leaks: Floats
    gains: Floats

    def is_apart(self, channels: list[int]) -> bool:
        """Whether these channels hear their own speakers much better than one another's."""
        return all(self.leaks[one, other] <= _APART_DB for one, other in permutations(channels, 2))


def separate(recording: Recording) -> Separation:
    """Where each channel of a recording is spoken into."""
    levels = np.concatenate([_levels(block) for block in _blocks(recording)], axis=1)
    energy = uniform_filter1d(levels, _SMOOTH, axis=1)
    decibels = 10 * np.log10(energy + 1e-10)
    loud = np.percentile(decibels, _OWN_LEVEL, axis=1, keepdims=True)
    relative = decibels - loud
    leaks = _leaks(relative)
    # The loudest of the last hops: an echo is explained by whom it answers.
    lasting = maximum_filter1d(relative, _ECHO, axis=1, origin=_ECHO // 2 - 1)
    own = np.ones(relative.shape, dtype=bool)
    for one, other in permutations(range(len(relative)), 2):
        own[other] &= relative[other] > lasting[one] + max(_FAINT_DB, min(0.0, leaks[one, other] + _MARGIN_DB))
    return Separation(binary_dilation(own, np.ones((1, 2 * _EDGE + 1))), leaks, 10 ** (-loud[:, 0] / 20))


def _blocks(recording: Recording) -> Iterator[Samples]:
    for start in np.arange(0.0, recording.duration, _MINUTE):
        yield recording.channel_samples(start, start + _MINUTE)


def _levels(samples: Samples) -> Floats:
    """The mean energy of each hop of each channel; the last hop may be shorter."""
    hops = np.arange(0, len(samples), _HOP)
    counts = np.diff([*hops, len(samples)])
    return np.asarray((np.add.reduceat(np.square(samples, dtype=np.float64), hops) / counts[:, None]).T)


def _leaks(relative: Floats) -> Floats:
    """How loud the speaker of one channel is in another (from, into), relative to the levels of their own speakers.

    A median, because both speak at once only now and then. Without any speech it is 0.
    """
    leaks = np.zeros((len(relative), len(relative)))
    for one, other in permutations(range(len(relative)), 2):
        clear = (relative[one] > -_CLEAR_DB) & (relative[one] > relative[other] + _LOUDER_DB)
        if clear.any():
            leaks[one, other] = float(np.median((relative[other] - relative[one])[clear]))
    return leaks


def turns_of_channels(
    recording: Recording, settings: DiarizeSettings, speakers: int | None, progress: Progress = no_progress
) -> Turns | None:
    """The turns of a recording whose channels have a speaker each; None if its channels are no speakers'.

    `speakers` is how many people are known to speak. With `diarize.channels=speakers` every channel is a speaker's.
    """
    separation = separate(recording)
    spoken = []
    for channel in range(len(separation.own)):
        progress(channel / len(separation.own), f"channel {channel + 1}")
        spoken.append(speech_in(_own_blocks(recording, channel, separation), settings))
    heard = [channel for channel, stretches in enumerate(spoken) if _seconds(stretches) >= _FEWEST_SECONDS]
    is_auto = settings.channels == "auto"
    if is_auto and (len(heard) < 2 or speakers not in (None, len(heard)) or not separation.is_apart(heard)):
        return None
    voices = {each: _voice(recording, separation, each, spoken[each], settings) for each in heard}
    known = {channel: voice for channel, voice in voices.items() if voice is not None}
    if is_auto and any(distance(*pair) < settings.clustering_threshold for pair in combinations(known.values(), 2)):
        return None
    order = sorted(heard, key=lambda channel: spoken[channel][0])
    names = {channel: f"S{number}" for number, channel in enumerate(order, start=1)}
    turns = [Turn(start=start, end=end, speaker=names[each]) for each in order for start, end in spoken[each]]
    channels = tuple(names.get(channel) for channel in range(len(spoken)))
    kept = [voice_record(names[each], known[each], settings) for each in order if each in known and settings.voices]
    found = turns_record(turns, recording.duration, CHANNELS)
    return found.model_copy(update={"channels": channels, "voices": tuple(kept)})


def _own_blocks(recording: Recording, channel: int, separation: Separation) -> Iterator[Samples]:
    """What the channel's own speaker says, at the level of loud speech, block by block."""
    own, gain = separation.own[channel], np.float32(_LOUDNESS * separation.gains[channel])
    for start in np.arange(0.0, recording.duration, BLOCK):
        samples = recording.channel_samples(start, start + BLOCK)[:, channel]
        yield _muted(samples * gain, own, start)


def _seconds(stretches: Sequence[Stretch]) -> float:
    return sum(end - start for start, end in stretches)


def _voice(
    recording: Recording,
    separation: Separation,
    channel: int,
    spoken: Sequence[Stretch],
    settings: DiarizeSettings,
) -> Floats | None:
    """What the speaker of a channel sounds like."""

    def read(start: float, end: float) -> Samples:
        return _muted(recording.channel_samples(start, end)[:, channel], separation.own[channel], start)

    return voice_of(spoken, read, settings)


def _muted(samples: Samples, own: Mask, start: float) -> Samples:
    """Samples of a channel from `start` seconds on, silent where it is not spoken into, with edges of 10 ms."""
    hops = (np.arange(len(samples)) + start * SAMPLE_RATE) / _HOP - 0.5
    return np.asarray(samples * np.interp(hops, np.arange(len(own)), own), dtype=np.float32)
