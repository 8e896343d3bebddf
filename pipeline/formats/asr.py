"""IBM's `.asr`: a recogniser's words with their times, each as `word[start,end]`."""

import re
from pathlib import Path

from pipeline.records import Word
from pipeline.system.files import read_text

_TOKEN = re.compile(r"(\S+)\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")


def read_asr(path: Path) -> tuple[Word, ...]:
    """The words of a `.asr` file, without silences and hesitations. (The times of some of those run backwards.)"""
    return tuple(
        Word(text=text, start=float(start), end=float(end))
        for text, start, end in _TOKEN.findall(read_text(path, fallback="iso-8859-1"))
        if not text.startswith(("~", "%", "<"))
    )
