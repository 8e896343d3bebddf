"""The measures of each sentence and of each group of words between pauses, and the emphasis of each word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.arrays import Floats, Indices, Mask
from pipeline.diarize import Turns
from pipeline.prosody.contours import FRAME_SECONDS, Contours
from pipeline.prosody.features import FEATURES, Stretch, measure
from pipeline.prosody.stage import Measures, SpeakerNorm, WordEmphasis
from pipeline.prosody.voice import Cycles, runs
from pipeline.records import Sentence, Word
from pipeline.text.language import Language, language
from pipeline.text.syllables import syllables
from pipeline.transcribe import Transcript

_FEWEST_WORDS = 5
_FEWEST_VOICED = 3
# The percentile that stands for a word: the pitch and the level that it reaches.
_REACHED = 90


def emphasis(words: Sequence[Word], contours: Contours, code: str = "en") -> tuple[WordEmphasis, ...]:
    """Pitch, energy and duration of each word in standard deviations from its speaker's mean, and their mean.

    Without syllables, in a language whose spelling is not known, durations do not count.
    """
    raw = np.array([_raw(word, contours, code) for word in words]).reshape(-1, 3)
    speakers = np.array([word.speaker or "" for word in words])
    scores = np.full(raw.shape, np.nan)
    for speaker in np.unique(speakers):
        own = speakers == speaker
        scores[own] = normalised(raw[own], _FEWEST_WORDS)
    return tuple(_emphasis(row) for row in scores)


def normalised(values: Floats, fewest: int) -> Floats:
    """The z-scores of each column; NaN where there are fewer values, or all are the same."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    spread = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / np.maximum(count, 1))
    usable = (count >= fewest) & (spread > 1e-9)
    return np.where(usable, (values - mean) / np.where(usable, spread, 1.0), np.nan)


def _raw(word: Word, contours: Contours, code: str) -> tuple[float, float, float]:
    """Semitones, dB and the logarithm of frames per syllable; NaN for what is not known."""
    first, last = round(word.start / FRAME_SECONDS), round(word.end / FRAME_SECONDS)
    levels = contours.level[first:last]
    if not len(levels):
        return np.nan, np.nan, np.nan
    pitch = contours.pitch[first:last]
    pitch = pitch[~np.isnan(pitch)]
    reached = 12 * np.log2(np.percentile(pitch, _REACHED)) if len(pitch) >= _FEWEST_VOICED else np.nan
    spoken = syllables(word.text, code)
    pace = float(np.log(len(levels) / spoken)) if spoken else np.nan
    return float(reached), float(np.percentile(levels, _REACHED)), pace


def _emphasis(scores: Floats) -> WordEmphasis:
    known = scores[~np.isnan(scores)]
    pitch, energy, duration = (None if np.isnan(score) else round(float(score), 3) for score in scores)
    return WordEmphasis(
        emphasis=round(float(known.mean()), 3) if len(known) else None,
        pitch=pitch,
        energy=energy,
        duration=duration,
        reason=None if len(known) else "no length, or too few words of this speaker",
    )


# Where a recording is silent, judged by its own levels.

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


# Prosody of sentences and of the groups of words between pauses.

# Frames by which a word's time may miss the edge of a pause.
_TOLERANCE = 25
_FEWEST_STRETCHES = 3
# Factors of the first and the third quartile of a speaker's pitch. Emphasis stays below the upper limit, and doubled
# pitch does not.
_USUAL_RANGE = np.array([0.75, 1.7])
_NAMES = tuple(feature.name for feature in FEATURES)


