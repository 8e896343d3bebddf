import csv
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus import open_corpus
from pipeline.corpus.datasets import KNOWLEDGE_BASE, LABELS, Topic, read_table
from pipeline.corpus.initial import write_corpus, write_first_manifests
from pipeline.errors import RostrumError
from pipeline.formats import read_asr
from pipeline.records import Arguments, GivenTranscript, ReferenceTranscript, Word
from pipeline.segment import segment
from pipeline.speakers import GivenSpeakers, SpeakersSettings, speakers, speeches_of
from pipeline.transcribe import transcribe

OPENING = "Ann_17_zoo-ban_pro_opening"
ANSWER = "Bob_17_zoo-ban_con_rebuttal_Ann"
ASR = "~SIL[0.000,120.710] we[0.50,0.62] should[0.62,0.9] ~SIL[0.9,1.2] %HES[1.2,1.4] ban[1.4,2]\nzoos[2.0,2.75]\n"
TRS = (
    '<?xml version="1.0" encoding="ISO-8859-1"?><Trans><Episode><Section><Turn startTime="0" endTime="3">'
    '<Sync time="0"/>{we\'d/we would} ban zoos .</Turn></Section></Episode></Trans>'
)
CLAIM_COLUMNS = (
    "motion-id,motion-text,speech-id,GPR-KB-id,GP-claim-text-for-motion,"
    "is-claim-mentioned-in-speech,label,explicit-count,implicit-count,reject-count"
)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two speeches in the data set's layout."""
    folder = tmp_path / "release"
    for name in (OPENING, ANSWER):
        for kind, content in {"asr": ASR, "trs": TRS, "trs.txt": "We would ban zoos.\n", "asr.txt": "x"}.items():
            mark = ".dean" if kind.startswith("trs") else ""
            path = folder / "speeches" / kind / f"{name}{mark}.{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    write_claims(
        folder,
        ["17", "We should ban zoos", OPENING, "5", "Zoos are cruel", "True", "Explicit", 5, 2, 1],
        ["17", "We should ban zoos", ANSWER, "5", "Zoos are kind", "False", "Negative", 0, 1, 6],
    )
    return folder


def write_claims(folder: Path, *rows: list[object]) -> None:
    (folder / "GPR-KB-55").mkdir(exist_ok=True)
    (folder / "GPR-KB-55" / KNOWLEDGE_BASE).write_text("id,claim,rebuttal\n5,Zoos,No.\n6,Zoos,No.\n7,Zoos,No.\n")
    with (folder / "GPR-KB-55" / LABELS).open("w", newline="") as file:
        csv.writer(file).writerows([CLAIM_COLUMNS.split(","), *rows])


def test_words_with_times_without_silences(tmp_path: Path) -> None:
    path = tmp_path / "a.asr"
    path.write_text(ASR)
    assert read_asr(path) == (
        Word(text="we", start=0.5, end=0.62),
        Word(text="should", start=0.62, end=0.9),
        Word(text="ban", start=1.4, end=2.0),
        Word(text="zoos", start=2.0, end=2.75),
    )


words = st.lists(
    st.tuples(st.text("abcdefghijklmnop'-", min_size=1, max_size=8), st.integers(0, 10**6), st.integers(0, 10**4))
)


@given(words)
def test_written_words_are_read(tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, int, int]]) -> None:
    path = tmp_path_factory.getbasetemp() / "words.asr"
    path.write_text(
        " ".join(f"{text}[{start / 1000:.3f},{(start + length) / 1000:.3f}]" for text, start, length in found)
    )
    assert [(word.text, round(word.start * 1000), round(word.end * 1000)) for word in read_asr(path)] == [
        (text, start, start + length) for text, start, length in found
    ]


def test_names_say_who_speaks_on_what_to_whom(release: Path) -> None:
    opening, answer = open_corpus(release).entries
    assert (opening.speech.id, opening.speech.speakers) == (OPENING, ("Ann",))
    assert (opening.speech.motion, opening.speech.stance, opening.speech.answers) == ("17", "pro", None)
    assert (answer.speech.id, answer.speech.stance, answer.speech.answers) == (ANSWER, "con", OPENING)


def test_every_transcript_of_the_release_is_at_hand(release: Path) -> None:
    corpus = open_corpus(release)
    opening = corpus.entries[0]
    assert set(opening.transcripts) == {"asr", "asr.txt", "trs", "trs.txt"}
    assert [word.text for word in opening.words()] == ["we", "should", "ban", "zoos"]
    assert opening.text("asr") == "we should ban zoos"
    assert opening.text("trs") == "we would ban zoos.", "what was meant"
    assert opening.lines("trs.txt") == ("We would ban zoos.",)
    assert len(corpus.with_transcripts("asr", "trs.txt")) == 2
    assert corpus.with_transcripts("reference") == []


