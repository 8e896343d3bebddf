"""Lists of phrases: those that are cut from speech, and those by which claims are recognised.

A list is a file. Each line has one pattern, or some words.
"""

import functools
import re
from importlib.resources import files

_NAMED = {
    "{ordinal}": "(?:first|second|third|fourth|fifth|last|final|next|other|main|only|biggest)",
    "{matter}": "(?:argument|point|reason|thing|problem|issue|benefit|harm|claim|idea|principle)",
}


@functools.cache
def alternatives(name: str) -> str:
    """All patterns of a list as one regular expression."""
    pattern = "|".join(lines(name))
    for placeholder, meaning in _NAMED.items():
        pattern = pattern.replace(placeholder, meaning)
    return f"(?:{pattern})"


@functools.cache
def searcher(name: str) -> re.Pattern[str]:
    """Finds any pattern of a list, as whole words, anywhere in a text."""
    return re.compile(rf"\b{alternatives(name)}\b", re.IGNORECASE)


@functools.cache
def words(name: str) -> frozenset[str]:
    """All words of a list of words."""
    return frozenset(" ".join(lines(name)).split())


@functools.cache
def kind(name: str) -> frozenset[str]:
    """Function words of one kind."""
    by_kind = dict(line.split(":") for line in lines("function_words"))
    return frozenset(by_kind[name].split())


def lines(name: str) -> list[str]:
    """The lines of a list, comments left out."""
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