@dataclass(frozen=True)
class Sound:
    """A recording's contours, and what is known of its words. Stretches are cut out of it."""

    contours: Contours
    cycles: Cycles
    words: Sequence[Word]
    word_emphasis: tuple[WordEmphasis, ...]
    emphasis: Floats
    silent: Mask
    pauses: Indices
    several_speak: Mask | None
    keeps_hesitations: bool
    language: Language

    @classmethod
    def from_transcript(
        cls, contours: Contours, cycles: Cycles, transcript: Transcript, turns: Turns | None, min_pause: float
    ) -> "Sound":
        """The sound of a transcribed recording. Silence of at least `min_pause` seconds is a pause."""
        contours = in_usual_range(contours, transcript.words)
        words = emphasis(transcript.words, contours, transcript.language)
        scores = [np.nan if word.emphasis is None else word.emphasis for word in words]
        frames = len(contours.level)
        silent = silent_frames(contours, _covered([(word.start, word.end) for word in transcript.words], frames))
        long = runs(silent)
        return cls(
            contours=contours,
            cycles=cycles,
            words=transcript.words,
            word_emphasis=words,
            emphasis=np.array(scores, dtype=np.float64),
            silent=silent,
            pauses=long[(long[:, 1] - long[:, 0]) * FRAME_SECONDS >= min_pause - 1e-9],
            several_speak=None if turns is None else _several_speak(turns, frames),
            keeps_hesitations=transcript.keeps_hesitations,
            language=language(transcript.language),
        )

    def stretch(self, first: int, last: int) -> Stretch | None:
        """Words `first` up to `last` as they sound; None where nothing is heard between their times."""
        words = self.words[first:last]
        onset, pause_before = self._onset(round(words[0].start / FRAME_SECONDS))
        offset, pause_after = self._offset(min(round(words[-1].end / FRAME_SECONDS), len(self.silent)))
        if self.silent[onset:offset].all():
            return None
        hesitations = sum(self.language.is_filled_pause(word.text) for word in words)
        by_word = [syllables(word.text, self.language.code) for word in words]
        inside = (self.pauses[:, 0] >= onset) & (self.pauses[:, 1] <= offset)
        several = self.several_speak
        return Stretch(
            contours=self.contours,
            cycles=self.cycles,
            first=onset,
            last=offset,
            silent=_marked(self.pauses[inside], len(self.silent))[onset:offset],
            pauses=(self.pauses[inside, 1] - self.pauses[inside, 0]) * FRAME_SECONDS,
            pause_before=pause_before,
            pause_after=pause_after,
            syllables=None if None in by_word else sum(filter(None, by_word)),
            filled_pauses=hesitations or (0 if self.keeps_hesitations else None),
            overlap=None if several is None else float(several[onset:offset].mean()),
            emphasis=self.emphasis[first:last],
        )

    def _onset(self, frame: int) -> tuple[int, float | None]:
        """The frame in which words really begin, and the pause before it; a recogniser's times are not exact."""
        near = (self.pauses[:, 0] <= frame) & (self.pauses[:, 1] >= frame - _TOLERANCE)
        if not near.any():
            return frame, 0.0
        begin, end = self.pauses[near][-1]
        return int(end), None if begin == 0 else float(end - begin) * FRAME_SECONDS

    def _offset(self, frame: int) -> tuple[int, float | None]:
        """The frame in which words really end, and the pause after it."""
        near = (self.pauses[:, 0] <= frame + _TOLERANCE) & (self.pauses[:, 1] >= frame)
        if not near.any():
            return frame, 0.0
        begin, end = self.pauses[near][0]
        return int(begin), None if end == len(self.silent) else float(end - begin) * FRAME_SECONDS

    def groups(self, sentence: Sentence) -> Iterator[tuple[int, int]]:
        """The sentence's words, parted at its pauses: ranges of transcript words."""
        middles = [word.middle for word in self.words[sentence.first : sentence.last]]
        pauses = self.pauses.mean(axis=1) * FRAME_SECONDS
        passed = np.searchsorted(pauses, middles)
        cuts = sentence.first + 1 + np.flatnonzero(np.diff(passed))
        edges = [sentence.first, *(int(cut) for cut in cuts), sentence.last]
        yield from zip(edges, edges[1:], strict=False)


def in_usual_range(contours: Contours, words: Sequence[Word]) -> Contours:
    """The contours without the pitch that is out of a speaker's range: octave errors and creak.

    The range follows De Looze and Hirst (2008): from 0.75 of the first quartile to 1.7 of the third.
    """
    pitch = contours.pitch.copy()
    for speaker in {word.speaker for word in words}:
        own = _covered([(word.start, word.end) for word in words if word.speaker == speaker], len(pitch))
        known = pitch[own & ~np.isnan(pitch)]
        if len(known):
            low, high = np.percentile(known, [25, 75]) * _USUAL_RANGE
            pitch[own & ((pitch < low) | (pitch > high))] = np.nan
    return replace(contours, pitch=pitch)


