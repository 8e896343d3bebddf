"""CTM, NIST's time-marked conversation: a word a line, `recording channel start duration word confidence`."""

import math
from collections.abc import Iterable
from pathlib import Path

from pipeline.corpus.manifest import read_utf8
from pipeline.errors import RostrumError
from pipeline.formats.annotation import AnnotatedSpeech, name_of
from pipeline.records import Word


def ctm(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The words of all speeches. A word that holds a space gets an underscore there."""
    return "".join(
        f"{name_of(speech.id)} 1 {word.start:.3f} {max(word.end - word.start, 0):.3f} {name_of(word.text)}"
        + ("" if word.probability is None else f" {word.probability:.3f}")
        + "\n"
        for speech in speeches
        for word in speech.words
        if name_of(word.text)
    )


def read_ctm(path: Path) -> tuple[Word, ...]:
    """The words of the one recording a CTM file is about; of several, the one that has the file's name."""
    recordings = read_recordings(path)
    if len(recordings) > 1 and path.stem not in recordings:
        raise RostrumError(f"{path}: is about {len(recordings)} recordings and none is called {path.stem}")
    return recordings.get(path.stem) or next(iter(recordings.values()), ())


def read_recordings(path: Path) -> dict[str, tuple[Word, ...]]:
    """The words of every recording in a CTM file, by the recording's name, in order of time."""
    recordings: dict[str, list[Word]] = {}
    for number, line in enumerate(read_utf8(path).splitlines(), start=1):
        if line.strip() and not line.startswith(";;"):
            recording, word = _word(line.split(), f"{path}:{number}")
            recordings.setdefault(recording, []).append(word)
    return {name: tuple(sorted(words, key=lambda word: word.start)) for name, words in recordings.items()}


def _word(fields: list[str], where: str) -> tuple[str, Word]:
    if len(fields) < 5:
        raise RostrumError(f"{where}: a line of CTM has 5 fields or more, this one {len(fields)}")
    try:
        start, duration = float(fields[2]), float(fields[3])
        confidence = float(fields[5]) if len(fields) > 5 and fields[5] != "NA" else None
    except ValueError:
        raise RostrumError(f"{where}: start, duration and confidence must be numbers") from None
    if not (math.isfinite(start + duration) and start >= 0 and duration >= 0):
        raise RostrumError(f"{where}: start and duration must not be negative: {fields[2]} {fields[3]}")
    # The sum of two decimal fractions is not quite the decimal fraction it stands for.
    return fields[0], Word(text=fields[4], start=start, end=round(start + duration, 6), probability=confidence)
