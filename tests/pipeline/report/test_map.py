"""The argument map of a motion, at 2 and at 50 speeches."""

from collections.abc import Mapping, Sequence

import pytest

from pipeline.keypoints.map import BOX, WIDTH, ArgumentMap, argument_map
from pipeline.keypoints.show import PointSide, point_sides
from pipeline.keypoints.stage import KeyPoint, KeyPointMatch, KeyPoints, KeyPointSide
from pipeline.records import Passage

# Of a point: the speeches and sentences that make it, and those that answer it.
Places = Sequence[tuple[str, int]]


def side(stance: str, speeches: int, points: Mapping[str, tuple[Places, Places]]) -> PointSide:
    def matches(places: Places) -> tuple[KeyPointMatch, ...]:
        said = Passage(text="said", start=1.0, end=2.0)
        return tuple(
            KeyPointMatch(speech=speech, sentence=at, speaker=speech, said=said, score=0.9) for speech, at in places
        )

    record = KeyPoints(
        motion="m",
        points=tuple(
            KeyPoint(
                id=f"{stance}-{number}",
                text=text,
                stance=stance,
                source="s",
                sentence=0,
                matches=matches(made),
                speeches=len({speech for speech, _ in made}),
                speakers=1,
                minutes=0.1,
                answers=matches(answered),
            )
            for number, (text, (made, answered)) in enumerate(points.items())
        ),
        sides=(
            KeyPointSide(
                stance=stance, speeches=speeches, speakers=speeches, minutes=1.0, sentences=9, argued=9, covered=9
            ),
        ),
        matcher="m",
        threshold=0.5,
    )
    return next(iter(point_sides(record)))


def test_a_point_of_texts_has_no_duration() -> None:
    (shown,) = side("pro", 2, {"Phones distract.": ([("anna", 3), ("ben", 1)], [])}).points
    assert shown.prevalence == "2 of 2 speeches, 1 speaker", "nobody knows how long it took to say"


def test_two_speeches_and_who_answers_whom() -> None:
    pro = side("pro", 1, {"Phones distract.": ([("anna", 3)], [("ben", 7)])})
    con = side("con", 1, {"Pupils learn self-control.": ([("ben", 8)], []), "Parents call.": ([("ben", 20)], [])})
    drawn = argument_map(pro, con, ["anna"], ["ben"])
    assert [(box.stance, box.lines[0], box.answered) for box in drawn.boxes] == [
        ("pro", "Phones distract.", 1),
        ("con", "Pupils learn self-control.", 0),
        ("con", "Parents call.", 0),
    ]
    assert [link.summary for link in drawn.links] == [
        "1 speech: “Pupils learn self-control.” beside “Phones distract.”"
    ], "what is said a minute later is no answer"


def big(stance: str, others: str) -> PointSide:
    def places(of: str, number: int) -> Places:
        return [(f"{of}{speech}", number) for speech in range(25) if speech % (number + 1) == 0]

    text = "A point that takes many words to be said in full, " * 8
    return side(
        stance, 25, {f"{number}. {text}": (places(stance, number), places(others, number)) for number in range(10)}
    )


@pytest.fixture(scope="module")
def of_fifty() -> ArgumentMap:
    labels = {stance: [f"{stance}{number}" for number in range(25)] for stance in ("pro", "con")}
    return argument_map(big("pro", "con"), big("con", "pro"), labels["pro"], labels["con"])


def test_fifty_speeches_fit_into_their_boxes(of_fifty: ArgumentMap) -> None:
    for box in of_fifty.boxes:
        assert len(box.lines) <= 4
        assert len(box.cells) == 25
        edges = [edge for cell in box.cells for edge in (cell.x, cell.x + cell.size)]
        assert edges == sorted(edges), "no cell lies over another"
        assert box.x < edges[0]
        assert edges[-1] < box.x + BOX <= WIDTH
        assert box.cells[0].size > 5, "large enough to be seen"


def test_boxes_stand_below_one_another_and_the_strongest_on_top(of_fifty: ArgumentMap) -> None:
    for stance in ("pro", "con"):
        column = [box for box in of_fifty.boxes if box.stance == stance]
        assert all(one.y + one.height < other.y for one, other in zip(column, column[1:], strict=False))
        made = [sum(cell.is_made for cell in box.cells) for box in column]
        assert made == sorted(made, reverse=True)
    assert max(box.y + box.height for box in of_fifty.boxes) < of_fifty.height


def test_there_are_no_more_lines_than_can_be_followed(of_fifty: ArgumentMap) -> None:
    """The strongest of each point is there, whatever it is answered by."""
    assert {link.stance for link in of_fifty.links} == {"pro", "con"}
    for stance in ("pro", "con"):
        of_side = [link for link in of_fifty.links if link.stance == stance]
        answered = {box.anchor for box in of_fifty.boxes if box.stance != stance}
        assert {link.ends[0] for link in of_side} == answered
        assert len(of_side) == 10


def test_what_the_manifest_says_has_a_line_even_if_no_sentence_shows_it() -> None:
    pro = side("pro", 1, {"Phones distract.": ([("anna", 3)], [])})
    con = side("con", 1, {"Pupils learn self-control.": ([("ben", 8)], [])})
    assert argument_map(pro, con, ["anna"], ["ben"]).links == ()
    drawn = argument_map(pro, con, ["anna"], ["ben"], known=[("ben", "anna")])
    (link,) = drawn.links
    assert link.is_known
    answers = {box.stance: drawn.answers(box) for box in drawn.boxes}
    assert [line.is_known for _, line in answers["pro"]] == [True], "a list in place of the drawing says so, too"
    assert link.summary == "ben answers anna: the manifest says so"
