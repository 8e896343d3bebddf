"""Judgements are lines that are only added; the last one on a thing counts."""

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus import open_corpus
from pipeline.corpus.judgements import NAME, add_judgement, counting, read_judgements
from pipeline.records import JUDGEMENTS, Judgement


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
