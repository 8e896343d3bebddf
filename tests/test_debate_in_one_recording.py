"""A debate of several people in one recording: its sound, its references and its tables agree with one another."""

import csv
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pipeline import models
from pipeline.content.stage import content
from pipeline.corpus import Corpus, open_corpus
from pipeline.counter.stage import CounterSettings, counter
from pipeline.errors import RostrumError
from pipeline.formats import read_rttm
from pipeline.keypoints.stage import KeypointsSettings, keypoints
from pipeline.mentions.stage import MentionsSettings, mentions
from pipeline.records import Arguments, Record, Sentence, Speech, Speeches, Stance, Turn
from pipeline.segment import Sentences
from pipeline.speakers import GivenSpeakers, Speakers, SpeakersSettings, speeches_in
from pipeline.speakers import speakers as find_speakers
from pipeline.stage import Stage
from pipeline.text.sentences import split
from tests.sounds import SAMPLES

DEBATE = "debate_week"
FOLDER = SAMPLES
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


def labels() -> list[dict[str, str]]:
    """The labels of the debate's speeches."""
    return [row for row in table(FOLDER / "labels.csv") if row["speech"].startswith(f"{DEBATE}/")]


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
    rows = labels()
    expected = {
        (speech, argument.id)
        for speech, side in speeches(people).items()
        for argument in arguments.items
        if argument.stance == side
    }
    assert len(rows) == len(expected)
    assert {(row["speech"], row["argument"]) for row in rows} == expected
    assert all((row["how"] in ("explicit", "implicit")) == (row["mentioned"] == "1") for row in rows)
    assert {row["how"] for row in rows} == {"explicit", "implicit", ""}


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
    mentioned = {(row["argument"], row["speech"]) for row in labels() if row["mentioned"] == "1"}
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


def heard() -> Sentences:
    """The debate as it was said: its sentences with the voices, numbered as diarization does."""
    voices: dict[str, str] = {}
    items: list[Sentence] = []
    for speaker, start, end, text in stm():
        voice = voices.setdefault(speaker, f"SPEAKER_{len(voices):02d}")
        lines = split(text)
        step = (end - start) / len(lines)
        items += (
            Sentence(
                text=line,
                start=start + i * step,
                end=start + (i + 1) * step,
                first=len(items) + i,
                last=len(items) + i + 1,
                speaker=voice,
            )
            for i, line in enumerate(lines)
        )
    return Sentences(sentences=tuple(items), method="lines")


def who(corpus: Corpus, *, given: bool) -> Speakers:
    (entry,) = (entry for entry in corpus.entries if entry.speech.id == DEBATE)
    rows = corpus.given(GivenSpeakers, entry) if given else None
    return find_speakers(corpus.motions["week"], entry.speech, heard(), rows, settings=SpeakersSettings())


@pytest.mark.parametrize("given", [True, False], ids=["given", "found"])
def test_names_roles_and_sides_of_all_voices_are_right(
    corpus: Corpus, people: dict[str, dict[str, str]], given: bool
) -> None:
    names = list(dict.fromkeys(speaker for speaker, *_ in stm()))
    found = who(corpus, given=given).people
    assert [(person.role, person.side or "") for person in found] == [
        (people[name]["role"], people[name]["side"]) for name in names
    ]
    # Priya is called by her name only once.
    assert [person.name for person in found] == [name if given or name != "Priya" else None for name in names]


def test_what_the_moderator_and_the_audience_say_is_no_speech(corpus: Corpus) -> None:
    spoken = speeches_in(Speech(id=DEBATE, motion="week"), heard(), who(corpus, given=False))
    assert {one.id for one in spoken} == {f"{DEBATE}/{name}" for name in ("amara", "julian", "martin", "laura")}


@pytest.mark.parametrize("stage", [mentions, content], ids=["mentions", "content"])
def test_a_run_hands_on_what_tells_the_speeches_of_a_recording(corpus: Corpus, stage: Stage[..., Record]) -> None:
    """A stage of a run sees only the fields of a speech that it says it reads."""
    whole = Speech(id=DEBATE, motion="week")
    read = stage.part_read("speech", whole, None)
    assert isinstance(read, Speech)
    people = who(corpus, given=False)
    spoken = speeches_in(read, heard(), people)
    assert {one.key for one in spoken} == {"amara", "julian", "martin", "laura"}
    assert [one.id for one in spoken] == [one.id for one in speeches_in(whole, heard(), people)]