def test_the_claims_are_arguments_and_labels(release: Path) -> None:
    corpus = open_corpus(release)
    assert not corpus.problems
    assert corpus.motions["17"].text == "We should ban zoos"
    arguments = corpus.given(Arguments, corpus.motions["17"])
    assert arguments is not None
    assert [(each.id, each.stance, each.title) for each in arguments.items] == [
        ("5-17-pro", "pro", "Zoos are cruel"),
        ("5-17-con", "con", "Zoos are kind"),
    ]
    assert [(label.mentioned, label.how, label.votes_yes, label.votes_no) for label in corpus.labels] == [
        (True, "explicit", 7, 1),
        (False, None, 1, 6),
    ]


def test_the_claims_may_be_missing(release: Path) -> None:
    shutil.rmtree(release / "GPR-KB-55")
    corpus = open_corpus(release)
    assert (corpus.motions["17"].text, corpus.labels) == ("zoo ban", ())


def test_a_wrong_label_is_a_problem_and_the_others_stay(release: Path) -> None:
    good = ["17", "We should ban zoos", OPENING, "5", "Zoos are cruel", "True", "Explicit", 5, 2, 1]
    write_claims(
        release,
        good,
        good,
        [*good[:2], "Eve_17_zoo-ban_pro_opening", *good[3:]],
        [*good[:3], "6", "", *good[5:]],
        [*good[:3], "7", "Zoos", "perhaps", *good[6:]],
        [*good[:3], "9", *good[4:]],
    )
    corpus = open_corpus(release)
    assert [label.argument for label in corpus.labels] == ["5-17-pro"]
    assert [str(problem).removeprefix(f"GPR-KB-55/{LABELS}:") for problem in corpus.problems] == [
        f"3: 5 has a label for {OPENING} already",
        "4: there is no speech 'Eve_17_zoo-ban_pro_opening' below speeches/",
        "5: the claim 6 has no text",
        "6: its counts are not whole numbers, or it does not say true or false",
        "7: there is no claim '9' in GPR-KB-55.csv",
    ]
    (release / "GPR-KB-55" / LABELS).write_text("motion-id,motion-text\n")
    with pytest.raises(RostrumError, match=r"speeches\.csv:1: no column 'speech-id'"):
        open_corpus(release)


def test_claims_without_speeches(tmp_path: Path) -> None:
    (tmp_path / "GPR-KB-55").mkdir()
    with pytest.raises(RostrumError, match="no speeches named"):
        open_corpus(tmp_path)


def test_a_folder_of_recordings_called_speeches_is_not_the_release(tmp_path: Path) -> None:
    (tmp_path / "speeches").mkdir()
    (tmp_path / "speeches" / "monday.wav").touch()
    assert [entry.speech.id for entry in open_corpus(tmp_path).entries] == ["speeches/monday"]


def test_imported_it_is_the_same_corpus(release: Path, tmp_path: Path) -> None:
    original = open_corpus(release)
    counts = write_corpus(original, tmp_path / "corpus")
    assert counts == {"motions": 1, "speeches": 2, "arguments": 2, "labels": 2}
    copy = open_corpus(tmp_path / "corpus")
    assert not copy.problems
    assert (copy.motions, copy.arguments, copy.labels) == (original.motions, original.arguments, original.labels)
    assert [entry.speech for entry in copy.entries] == [entry.speech for entry in original.entries]
    for kind in (ReferenceTranscript, GivenTranscript):
        assert [copy.given(kind, each) for each in copy.entries] == [
            original.given(kind, each) for each in original.entries
        ]
    with pytest.raises(RostrumError, match="is not empty; name a new folder"):
        write_corpus(original, tmp_path / "corpus")


def test_what_the_release_gives_to_a_stage(release: Path) -> None:
    corpus = open_corpus(release)
    transcript = corpus.given(GivenTranscript, corpus.entries[0])
    assert transcript is not None
    assert " ".join(word.text for word in transcript.words) == "we should ban zoos"
    assert transcript.source == f"given: {OPENING}.asr"
    assert corpus.given(ReferenceTranscript, corpus.entries[0]) == ReferenceTranscript(text="we'd ban zoos."), (
        "what was said"
    )


DATA = Path(os.environ.get("ROSTRUM_DATA", "missing")) / "ibm-debates"


@pytest.mark.skipif(not DATA.is_dir(), reason="the data set is not there; ROSTRUM_DATA names the folder that has it")
def test_the_release_itself() -> None:
    corpus = open_corpus(DATA)
    assert not corpus.problems
    assert (len(corpus.entries), len(corpus.motions), len(corpus.labels)) == (120, 30, 1978)
    for entry in corpus.entries[:10]:
        found = entry.words()
        assert all(before.start <= after.start for before, after in zip(found, found[1:], strict=False))


