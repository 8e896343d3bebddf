"""Speeches that a recogniser heard, with word times, and a person wrote down, with sentences."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.corpus import Entry, open_corpus
from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.text.sentences.human_marks import HumanMarks, ends_of, human_marks


@dataclass(frozen=True)
class Example:
    """A speech: what the recogniser heard, and a person's marks on it.

    `cleaned` has the ends of sentences in the data's own clean version of what was heard, if there is one.
    """

    motion: str
    words: tuple[Word, ...]
    human: HumanMarks
    cleaned: tuple[int, ...] | None = None


def examples(folder: Path) -> list[Example]:
    """The speeches of IBM's debates that have word times and a person's transcript."""
    found = [_example(entry) for entry in open_corpus(folder).with_transcripts("asr", "trs.txt")]
    found = [example for example in found if example.words and len(example.human.boundaries)]
    if not found:
        raise RostrumError(f"{folder}: no speech has both .asr (word times) and .trs.txt (a person's sentences)")
    return found


def _example(entry: Entry) -> Example:
    words = entry.words()
    return Example(
        motion=entry.speech.motion or "",
        words=words,
        human=human_marks(words, entry.lines("trs.txt")),
        cleaned=tuple(ends_of(words, entry.lines("asr.txt"))) if "asr.txt" in entry.transcripts else None,
    )
