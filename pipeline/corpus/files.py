"""The files that belong to a corpus: which they are by their suffix, and whether any of them has changed."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.formats import READ_SUFFIXES
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
