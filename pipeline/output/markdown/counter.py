"""Who answers whom on a motion, with the reasons."""

from collections.abc import Iterable, Iterator

from pipeline.output.formatting import clock, counted, share
from pipeline.output.markdown.text import escaped, table
from pipeline.output.views.answers import reasons_for, relation
from pipeline.records import CounterPair, CounterScores, Passage

REASONS = 3
_COLUMNS, _ROWS = 48, 16


def headline(record: CounterScores) -> str:
    """How many speeches have a likeliest answer."""
    found = sum(pair.rank == 1 for pair in record.pairs)
    return f"{counted(found, 'speech', 'speeches')} with a likeliest answer, of {counted(len(record.pairs), 'pair')}"


def page(record: CounterScores) -> str:
    """A table of every supporting speech and its likeliest answer, then the reasons for each pair."""
    kinds = {response.opposing: response for response in record.responses}
    first = [pair for pair in record.pairs if pair.rank == 1]
    rows = [
        (
            pair.supporting,
            pair.opposing,
            kinds[pair.opposing].kind,
            pair.score,
            _others(pair, record.pairs),
            ", ".join(in_words for in_words, _ in reasons_for(pair)[:REASONS]),
        )
        for pair in first
    ]
    header = ("supporting speech", "answered by", "response", "score", "next likeliest", "because")
    how = f"Scores: {escaped(record.ranker)} weights" + (
        "; an opposing speech answers at most one supporting speech." if record.assignment != "off" else "."
    )
    parts = ["## Who answers whom", table(header, rows), how, *(_pair(pair) for pair in first)]
    if record.responses:
        parts += ["## How they respond", _responses(record)]
    return "\n\n".join(parts)


def _others(pair: CounterPair, pairs: Iterable[CounterPair]) -> str:
    others = (other for other in pairs if other.supporting == pair.supporting and other.rank > 1)
    return ", ".join(f"{other.opposing} ({other.score:.2f})" for other in others)


def _pair(pair: CounterPair) -> str:
    """The reasons that these two belong together, and the sentences that meet."""
    parts = [f"## {escaped(pair.supporting)} ← {escaped(pair.opposing)}"]
    reasons = [(in_words, each.name, each.score, share(each.share)) for in_words, each in reasons_for(pair)]
    parts.append(table(("reason", "method", "score", "share of all scores"), reasons))
    if pair.sentences:
        rows = [(*_placed(each.supporting), *_placed(each.opposing), relation(each)) for each in pair.sentences]
        parts.append(table(("at", "supporting", "at", "opposing", "relation"), rows))
        parts.append("Where the numbered sentences stand. Across: the supporting speech. Down: the opposing speech.")
        parts.append("```\n" + "\n".join(_plot(pair)) + "\n```")
    if pair.ngrams:
        words = [(each.text, clock(each.supporting.start), clock(each.opposing.start)) for each in pair.ngrams]
        parts.append(table(("phrases only these two share", "supporting", "opposing"), words))
    return "\n\n".join(parts)


def _placed(passage: Passage) -> tuple[str, str]:
    return clock(passage.start), passage.text


def _plot(pair: CounterPair) -> Iterator[str]:
    """The matched sentences by their times in both speeches, numbered as in the table."""
    across = max(each.supporting.end for each in pair.sentences) or 1.0
    down = max(each.opposing.end for each in pair.sentences) or 1.0
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]
    for number, each in reversed(list(enumerate(pair.sentences, start=1))):
        line = min(int(each.opposing.start / down * _ROWS), _ROWS - 1)
        column = min(int(each.supporting.start / across * _COLUMNS), _COLUMNS - 1)
        grid[line][column] = str(number % 10)
    yield "0:00" + clock(across).rjust(_COLUMNS)
    for cells in grid:
        yield "  | " + "".join(cells).rstrip()
    yield clock(down)


def _responses(record: CounterScores) -> str:
    rows = [
        (
            response.opposing,
            response.kind,
            response.probability,
            "; ".join(f"{clock(each.start)} {each.text}" for each in response.reports[:REASONS]),
        )
        for response in record.responses
    ]
    return table(("opposing speech", "response", "probability", "reports of the other side"), rows)
