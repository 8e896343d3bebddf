"""The key points of each side, with the sentences that make them."""

from collections.abc import Iterator, Sequence

from pipeline.output.formatting import clock, counted, side
from pipeline.output.markdown.pieces import key_points_table
from pipeline.output.markdown.text import escaped, table
from pipeline.output.views.key_points import PointSide, point_sides
from pipeline.records import KeyPointMatch, KeyPoints

SHOWN = 5


def headline(record: KeyPoints) -> str:
    """How many key points there are."""
    return counted(len(record.points), "key point")


def page(record: KeyPoints) -> str:
    """Each side's key points by prevalence, then the sentences that make and answer each of them."""
    parts = [part for each in point_sides(record) for part in _side(each)]
    how = f"Matched by {escaped(record.matcher)}, with scores of {record.threshold:.2f} or more."
    asked = [f"Asked: {escaped(record.llm.report_line())}."] if record.llm else []
    return "\n\n".join([*parts, how, *asked])


def _side(own: PointSide) -> Iterator[str]:
    made = own.side
    yield f"## {side(made.stance).capitalize()}"
    yield (
        f"{counted(made.speeches, 'speech', 'speeches')}, {counted(made.speakers, 'speaker')}, {made.minutes:.1f} "
        f"minutes. {made.argued} of {counted(made.sentences, 'sentence')} argue. {made.covered} of those make one of "
        "the key points."
    )
    if not own.points:
        yield "No sentence of this side can serve as a key point."
        return
    yield key_points_table(own.points)
    for each in own.points:
        yield f"### {escaped(each.point.text)}"
        yield _sentences(each.point.matches)
        if each.point.answers:
            yield "Answered by the other side:"
            yield _sentences(each.point.answers)
        if each.point.concessions:
            yield "Conceded by the other side:"
            yield _sentences(each.point.concessions)


def _sentences(matches: Sequence[KeyPointMatch]) -> str:
    """The best sentences: where to hear them, and what was said."""
    rows = [
        (match.speech, clock(match.said.start), match.speaker, match.score, match.said.text)
        for match in matches[:SHOWN]
    ]
    left = f"\n\nand {len(matches) - SHOWN} more" if len(matches) > SHOWN else ""
    return table(("speech", "at", "speaker", "score", "said"), rows) + left
