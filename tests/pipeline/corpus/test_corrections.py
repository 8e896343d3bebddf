"""Corrections are files in the corpus: the last version counts, none is overwritten, each can be taken back."""

import errno
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus import open_corpus
from pipeline.corpus.corrections import (
    FOLDER,
    NAME,
    add_judgement,
    counting,
    last_correction,
    read_judgements,
    save_correction,
    take_back,
)
from pipeline.errors import StorageError
from pipeline.records import (
    JUDGEMENTS,
    Correction,
    GivenTranscript,
    GivenTurns,
    Judgement,
    ReferenceTranscript,
    Turn,
    Word,
)

SAID = ["we", "shut", "ban", "phones"]
RECOGNISED = tuple(
    Word(text=text, start=place, end=place + 1) for place, text in enumerate(["we", "shut", "ban", "phones"])
)
CORRECTED = (RECOGNISED[0], RECOGNISED[1].model_copy(update={"text": "should"}), *RECOGNISED[2:])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talk.wav").write_bytes(b"")
    (tmp_path / "motions.csv").write_text("id,text\nphones,We should ban phones.\n", encoding="utf-8")
    (tmp_path / "speeches.csv").write_text("id,file,motion,stance\ntalk,talk.wav,phones,pro\n", encoding="utf-8")
    (tmp_path / "arguments.csv").write_text(
        "id,motion,stance,title\nfocus,phones,pro,Phones distract.\nrest,phones,pro,Pupils rest.\n", encoding="utf-8"
    )
    (tmp_path / "labels.csv").write_text("speech,argument,mentioned\ntalk,focus,1\ntalk,rest,1\n", encoding="utf-8")
    return tmp_path


def corrected(**changes: object) -> Correction:
    made = Correction(speech="talk", words=CORRECTED, sentence_ends=(2, 4), recognised=RECOGNISED, recogniser="tiny.en")
    return made.model_copy(update=changes)


def test_a_corrected_transcript_is_given_and_is_the_reference(folder: Path) -> None:
    save_correction(folder, corrected())
    corpus = open_corpus(folder)
    given = corpus.given(GivenTranscript, corpus.entries[0])
    assert given
    assert given.correction == corrected()
    assert corpus.given(ReferenceTranscript, corpus.entries[0]) == ReferenceTranscript(text="we should\nban phones\n")
    assert corpus.entries[0].lines("reference") == ("we should", "ban phones")


def test_words_that_nobody_changed_are_no_reference(folder: Path) -> None:
    """Somebody named the speaker; whether the words are right, nobody said."""
    turns = (Turn(start=0.0, end=4.0, speaker="Clara"),)
    named = tuple(word.model_copy(update={"speaker": "Clara"}) for word in RECOGNISED)
    save_correction(folder, corrected(words=named, turns=turns))
    corpus = open_corpus(folder)
    assert corpus.given(ReferenceTranscript, corpus.entries[0]) is None
    assert corpus.given(GivenTurns, corpus.entries[0]) == GivenTurns(turns=turns)


def test_a_mark_takes_the_place_of_a_label(folder: Path) -> None:
    save_correction(folder, Correction(speech="talk", mentioned={"focus": False, "gone": True}))
    corpus = open_corpus(folder)
    assert {(label.argument, label.mentioned) for label in corpus.labels} == {("focus", False), ("rest", True)}
    assert corpus.given(GivenTranscript, corpus.entries[0]) is None
    assert "talk,focus,1" in (folder / "labels.csv").read_text(encoding="utf-8"), "the person's own file stays"


def test_every_version_stays_and_can_be_taken_back(folder: Path) -> None:
    first, second = corrected(sentence_ends=(4,)), corrected()
    paths = [save_correction(folder, each) for each in (first, second)]
    before = [path.read_bytes() for path in paths]
    assert last_correction(folder, "talk") == second.model_copy(update={"follows": 1})
    assert take_back(folder, "talk") == first
    assert take_back(folder, "talk") is None
    assert take_back(folder, "talk") is None
    assert [path.read_bytes() for path in paths] == before
    assert open_corpus(folder).given(GivenTranscript, open_corpus(folder).entries[0]) is None


def test_a_new_correction_after_taking_back_leads_back_to_nothing(folder: Path) -> None:
    save_correction(folder, corrected())
    take_back(folder, "talk")
    save_correction(folder, corrected(sentence_ends=(4,)))
    assert take_back(folder, "talk") is None


def test_a_correction_that_cannot_be_read_is_a_problem_of_the_corpus(folder: Path) -> None:
    path = save_correction(folder, corrected())
    path.write_text('{"speech": "talk", "words": 3}', encoding="utf-8")
    corpus = open_corpus(folder)
    assert corpus.entries == ()
    assert "0001.json: not a correction" in str(corpus.problems[0])


@pytest.mark.parametrize("speech", ["../../up", "a/b", "a.b", "שלום", "x" * 300, "con", "A", "a"])
def test_any_speech_has_a_folder_of_its_own_inside_of_the_corpus(tmp_path: Path, speech: str) -> None:
    save_correction(tmp_path, Correction(speech=speech, mentioned={"a": True}))
    save_correction(tmp_path, Correction(speech=f"{speech}2", mentioned={"a": False}))
    found = last_correction(tmp_path, speech)
    assert found
    assert found.mentioned == {"a": True}
    assert {path.parent.parent for path in tmp_path.rglob("*.json")} == {tmp_path / FOLDER}


def test_what_a_killed_editor_left_is_in_nobody_s_way(folder: Path) -> None:
    """It had written the transcript of version 1, and not the correction."""
    first = save_correction(folder, corrected())
    first.unlink()
    save_correction(folder, corrected(mentioned={"focus": True}))
    assert first.with_suffix(".txt").read_text(encoding="utf-8") == corrected().text
    found = last_correction(folder, "talk")
    assert found
    assert found.mentioned == {"focus": True}


