"""Export formats: the results of a run as files of other programs.

A file of this folder holds one format, or several that belong together. A file with one format defines `FORMAT`. The
format has the name of the file, and the first line of its docstring is its line in `rostrum export --help`. A file with
several defines `FORMATS` by name, and their lines in `MEMBERS`. There are three kinds:

- `SpeechFormat`: one file per speech, from the speech with everything that was found in it.
- `RunFormat`: one file for the whole run, from all its speeches.
- `FolderFormat`: anything else.
"""

import filecmp
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias
from xml.etree.ElementTree import Element, indent, tostring

from pipeline.errors import RostrumError, StorageError, without_controls
from pipeline.family import Family

if TYPE_CHECKING:
    from pipeline.export.speech import AnnotatedSpeech
    from pipeline.run.finished import FinishedRun


FORMATS = Family("pipeline.export.formats", "export format")
# What XML 1.0 cannot contain: control characters, halves of surrogate pairs, and two code points without a character.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class SpeechFormat:
    """One file per speech. `content` returns its content, `suffix` is the end of its name."""

    suffix: str
    content: "Callable[[AnnotatedSpeech], str | bytes]"

    def files(self, run: "FinishedRun", folder: Path) -> Iterator[Path]:
        """Write the files and yield them."""
        from pipeline.export.speech import annotated_speeches

        for speech in annotated_speeches(run):
            yield write(folder / f"{run.file_names[speech.id]}{self.suffix}", self.content(speech))


@dataclass(frozen=True)
class RunFormat:
    """One file for the whole run, with the name `file`. If `content` returns nothing, there is no file."""

    file: str
    content: "Callable[[Iterable[AnnotatedSpeech]], str]"

    def files(self, run: "FinishedRun", folder: Path) -> Iterator[Path]:
        """Write the file and yield it."""
        from pipeline.export.speech import annotated_speeches

        if text := self.content(annotated_speeches(run)):
            yield write(folder / self.file, text)


@dataclass(frozen=True)
class FolderFormat:
    """Any number of files with any names. `files` writes them into a folder, and yields their paths."""

    files: "Callable[[FinishedRun, Path], Iterator[Path]]"


ExportFormat: TypeAlias = SpeechFormat | RunFormat | FolderFormat


def export_format(name: str) -> ExportFormat:
    """The format of this name.

    >>> export_format("srt").suffix
    '.srt'
    """
    module = FORMATS.load(name)
    form: ExportFormat = module.FORMATS[name] if hasattr(module, "FORMATS") else module.FORMAT
    return form


def export(run: "FinishedRun", name: str, folder: Path, *, force: bool = False) -> list[Path]:
    """Write the run in one format and return the files. Speeches without a transcript are left out.

    If one of the files exists already with another content, nothing is written, unless `force` allows to replace it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".export-") as staging:
            staged = {
                path: folder / path.relative_to(staging) for path in export_format(name).files(run, Path(staging))
            }
            if not staged:
                raise RostrumError(f"{run.store.root}: nothing to export: no speech has the content of a {name} file")
            if not force:
                _refuse_others(staged)
            for path, target in staged.items():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(path, target)
    except OSError as error:
        raise StorageError(f"{error.filename or folder}: cannot write it: {error.strerror}") from error
    return list(staged.values())


def _refuse_others(staged: Mapping[Path, Path]) -> None:
    """Raise an error for a file that would be replaced by another content."""
    for path, target in staged.items():
        if os.path.lexists(target) and not (target.is_file() and filecmp.cmp(path, target, shallow=False)):
            raise RostrumError(f"{target}: exists already; --force replaces it, --to names another folder")


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, make its folder if needed, and return its path. Line ends are the same on every system.

    Hidden characters, which could change how a text is shown, are left out of texts.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else without_controls(content).encode())
    return path


def json_text(content: object) -> str:
    """The content as a JSON document."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def json_lines(rows: Iterable[object]) -> str:
    """The rows as JSON, one per line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def xml_document(root: Element, *, indented: bool = True) -> str:
    """The element as an XML document."""
    if indented:
        indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def xml_text(text: str) -> str:
    """The text without hidden characters, and with a space for every other one that XML 1.0 cannot contain.

    >>> xml_text("a\\ufffeb\\u202ec")
    'a bc'
    """
    return _FORBIDDEN.sub(" ", without_controls(text))
