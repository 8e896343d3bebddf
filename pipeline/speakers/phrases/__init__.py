"""What people say in debates of any form: lists of phrases, one file each.

A line is a regular expression, or some words.
"""

import functools
import re
from importlib.resources import files


@functools.cache
def alternatives(name: str) -> str:
    """All patterns of a list as one regular expression."""
    return f"(?:{'|'.join(_lines(name))})"


@functools.cache
def searcher(name: str) -> re.Pattern[str]:
    """Finds any pattern of a list, as whole words, anywhere in a text."""
    return re.compile(rf"\b{alternatives(name)}\b", re.IGNORECASE)


@functools.cache
def word_list(name: str) -> frozenset[str]:
    """All words of a list of words."""
    return frozenset(" ".join(_lines(name)).split())


def _lines(name: str) -> list[str]:
    """The lines of a list, comments left out."""
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
