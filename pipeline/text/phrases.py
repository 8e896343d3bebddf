"""Lists of phrases that a room has in files: a line is a regular expression, or some words; '#' begins a comment."""

import functools
import re
from importlib.resources import files

_NAMED = {
    "{ordinal}": "(?:first|second|third|fourth|fifth|last|final|next|other|main|only|biggest)",
    "{matter}": "(?:argument|point|reason|thing|problem|issue|benefit|harm|claim|idea|principle|contention)",
}


class PhraseLists:
    """The lists of a package's folder `phrases`, by the names of their files."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def anywhere(self, name: str) -> re.Pattern[str]:
        """Finds any pattern of a list, as whole words: `search` it."""
        return self._patterns.setdefault(name, re.compile(rf"\b{self._alternatives(name)}", re.IGNORECASE))

    def words(self, name: str) -> frozenset[str]:
        """All words of a list of words."""
        return self._words.setdefault(name, frozenset(" ".join(self.lines(name)).split()))

    def lines(self, name: str) -> list[str]:
        """The lines of a list, comments left out."""
        text = files(self._package).joinpath(f"phrases/{name}.txt").read_text(encoding="utf-8")
        return [line for line in text.splitlines() if line and not line.startswith("#")]

    def _alternatives(self, name: str) -> str:
        pattern = "|".join(self.lines(name))
        for placeholder, meaning in _NAMED.items():
            pattern = pattern.replace(placeholder, meaning)
        return f"(?:{pattern})"


@functools.cache
def phrase_lists(package: str) -> PhraseLists:
    """The phrase lists of a package, read once."""
    return PhraseLists(package)
