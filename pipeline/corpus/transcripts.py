"""Reads the transcripts of a corpus, and remarks on what may not be what its owner meant."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.files import AUDIO_SUFFIXES, TRANSCRIPT_SUFFIXES, files_below
from pipeline.corpus.manifest import Problem, read_manifest
from pipeline.corpus.names import motion_text
from pipeline.errors import RostrumError
from pipeline.formats import read_rttm
from pipeline.ingest.decode import stated_duration
from pipeline.records import Word
from pipeline.system.files import read_text

# Reads the transcripts of a corpus, in any format.

# Text files of IBM's release. Some of them are not UTF-8.
_IBM_TEXTS = (".asr.txt", ".trs.txt")


def read_words(path: Path) -> tuple[Word, ...]:
    """The words of a `.ctm` or `.asr` file, with their times."""
    from pipeline.formats import read_asr, read_ctm

    return read_ctm(path) if path.suffix.lower() == ".ctm" else read_asr(path)


def read_spoken(path: Path) -> str:
    """The text as it was said, word for word. The repairs and fillers of a `.trs` file are kept."""
    from pipeline.formats import read_transcriber, spoken_text

    if path.suffix.lower() == ".trs":
        return " ".join(spoken_text(stretch.text) for stretch in read_transcriber(path))
    return _text(path)


def read_lines(path: Path) -> tuple[str, ...]:
    """The text as the speaker meant it, in lines. A file that has only words gives one line."""
    from pipeline.formats import meant_text, read_transcriber

    if path.suffix.lower() == ".trs":
        text = " ".join(meant_text(stretch.text) for stretch in read_transcriber(path))
    elif path.suffix.lower() in TRANSCRIPT_SUFFIXES:
        text = " ".join(word.text for word in read_words(path))
    else:
        text = _text(path)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _text(path: Path) -> str:
    return read_text(path, fallback="iso-8859-1" if path.name.endswith(_IBM_TEXTS) else None)


# Remarks on a corpus that is valid, but may not be what its owner meant.

# Turns may end so many seconds after their recording, because two programs may measure its length differently.
_TOLERANCE = 0.5
# A longer text cannot be that of its recording: the fastest speakers need a third of these bytes, marks and line breaks
# included. Short texts are not checked.
_BYTES_PER_SECOND, _SHORT_REFERENCE = 100, 10_000


def notes(corpus: Corpus) -> Iterator[Problem]:
    """Probable mistakes: recordings that are not listed, files that do not fit their recording, unwritten motions."""
    yield from _unlisted(corpus)
    for entry in corpus.entries:
        yield from _unfitting(entry, corpus.folder)
    for motion in corpus.motions.values():
        if motion.text == motion_text(motion.id):
            message = f"{motion.text!r} is not a motion yet; write it out, such as 'We should ban phones in schools.'"
            yield Problem("motions.csv", message, column="text")


def _unfitting(entry: Entry, folder: Path) -> Iterator[Problem]:
    """Notes on turns and a reference transcript that are too long for their recording."""
    long_reference = entry.reference is not None and entry.reference.stat().st_size > _SHORT_REFERENCE
    duration = stated_duration(entry.audio) if entry.audio and (entry.turns or long_reference) else None
    if duration is None:
        return
    with suppress(RostrumError):  # a file that cannot be read is reported elsewhere
        end = max((turn.end for turn in read_rttm(entry.turns)), default=0.0) if entry.turns else 0.0
        if entry.turns and end > duration + _TOLERANCE:
            message = f"its turns end at {end:.1f} s, the recording at {duration:.1f} s; the rest is left out"
            yield Problem(str(entry.turns.relative_to(folder)), message)
    size = entry.reference.stat().st_size if entry.reference and long_reference else 0
    if entry.reference and size > _BYTES_PER_SECOND * duration:
        message = f"{size:,} bytes of text for {duration:.1f} s of sound; is it the transcript of this recording?"
        yield Problem(str(entry.reference.relative_to(folder)), message)


def _unlisted(corpus: Corpus) -> Iterator[Problem]:
    known = {entry.audio for entry in corpus.entries}
    files = (path for path in files_below(corpus.folder) if path.suffix.lower() in AUDIO_SUFFIXES)
    left = [path for path in files if path not in known]
    listed = read_manifest(corpus.folder, "speeches.csv") if left else None
    if listed is None:
        return
    named = {corpus.folder / row["file"] for _, row in listed.rows if row.get("file")}  # also those with problems
    for path in left:
        if path not in named:
            yield Problem("speeches.csv", f"{path.relative_to(corpus.folder)} is not listed, so it is left out")