def sentence_measures(sound: Sound, sentences: Sequence[Sentence]) -> tuple[Measures, ...]:
    """A row of features for every sentence, also against the speaker's own."""
    return _normalised(
        [_measures(sound, sentence.first, sentence.last, sentence.text, sentence.speaker) for sentence in sentences]
    )


def group_measures(sound: Sound, sentences: Sequence[Sentence]) -> tuple[Measures, ...]:
    """A row of features for every group of words between two pauses, also against the speaker's own groups."""
    rows = []
    for sentence in sentences:
        for first, last in sound.groups(sentence):
            text = " ".join(word.text for word in sound.words[first:last])
            rows.append(_measures(sound, first, last, text, sentence.speaker))
    return _normalised(rows)


def speaker_norms(rows: Sequence[Measures]) -> tuple[SpeakerNorm, ...]:
    """Mean and standard deviation of every feature over the rows of each speaker."""
    norms = []
    for speaker in dict.fromkeys(row.speaker for row in rows):
        table = _table([row for row in rows if row.speaker == speaker])
        columns = {name: column[~np.isnan(column)] for name, column in zip(_NAMES, table.T, strict=True)}
        mean = {name: _rounded(column.mean()) for name, column in columns.items() if len(column)}
        deviation = {name: _rounded(column.std()) for name, column in columns.items() if len(column)}
        norms.append(SpeakerNorm(speaker=speaker, count=len(table), mean=mean, deviation=deviation))
    return tuple(norms)


def _measures(sound: Sound, first: int, last: int, text: str, speaker: str | None) -> Measures:
    stretch = sound.stretch(first, last)
    if stretch is None:
        values: dict[str, float | None] = dict.fromkeys(_NAMES)
        reasons = dict.fromkeys(_NAMES, "nothing is heard between the times of its words")
    else:
        values, reasons = measure(stretch)
    return Measures(
        text=text,
        first=first,
        last=last,
        start=sound.words[first].start,
        end=sound.words[last - 1].end,
        speaker=speaker,
        values=values,
        normalised={},
        reasons=reasons,
    )


def _normalised(rows: Sequence[Measures]) -> tuple[Measures, ...]:
    """The rows with every value in standard deviations from its speaker's mean."""
    scores = np.full((len(rows), len(_NAMES)), np.nan)
    speakers = np.array([row.speaker or "" for row in rows])
    for speaker in np.unique(speakers):
        own = np.flatnonzero(speakers == speaker)
        scores[own] = normalised(_table([rows[int(index)] for index in own]), _FEWEST_STRETCHES)
    return tuple(
        row.model_copy(
            update={
                "normalised": {
                    name: None if np.isnan(score) else _rounded(score) for name, score in zip(_NAMES, line, strict=True)
                }
            }
        )
        for row, line in zip(rows, scores, strict=True)
    )


def _table(rows: Sequence[Measures]) -> Floats:
    return np.array([[np.nan if (v := row.values[name]) is None else v for name in _NAMES] for row in rows])


def _rounded(value: float) -> float:
    return round(float(value), 4)


def _covered(spans: Sequence[tuple[float, float]], frames: int) -> Mask:
    return _marked(np.round(np.array(spans).reshape(-1, 2) / FRAME_SECONDS).astype(np.intp), frames)


def _marked(spans: Indices, frames: int) -> Mask:
    """Frames inside any of the spans."""
    steps = np.zeros(frames + 1, dtype=np.int64)
    np.add.at(steps, np.clip(spans[:, 0], 0, frames), 1)
    np.add.at(steps, np.clip(spans[:, 1], 0, frames), -1)
    return np.asarray(np.cumsum(steps)[:frames] > 0)


def _several_speak(turns: Turns, frames: int) -> Mask:
    """Frames in which more than one speaker has a turn."""
    speaking = np.zeros(frames, dtype=np.int64)
    for speaker in {turn.speaker for turn in turns.turns}:
        speaking += _covered([(turn.start, turn.end) for turn in turns.turns if turn.speaker == speaker], frames)
    return np.asarray(speaking > 1)