def test_plural_topics_take_the_other_word() -> None:
    topic = Topic()
    topic.learn("<TOPIC> [has/have] many benefits.", "zoos have many benefits.")
    assert (
        topic.filled("While <TOPIC> [has/have] some benefits, they end.") == "While zoos have some benefits, they end."
    )


def test_a_slot_that_no_claim_tells_of_gives_no_text() -> None:
    assert Topic().filled("Policies like <ACTION><TOPIC> are right.") is None
    assert Topic().filled("There are alternatives.") == "There are alternatives."


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
def test_rebuttals_are_those_that_the_release_itself_has_for_its_motions() -> None:
    corpus = open_corpus(Path(os.environ["ROSTRUM_DATA"], "ibm-debates"))
    released = {
        (row["motion-id"], row["GPR-KB-id"]): row["rebuttal-text-for-motion"].strip().lower()
        for _, row in read_table(corpus.folder, "rebuttal-to-speech-matching.csv")
    }
    made = {
        (argument.motion, corpus.claims[argument.id]): argument.rebuttal.lower()
        for argument in corpus.arguments
        if argument.rebuttal
    }
    assert released.items() <= made.items()


DEBATE = {
    "id": "zoos",
    "motion": "Zoos should be closed",
    "for": ["ANN LEE"],
    "against": ["BOB ROE"],
    "moderator": ["CID MAY"],
    "votes_before": {"for": 40, "against": 40, "undecided": 20},
    "votes_after": {"for": 50, "against": 40, "undecided": 10},
    "turns": [
        {"speaker": "CID MAY", "sentences": ["Welcome to our debate.", "Ann Lee."]},
        {"speaker": "ANN LEE", "sentences": ["Cages make animals ill.", "They walk in circles."]},
        {"speaker": "BOB ROE", "sentences": ["Zoos have saved many species."]},
        {"speaker": "UNKNOWN", "sentences": ["My question is for both of you."]},
    ],
}


def test_speeches_sides_and_sentences_of_a_written_debate(tmp_path: Path) -> None:
    (tmp_path / "zoos.json").write_text(json.dumps(DEBATE))
    corpus = open_corpus(tmp_path)
    (entry,) = corpus.entries
    assert corpus.motions["zoos"].text == "Zoos should be closed"
    (votes,) = corpus.votes
    assert (votes.motion, votes.for_before, votes.against_after, votes.gain) == ("zoos", 40, 40, 10)
    given = corpus.given(GivenTranscript, entry)
    transcript = transcribe(None, None, None, given)
    assert transcript.punctuated
    sentences = segment(transcript)
    assert [(one.speaker, one.text) for one in sentences.sentences][2:4] == [
        ("ANN LEE", "Cages make animals ill."),
        ("ANN LEE", "They walk in circles."),
    ]
    people = speakers(
        corpus.motions["zoos"],
        entry.speech,
        sentences,
        corpus.given(GivenSpeakers, entry),
        settings=SpeakersSettings(own_words="rules"),
    )
    assert {speech.id: speech.stance for speech in speeches_of(entry.speech, people)} == {
        "zoos/ann-lee": "pro",
        "zoos/bob-roe": "con",
    }


def test_a_broken_debate_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "zoos.json").write_text(json.dumps(DEBATE))
    (tmp_path / "half.json").write_text(json.dumps(DEBATE)[:-40])
    corpus = open_corpus(tmp_path)
    assert [entry.speech.id for entry in corpus.entries] == ["zoos"]
    (problem,) = corpus.problems
    assert str(problem).startswith("half.json: not JSON: ")


def test_manifests_beside_written_debates_add_to_them(tmp_path: Path) -> None:
    """An empty arguments.csv, as `rostrum init` writes it, and the people of a speakers.csv for another debate."""
    for name in ("zoos", "parks"):
        (tmp_path / f"{name}.json").write_text(json.dumps(DEBATE))
    before = open_corpus(tmp_path)
    (written,) = write_first_manifests(tmp_path)
    assert written.path.name == "arguments.csv"
    assert open_corpus(tmp_path) == before
    with written.path.open("a") as file:
        file.write("ill,zoos,pro,Cages make animals ill.,,,\n")
    (tmp_path / "speakers.csv").write_text("recording,name,role,side\nparks,ANN LEE,debater,con\n")
    corpus = open_corpus(tmp_path)
    assert not corpus.problems
    assert [(argument.id, argument.motion) for argument in corpus.arguments] == [("ill", "zoos")]
    assert (corpus.motions, corpus.votes) == (before.motions, before.votes)
    parks, zoos = corpus.entries
    assert [(person.name, person.side) for person in parks.speakers] == [("ANN LEE", "con")]
    assert zoos == before.entries[1]
