"""The errors that a user sees."""

from collections.abc import Iterable

from pipeline.printable import printable


class RostrumError(Exception):
    """A user's mistake or a fact of their machine, in one line: what is wrong, with which file, and what mends it."""

    def __str__(self) -> str:
        return printable(super().__str__())


class StorageError(RostrumError):
    """The store cannot be read or written just now; unlike other errors, trying again may help."""


def hint(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """What a person who typed `name` may have meant, for the end of an error; `otherwise` if no name is near.

    >>> hint("transcibe", ["ingest", "transcribe"])
    'did you mean transcribe?'
    >>> hint("x", ["ingest", "transcribe"])
    'there are ingest, transcribe'
    """
    from difflib import get_close_matches

    names = list(names)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else otherwise or f"there are {', '.join(names)}"
