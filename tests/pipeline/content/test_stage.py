from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.content import coverage
from pipeline.content.stage import ContentSettings, content
from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus, Entry
from pipeline.errors import RostrumError
from pipeline.records import Argument, Arguments, ExpectedTexts, Sentence, Speech
from pipeline.report.markdown import page
from pipeline.segment.stage import Sentences
from pipeline.stage import Skip
from pipeline.text import sentences

WORDS_ONLY = ContentSettings(encoder=None)
SPEECH = Speech(id="s", motion="m", stance="pro")
ARGUMENTS = Arguments(
    items=(
        Argument(id="a1", motion="m", stance="pro", title="Phones distract pupils.", text="Screens win. Lessons lose."),
        Argument(id="a2", motion="m", stance="con", title="Parents need to call."),
    )
)


@pytest.fixture(autouse=True)
def _needs_punkt() -> None:
    try:
        sentences.punkt_folder()
    except RostrumError as error:
        pytest.skip(str(error))


def spoken(*texts: str) -> Sentences:
    """Sentences of ten seconds each."""
    return Sentences(
        sentences=tuple(
            Sentence(text=text, start=10.0 * index, end=10.0 * index + 9, first=0, last=1)
            for index, text in enumerate(texts)
        ),
        method="made",
    )


def test_each_expected_sentence_finds_the_one_that_covers_it() -> None:
    speech = spoken("We agree.", "A phone distracts the pupil.", "It is the lesson that loses.")
    found = content(SPEECH, speech, None, ARGUMENTS, settings=WORDS_ONLY)
    assert found.expected == "arguments"
    assert found.parts == 1
    assert [(each.part, each.text, each.covered) for each in found.sentences] == [
        ("a1", "Phones distract pupils.", True),
        ("a1", "Screens win.", False),
        ("a1", "Lessons lose.", True),
    ]
    assert [each.said.start for each in found.sentences if each.said and each.covered] == [10.0, 20.0]
    assert found.covered == pytest.approx(2 / 3)
    assert found.left_out == ("screens", "win")
    # stems phone, distract, pupil, lesson, lose of seven
    assert found.new_rouge == found.base_rouge == pytest.approx(5 / 7)
    assert found.soft_recall is None


def test_given_references_come_before_arguments_and_the_setting_decides() -> None:
    references = ExpectedTexts(texts=("We should wait.", "Nobody waits.", "Third."))
    speech = spoken("Nobody waits.")
    found = content(SPEECH, speech, references, ARGUMENTS, settings=WORDS_ONLY)
    assert (found.expected, found.parts) == ("references", 3)
    assert found.best_rouge == 1.0
    limited = ContentSettings(encoder=None, max_references=1)
    assert content(SPEECH, speech, references, ARGUMENTS, settings=limited).parts == 1
    asked = ContentSettings(encoder=None, references="arguments")
    assert content(SPEECH, speech, references, ARGUMENTS, settings=asked).expected == "arguments"


def test_a_speech_of_no_side_is_measured_against_both() -> None:
    found = content(Speech(id="s"), spoken("Yes."), None, ARGUMENTS, settings=WORDS_ONLY)
    assert found.parts == 2


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (None, WORDS_ONLY),
        (ARGUMENTS, ContentSettings(references="given", encoder=None)),
        (Arguments(items=()), WORDS_ONLY),
    ],
)
def test_nothing_expected_is_a_reason_to_skip(arguments: Arguments | None, settings: ContentSettings) -> None:
    with pytest.raises(Skip, match="no references"):
        content(SPEECH, spoken("Yes."), None, arguments, settings=settings)


def test_an_empty_speech_covers_nothing() -> None:
    found = content(SPEECH, spoken(), None, ARGUMENTS, settings=WORDS_ONLY)
    assert found.covered == found.new_rouge == 0.0
    assert found.content_vector is None
    assert all(each.said is None for each in found.sentences)
    assert "0 of 3 expected sentences are covered" in page("content", found)


class MadeUpEncoder:
    """Texts that begin with the same letter mean the same."""

    name = "made up"
    digest = "0"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([np.eye(26)[ord(text[0].lower()) - 97] for text in texts], dtype=np.float32)


def test_meaning_covers_where_words_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "load_encoder", lambda _: MadeUpEncoder())
    settings = ContentSettings(encoder="made up")
    found = content(SPEECH, spoken("Pupils look away.", "Long ago."), None, ARGUMENTS, settings=settings)
    assert [each.covered for each in found.sentences] == [True, False, True]
    assert found.soft_recall == pytest.approx(2 / 3)
    assert "| yes | 0:10 | 1.00 | 0.00 | Lessons lose. | Long ago. |" in page("content", found)
    empty = content(SPEECH, spoken(), None, ARGUMENTS, settings=settings)
    assert empty.soft_recall == 0.0


def test_a_corpus_gives_references_of_the_side_and_the_best_scored_other_speeches(tmp_path: Path) -> None:
    (tmp_path / "motions.csv").write_text("id,text\nm,We should.\n")
    (tmp_path / "references.csv").write_text("motion,text,stance\nm,For both,\nm,For con,con\n")
    lines = ["id,motion,stance,score,reference"]
    for number, stance in enumerate(["pro", "pro", "pro", "con"]):
        (tmp_path / f"{number}.txt").write_text(f"words of {number}")
        lines.append(f"s{number},m,{stance},{number},{number}.txt")
    (tmp_path / "speeches.csv").write_text("\n".join(lines))
    corpus = open_corpus(tmp_path)
    assert corpus.problems == ()
    assert given(corpus, "s0") == ("For both", "words of 2", "words of 1")
    assert given(corpus, "s3") == ("For both", "For con")


def given(corpus: Corpus, speech: str) -> tuple[str, ...]:
    found = corpus.given(ExpectedTexts, next(entry for entry in corpus.entries if entry.speech.id == speech))
    assert found is not None
    return found.texts


def test_without_any_there_are_none(tmp_path: Path) -> None:
    entry = Entry(SPEECH)
    assert Corpus(tmp_path, (entry,)).given(ExpectedTexts, entry) is None
