"""Reads the transcripts of a corpus, in any format."""

from pathlib import Path

from pipeline.corpus.files import TRANSCRIPT_SUFFIXES
from pipeline.records import Word
from pipeline.system.files import read_text

# Text files of IBM's release. Some of them are not UTF-8.
_IBM_TEXTS = (".asr.txt", ".trs.txt")


def read_words(path: Path) -> tuple[Word, ...]:
    """The words of a `.ctm` or `.asr` file, with their times."""
    from pipeline.formats.asr import read_asr
    from pipeline.formats.ctm import read_ctm

    return read_ctm(path) if path.suffix.lower() == ".ctm" else read_asr(path)


def read_spoken(path: Path) -> str:
    """The text as it was said, word for word. The repairs and fillers of a `.trs` file are kept."""
    from pipeline.formats.transcriber import read_transcriber, spoken_text

    if path.suffix.lower() == ".trs":
        return " ".join(spoken_text(stretch.text) for stretch in read_transcriber(path))
    return _text(path)


def read_lines(path: Path) -> tuple[str, ...]:
    """The text as the speaker meant it, in lines. A file that has only words gives one line."""
    from pipeline.formats.transcriber import meant_text, read_transcriber

    if path.suffix.lower() == ".trs":
        text = " ".join(meant_text(stretch.text) for stretch in read_transcriber(path))
    elif path.suffix.lower() in TRANSCRIPT_SUFFIXES:
        text = " ".join(word.text for word in read_words(path))
    else:
        text = _text(path)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _text(path: Path) -> str:
    return read_text(path, fallback="iso-8859-1" if path.name.endswith(_IBM_TEXTS) else None)
