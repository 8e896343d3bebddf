"""The recordings of a corpus, by the names that references give them."""

from collections.abc import Container
from pathlib import Path

from pipeline.corpus import Corpus
from pipeline.errors import RostrumError


def recordings_by_name(corpus: Corpus, wanted: Container[str]) -> dict[str, Path]:
    """The audio file of each wanted name: a file's name without its folder and suffix. No two may have one name."""
    found: dict[str, Path] = {}
    for entry in corpus.entries:
        if entry.audio and entry.audio.stem in wanted:
            if entry.audio.stem in found:
                raise RostrumError(f"{entry.audio}: there is another recording called {entry.audio.stem}; rename one")
            found[entry.audio.stem] = entry.audio
    return found
