"""CTM, NIST's time-marked conversation: one word per line, `recording channel start duration word confidence`."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.formats.nist import field, only_recording, times
from pipeline.records import Word
from pipeline.system.files import read_text


def read_ctm(path: Path) -> tuple[Word, ...]:
    """The words of a CTM file with one recording. If it has several, the words of the one with the file's name."""
    return tuple(only_recording(read_recordings(path), path))


def read_recordings(path: Path) -> dict[str, tuple[Word, ...]]:
    """The words of every recording in a CTM file, by the recording's name, in order of time."""
    recordings: dict[str, list[Word]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip() and not line.startswith(";;"):
            recording, word = _word(line.split(), f"{path}:{number}")
            recordings.setdefault(recording, []).append(word)
    return {name: tuple(sorted(words, key=lambda word: word.start)) for name, words in recordings.items()}


def ctm(recordings: Mapping[str, Iterable[Word]]) -> str:
    """The words of these recordings as CTM. Spaces in a word or name become underscores."""
    return "".join(
        _line(recording, word) for recording, words in recordings.items() for word in words if field(word.text)
    )


def _word(fields: list[str], where: str) -> tuple[str, Word]:
    if len(fields) < 5:
        raise RostrumError(f"{where}: a line of CTM has 5 fields or more, this one has {len(fields)}")
    start, end = times(fields[2], fields[3], where)
    try:
        confidence = float(fields[5]) if len(fields) > 5 and fields[5] != "NA" else None
    except ValueError:
        raise RostrumError(f"{where}: the confidence must be a number, not {fields[5]}") from None
    return fields[0], Word(text=fields[4], start=start, end=end, probability=confidence)


def _line(recording: str, word: Word) -> str:
    confidence = "" if word.probability is None else f" {word.probability:.3f}"
    duration = word.duration
    return f"{field(recording)} 1 {word.start:.3f} {duration:.3f} {field(word.text)}{confidence}\n"
