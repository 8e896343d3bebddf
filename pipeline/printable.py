"""Makes text from outside, such as file names and titles, safe to print in a terminal."""

import re

# Control characters, ends of lines, and marks that reverse the direction of text.
_RAW = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object) -> str:
    """The text on one line, with control characters spelled out, so that it cannot change the terminal.

    >>> print(printable("talk\\x1b[2J.wav"))
    talk\\x1b[2J.wav
    """
    return _RAW.sub(lambda match: repr(match[0])[1:-1], str(text))
