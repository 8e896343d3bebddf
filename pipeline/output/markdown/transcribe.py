"""The transcript of a speech."""

from collections.abc import Iterable

from pipeline.output.formatting import clock, counted
from pipeline.output.markdown.text import escaped, table
from pipeline.records import Transcript, Word

DOUBTFUL = 0.5
PARAGRAPH_SECONDS = 15.0


def headline(record: Transcript) -> str:
    """How many words, the recogniser, and whether a person corrected them."""
    corrected = ", corrected by a person" if record.is_corrected else ""
    return f"{counted(len(record.words), 'word')}, {record.recogniser}{corrected}"


def page(record: Transcript) -> str:
    """The transcript in paragraphs with their times. Words of low confidence are in italics."""
    doubtful = sum(_is_doubtful(word) for word in record.words)
    facts = table(
        ("words", "language", "recogniser", "device", f"confidence below {DOUBTFUL}"),
        [(len(record.words), record.language, record.recogniser, record.device, doubtful)],
    )
    return facts + "\n\n" + "\n\n".join(_paragraphs(record))


def _paragraphs(record: Transcript) -> list[str]:
    return [
        f"**{clock(words[0].start)}** {f'{escaped(words[0].speaker)}: ' if words[0].speaker else ''}"
        + " ".join(map(_shown, words))
        for words in _cut(record.words)
    ]


def _cut(words: Iterable[Word]) -> list[list[Word]]:
    """The words in paragraphs of about 15 s, cut at the end of a sentence, or after 45 s if no sentence ends."""
    parts: list[list[Word]] = []
    for word in words:
        own = parts[-1] if parts else []
        seconds = word.start - own[0].start if own else 0.0
        ends = bool(own) and own[-1].text.endswith((".", "?", "!"))
        is_next = seconds >= (PARAGRAPH_SECONDS if ends else 3 * PARAGRAPH_SECONDS)
        if not own or is_next or word.speaker != own[0].speaker:
            parts.append([word])
        else:
            own.append(word)
    return parts


def _is_doubtful(word: Word) -> bool:
    return word.probability is not None and word.probability < DOUBTFUL


def _shown(word: Word) -> str:
    text = escaped(word.text)
    return f"*{text}*" if _is_doubtful(word) else text