def test_every_argument_that_is_said_outright_is_found_with_its_speaker(corpus: Corpus) -> None:
    try:
        for model in ("bge-small-en-v1.5-int8", "all-MiniLM-L6-v2", "punkt"):
            models.find(model)
    except RostrumError as error:
        pytest.skip(str(error))
    arguments = corpus.arguments_on("week")
    assert arguments
    record = mentions(
        corpus.motions["week"], arguments, Speech(id=DEBATE, motion="week"), heard(), who(corpus, given=False)
    )
    found = {(f"{DEBATE}/{one.speaker}", one.argument) for one in record.mentions if one.mentioned}
    outright = {(row["speech"], row["argument"]) for row in labels() if row["how"] == "explicit"}
    made = {(row["speech"], row["argument"]) for row in labels() if row["mentioned"] == "1"}
    assert outright <= found
    assert len(found - made) <= 2
    said = heard().sentences
    voice = {person.key: person.voice for person in who(corpus, given=False).people}
    for one in record.mentions:
        for carrier in one.carriers:
            assert {said[carrier.first].speaker, said[carrier.last - 1].speaker} == {voice[one.speaker or ""]}


FOUR = ("schools_pro_anna", "schools_con_ruth", "schools_pro_mateo", "schools_con_david")


def lines(files: tuple[str, ...], speakers: tuple[str | None, ...]) -> Sentences:
    """The references of some samples, one after the other: two seconds for each sentence."""
    texts = [(one, who) for file, who in zip(files, speakers, strict=True) for one in split(reference(file))]
    return Sentences(
        sentences=tuple(
            Sentence(text=text, start=2.0 * i, end=2.0 * i + 2, first=i, last=i + 1, speaker=who)
            for i, (text, who) in enumerate(texts)
        ),
        method="lines",
    )


def reference(file: str) -> str:
    return (FOLDER / f"{file}.txt").read_text(encoding="utf-8")


def one_file() -> tuple[Speech, dict[str, Sentences]]:
    return Speech(id="debate", motion="schools"), {"debate": lines(FOUR, tuple(map(name_of, FOUR)))}


def four_files() -> tuple[list[Speech], dict[str, Sentences]]:
    sides: dict[str, Stance] = {name_of(file): "pro" if "pro" in file else "con" for file in FOUR}
    speeches = [Speech(id=name, motion="schools", stance=side) for name, side in sides.items()]
    return speeches, {name_of(file): lines((file,), (None,)) for file in FOUR}


def name_of(file: str) -> str:
    return file.split("_")[-1]


@pytest.fixture(scope="module")
def who_speaks(corpus: Corpus) -> Speakers:
    speech, texts = one_file()
    return find_speakers(corpus.motions["schools"], speech, texts["debate"], None, settings=SpeakersSettings())


def test_four_speeches_in_one_file_have_the_sides_that_they_have_in_four(who_speaks: Speakers) -> None:
    speeches, _ = four_files()
    assert [(one.key, one.side) for one in who_speaks.people] == [(one.id, one.stance) for one in speeches]


@pytest.mark.slow
def test_four_speeches_in_one_file_mention_what_they_mention_in_four(corpus: Corpus, who_speaks: Speakers) -> None:
    motion = corpus.motions["schools"]
    arguments = Arguments(items=tuple(one for one in corpus.arguments if one.motion == "schools"))
    settings = MentionsSettings(detector="shipped")
    (speech, texts), (speeches, alone) = one_file(), four_files()
    together = mentions(motion, arguments, speech, texts["debate"], who_speaks, settings=settings)
    each = {one.id: mentions(motion, arguments, one, alone[one.id], settings=settings) for one in speeches}
    assert {(one.speaker, one.argument) for one in together.mentions if one.mentioned} == {
        (name, one.argument) for name, record in each.items() for one in record.mentions if one.mentioned
    }


@pytest.mark.slow
def test_four_speeches_in_one_file_have_the_key_points_and_answers_of_four(
    corpus: Corpus, who_speaks: Speakers
) -> None:
    motion, people = corpus.motions["schools"], {"debate": who_speaks}
    (speech, texts), (speeches, alone) = one_file(), four_files()
    together, apart = Speeches(items=(speech,)), Speeches(items=tuple(speeches))
    writer = KeypointsSettings(writer="sentences")
    points = keypoints(motion, together, texts, people, settings=writer)
    expected = keypoints(motion, apart, alone, settings=writer)
    assert [(one.stance, one.text) for one in points.points] == [(one.stance, one.text) for one in expected.points]

    records = (
        counter(motion, together, texts, people, settings=CounterSettings()),
        counter(motion, apart, alone, settings=CounterSettings()),
    )
    found, alike = (
        {(name_of_speech(one.supporting), name_of_speech(one.opposing)) for one in record.pairs if one.rank == 1}
        for record in records
    )
    assert found == alike


def name_of_speech(id: str) -> str:
    return id.split("/")[-1]
