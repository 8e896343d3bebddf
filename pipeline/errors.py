class RostrumError(Exception):
    """A user's mistake or a fact of their machine, in one line: what is wrong, with which file, and what mends it."""


class StorageError(RostrumError):
    """The store cannot be read or written just now; unlike other errors, trying again may help."""
