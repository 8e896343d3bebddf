"""The errors that a user sees, and text from outside, such as file names, made safe to print in a terminal."""

import re
import shlex
from collections.abc import Iterable

# Control characters, ends of lines, and marks that reverse the direction of text.
_RAW = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object) -> str:
    """The text on one line, with control characters spelled out, so that it cannot change the terminal.

    >>> print(printable("talk\\x1b[2J.wav"))
    talk\\x1b[2J.wav
    """
    return _RAW.sub(lambda match: repr(match[0])[1:-1], str(text))


def quoted(path: object) -> str:
    """A path as a shell takes it, for a command that a person copies.

    >>> print(quoted("my talks"), quoted("talks"))
    'my talks' talks
    """
    return shlex.quote(str(path))


# What moves a terminal's cursor or reverses text, without tabs and ends of lines. Of the controls from 80 to 9f, only
# those that begin a sequence: text in Windows' encoding, read as another one, has quotation marks there.
_HIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\x90\x9b\x9d\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def without_controls(text: str) -> str:
    """The text of a file from outside without hidden characters that change how the text after them is shown.

    >>> without_controls("zoos \x1b[2Jare\u202e cruel")
    'zoos [2Jare cruel'
    """
    return _HIDDEN.sub("", text)


# The errors that a user sees.

# Of a longer message, so many characters of its beginning and of its end are shown.
_BEGINNING, _END = 1_400, 600


class RostrumError(Exception):
    """A user's mistake or a problem of their machine. One line: which file or setting, what is wrong, what mends it."""

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) > _BEGINNING + _END:  # a cell or a name in it may have any length
            text = f"{text[:_BEGINNING]} ... {text[-_END:]}"
        return printable(text)


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
