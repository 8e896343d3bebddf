"""A scope is the folder of a speech's or motion's artifacts in a run. No two speeches share one."""

import hashlib
import re
import unicodedata
from array import array
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple
from urllib.parse import quote

# The folder of all motions. A speech's id cannot begin with an underscore: that is quoted.
MOTIONS = "_motions"
# Characters that have a special meaning in a file system or a URL.
_UNSAFE = frozenset('/\\"%*:<>?|')
# Names that Windows reserves for devices, with any suffix. (There a name cannot end in a dot or a space either.)
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE)
# A folder of this name could be taken for an artifact or its attachment.
_ARTIFACT = re.compile(r".*\.json|\w+\.[0-9a-f]{12}\.\w+", re.IGNORECASE)
# Bytes of a quoted name. File systems allow 255; the rest is for a digest.
_LONGEST = 200
# Names and ids that need no care. Most are of this kind.
_NAME = rf"(?!(?:con|prn|aux|nul|(?:com|lpt)[0-9])(?![a-z0-9_-]))[a-z0-9][a-z0-9_-]{{,{_LONGEST - 1}}}"
_PLAIN = re.compile(rf"{_NAME}(?:/{_NAME})*", re.IGNORECASE | re.ASCII)


class Place(NamedTuple):
    """Where an artifact is: the folder of its speech or motion, and the stage that made it."""

    scope: str
    stage: str


def scope_of_motion(motion: str) -> str:
    """The folder of a motion's artifacts, relative to the run."""
    return f"{MOTIONS}/{_quoted(motion)}"


def scope_of_speech(speech: str) -> str:
    """The folder of a speech's artifacts, relative to the run, if no other speech needs the same.

    >>> scope_of_speech("2018/anna")
    '2018/anna'
    >>> scope_of_speech("../anna")
    '%2E%2E/anna'
    """
    return speech if _PLAIN.fullmatch(speech) else "/".join(_quoted(part) for part in speech.split("/"))


def scopes_of_speeches(speeches: Iterable[str], wanted: Container[str] | None = None) -> dict[str, str]:
    """The folder of each speech of a run, or of those that are `wanted`.

    Folders that some file systems cannot tell apart get a digest.

    >>> scopes_of_speeches(["anna", "Anna", "ben"])
    {'anna': 'anna%55579b55', 'Anna': 'Anna%bf4fccd6', 'ben': 'ben'}
    """
    return _apart(speeches, scope_of_speech, wanted)


def scopes_of_motions(motions: Iterable[str]) -> dict[str, str]:
    """The folder of each motion of a run, kept apart like those of speeches."""
    return _apart(motions, scope_of_motion)


def is_scope(text: str) -> bool:
    """Whether the text can be a scope. A scope never leads out of the run's folder."""
    parts = text.removeprefix(f"{MOTIONS}/").split("/")
    return all(part and not part.startswith((".", "_")) and _is_safe(part.replace("%", "")) for part in parts)


def _apart(ids: Iterable[str], scope_of: Callable[[str], str], wanted: Container[str] | None = None) -> dict[str, str]:
    """Scopes that also differ on file systems that ignore case, or the way in which a letter is encoded.

    Of a long corpus only the digests of its scopes are kept, and the scopes that are wanted.
    """
    import numpy as np  # not for commands that only read

    scopes, digests = {}, array("Q")
    for id in ids:
        scope = scope_of(id)
        digests.append(_short_digest(scope))
        if wanted is None or id in wanted:
            scopes[id] = scope
    ordered, counts = np.unique(np.asarray(digests, np.uint64), return_counts=True)
    shared = set(ordered[counts > 1].tolist())
    return {
        id: f"{scope}%{_digest(id)[:8]}" if _short_digest(scope) in shared else scope for id, scope in scopes.items()
    }


def _short_digest(scope: str) -> int:
    """64 bits of a digest of a scope as such a file system sees it."""
    return int.from_bytes(hashlib.blake2b(_folded(scope).encode(errors="surrogatepass"), digest_size=8).digest())


def _folded(scope: str) -> str:
    if _PLAIN.fullmatch(scope):
        return scope.lower()
    return "/".join(part.rstrip(". ") for part in unicodedata.normalize("NFKC", scope).casefold().split("/"))


def _quoted(part: str) -> str:
    """A name that every file system accepts: readable, not empty, not reserved, and no parent folder."""
    if "/" not in part and _PLAIN.fullmatch(part):
        return part
    text = "".join(sign if _is_safe(sign) else quote(sign, safe="", errors="surrogatepass") for sign in part)
    if text.startswith(("_", ".")) or _DEVICE.fullmatch(text):
        text = f"%{ord(text[0]):02X}{text[1:]}"
    if _ARTIFACT.fullmatch(text):
        text = text.replace(".", "%2E")
    if text.endswith((".", " ")):
        text = f"{text[:-1]}%{ord(text[-1]):02X}"
    if len(text.encode()) > _LONGEST:
        text = f"{text.encode()[: _LONGEST // 2].decode(errors='ignore')}%{_digest(part)}"
    return text or "%"


def _is_safe(text: str) -> bool:
    return text.isprintable() and not _UNSAFE & set(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
