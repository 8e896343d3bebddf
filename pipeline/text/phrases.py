"""Lists of phrases that a room has in files: a line is a regular expression, or some words; '#' begins a comment."""

import functools
import re
from importlib.resources import files

_PLACEHOLDERS = {
    "{ordinal}": "(?:first|second|third|fourth|fifth|last|final|next|other|main|only|biggest)",
    "{matter}": "(?:argument|point|reason|thing|problem|issue|benefit|harm|claim|idea|principle)",
}


class PhraseLists:
    """The lists of a package's folder `phrases`, by the names of their files."""

    def __init__(self, package: str) -> None:
        self._package = package

    @functools.cache  # noqa: B019  there is one object per package, and it lives as long as the process
    def beginning(self, name: str) -> re.Pattern[str]:
        """Any pattern of a list, from the start of a word; the last word may go on."""
        return re.compile(rf"\b{self.alternatives(name)}", re.IGNORECASE)

    @functools.cache  # noqa: B019
    def whole_words(self, name: str) -> re.Pattern[str]:
        """Any pattern of a list, as whole words."""
        return re.compile(rf"\b{self.alternatives(name)}\b", re.IGNORECASE)

    @functools.cache  # noqa: B019
    def words(self, name: str) -> frozenset[str]:
        """All words of a list of words."""
        return frozenset(" ".join(self.lines(name)).split())

    @functools.cache  # noqa: B019
    def alternatives(self, name: str) -> str:
        """All patterns of a list as one regular expression."""
        pattern = "|".join(self.lines(name))
        for placeholder, meaning in _PLACEHOLDERS.items():
            pattern = pattern.replace(placeholder, meaning)
        return f"(?:{pattern})"

    def lines(self, name: str) -> list[str]:
        """The lines of a list, comments left out."""
        text = files(self._package).joinpath(f"phrases/{name}.txt").read_text(encoding="utf-8")
        return [line for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def phrase_lists(package: str) -> PhraseLists:
    """The phrase lists of a package, read once."""
    return PhraseLists(package)
