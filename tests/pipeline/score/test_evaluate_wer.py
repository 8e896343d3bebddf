"""Word error rates of existing transcripts: which are compared, and figures counted by hand."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli.evaluate import evaluate as command
from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.score.evaluate_wer import Recorded, evaluate, recorded, voices_behind, with_voices
from pipeline.score.train_noise import learn_confusions


def asr(words: str) -> str:
    return " ".join(f"{word}[{at},{at + 1}]" for at, word in enumerate(words.split()))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two speeches of IBM's layout: one word of four is wrong, and one of six is missing."""
    texts = {"Ann_1_zoos_pro_opening": ("we ban the zoos", "we ban the shoes")}
    texts["Bob_1_zoos_con_opening_Ann"] = ("no we do not ban zoos", "no we do not zoos")
    for name, (said, heard) in texts.items():
        for kind, text in {"asr": asr(heard), "asr.txt": heard, "trs.txt": said}.items():
            path = tmp_path / "speeches" / kind / f"{name}.{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return tmp_path


def test_errors_are_pooled_over_speeches(release: Path) -> None:
    rows = {row["method"]: row for row in evaluate(release).rows}
    assert list(rows) == ["asr against trs.txt", "asr.txt against trs.txt"], "no .trs is there"
    row = rows["asr against trs.txt"]
    assert (row["substitutions"], row["deletions"], row["insertions"], row["words"]) == (1, 1, 0, 10)
    assert row["wer"] == 2 / 10
    assert row["wer_macro"] == pytest.approx((1 / 4 + 1 / 6) / 2)
    assert row["wer_low"] == pytest.approx(1 / 6)
    assert row["wer_high"] == pytest.approx(1 / 4)


def test_any_corpus_with_given_transcripts_can_be_scored(tmp_path: Path) -> None:
    (tmp_path / "speeches.csv").write_text("id,reference,transcript\na,a.txt,a.asr\nb,b.txt,\n")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("We wait.")
    (tmp_path / "a.asr").write_text(asr("we weigh"))
    (row,) = evaluate(tmp_path).rows
    assert (row["method"], row["speeches"], row["wer"]) == ("transcript against reference", 1, 0.5)


def test_the_table_of_transcripts_names_the_recordings(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "a.flac").touch()
    (tmp_path / "transcripts.tsv").write_text("a\twe wait\n\n")
    assert recorded(open_corpus(tmp_path)) == [(tmp_path / "1" / "a.flac", "we wait")]
    for line, message in {"b\tx": "tsv:1: there is no recording called b", "a x": "tsv:1: no tab between"}.items():
        (tmp_path / "transcripts.tsv").write_text(line)
        with pytest.raises(RostrumError, match=message):
            recorded(open_corpus(tmp_path))


def test_recordings_without_a_table_have_their_references(tmp_path: Path) -> None:
    for name in ("a.wav", "a.txt", "b.wav"):
        (tmp_path / name).write_text("We wait.")
    assert recorded(open_corpus(tmp_path)) == [(tmp_path / "a.wav", "We wait.")]


def test_segments_beside_a_recording_are_its_reference(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    (tmp_path / "a.derived.stm").write_text(";; made by hand\na 1 Ann 0.0 1.0 We wait.\na 1 Bob 1.0 2.5 And so do I.\n")
    assert recorded(open_corpus(tmp_path)) == [Recorded(tmp_path / "a.wav", "We wait. And so do I.")]


def test_a_recording_is_never_its_own_background() -> None:
    recordings = [Recorded(Path(name), "") for name in "abcde"]
    assert voices_behind(recordings, 3) == [Path("e"), Path("a"), Path("b")]
    assert voices_behind(recordings[:2], 1) == [Path("a")]
    assert voices_behind(recordings[:1], 0) == []


def test_nothing_to_score_is_said(tmp_path: Path) -> None:
    found = CliRunner().invoke(command, ["wer", "--data", str(tmp_path)])
    assert isinstance(found.exception, RostrumError)
    assert "no speech has a reference and a transcript or recording" in str(found.exception)


def test_confusions_are_learnt_from_what_was_heard(release: Path) -> None:
    confusions = learn_confusions(release)
    assert confusions.outcomes["zoos"] == {("shoes",): 1}
    assert confusions.outcomes["ban"] == {(): 1}


def test_a_voice_is_mixed_with_others_so_many_decibels_weaker() -> None:
    voice = np.array([0.2, -0.2] * 50, dtype=np.float32)
    mixed = with_voices(voice, [np.array([0.1, 0.1, -0.1], np.float32), np.array([0.3, -0.1], np.float32)], 6.0)
    behind = mixed - voice
    assert 10 * np.log10(np.mean(voice**2) / np.mean(behind**2)) == pytest.approx(6.0, abs=1e-3)
    loud = with_voices(np.full(4, 0.9, np.float32), [np.full(1, 0.5, np.float32)], 0.0)
    assert loud == pytest.approx(np.ones(4)), "never above full scale"
    silent = with_voices(voice, [np.zeros(7, np.float32)], 6.0)
    assert (silent == voice).all()


def test_confusions_need_speech_that_somebody_wrote_down(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We wait.")
    with pytest.raises(RostrumError, match=r"no speech has \.asr and \.trs\.txt, or a recording"):
        learn_confusions(tmp_path)


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the data sets are")
def test_the_release_has_the_published_error_rate_within_its_interval() -> None:
    found = CliRunner().invoke(
        command, ["wer", "--data", str(Path(os.environ["ROSTRUM_DATA"]) / "ibm-debates"), "--json"]
    )
    row = json.loads(found.stdout)["rows"][2]
    assert row["wer_low"] < 0.0803 < row["wer_high"], "Mirkin et al. 2018, all 200 speeches"


def test_character_errors_stand_beside_word_errors(release: Path) -> None:
    """'shoes' for 'zoos' is three edits of letters; ' ban' is missing from the other."""
    row = next(row for row in evaluate(release).rows if row["method"] == "asr against trs.txt")
    assert row["cer"] == pytest.approx((3 + 4) / (len("we ban the zoos") + len("no we do not ban zoos")))
    assert row["cer_low"] == pytest.approx(min(3 / 15, 4 / 21))
