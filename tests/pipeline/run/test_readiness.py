"""Which inputs a corpus lacks for each stage, found before anything runs."""

from pathlib import Path

from pipeline.corpus import open_corpus
from pipeline.run.inputs import readiness
from pipeline.stage import STAGES
from tests.sounds import SAMPLES


def lacks(folder: Path) -> dict[str, tuple[int, int, tuple[str, ...]]]:
    return {
        each.stage: (each.ready, each.total, tuple(lack.what for lack in each.lacks))
        for each in readiness(open_corpus(folder))
    }


def test_the_samples_have_all_that_stages_need() -> None:
    found = lacks(SAMPLES)
    assert list(found) == list(STAGES)
    assert all(not missing and ready == total for ready, total, missing in found.values())
    assert found["score"] == (12, 12, ())
    assert found["counter"] == (3, 3, ())


def test_a_folder_of_recordings_has_no_debate(tmp_path: Path) -> None:
    for name in ("one.wav", "two.wav", "two.txt"):
        (tmp_path / name).write_text("said")
    found = lacks(tmp_path)
    assert found["prosody"] == (2, 2, ())
    assert found["score"] == (1, 2, ("no reference transcript",))
    assert found["mentions"] == (0, 2, ("no motion",))
    assert found["content"] == (0, 2, ("no expected texts and no arguments",))
    assert found["counter"] == (0, 0, ("no motion",))


def test_what_mends_a_lack_and_whom_it_is_about(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("")
    score = next(each for each in readiness(open_corpus(tmp_path)) if each.stage == "score")
    ((lack, speeches),) = score.lacks.items()
    assert (lack.what, speeches) == ("no reference transcript", ("a",))
    assert ".txt" in lack.remedy


def test_transcripts_without_recordings_and_motions_with_one_side(tmp_path: Path) -> None:
    (tmp_path / "motions.csv").write_text("id,text\nm,We should.\nn,We should not.\n")
    (tmp_path / "speeches.csv").write_text(
        "id,motion,stance,transcript\na,m,pro,a.ctm\nb,m,con,\nc,n,con,a.ctm\nd,n,con,a.ctm\n"
    )
    (tmp_path / "a.ctm").write_text("a 1 0.0 1.0 yes\n")
    found = lacks(tmp_path)
    assert found["ingest"] == (0, 4, ("no audio file",))
    assert found["transcribe"] == (3, 4, ("no recording and no given transcript",))
    assert found["keypoints"] == (2, 2, ())
    assert found["counter"] == (0, 2, ("no speech against the motion", "no speech for the motion"))


def test_a_file_that_cannot_be_read_is_a_problem_of_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("")
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    score = next(each for each in readiness(open_corpus(tmp_path)) if each.stage == "score")
    assert (score.ready, [lack.what for lack in score.lacks]) == (
        0,
        [f"{tmp_path}/a.txt:1: not UTF-8 text; save it as UTF-8"],
    )
