"""How much of the expected content a speech covers."""

from itertools import groupby

from pipeline.output.formatting import clock
from pipeline.output.markdown.text import escaped, table
from pipeline.records import Coverage, ExpectedSentence


def headline(record: Coverage) -> str:
    """How many of the expected sentences are covered."""
    return f"{sum(each.covered for each in record.sentences)} of {len(record.sentences)} expected sentences covered"


def page(record: Coverage) -> str:
    """The measures, then every expected sentence with the nearest sentence of the speech."""
    measures = {
        "covered sentences": record.covered,
        "soft recall": record.soft_recall,
        "new ROUGE-1": record.new_rouge,
        "base ROUGE": record.base_rouge,
        "best ROUGE": record.best_rouge,
        "content vector": record.content_vector,
    }
    count = sum(sentence.covered for sentence in record.sentences)
    lines = [
        f"{count} of {len(record.sentences)} expected sentences are covered ({record.parts} {record.expected}).",
        table(list(measures), [list(measures.values())]),
    ]
    if record.left_out:
        lines.append(
            "Words that were expected and never said: " + ", ".join(escaped(word) for word in record.left_out) + "."
        )
    for part, sentences in groupby(record.sentences, key=lambda sentence: sentence.part):
        lines += [f"### {escaped(part)}", _table(list(sentences))]
    return "\n\n".join(lines)


def _table(sentences: list[ExpectedSentence]) -> str:
    rows = (
        [
            "yes" if each.covered else "no",
            each.text,
            clock(each.said.start) if each.said else None,
            each.said.text if each.said else None,
            each.similarity,
            each.words,
        ]
        for each in sentences
    )
    return table(["covered", "expected", "time", "nearest in the speech", "similarity", "words"], rows)
