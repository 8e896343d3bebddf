"""Which side a sentence names or declares."""

import pytest

from pipeline.speakers.declarations import declared
from pipeline.speakers.denial import denied
from pipeline.speakers.wording import named_sides

ZOOS = "Zoos should be closed"


@pytest.mark.parametrize(
    ("sentence", "sides"),
    [
        ("Now here to summarise her position in support of this motion, Ann Lee.", ["pro"]),
        ("Ann Lee and Bo Chen argue for the motion; against it, Cy Dean.", ["pro", "con"]),
        ("The opposition bench is led by Cy Dean.", ["con"]),
        ("Ann Lee will be arguing that zoos should not be closed.", ["con"]),
        ("You have seven minutes for your opening speech.", []),
        ("Thank you for the question.", []),
        ("But Ann just defended them.", []),
        ("Before the debate, 20 percent were for the motion and 30 percent against the motion.", []),
        ("If you are against the motion, press number two.", []),
    ],
)
def test_named_sides(sentence: str, sides: list[str]) -> None:
    assert [each.side for each in named_sides(sentence, ZOOS)] == sides


@pytest.mark.parametrize(
    ("sentence", "sides"),
    [
        ("I urge you to vote for the motion.", ["pro"]),
        ("Please reject this resolution.", ["con"]),
        ("Do not vote for this motion.", ["con"]),
        ("You must say no, and vote against closing zoos.", ["con"]),
        ("And that is why you should vote yes on this proposition.", ["pro"]),
        ("Who would vote for such a motion?", []),
        ("Our opponents ask you to vote for the motion.", []),
        ("People voted for the president.", []),
        ("I am here to speak against the motion.", ["con"]),
        ("I thought that I would be speaking against the motion.", []),
        ("Zoos should not be closed.", ["con"]),
        ("They say that zoos should be closed.", []),
    ],
)
def test_declared_sides(sentence: str, sides: list[str]) -> None:
    assert [side for _, side in declared(sentence, ZOOS)] == sides


@pytest.mark.parametrize(
    ("motion", "other"),
    [
        ("This house believes that zoos are cruel", "zoos are not cruel"),
        ("This house believes zoos are cruel", "zoos are not cruel"),
        ("The state must not spy on us", "The state must spy on us"),
        ("Repeal the law", "Do not repeal the law"),
    ],
)
def test_denial(motion: str, other: str) -> None:
    said = denied(motion)
    assert said == other or (motion.startswith("This house") and "not" in said.split())
