"""The sentences of a transcript that comes with a corpus."""

from pipeline.corpus import Entry
from pipeline.text.sentences import punkt


def sentences_of(entry: Entry, transcript: str) -> tuple[str, ...]:
    """The sentences of a transcript: its lines. Punkt cuts a text that is all in one line.

    IBM's clean transcripts (`asr.txt`, `trs.txt`) have one sentence per line, even where there is one line only.
    """
    lines = entry.lines(transcript)
    return lines if len(lines) > 1 or transcript.endswith(".txt") else tuple(punkt.split(" ".join(lines)))
