"""Where the artifacts of a speech or motion are in a run: a folder that no other speech has."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

# A scope is made of a speech's id, or of a motion's id in this folder; parts that begin with an underscore are quoted.
MOTIONS = "_motions"
# What a file system or a URL takes for something else.
_UNSAFE = frozenset('/\\"%*:<>?|')
# What Windows keeps for devices, with any suffix; there a name cannot end in a dot or a space either.
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE)
# A folder of this name could be taken for an artifact or its attachment.
_ARTIFACT = re.compile(r".*\.json|\w+\.[0-9a-f]{12}\.\w+", re.IGNORECASE)
# File systems take names of 255 bytes.
_LONGEST = 200


class Place(NamedTuple):
    """Where an artifact is: the folder of its speech or motion, and the stage that made it."""

    scope: str
    stage: str


def scope_of_motion(motion: str) -> str:
    """The folder of a motion's artifacts, relative to the run."""
    return f"{MOTIONS}/{_quoted(motion)}"


def scope_of_speech(speech: str) -> str:
    """The folder of a speech's artifacts, relative to the run, as long as no other speech of the run needs it.

    >>> scope_of_speech("2018/anna")
    '2018/anna'
    >>> scope_of_speech("../anna")
    '%2E%2E/anna'
    """
    return "/".join(_quoted(part) for part in speech.split("/"))


def scopes_of_speeches(speeches: Iterable[str]) -> dict[str, str]:
    """The folder of each speech of a run. Folders that some file systems take for one are kept apart by a mark.

    >>> scopes_of_speeches(["anna", "Anna", "ben"])
    {'anna': 'anna%55579b55', 'Anna': 'Anna%bf4fccd6', 'ben': 'ben'}
    """
    return _apart({speech: scope_of_speech(speech) for speech in speeches})


def scopes_of_motions(motions: Iterable[str]) -> dict[str, str]:
    """The folder of each motion of a run, kept apart like those of speeches."""
    return _apart({motion: scope_of_motion(motion) for motion in motions})


def is_scope(text: str) -> bool:
    """Whether a folder's name could have been made here: it stays inside of the run."""
    parts = text.removeprefix(f"{MOTIONS}/").split("/")
    return all(part and not part.startswith((".", "_")) and _is_safe(part.replace("%", "")) for part in parts)


def _apart(scopes: dict[str, str]) -> dict[str, str]:
    """Scopes that differ also where upper and lower case, or two ways to write a letter, are the same."""
    count = Counter(map(_folded, scopes.values()))
    return {id: f"{scope}%{_digest(id)[:8]}" if count[_folded(scope)] > 1 else scope for id, scope in scopes.items()}


def _folded(scope: str) -> str:
    return "/".join(part.rstrip(". ") for part in unicodedata.normalize("NFKC", scope).casefold().split("/"))


def _quoted(part: str) -> str:
    """Readable in a file browser of any system, and never empty, a control character, a parent folder or reserved."""
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
