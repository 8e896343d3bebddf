"""IBM's Recorded Debating Dataset: names that say who speaks on what to whom, and `.asr` with word times."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.errors import RostrumError
from pipeline.formats.transcriber import meant_text, read_transcriber
from pipeline.records import Stance, Word

_NAME = re.compile(
    r"(?P<speaker>[^_]+)_(?P<motion>\d+)_(?P<topic>[^_]+)_(?P<stance>pro|con)_(?P<kind>[^_.]+)(?:_(?P<opponent>[^_.]+))?"
)
_TOKEN = re.compile(r"(\S+)\[(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)\]")

Kind = Literal["asr", "asr.txt", "trs", "trs.txt"]


@dataclass(frozen=True)
class IbmSpeech:
    """One speech of the data set, by its name; `files` has what the release holds of it, by kind."""

    id: str
    speaker: str
    motion: str
    topic: str
    stance: Stance
    opponent: str | None
    files: dict[str, Path]

    def words(self) -> tuple[Word, ...]:
        """The recogniser's words with their times."""
        return read_asr(self.files["asr"])

    def sentences(self, kind: Kind) -> list[str]:
        """The clean transcript, a sentence a line: `asr.txt` by the recogniser, `trs.txt` by a person."""
        return [line for line in read_text(self.files[kind]).splitlines() if line.strip()]

    def text(self, kind: Kind) -> str:
        """A transcript as one text. For `trs`, what the speaker meant; for `asr`, the recogniser's words."""
        if kind == "asr":
            return " ".join(word.text for word in self.words())
        if kind == "trs":
            return " ".join(meant_text(stretch.text) for stretch in read_transcriber(self.files["trs"]))
        return " ".join(self.sentences(kind))


def find_speeches(folder: Path) -> list[IbmSpeech]:
    """Every speech below `folder/speeches`, by name; the transcriber's name in a file's name is not part of the id."""
    files: dict[str, dict[str, Path]] = {}
    for path in sorted((folder / "speeches").rglob("*")):
        match = _NAME.match(path.name)
        if match and path.is_file():
            kind = next((k for k in ("asr.txt", "trs.txt", "asr", "trs", "wav") if path.name.endswith(f".{k}")), None)
            if kind:
                files.setdefault(match[0], {})[kind] = path
    if not files:
        raise RostrumError(f"{folder}: no speeches named <speaker>_<motion>_<topic>_<pro|con>_... below speeches/")
    return [_speech(name, found) for name, found in files.items()]


def _speech(name: str, files: dict[str, Path]) -> IbmSpeech:
    match = _NAME.fullmatch(name)
    assert match is not None
    stance: Stance = "pro" if match["stance"] == "pro" else "con"
    return IbmSpeech(name, match["speaker"], match["motion"], match["topic"], stance, match["opponent"], files)


def answered(speech: IbmSpeech, speeches: list[IbmSpeech]) -> IbmSpeech | None:
    """The supporting speech that this one was recorded in answer to, if the data has it."""
    if speech.opponent is None:
        return None
    return next(
        (
            each
            for each in speeches
            if each.motion == speech.motion and each.stance != speech.stance and each.speaker == speech.opponent
        ),
        None,
    )


def read_asr(path: Path) -> tuple[Word, ...]:
    """Words of a `.asr` file. Silences and hesitations are dropped, among them tokens whose times run backwards."""
    return tuple(
        Word(text=text, start=float(start), end=float(end))
        for text, start, end in _TOKEN.findall(read_text(path))
        if not text.startswith(("~", "%", "<"))
    )


def read_text(path: Path) -> str:
    """UTF-8, or ISO-8859-1 where it is not: the release mixes both."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("iso-8859-1")


def rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    """Rows of one of the CSV files in `folder/GPR-KB-55`."""
    path = folder / "GPR-KB-55" / name
    if not path.exists():
        raise RostrumError(f"{path}: not there; the claims of the data set are needed for this")
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)
