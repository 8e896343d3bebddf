"""The files that belong to a corpus: which they are by suffix, what their names say, and whether any has changed."""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import RostrumError
from pipeline.formats import READ_SUFFIXES
from pipeline.records import Stance
from pipeline.system.files import LARGEST_TEXT, is_inside, read_file

AUDIO_SUFFIXES = frozenset(
    f".{name}"
    for name in ("wav", "w64", "flac", "mp3", "m4a", "aac", "ogg", "oga", "opus", "webm", "aif", "aiff", "aifc", "caf")
    + ("wma", "amr", "3gp", "m4b")
    + ("mp4", "m4v", "mkv", "mov", "avi", "flv", "mpg", "mpeg", "wmv")
)
REFERENCE_SUFFIXES = (".txt", ".trs")
# Speeches that nobody recorded. Beside a recording, a .docx is an export of its transcript, not a reference.
TEXT_SUFFIXES = (*REFERENCE_SUFFIXES, ".docx")
TURN_SUFFIXES = (".rttm",)
# Beside talk.wav, talk.srt may be an export; talk.reference.srt and talk.turns.srt say what they are.
NAMED_REFERENCES = tuple(f".reference{suffix}" for suffix in (*READ_SUFFIXES, ".TextGrid") if suffix != ".rttm")
NAMED_TURNS = tuple(f".turns{suffix}" for suffix in (*READ_SUFFIXES, ".TextGrid") if suffix not in (".txt", ".trs"))
_READ = AUDIO_SUFFIXES.union(READ_SUFFIXES, (".csv",))

# The file that every run has, and its first bytes.
_RUN_FILE, _RUN_BEGINS = "run.json", b'{\n "corpus": '

# The size and the time of change of every file that a run would read.
Snapshot = Mapping[Path, tuple[int, int]]


def snapshot(path: Path) -> Snapshot:
    """The size and time of every file of a corpus. If two snapshots are equal, nothing has changed in between.

    A file that ends in `.part` is still being written, and is left out.
    """
    folder, stem = (path, None) if path.is_dir() else (path.parent, path.stem)
    states: dict[Path, tuple[int, int]] = {}
    for file in files_below(folder) if stem is None else folder.glob("*"):
        if file.suffix.lower() in _READ and (stem is None or f"{file.name}.".startswith(f"{stem}.")):
            try:
                state = file.stat()
            except OSError:
                continue  # renamed or removed since it was listed
            states[file] = (state.st_size, state.st_mtime_ns)
    return states


def no_recordings(folder: Path) -> str:
    """The error for a folder without recordings, which says what is in it instead."""
    files = sum(1 for _ in files_below(folder))
    what = (
        "it is empty" if not files else f"{files} {'file' if files == 1 else 'files'}, none ends in .wav, .mp3 or .mp4"
    )
    return f"{folder}: no recordings in it: {what}; docs/corpus.md says which files are recordings"


def files_below(folder: Path, problem: Callable[[Path, str], None] = lambda path, message: None) -> Iterator[Path]:
    """Every file below a folder, in order of name. Runs, and names that begin with a dot, are left out.

    A link is followed if it stays inside the folder. A folder is read only once. `problem` is called for all other
    links, and for folders that cannot be read.
    """
    return _below(folder, folder, problem, set())


def _below(folder: Path, top: Path, problem: Callable[[Path, str], None], seen: set[Path]) -> Iterator[Path]:
    seen.add(folder.resolve())
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        problem(folder, f"cannot be read: {error.strerror}")
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() and not is_inside(path, top):
            problem(path, "a link that leads out of the folder or in a circle; put the file itself there")
        elif entry.is_dir():
            if path.resolve() not in seen and not _is_run(path):
                yield from _below(path, top, problem, seen)
        elif entry.is_file():
            yield path


def _is_run(folder: Path) -> bool:
    """Whether a folder is a run. The audio in it are artifacts, not recordings."""
    try:
        return read_file(folder / _RUN_FILE, LARGEST_TEXT).startswith(_RUN_BEGINS)
    except (OSError, RostrumError):
        return False


# What the names of recordings say: side, motion and speaker, by the words in them.