def test_a_full_disk_leaves_no_half_correction(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_correction(folder, corrected())

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(StorageError, match="No space left"):
            save_correction(folder, corrected(mentioned={"focus": True}))
    assert last_correction(folder, "talk") == corrected()
    assert len([path for path in (folder / FOLDER).rglob("*") if path.is_file()]) == 2


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"sentence_ends": (2, 9)}, "the sentences do not contain every word once"),
        ({"sentence_ends": ()}, "the sentences do not contain every word once"),
        ({"words": tuple(reversed(CORRECTED))}, "the words are not in order of time"),
        ({"words": (*CORRECTED[:3], CORRECTED[3].model_copy(update={"end": 0.0}))}, "ends before it begins"),
        ({"words": (*CORRECTED[:3], CORRECTED[3].model_copy(update={"text": "\x1b[2J"}))}, "a control character"),
        ({"words": (*CORRECTED[:3], CORRECTED[3].model_copy(update={"text": "\u202eon"}))}, "a control character"),
        ({"words": (*CORRECTED[:3], CORRECTED[3].model_copy(update={"speaker": "\x1bc"}))}, "a control character"),
        ({"words": (*CORRECTED[:3], CORRECTED[3].model_copy(update={"text": "two words"}))}, "has a space in it"),
        ({"turns": (Turn(start=2.0, end=1.0),)}, "ends before it begins"),
        ({"speech": "other"}, "a correction of another speech, other; delete it"),
    ],
)
def test_a_correction_that_was_written_by_hand_is_checked(folder: Path, changes: dict[str, object], wrong: str) -> None:
    """What is wrong with it is told in one line; the recording is left out, and nothing else fails."""
    path = save_correction(folder, corrected())
    path.write_text(corrected(**changes).model_dump_json(), encoding="utf-8")
    corpus = open_corpus(folder)
    (problem,) = corpus.problems
    assert str(path) in str(problem)
    assert wrong in str(problem)
    assert corpus.entries == ()


def said(judgement: str, of: str = "focus", start: float | None = 1.0, **other: object) -> Judgement:
    fields = {"motion": "phones", "kind": "mention", "speech": "talk", "judgement": judgement, "of": of}
    return Judgement.model_validate({**fields, "start": start, **other})


def test_the_last_answer_counts_and_every_line_stays(tmp_path: Path) -> None:
    for judgement in (said("heard"), said("not heard"), said("cannot say", of="control")):
        add_judgement(tmp_path, judgement)
    read, problems = read_judgements(tmp_path / "corrections")
    assert [(each.of, each.judgement) for each in read] == [("focus", "not heard"), ("control", "cannot say")]
    assert not problems
    assert len((tmp_path / "corrections" / NAME).read_text().splitlines()) == 4


def test_every_wrong_passage_counts_until_the_mention_is_taken_back() -> None:
    wrong = [said("wrong passage", start=at) for at in (1.0, 7.0)]
    assert counting(wrong) == tuple(wrong)
    assert counting([*wrong, said("as found", start=None)]) == ()


def test_answers_become_labels_of_known_arguments_and_speeches(tmp_path: Path) -> None:
    (tmp_path / "motions.csv").write_text("id,text\nphones,We should ban phones.\n")
    (tmp_path / "speeches.csv").write_text("id,file,motion\ntalk,,phones\n")
    (tmp_path / "arguments.csv").write_text(
        "id,motion,stance,title\nfocus,phones,pro,A\ncontrol,phones,con,B\nmore,phones,con,C\n"
    )
    (tmp_path / "labels.csv").write_text("speech,argument,mentioned\ntalk,focus,1\ntalk,more,1\n")
    for judgement in (
        said("not heard"),
        said("wrong passage", of="control"),
        said("cannot say", of="more"),
        said("heard", of="unknown"),
        said("heard", speech="gone"),
        said("heard", speech="talk/anna"),
    ):
        add_judgement(tmp_path, judgement)
    labels = {(one.speech, one.argument): one.mentioned for one in open_corpus(tmp_path).labels}
    assert labels == {
        ("talk", "focus"): False,
        ("talk", "control"): True,
        ("talk", "more"): True,
        ("talk/anna", "focus"): True,
    }


def test_a_line_that_was_cut_off_is_a_problem_and_the_next_one_is_whole(tmp_path: Path) -> None:
    add_judgement(tmp_path, said("heard"))
    with (tmp_path / "corrections" / NAME).open("a") as file:
        file.write("2026-01-01,phones,ment")
    add_judgement(tmp_path, said("not heard", of="control"))
    read, problems = read_judgements(tmp_path / "corrections")
    assert [each.of for each in read] == ["focus", "control"]
    assert [problem.line for problem in problems] == [3]


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=add_judgement, args=(tmp_path, said("heard", of=f"a{number}"))) for number in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    read, problems = read_judgements(tmp_path / "corrections")
    assert ({each.of for each in read}, problems) == ({f"a{number}" for number in range(40)}, [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"judgement": "rewritten"},
        {"speech": None},
        {"of": ""},
        {"kind": "key point", "speech": None, "judgement": "merged"},
    ],
)
def test_what_says_nothing_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="judgement|text|judged"):
        said(**{"judgement": "heard", **wrong})  # type: ignore[arg-type]


_TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40).map(str.strip).filter(bool)


@given(_TEXTS, st.sampled_from(JUDGEMENTS["mention"][:3]), st.floats(0, 1e5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, of: str, judgement: str, at: float) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    add_judgement(folder, said(judgement, of=of, start=at, text=of))
    assert read_judgements(folder / "corrections") == ((said(judgement, of=of, start=at, text=of),), [])
