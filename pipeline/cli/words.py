"""Words for the terminal."""


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "speech"), counted(2, "speech"), counted(0, "file")
    ('1 speech', '2 speeches', '0 files')
    """
    ending = "" if number == 1 else "es" if noun.endswith(("s", "ch", "sh", "x")) else "s"
    return f"{number} {noun}{ending}"