_SIDES: Mapping[str, Stance] = {
    **dict.fromkeys(("pro", "prop", "proposition", "aff", "affirmative", "gov", "government"), "pro"),
    **dict.fromkeys(("con", "contra", "opp", "opposition", "neg", "negative"), "con"),
}
# Words that occur in other names, too. They count only if both are used.
_COMMON_SIDES: Mapping[str, Stance] = {"for": "pro", "against": "con"}
_NOT_NAMES = frozenset(
    ("audio", "clip", "mono", "part", "recording", "stereo", "take", "track", "video")
    + ("debate", "debater", "final", "round", "session", "side", "speaker", "speech", "statement", "talk", "team")
    + ("closing", "introduction", "opening", "rebuttal", "reply", "summary", "first", "second", "third", "fourth")
)
_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = " _-.,()[]/"


class Guess(NamedTuple):
    """What the name of a recording says about it; empty if it says nothing."""

    motion: str | None = None
    stance: Stance | None = None
    speakers: tuple[str, ...] = ()


class _Parts(NamedTuple):
    """The side that a name gives, and the parts of the name that are left."""

    stance: Stance | None
    rest: tuple[str, ...]


def guesses(names: Sequence[str]) -> dict[str, Guess]:
    """A guess for each speech of a corpus. A name is the path of its recording without the extension.

    Only a name with a word for a side is used. The motion is the part of the names that both sides share.

    >>> guesses(["schools_pro_anna", "schools_con_ben"])["schools_con_ben"]
    Guess(motion='schools', stance='con', speakers=('Ben',))
    """
    words = {word.lower() for name in names for word in _WORD.findall(name)}
    sides = {**_SIDES, **(_COMMON_SIDES if _COMMON_SIDES.keys() <= words else {})}
    parts = {name: _parts(name, sides) for name in names}
    alike: dict[int, list[_Parts]] = defaultdict(list)
    for each in parts.values():
        if each.stance:
            alike[len(each.rest)].append(each)
    motions = {length: _motion_part(these) for length, these in alike.items()}
    return {name: _guess(each, motions.get(len(each.rest))) for name, each in parts.items()}


def motion_text(id: str) -> str:
    """A first text for a motion: the words of its id.

    >>> motion_text("ban-phones")
    'Ban phones'
    """
    words = " ".join(re.split(rf"[{re.escape(_SEPARATORS)}]+", id)).strip()
    return words[:1].upper() + words[1:]


def _parts(name: str, sides: Mapping[str, Stance]) -> _Parts:
    """The side that a name gives, and the parts before and after it."""
    sides_named = [match for match in _WORD.finditer(name) if match[0].lower() in sides]
    if len({sides[match[0].lower()] for match in sides_named}) != 1:
        return _Parts(None, ())
    side = sides_named[-1]
    pieces = [*name[: side.start()].split("/"), *name[side.end() :].split("/")]
    stripped = (piece.strip(_SEPARATORS) for piece in pieces)
    return _Parts(sides[side[0].lower()], tuple(piece for piece in stripped if _WORD.search(piece)))


def _motion_part(these: Iterable[_Parts]) -> int | None:
    """The index of the part that names the motion: the first that varies and mostly occurs with both sides."""
    these = list(these)
    shared: list[int] = []
    for index in range(len(these[0].rest)):
        stances: dict[str, set[Stance | None]] = defaultdict(set)
        for each in these:
            stances[each.rest[index]].add(each.stance)
        if 2 * sum(len(sides) == 2 for sides in stances.values()) >= len(stances):
            if len(stances) > 1:
                return index
            shared.append(index)
    return shared[-1] if shared else None


def _guess(parts: _Parts, motion: int | None) -> Guess:
    others = [part for index, part in enumerate(parts.rest) if index != motion]
    return Guess(None if motion is None else parts.rest[motion], parts.stance, _speakers(others[-1]) if others else ())


def _speakers(part: str) -> tuple[str, ...]:
    """The speakers that a part of a name gives; none if it gives none."""
    people = [" ".join(_names(each)) for each in re.split(r"(?i)(?:\b|_)(?:and|vs)(?:\b|_)|[&+]", part)]
    words = {word for person in people for word in person.lower().split()}
    return tuple(people) if all(len(person) > 1 for person in people) and not words & _NOT_NAMES else ()


def _names(text: str) -> Iterable[str]:
    for word in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text):
        yield word.title() if word.islower() or (word.isupper() and len(word) > 1) else word
