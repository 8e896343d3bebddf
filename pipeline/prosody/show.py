"""How a speech sounds."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.export.table import Table, each_of_recording, integer, number, text
from pipeline.prosody.features import FEATURES
from pipeline.prosody.stage import Measures, Prosody, WordEmphasis
from pipeline.report.formatting import clock, counted
from pipeline.report.markdown import escaped, table
from pipeline.run.finished import FinishedRun

_MOST_EMPHASISED = 3
# In standard deviations above the speaker's mean.
_STRESSED = 1.0
_FIRST_WORDS = 6
# The features that are on the page, in two tables: Prefect's UI shows seven columns. The record has all features.
_VOICE = ("emphasis", "f0_median", "f0_range", "f0_final_rise", "intensity_mean")
_PACE = ("articulation_rate", "pause_count", "pause_before", "hnr")


def headline(record: Prosody) -> str:
    """How many sentences are measured."""
    return f"{counted(len(record.sentences), 'sentence')} measured"


def page(record: Prosody) -> str:
    """The most emphasised sentences, then the features of every sentence and speaker."""
    ranked = sorted(
        (row for row in record.sentences if row.values["emphasis"] is not None), key=_emphasis, reverse=True
    )
    parts = ["## Most emphasised"]
    if ranked:
        parts += [_quoted(row, record.words) for row in ranked[:_MOST_EMPHASISED]]
    else:
        parts.append("No sentence has a measured emphasis.")
    parts += ["## Sentences: emphasis, pitch, loudness", _sentences(record, _VOICE)]
    parts += ["## Sentences: pace, pauses, voice", _sentences(record, _PACE)]
    parts += ["## Speakers", *(_speakers(record, names) for names in (_VOICE, _PACE))]
    if reasons := _reasons(record.sentences):
        parts += ["## Not measured", table(("feature", "why", "sentences"), reasons)]
    return "\n\n".join(parts) + "\n"


def _emphasis(row: Measures) -> float:
    return row.values["emphasis"] or 0.0


def _quoted(row: Measures, words: tuple[WordEmphasis, ...]) -> str:
    """The sentence with its stressed words in bold."""
    emphases = [word.emphasis or 0.0 for word in words[row.first : row.last]]
    tokens = row.text.split()
    if len(tokens) == len(emphases):
        marked = [
            f"**{escaped(token)}**" if emphasis >= _STRESSED else escaped(token)
            for token, emphasis in zip(tokens, emphases, strict=True)
        ]
    else:
        marked = [escaped(row.text)]
    speaker = f", {escaped(row.speaker)}" if row.speaker else ""
    return f"{clock(row.start)}{speaker}, emphasis {_emphasis(row):+.2f}:\n\n> {' '.join(marked)}"


def _headings(names: Iterable[str]) -> list[str]:
    units = {feature.name: feature.unit for feature in FEATURES}
    shown = (f"{name.replace('_', ' ')} ({units[name]})" if units[name] != "1" else name for name in names)
    return [name.replace("_", " ") for name in shown]


def _sentences(record: Prosody, names: Iterable[str]) -> str:
    """A table with one row per sentence. The second one names the speakers, if there are several."""
    several = len(record.speakers) > 1 and names is _PACE
    header = ["at", *(["speaker"] if several else []), *_headings(names), "sentence"]
    rows = (
        [
            clock(row.start),
            *([row.speaker] if several else []),
            *(_cell(name, row.values[name]) for name in names),
            row.text if names is _VOICE else _beginning(row.text),
        ]
        for row in record.sentences
    )
    return table(header, rows)


def _beginning(text: str) -> str:
    """The first words of a sentence, which another table has in full."""
    words = text.split()
    return " ".join(words[:_FIRST_WORDS]) + (" …" if len(words) > _FIRST_WORDS else "")


def _cell(name: str, value: float | None) -> float | int | None:
    return int(value) if value is not None and name.endswith("_count") else value


def _speakers(record: Prosody, names: Iterable[str]) -> str:
    """A table of the speakers' means."""
    rows = ([norm.speaker, norm.count, *(norm.mean.get(name) for name in names)] for norm in record.speakers)
    return table(["speaker", "sentences", *_headings(names)], rows)


def _reasons(rows: Iterable[Measures]) -> list[tuple[str, str, int]]:
    counts = Counter((name, reason) for row in rows for name, reason in row.reasons.items())
    return [(name, reason, count) for (name, reason), count in counts.items()]


# The features as a table.


def _prosody(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, (index, row) in each_of_recording(run, Prosody, lambda record: enumerate(record.sentences)):
        values = (row.values.get(feature.name) for feature in FEATURES)
        normalised = (row.normalised.get(feature.name) for feature in FEATURES)
        yield speech, index, row.start, row.end, row.speaker, *values, *normalised


TABLES = (
    Table(
        "prosody",
        "a sentence as it sounds",
        (
            text("speech", "id of the speech"),
            integer("sentence", "its place in the speech, from 0"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("speaker", "who says it"),
            *(number(each.name, f"{each.meaning.rstrip('.')} ({each.unit})") for each in FEATURES),
            *(
                number(f"{each.name}_z", f"{each.name}, standard deviations from its speaker's mean")
                for each in FEATURES
            ),
        ),
        _prosody,
    ),
)
