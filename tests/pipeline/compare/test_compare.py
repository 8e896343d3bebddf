"""Runs side by side: figures that were counted by hand, through the command, and the pages in a browser."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from click.testing import CliRunner

from pipeline.cli.show import compare as command
from pipeline.compare.compare import compare, run_names
from pipeline.compare.speakers import speaker_errors
from pipeline.mentions.stage import Mention, Mentions
from pipeline.records import Argument, Label, Motion, Record, Sentence, Speech, Word
from pipeline.run.configuration import Settings
from pipeline.run.finished import FinishedRun
from pipeline.run.index import save
from pipeline.run.scopes import scope_of_speech
from pipeline.run.store import Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary
from pipeline.score.stage import word_errors
from pipeline.segment.stage import Sentences
from pipeline.transcribe.stage import Transcript
from tests.pipeline.report.test_browser import assert_accessible_now
from tests.synthetic_run import save_record

SAID = {
    "anna": "we should ban phones in schools because they distract pupils",
    "ben": "buses should be free for all people in the city",
}
# Two errors of anna's ten words, one of ben's: "band" for "ban", "pupils" missed, "of" added.
TINY = {
    "anna": "we should band phones in schools because they distract",
    "ben": "buses should be free for all of people in the city",
}
# One error: "a" for "the".
BASE = {"anna": SAID["anna"], "ben": "buses should be free for all people in a city"}


def words(text: str, speakers: str = "") -> tuple[Word, ...]:
    return tuple(
        Word(
            text=word,
            start=place / 2,
            end=place / 2 + 0.4,
            probability=0.9,
            speaker=speakers[place : place + 1] or None,
        )
        for place, word in enumerate(text.split())
    )


def made_run(
    folder: Path,
    heard: Mapping[str, str],
    probability: float = 0.9,
    said: Mapping[str, str] = SAID,
    records: Mapping[str, Record] = MappingProxyType({}),
) -> Path:
    """A run in which these words were heard; `records` are further ones of every speech, by stage."""
    store = Store(folder)
    items = []
    for id, text in heard.items():
        scope = scope_of_speech(id)
        made = {
            "transcribe": transcript(words=words(text)),
            "score": word_errors(said[id], text, "plain"),
            "mentions": mentions(probability),
            **records,
        }
        outcomes = [save_record(store, scope, stage, record) for stage, record in made.items()]
        items.append(ItemSummary(id=id, scope=scope, motion="m", outcomes=outcomes))
    known = CorpusFacts(
        speeches=tuple(Speech(id=id, motion="m", stance="pro", speakers=(id.title(),)) for id in heard),
        motions=(Motion(id="m", text="A motion."),),
        arguments=(Argument(id="focus", motion="m", stance="pro", title="Phones distract."),),
        labels=(Label(speech="anna", argument="focus", mentioned=True),),
    )
    facts = {"started": "2026-01-02T03:04:05+00:00", "seconds": 1.0, "flow_run": None}
    save(RunSummary(corpus="c", settings=Settings(), problems=[], items=items, known=known, **facts), store)
    return folder


def transcript(**facts: Any) -> Transcript:
    return Transcript(**{"language": "en", "recogniser": "r", "device": "cpu", "punctuated": True, **facts})


def mentions(probability: float) -> Mentions:
    mention = Mention(
        argument="focus",
        title="Phones distract.",
        stance="pro",
        side="own",
        likeness=1.0,
        probability=probability,
        mentioned=probability > 0.5,
        carriers=(),
        counter=None,
        counter_title=None,
    )
    return Mentions(motion="m", mentions=(mention,), encoder="e", detector="shipped", trained_on="t", threshold=0.5)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return made_run(tmp_path / "tiny", TINY, probability=0.2)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return made_run(tmp_path / "base", BASE)


def compared(*runs: Path) -> Any:
    return compare([FinishedRun(run) for run in runs])


def test_rates_and_their_difference(tiny: Path, base: Path) -> None:
    first, second = compared(tiny, base).tables["word errors"]
    assert (first["run"], first["wer"], first["words"]) == ("tiny", pytest.approx(3 / 20), 20)
    assert (first["substitutions"], first["deletions"], first["insertions"]) == (1, 1, 1)
    assert second["wer"] == pytest.approx(1 / 20)
    assert second["difference"] == pytest.approx(-2 / 20)
    assert (second["difference_low"], second["difference_high"]) == (pytest.approx(-0.2), pytest.approx(0.0))


def test_by_speaker_and_what_only_one_has_right(tiny: Path, base: Path) -> None:
    tables = compared(tiny, base).tables
    assert [(row["group"], row["tiny"], row["base"]) for row in tables["by speaker"]] == [
        ("Anna", pytest.approx(0.2), pytest.approx(0.0)),
        ("Ben", pytest.approx(0.1), pytest.approx(0.1)),
    ]
    assert {(row["right"], row["word"]) for row in tables["only one is right"]} == {
        ("base", "ban"),
        ("base", "pupils"),
        ("tiny", "the"),
    }


def test_confusions_and_worst_words_and_passages(tiny: Path, base: Path) -> None:
    tables = compared(tiny, base).tables
    assert {(row["run"], row["said"], row["heard"]) for row in tables["confusions"]} == {
        ("tiny", "ban", "band"),
        ("tiny", "pupils", ""),
        ("tiny", "", "of"),
        ("base", "the", "a"),
    }
    assert {"run": "base", "word": "the", "wrong": 1, "said": 1, "share": 1.0} in tables["worst words"]
    worst = tables["worst passages"][0]
    assert (worst["run"], worst["speech"], worst["errors"], worst["start"]) == ("tiny", "anna", 2, 0.0)
    assert worst["heard"] == TINY["anna"]


def test_where_the_detectors_decide_otherwise(tiny: Path, base: Path) -> None:
    rows = compared(tiny, base).tables["mentions"]
    assert [(row["speech"], row["tiny"], row["base"], row["label"]) for row in rows] == [
        ("anna", 0.2, 0.9, "mentioned"),
        ("ben", 0.2, 0.9, None),
    ]


def test_other_references_are_not_compared(tiny: Path, tmp_path: Path) -> None:
    other = made_run(tmp_path / "other", BASE, said={**SAID, "anna": "another text"})
    found = compared(tiny, other)
    assert [each.speech.id for each in found.speeches] == ["ben"]
    assert found.notes == ("anna: the reference transcript has changed between the runs",)


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    runs = [FinishedRun(made_run(tmp_path / folder / "run", BASE)) for folder in "ab"]
    assert run_names(runs) == (f"{tmp_path}/a/run", f"{tmp_path}/b/run")
    assert len(set(run_names([runs[0], runs[0]]))) == 2


def test_words_and_speakers_together(tmp_path: Path) -> None:
    """A word given to the other speaker is one too few and one too many; the speakers' names do not count."""
    pytest.importorskip("meeteval.wer")
    sentences = tuple(
        Sentence(text=text, start=start, end=end, first=first, last=last, speaker=speaker)
        for text, start, end, first, last, speaker in (("a b c", 0.0, 1.4, 0, 3, "X"), ("d", 1.5, 1.9, 3, 4, "Y"))
    )
    records = {
        "transcribe": transcript(words=words("a b c d", "XXXY")),
        "segment": Sentences(sentences=sentences, method="punkt"),
    }
    run = made_run(tmp_path / "run", {"anna": "a b c d"}, said={"anna": "a b c d"}, records=records)
    reference = tmp_path / "who.stm"
    reference.write_text("anna 1 Clara 0.0 0.9 a b\nanna 1 Victor 1.0 1.9 c d\n", encoding="utf-8")
    (row,) = compare([FinishedRun(run)], reference).tables["words and speakers"]
    assert (row["cpwer"], row["cpwer_deletions"], row["cpwer_insertions"]) == (pytest.approx(0.5), 1, 1)
    assert row["tcpwer"] == pytest.approx(0.5)


