from pathlib import Path

from pipeline.ingest.stage import Recording
from pipeline.records import Speech, Word
from pipeline.run.finished import FinishedRun, Pseudonyms
from pipeline.transcribe.stage import Transcript
from tests.synthetic_run import debate, write_run

SPEECHES = [
    Speech(id="anna", motion="m", stance="pro", speakers=("Anna Will",)),
    Speech(id="talks/ben", motion="m", stance="con", speakers=("Ben",), answers="anna"),
]


def transcript(*texts: str) -> Transcript:
    words = tuple(Word(text=text, start=0, end=1, speaker="Anna Will") for text in texts)
    return Transcript(words=words, language="en", recogniser="given: anna_will.asr", device="cpu", punctuated=True)


def test_names_and_ids_are_replaced_everywhere_alike() -> None:
    names = Pseudonyms.of(SPEECHES)
    replaced = [names.applied(speech) for speech in SPEECHES]
    assert {speech.id for speech in replaced} == {"speech-001", "speech-002"}
    assert replaced[1].answers == replaced[0].id
    assert {speaker for speech in replaced for speaker in speech.speakers} == {"speaker-01", "speaker-02"}
    assert names.original(replaced[0].id) == "anna"


def test_names_are_replaced_where_they_are_said() -> None:
    names = Pseudonyms.of(SPEECHES)
    anna = names.speakers["Anna Will"]
    found = names.applied(transcript("Thanks,", "Anna.", "ANNA,", "anna", "will", "Will", "Annabel", "talks/ben"))
    assert [word.text for word in found.words] == [
        *("Thanks,", f"{anna}.", f"{anna},", anna),
        *("will", anna, "Annabel", f"talks/{names.speakers['Ben']}"),
    ]
    assert {word.speaker for word in found.words} == {anna}
    assert found.recogniser == "given"


def test_a_word_that_is_a_speech_s_id_is_a_word() -> None:
    names = Pseudonyms.of([Speech(id="debate")])
    assert [word.text for word in names.applied(transcript("debate")).words] == ["debate"]


def test_a_run_shows_no_name(tmp_path: Path) -> None:
    store = write_run(tmp_path, debate(seconds=3.0))
    run = FinishedRun(store, anonymise=True)
    shown = run.known.model_dump_json()
    for speech in run.speeches:
        record = run.of_speech(Transcript, speech.id)
        shown += record.model_dump_json() if record else ""
        recording = run.of_speech(Recording, speech.id)
        assert recording is None or recording.audio.path.is_file()
    names = [name for speech in debate().speeches for name in speech.speakers] + ["exchange", "pro_anna"]
    assert [name for name in names if name in shown] == []
