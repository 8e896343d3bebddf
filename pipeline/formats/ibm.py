"""IBM's `.asr`: a recogniser's words with their times, each as `word[start,end]`."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import RostrumError, without_controls
from pipeline.records import Word
from pipeline.system.files import read_text

_TIMES = re.compile(r"\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")


def read_asr(path: Path) -> tuple[Word, ...]:
    """The words of a `.asr` file, without silences and hesitations. (The times of some of those run backwards.)"""
    return tuple(
        Word(text=text, start=start, end=end)
        for text, start, end in _timed(path, without_controls(read_text(path, fallback="iso-8859-1")))
        if not text.startswith(("~", "%", "<"))
    )


def _timed(path: Path, text: str) -> Iterator[tuple[str, float, float]]:
    """(word, start, end) of every token with times. A word may have brackets of its own: the last times count."""
    for token in text.split():
        if matches := list(_TIMES.finditer(token, 1)):
            last = matches[-1]
            start, end = float(last[1]), float(last[2])
            if not math.isfinite(start + end):
                raise RostrumError(f"{path}: a time in it is not a number of seconds: {last[0]}")
            yield token[: last.start()], start, end