def test_a_corrected_transcript_says_who_said_what(tmp_path: Path) -> None:
    """What was recognised is priced against it: here a word that went to the other speaker."""
    pytest.importorskip("meeteval.wer")
    corrected = transcript(words=words("a b c d", "AABB"), recognised=words("a b c d", "AAAB"), sentence_ends=(2, 4))
    spoken = {"anna": "a b c d"}
    run = made_run(tmp_path / "run", spoken, said=spoken, records={"transcribe": corrected})
    (row,) = compare([FinishedRun(run)]).tables["words and speakers"]
    assert (row["cpwer"], row["cpwer_deletions"], row["cpwer_insertions"]) == (pytest.approx(0.5), 1, 1)


def test_runs_with_other_speeches(tmp_path: Path) -> None:
    """What only one run has is left out, also of who said what: rates of different speeches do not compare."""
    pytest.importorskip("meeteval.wer")
    corrected = transcript(words=words("a b c d", "AABB"), recognised=words("a b c d", "AAAB"), sentence_ends=(2, 4))
    said = {"anna": "a b c d", "ben": "a b"}
    more = FinishedRun(made_run(tmp_path / "more", said, said=said))
    only = FinishedRun(made_run(tmp_path / "only", {"anna": "a b c d"}, said=said, records={"transcribe": corrected}))
    other = FinishedRun(made_run(tmp_path / "other", {"ben": "a b"}, said=said))
    compared = compare([more, other])
    assert [row["words"] for row in compared.tables["word errors"]] == [2, 2]
    assert compared.notes == ("anna: not scored in all runs",)
    assert speaker_errors([only, other], ("only", "other"), None) == []
    assert compare([only]).tables["word errors"]
    (note,) = compare([only, only]).notes
    assert note.startswith("anna: was corrected, so all runs have the words of one recogniser; run with --set")


def test_the_command_prints_tables_or_one_object(tiny: Path, base: Path) -> None:
    shown = CliRunner().invoke(command, [str(tiny), str(base)], catch_exceptions=False)
    assert "only one is right" in shown.stdout
    found = json.loads(CliRunner().invoke(command, [str(tiny), str(base), "--json"]).stdout)
    assert found["name"] == "compare"
    assert [row["run"] for row in found["rows"]] == ["tiny", "base"]
    assert found["tables"]["word errors"] == found["rows"]


def test_a_run_without_references_has_nothing_to_compare(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run", {})
    result = CliRunner().invoke(command, [str(run)])
    assert result.exit_code != 0
    assert "no speech has a reference transcript" in str(result.exception)


def test_both_transcripts_stand_aligned_in_the_page(browser: Any, tiny: Path, base: Path, tmp_path: Path) -> None:
    to = tmp_path / "pages"
    CliRunner().invoke(command, [str(tiny), str(base), "--to", str(to)], catch_exceptions=False)
    context = browser.new_context(bypass_csp=True, viewport={"width": 390, "height": 740})
    page = context.new_page()
    page.goto((to / "index.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible_now(page)
    page.emulate_media(color_scheme="dark")
    assert_accessible_now(page)
    page.get_by_role("link", name="anna").first.click()
    page.wait_for_load_state()
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.innerText").split() == ["ban", "tiny:", "band", "base:", "✓"]
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.innerText").split() == ["pupils", "tiny:", "∅", "base:", "✓"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible_now(page)
    context.close()
