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
    names = list(names)
    near = nearest(name, names)
    return f"did you mean {near}?" if near else otherwise or f"there are {', '.join(names)}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that a person may have meant who typed another; None if none is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(names), n=1)), None)
