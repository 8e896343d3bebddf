"""Text for XML documents."""

import re

# What XML 1.0 cannot contain: control characters, halves of surrogate pairs, and two code points without a character.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """The text with a space for every character that XML 1.0 cannot contain.

    >>> xml_text("a\\x00b")
    'a b'
    """
    return _FORBIDDEN.sub(" ", text)
