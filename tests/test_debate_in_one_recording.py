"""A debate of several people in one recording: its sound, its references and its tables agree with one another."""

import csv
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pipeline.corpus import Corpus, open_corpus
from pipeline.formats import read_rttm
from pipeline.records import Turn

DEBATE = "debate_week"
FOLDER = Path(__file__).parent / "assets" / DEBATE
REFERENCES = FOLDER / "references"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def turns() -> tuple[Turn, ...]:
    return read_rttm(REFERENCES / f"{DEBATE}.rttm")


@pytest.fixture(scope="module")
def people() -> dict[str, dict[str, str]]:
    rows = [row for row in table(FOLDER / "speakers.csv") if row["recording"] == DEBATE]
    return {row["name"]: row for row in rows}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return open_corpus(FOLDER)


def stm() -> list[tuple[str, float, float, str]]:
    """Speaker, start, end and words of each turn."""
    lines = (REFERENCES / f"{DEBATE}.stm").read_text("utf-8").splitlines()
    fields = [line.split(" ", 5) for line in lines]
    assert {(recording, channel) for recording, channel, *_ in fields} == {(DEBATE, "1")}
    return [(speaker, float(start), float(end), text) for _, _, speaker, start, end, text in fields]


def test_a_debate_of_six_to_eight_minutes_that_is_not_clipped() -> None:
    samples, rate = soundfile.read(FOLDER / f"{DEBATE}.ogg", dtype="float32")
    assert samples.ndim == 1
    assert 6 * 60 < len(samples) / rate < 8 * 60
    assert np.abs(samples).max() < 0.99


def test_everybody_who_speaks_is_in_the_manifest_and_nobody_else(
    turns: tuple[Turn, ...], people: dict[str, dict[str, str]]
) -> None:
    assert {turn.speaker for turn in turns} == people.keys()
    roles = defaultdict(list)
    for row in people.values():
        roles[row["role"], row["side"]].append(row["name"])
    assert {role: len(names) for role, names in roles.items()} == {
        ("moderator", ""): 1,
        ("debater", "pro"): 2,
        ("debater", "con"): 2,
        ("questioner", ""): 2,
    }


def test_the_manifest_says_when_each_voice_is_heard(turns: tuple[Turn, ...], people: dict[str, dict[str, str]]) -> None:
    for name, row in people.items():
        own = [turn for turn in turns if turn.speaker == name]
        assert float(row["from"]) == pytest.approx(own[0].start, abs=0.1)
        assert float(row["to"]) == pytest.approx(own[-1].end, abs=0.1)
        assert float(row["from"]) < float(row["to"])


def test_the_turns_have_the_words_of_the_transcript_in_its_order() -> None:
    transcript = (FOLDER / f"{DEBATE}.txt").read_text("utf-8")
    assert " ".join(text for *_, text in stm()).split() == transcript.split()


def test_a_turn_lasts_as_long_as_its_sentences(turns: tuple[Turn, ...]) -> None:
    for speaker, start, end, _ in stm():
        inside = [turn for turn in turns if turn.speaker == speaker and start <= turn.start < end]
        assert inside[0].start == pytest.approx(start, abs=0.002)
        assert inside[-1].end == pytest.approx(end, abs=0.002)


def test_people_cut_in_on_one_another_by_a_third_of_a_second_to_one(turns: tuple[Turn, ...]) -> None:
    overlaps = [
        (one.speaker, other.speaker, min(one.end, other.end) - max(one.start, other.start))
        for one, other in combinations(turns, 2)
        if other.start < one.end and one.start < other.end
    ]
    assert [pair[:2] for pair in overlaps] == [("Martin", "Amara"), ("Amara", "Martin"), ("Laura", "Grace")]
    assert all(0.3 <= seconds <= 1.0 for *_, seconds in overlaps)


def test_everybody_is_introduced_by_name_before_they_speak(people: dict[str, dict[str, str]]) -> None:
    before = ""
    introduced = set()
    for speaker, _, _, text in stm():
        if speaker not in introduced:
            by_others = people[speaker]["role"] == "debater"
            assert speaker in (before if by_others else text)
            introduced.add(speaker)
        before += text
    assert introduced == people.keys()


def speeches(people: dict[str, dict[str, str]]) -> dict[str, str]:
    """The side of each debater's speech."""
    return {f"{DEBATE}/{name.lower()}": row["side"] for name, row in people.items() if row["side"]}


def test_each_debater_is_labelled_with_all_arguments_of_their_side(
    corpus: Corpus, people: dict[str, dict[str, str]]
) -> None:
    arguments = corpus.arguments_on("week")
    assert arguments
    labels = table(REFERENCES / f"{DEBATE}.labels.csv")
    expected = {
        (speech, argument.id)
        for speech, side in speeches(people).items()
        for argument in arguments.items
        if argument.stance == side
    }
    assert len(labels) == len(expected)
    assert {(row["speech"], row["argument"]) for row in labels} == expected
    assert all((row["how"] in ("explicit", "implicit")) == (row["mentioned"] == "1") for row in labels)
    assert {row["how"] for row in labels} == {"explicit", "implicit", ""}


def test_answers_go_to_the_other_side(people: dict[str, dict[str, str]]) -> None:
    sides = speeches(people)
    answers = table(REFERENCES / f"{DEBATE}.answers.csv")
    assert answers
    assert all({sides[row["speech"]], sides[row["answers"]]} == {"pro", "con"} for row in answers)
    assert {row["response"] for row in answers} == {"explicit", "implicit"}


def test_points_are_made_extended_and_answered_by_those_who_can(
    corpus: Corpus, people: dict[str, dict[str, str]]
) -> None:
    sides = speeches(people)
    arguments = corpus.arguments_on("week")
    assert arguments
    points = {row["argument"]: row for row in table(REFERENCES / f"{DEBATE}.points.csv")}
    mentioned = {
        (row["argument"], row["speech"])
        for row in table(REFERENCES / f"{DEBATE}.labels.csv")
        if row["mentioned"] == "1"
    }
    assert points.keys() == {argument.id for argument in arguments.items}
    said = set()
    for argument in arguments.items:
        row = points[argument.id]
        own, others = _names(row["made_by"]) | _names(row["extended_by"]), _names(row["answered_by"])
        said |= {(argument.id, speech) for speech in own}
        assert {sides[speech] for speech in own} <= {argument.stance}
        assert argument.stance not in {sides[speech] for speech in others}
    assert said == mentioned
    made = [row for row in points.values() if row["made_by"]]
    assert {bool(row["answered_by"]) for row in made} == {True, False}
    assert any(row["extended_by"] for row in made)
    assert len(made) < len(points), "some known arguments are mentioned by nobody"


def _names(cell: str) -> set[str]:
    return set(filter(None, cell.split(";")))


def test_the_recording_names_no_side_and_no_single_speaker(corpus: Corpus) -> None:
    (entry,) = (entry for entry in corpus.entries if entry.speech.id == DEBATE)
    assert entry.speech.motion == "week"
    assert entry.speech.stance is None
    assert not entry.speech.speakers
    assert entry.turns is None, "its turns would be taken instead of being found"
