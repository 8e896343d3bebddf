from itertools import groupby

from pipeline.pages import clock, escaped, table
from pipeline.records import Transcript, Word

DOUBTFUL = 0.5
PARAGRAPH_SECONDS = 20.0


def page(record: Transcript) -> str:
    """The transcript in paragraphs with their times; words that the recogniser doubted are in italics."""
    doubtful = sum(_is_doubtful(word) for word in record.words)
    facts = table(
        ("words", "language", "recogniser", "device", f"probability under {DOUBTFUL}"),
        [(len(record.words), record.language, record.recogniser, record.device, doubtful)],
    )
    return facts + "\n\n" + "\n\n".join(_paragraphs(record))


def _paragraphs(record: Transcript) -> list[str]:
    """A paragraph for each speaker's words in each twenty seconds."""

    def key(word: Word) -> tuple[str | None, int]:
        return word.speaker, int(word.start // PARAGRAPH_SECONDS)

    return [
        f"**{clock(words[0].start)}** {f'{escaped(speaker)}: ' if speaker else ''}" + " ".join(map(_shown, words))
        for (speaker, _), group in groupby(record.words, key)
        if (words := list(group))
    ]


def _is_doubtful(word: Word) -> bool:
    return word.probability is not None and word.probability < DOUBTFUL


def _shown(word: Word) -> str:
    text = escaped(word.text).replace("*", r"\*").replace("_", r"\_")
    return f"*{text}*" if _is_doubtful(word) else text
