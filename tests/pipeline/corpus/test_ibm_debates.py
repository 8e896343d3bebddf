import csv
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus import read_corpus
from pipeline.corpus.ibm_debates import answered, find_speeches, read_asr
from pipeline.corpus.ibm_import import CLAIMS, import_ibm_debates
from pipeline.engine.plan import job_of
from pipeline.errors import RostrumError
from pipeline.records import Word
from pipeline.settings import Settings
from pipeline.stages import stage_named
from pipeline.stages.transcribe import transcribe

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
    (folder / "GPR-KB-55").mkdir()
    with (folder / "GPR-KB-55" / CLAIMS).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(CLAIM_COLUMNS.split(","))
        writer.writerow(["17", "We should ban zoos", OPENING, "5", "Zoos are cruel", "True", "Explicit", 5, 2, 1])
        writer.writerow(["17", "We should ban zoos", ANSWER, "5", "Zoos are kind", "False", "Reject", 0, 1, 6])
        writer.writerow(
            ["17", "We should ban zoos", "missing_17_zoo-ban_pro_opening", "5", "x", "True", "Explicit"] * 1
        )
    return folder


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
    opening, answer = find_speeches(release)
    assert (opening.id, opening.speaker, opening.motion, opening.stance) == (OPENING, "Ann", "17", "pro")
    assert (answer.id, answer.opponent, answer.stance) == (ANSWER, "Ann", "con")
    assert set(opening.files) == {"asr", "asr.txt", "trs", "trs.txt"}
    assert answered(answer, [opening, answer]) == opening
    assert answered(opening, [opening, answer]) is None
    assert opening.text("asr") == "we should ban zoos"
    assert opening.text("trs") == "we would ban zoos."
    assert opening.sentences("trs.txt") == ["We would ban zoos."]


def test_no_speeches(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="no speeches named"):
        find_speeches(tmp_path)


def test_the_data_set_becomes_a_corpus(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    assert import_ibm_debates(release, folder) == {"motions": 1, "speeches": 2, "arguments": 2, "labels": 2}
    corpus = read_corpus(folder)
    assert not corpus.problems
    assert corpus.motions["17"].text == "We should ban zoos"
    assert {entry.speech.id: entry.speech.answers for entry in corpus.entries} == {OPENING: None, ANSWER: OPENING}
    assert [(label.mentioned, label.how, label.votes_yes, label.votes_no) for label in corpus.labels] == [
        (True, "explicit", 7, 1),
        (False, None, 1, 6),
    ]
    assert [entry.audio for entry in corpus.entries] == [None, None]
    with pytest.raises(RostrumError, match="is not empty; name a new folder"):
        import_ibm_debates(release, folder)


def test_without_audio_the_given_transcript_is_the_transcript(release: Path, tmp_path: Path) -> None:
    import_ibm_debates(release, tmp_path / "corpus")
    corpus = read_corpus(tmp_path / "corpus")
    from pipeline.engine.plan import items

    job = job_of(stage_named("transcribe"), items(corpus)[0][0], corpus, Settings())
    made = transcribe(None, None, None, job.given["given"], settings=Settings().transcribe)  # type: ignore[arg-type]
    assert made.text == "we should ban zoos"
    assert made.recogniser == f"given: {OPENING}.asr"
    score = job_of(stage_named("score"), items(corpus)[0][0], corpus, Settings())
    assert score.given["reference"].text == "we'd ban zoos."  # type: ignore[union-attr]


DATA = Path(os.environ.get("ROSTRUM_DATA", "missing")) / "ibm-debates"


@pytest.mark.skipif(not DATA.is_dir(), reason="the data set is not there; ROSTRUM_DATA names the folder that has it")
def test_the_release_itself() -> None:
    speeches = find_speeches(DATA)
    assert len(speeches) == 120
    for speech in speeches[:10]:
        found = speech.words()
        assert all(before.start <= after.start for before, after in zip(found, found[1:], strict=False))
