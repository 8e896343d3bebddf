"""The errors that a user sees."""

from collections.abc import Iterable

from pipeline.printable import printable


class RostrumError(Exception):
    """A user's mistake or a problem of their machine. One line: which file or setting, what is wrong, what mends it."""

    def __str__(self) -> str:
        return printable(super().__str__())


class StorageError(RostrumError):
    """Storage cannot be read or written at the moment. Unlike after other errors, trying again may help."""


def hint(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """The end of an error about an unknown name: the most similar name, else `otherwise`, else all names.

    >>> hint("transcibe", ["ingest", "transcribe"])
    'did you mean transcribe?'
    >>> hint("x", ["ingest", "transcribe"])
    'there are ingest, transcribe'
    """
    names = list(names)
    near = nearest(name, names)
    return f"did you mean {near}?" if near else otherwise or f"there are {', '.join(names)}"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that is most similar to an unknown one; None if none is similar."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(names), n=1)), None)
