"""What a debate comes down to: the key points of each side, who made them and when."""

from collections.abc import Iterator, Sequence

from pipeline.output.markdown import clock, escaped, table
from pipeline.records import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide

SHOWN = 5


def page(record: KeyPoints) -> str:
    """Each side's key points by prevalence, then every point with the sentences that make it and those that answer."""
    parts = [part for side in record.sides for part in _side(side, record.points)]
    how = f"Matched by {escaped(record.matcher)}, from a score of {record.threshold:.2f}."
    return "\n\n".join([*parts, how])


def _side(side: KeyPointSide, points: Sequence[KeyPoint]) -> Iterator[str]:
    points = [point for point in points if point.stance == side.stance]
    yield f"## {_NAMES[side.stance]}"
    yield (
        f"{side.speeches} speeches, {side.speakers} speakers, {side.minutes:.1f} minutes. "
        f"Of {side.sentences} sentences {side.argued} argue, and {side.covered} of them make one of the key points."
    )
    if not points:
        yield "No sentence of this side is fit to be a key point."
        return
    header = ("key point", "speeches", "speakers", "minutes", "answered by")
    rows = [
        (point.text, point.speeches, point.speakers, point.minutes, ", ".join(_speeches(point.answers)) or "nobody")
        for point in points
    ]
    yield table(header, rows)
    for point in points:
        yield f"### {escaped(point.text)}"
        yield _sentences(point.matches)
        if point.answers:
            yield "Taken up by the other side:"
            yield _sentences(point.answers)


_NAMES = {"pro": "In favour", "con": "Against", None: "Side not known"}


def _speeches(matches: Sequence[KeyPointMatch]) -> list[str]:
    return list(dict.fromkeys(match.speech for match in matches))


def _sentences(matches: Sequence[KeyPointMatch]) -> str:
    """The best sentences: where to hear them, and what was said."""
    rows = [
        (match.speech, clock(match.said.start), match.speaker, match.score, match.said.text)
        for match in matches[:SHOWN]
    ]
    left = f"\n\nand {len(matches) - SHOWN} more" if len(matches) > SHOWN else ""
    return table(("speech", "at", "speaker", "score", "said"), rows) + left
