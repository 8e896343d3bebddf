"""Files of other programs that rostrum reads: transcripts with times and speakers where they have them.

A module holds a family of formats. CTM and RTTM are also written there; what is only written for other programs is in
`pipeline.export.formats`.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from pathlib import Path

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.aif import ArgumentMap, ArgumentRelation, Locution, read_argument_map
from pipeline.formats.annotation_programs import (
    meant_text,
    read_eaf,
    read_exb,
    read_textgrid,
    read_transcriber,
    spoken_text,
)
from pipeline.formats.datasets import (
    DEBATE_SUFFIX,
    DebateTranscript,
    debate_words,
    is_debate,
    read_asr,
    read_debate,
)
from pipeline.formats.named_turns import Said, named_turns
from pipeline.formats.nist import (
    ctm,
    field,
    read_ctm,
    read_ctm_recordings,
    read_rttm,
    read_rttm_recordings,
    read_stm,
    rttm,
)
from pipeline.formats.spreadsheet import csv_text, read_tsv, table_cell
from pipeline.formats.subtitles import read_subtitles
from pipeline.formats.tei import read_tei
from pipeline.formats.timed import WORD_SECONDS, Stretch, TimedTranscript, even_pace, transcript_of, turns_of
from pipeline.formats.transcript_json import read_json_transcript
from pipeline.formats.word import read_docx, read_docx_transcript
from pipeline.records import ReferenceTranscript, Turn, Word
from pipeline.system.files import read_text

__all__ = [
    "DEBATE_SUFFIX",
    "ArgumentMap",
    "ArgumentRelation",
    "Locution",
    "READ_SUFFIXES",
    "Said",
    "TIMED_SUFFIXES",
    "WORD_SECONDS",
    "DebateTranscript",
    "Stretch",
    "csv_text",
    "ctm",
    "debate_words",
    "even_pace",
    "field",
    "is_debate",
    "meant_text",
    "read_argument_map",
    "read_asr",
    "read_ctm",
    "read_ctm_recordings",
    "read_debate",
    "read_docx",
    "read_language",
    "read_lines",
    "read_rttm",
    "read_rttm_recordings",
    "read_reference",
    "read_spoken",
    "read_transcriber",
    "read_turns",
    "read_words",
    "rttm",
    "spoken_text",
    "table_cell",
]


def _debate_or_transcript(path: Path) -> TimedTranscript:
    if not is_debate(path):
        return read_json_transcript(path)
    debate = read_debate(path)
    words = debate_words(debate)
    lines = tuple(" ".join(sentences) for _, sentences in debate.turns)
    return TimedTranscript(words, turns_of(words), lines, "en")


def _of_words(read: Callable[[Path], tuple[Word, ...]], language: str | None) -> Callable[[Path], TimedTranscript]:
    def transcript(path: Path) -> TimedTranscript:
        words = read(path)
        text = " ".join(word.text for word in words)
        return TimedTranscript(words, (), (text,) if text else (), language)

    return transcript


_TIMED: Mapping[str, Callable[[Path], TimedTranscript]] = {
    ".asr": _of_words(read_asr, "en"),
    ".ctm": _of_words(read_ctm, None),
    ".stm": lambda path: transcript_of(read_stm(path)),
    ".tsv": read_tsv,
    ".srt": read_subtitles,
    ".vtt": read_subtitles,
    ".eaf": read_eaf,
    ".textgrid": read_textgrid,
    ".exb": read_exb,
    ".xml": read_tei,
    DEBATE_SUFFIX: _debate_or_transcript,
}
# Transcripts whose words have times.
TIMED_SUFFIXES = tuple(_TIMED)
# Everything that is read as a transcript or as turns.
READ_SUFFIXES = (*TIMED_SUFFIXES, ".docx", ".trs", ".txt", ".rttm")
# Text files of IBM's release. Some of them are not UTF-8.
_IBM_TEXTS = (".asr.txt", ".trs.txt")


def _timed(path: Path) -> TimedTranscript:
    suffix = path.suffix.lower()
    if suffix == ".docx":
        return read_docx_transcript(path)
    if suffix not in _TIMED:
        known = ", ".join((*TIMED_SUFFIXES, ".docx"))
        raise RostrumError(f"{path}: no transcript with times; the suffixes of those are {known}")
    return _TIMED[suffix](path)


def read_words(path: Path) -> tuple[Word, ...]:
    """The words of a transcript with times. Those that nobody timed share the time of their cue, or go evenly."""
    return _timed(path).words


def read_language(path: Path) -> str | None:
    """The language of a transcript with times, if it is known."""
    return _timed(path).language


def read_turns(path: Path) -> tuple[Turn, ...]:
    """Who speaks when, of an RTTM file or a transcript with times and speakers."""
    if path.suffix.lower() == ".rttm":
        return read_rttm(path)
    if path.suffix.lower() in (".asr", ".ctm"):
        raise RostrumError(f"{path}: words without speakers; give turns as .rttm, .eaf, .TextGrid, .vtt, .srt or .json")
    transcript = _timed(path)
    if transcript.lines and not transcript.turns:
        raise RostrumError(f"{path}: has no times; name it in the column reference, and it is aligned with the sound")
    return transcript.turns


def read_spoken(path: Path) -> str:
    """The text as it was said, word for word, without names of speakers. Repairs and fillers of a `.trs` are kept."""
    return read_reference(path).text


def read_reference(path: Path) -> ReferenceTranscript:
    """What was said, as `read_spoken` returns it, and who says it if the file names several speakers."""
    suffix = path.suffix.lower()
    if suffix == ".trs":
        pieces = [Said(one.speaker, spoken_text(one.text)) for one in read_transcriber(path)]
        return ReferenceTranscript(text=" ".join(one.text for one in pieces), turns=_turns(pieces))
    if suffix in TIMED_SUFFIXES:
        timed = _timed(path)
        turns = _turns(Said(word.speaker, word.text) for word in timed.words)
        return ReferenceTranscript(text="\n".join(timed.lines), turns=turns)
    text = _written(path)
    named = named_turns(text)
    return ReferenceTranscript(text="\n".join(said.text for said in named) or text, turns=named)


def _turns(pieces: Iterable[Said]) -> tuple[Said, ...]:
    """The turns that pieces of text make; none if fewer than two speakers are named."""
    grouped = [(speaker, [one.text for one in own]) for speaker, own in groupby(pieces, key=lambda one: one.speaker)]
    several = len({speaker for speaker, _ in grouped} - {None}) > 1
    return tuple(Said(speaker, " ".join(texts)) for speaker, texts in grouped) if several else ()


def _written(path: Path) -> str:
    return read_docx(path) if path.suffix.lower() == ".docx" else _text(path)


def read_lines(path: Path) -> tuple[str, ...]:
    """The text as the speaker meant it, in lines. A file that has only words gives one line."""
    suffix = path.suffix.lower()
    if suffix == ".trs":
        text = " ".join(meant_text(stretch.text) for stretch in read_transcriber(path))
    else:
        text = read_spoken(path)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _text(path: Path) -> str:
    return without_controls(read_text(path, fallback="iso-8859-1" if path.name.endswith(_IBM_TEXTS) else None))
