"""A motion's known arguments: mentions, near misses and what people said."""

from pathlib import Path

import pytest

from pipeline.mentions.show import ArgumentSides, MentionDecision
from pipeline.mentions.stage import Carrier, Mention, Mentions
from pipeline.records import Argument, Label, Motion, Passage, Speech
from pipeline.report.formatting import share
from pipeline.report.links import SpeechLink
from pipeline.report.run_data import ReportData
from pipeline.run.scopes import scope_of_speech
from pipeline.run.store import Store
from tests.synthetic_run import MadeUp, save_record, write_run

MOTION = Motion(id="phones", text="We should ban phones.")
ARGUMENTS = [Argument(id=name, motion="phones", stance="pro", title=f"Because of {name}.") for name in ("x", "y", "z")]
# By speech: the probabilities of x, y and z. Mentioned from 0.5 on.
FOUND = {"anna": (0.9, 0.2, 0.41), "ben": (0.3, 0.1, 0.2), "carla": (0.45, 0.3, 0.1)}


@pytest.fixture
def view(tmp_path: Path) -> ArgumentSides:
    speeches = [Speech(id=name, motion="phones", stance="pro", speakers=(name.title(),)) for name in FOUND]
    labels = [
        Label(speech="anna", argument="x", mentioned=False),
        Label(speech="ben", argument="x", mentioned=True),
        Label(speech="anna", argument="y", mentioned=False),
    ]
    store = write_run(tmp_path, MadeUp((MOTION,), speeches, ARGUMENTS, labels, seconds=2.0))
    for name, probabilities in FOUND.items():
        save_record(store, scope_of_speech(name), "mentions", mentions(*probabilities))
    found: ArgumentSides = ReportData.read(Store(tmp_path)).motion_page(MOTION)["arguments"]
    return found


def mentions(*probabilities: float) -> Mentions:
    said = Passage(text="So it is.", start=1.0, end=2.0)
    carriers = (Carrier(first=0, last=1, said=said, similarity=0.5, entailment=None),)
    found = (
        Mention(
            argument=argument.id,
            title=argument.title,
            stance="pro",
            side="own",
            likeness=0.0,
            probability=probability,
            mentioned=probability >= 0.5,
            carriers=carriers,
            counter=None,
            counter_title=None,
        )
        for argument, probability in zip(ARGUMENTS, probabilities, strict=True)
    )
    return Mentions(
        motion="phones", mentions=tuple(found), encoder="e", detector="shipped", trained_on="t", threshold=0.5
    )


def test_near_misses_are_shown_as_such(view: ArgumentSides) -> None:
    """x is mentioned once and nearly once more; nobody comes near y, so the nearest is named; z is nearly mentioned."""
    x, y, z = view.sides[0].arguments
    assert [each.link.id for each in x.mentions] == ["anna"]
    assert [each.link.id for each in x.near] == ["carla", "ben"], "nearly, and as people say"
    assert (y.mentions, [each.link.id for each in y.near]) == ((), ["carla"])
    assert [each.link.id for each in z.near] == ["anna"]


def test_what_people_said_stands_beside_it(view: ArgumentSides) -> None:
    x, y, _ = view.sides[0].arguments
    assert (x.mentions[0].label, x.mentions[0].is_wrong) == (False, True)
    assert [(each.label, each.is_wrong) for each in x.near] == [(None, False), (True, True)]


def test_it_says_how_far_to_trust_it(view: ArgumentSides) -> None:
    """Of the three labels the detector meets one: that Anna does not mention y."""
    assert "has not been measured" in view.quality
    assert "Here it agrees with 1 of 3 labels in labels.csv." in view.quality


def test_a_percentage_that_is_too_low_is_never_shown_as_the_threshold() -> None:
    """The page said that 50 % is a mention, and beside it 'found in no speech; nearest Ben 50 %'."""
    near, heard = (
        MentionDecision(SpeechLink("ben"), probability, is_mentioned, None, None)
        for probability, is_mentioned in ((0.497, False), (0.503, True))
    )
    assert (share(near.shown_probability), share(heard.shown_probability)) == ("49\xa0%", "50\xa0%")
