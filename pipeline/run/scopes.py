"""A scope is the folder of a speech's or motion's artifacts in a run. No two speeches share one."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
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
    return "/".join(_quoted(part) for part in speech.split("/"))


def scopes_of_speeches(speeches: Iterable[str]) -> dict[str, str]:
    """The folder of each speech of a run. Folders that some file systems cannot tell apart get a digest.

    >>> scopes_of_speeches(["anna", "Anna", "ben"])
    {'anna': 'anna%55579b55', 'Anna': 'Anna%bf4fccd6', 'ben': 'ben'}
    """
    return _apart({speech: scope_of_speech(speech) for speech in speeches})


def scopes_of_motions(motions: Iterable[str]) -> dict[str, str]:
    """The folder of each motion of a run, kept apart like those of speeches."""
    return _apart({motion: scope_of_motion(motion) for motion in motions})


def is_scope(text: str) -> bool:
    """Whether the text can be a scope. A scope never leads out of the run's folder."""
    parts = text.removeprefix(f"{MOTIONS}/").split("/")
    return all(part and not part.startswith((".", "_")) and _is_safe(part.replace("%", "")) for part in parts)


def _apart(scopes: dict[str, str]) -> dict[str, str]:
    """Scopes that also differ on file systems that ignore case, or the way in which a letter is encoded."""
    count = Counter(map(_folded, scopes.values()))
    return {id: f"{scope}%{_digest(id)[:8]}" if count[_folded(scope)] > 1 else scope for id, scope in scopes.items()}


def _folded(scope: str) -> str:
    return "/".join(part.rstrip(". ") for part in unicodedata.normalize("NFKC", scope).casefold().split("/"))


def _quoted(part: str) -> str:
    """A name that every file system accepts: readable, not empty, not reserved, and no parent folder."""
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
