"""What is exported is read again as it was; so are files of Whisper, whisperX, ELAN, Praat and subtitle editors."""

import json
from collections.abc import Iterable
from datetime import timedelta
from itertools import accumulate, groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.export.formats import SpeechFormat, export_format
from pipeline.export.formats.annotation_programs import eaf, textgrid
from pipeline.export.formats.scoring import seglst, stm
from pipeline.export.formats.subtitles import cues
from pipeline.export.speech import AnnotatedSpeech, Interval, Tier, without_overlap
from pipeline.formats import ctm, field, read_language, read_lines, read_spoken, read_turns, read_words
from pipeline.records import ReferenceTranscript, Turn, Word
from tests.pipeline.report.speeches import intervals, plain_words, speech, speeches

DEBATE = speech(
    "We should ban it, & now: it is <bad>.",
    "No, never, because nobody would gain from it and all of us would lose what we have had for years.",
    'She said "so".',
    speakers=("Anna Smith", "Ben"),
)
SOLO = speech("We should ban it.", "Été, שלום 🙂.", speakers=("Anna",))
any_intervals = settings(suppress_health_check=list(HealthCheck), max_examples=50, deadline=None)
any_speech = settings(suppress_health_check=list(HealthCheck), max_examples=60, deadline=None)


def exported(folder: Path, name: str, given_speech: AnnotatedSpeech = DEBATE) -> Path:
    form = export_format(name)
    assert isinstance(form, SpeechFormat)
    path, content = folder / f"talk{form.suffix}", form.content(given_speech)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_json_there_and_back(tmp_path: Path) -> None:
    path = exported(tmp_path, "json")
    assert read_words(path) == DEBATE.words
    assert read_lines(path) == tuple(sentence.text for sentence in DEBATE.sentences)


@pytest.mark.parametrize("name", ["eaf", "textgrid"])
@pytest.mark.parametrize("given_speech", [DEBATE, SOLO])
def test_tiers_there_and_back(tmp_path: Path, name: str, given_speech) -> None:
    path = exported(tmp_path, name, given_speech)
    assert read_words(path) == tuple(word.model_copy(update={"probability": None}) for word in given_speech.words)
    assert read_turns(path) == given_speech.exclusive


@any_intervals
@given(intervals)
def test_any_tier_there_and_back(tmp_path: Path, given_intervals: list[Interval]) -> None:
    tier = Tier("words", without_overlap(given_intervals, 15.0))
    kept = [Interval(each.start, each.end, " ".join(each.text.split())) for each in tier.intervals]
    for name, text in (("a.eaf", eaf([tier], "")), ("a.TextGrid", textgrid([tier], 15.0))):
        words = read_words(written(tmp_path, name, text))
        assert [Interval(word.start, word.end, word.text) for word in words] == kept


def said(words: Iterable[Word]) -> list[tuple[str, float, float, str | None]]:
    return [(word.text, word.start, word.end, word.speaker) for word in words]


@any_speech
@given(speeches())
def test_any_speech_as_tiers(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    for name in ("eaf", "textgrid"):
        path = exported(tmp_path, name, given_speech)
        assert said(read_words(path)) == said(given_speech.words)
        assert read_turns(path) == given_speech.exclusive


@any_speech
@given(speeches())
def test_any_speech_for_exmaralda(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    assert said(read_words(exported(tmp_path, "exb", given_speech))) == said(given_speech.words)


@any_speech
@given(speeches())
def test_any_speech_as_tei(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    path = exported(tmp_path, "tei", given_speech)
    assert read_words(path) == given_speech.words
    assert read_lines(path) == tuple(sentence.text for sentence in given_speech.sentences)
    path = exported(tmp_path, "parlamint", given_speech)
    assert [(word.text, word.speaker) for word in read_words(path)] == [
        (word.text, word.speaker) for word in given_speech.words
    ]
    assert read_lines(path) == tuple(sentence.text for sentence in given_speech.sentences)


@any_speech
@given(speeches())
def test_any_speech_as_json(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    path = exported(tmp_path, "json", given_speech)
    assert read_words(path) == given_speech.words
    assert read_lines(path) == tuple(sentence.text for sentence in given_speech.sentences)
    (tmp_path / "talk.json").write_text(seglst([given_speech]), encoding="utf-8")
    assert_sentences(tmp_path / "talk.json", given_speech)


@any_speech
@given(speeches())
def test_any_speech_as_lines(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    (tmp_path / "talk.stm").write_text(stm([given_speech]), encoding="utf-8")
    underscored = [sentence.speaker and field(sentence.speaker) for sentence in given_speech.sentences]
    assert_sentences(tmp_path / "talk.stm", given_speech, underscored)
    assert_sentences(exported(tmp_path, "tsv", given_speech), given_speech)
    (tmp_path / "talk.ctm").write_text(ctm({"talk": given_speech.words}), encoding="utf-8")
    expected = [(word.text, word.start, word.end, word.probability) for word in given_speech.words]
    assert [
        (word.text, word.start, word.end, word.probability) for word in read_words(tmp_path / "talk.ctm")
    ] == expected


def assert_sentences(path: Path, given_speech: AnnotatedSpeech, speakers: list[str | None] | None = None) -> None:
    """Each sentence has its text, times and speaker, in a format whose words have no times of their own."""
    words, names = read_words(path), speakers or [sentence.speaker for sentence in given_speech.sentences]
    assert read_lines(path) == tuple(sentence.text for sentence in given_speech.sentences)
    assert [word.text for word in words] == [word.text for word in given_speech.words]
    for sentence, name in zip(given_speech.sentences, names, strict=True):
        own = words[sentence.first : sentence.last]
        assert (own[0].start, own[-1].end, {word.speaker for word in own}) == (sentence.start, sentence.end, {name})


@any_speech
@given(speeches(plain_words))
def test_any_speech_as_subtitles(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    shown = cues(given_speech)
    for name in ("srt", "vtt", "vtt-words"):
        words = read_words(exported(tmp_path, name, given_speech))
        expected = [word.text for word in given_speech.words]
        if name == "srt":  # SubRip has no other way to write them
            expected = [text.replace("-->", "→").translate(str.maketrans("<>", "‹›")) for text in expected]
        assert [word.text for word in words] == expected
        places = list(accumulate((len(cue.words) for cue in shown), initial=0))
        for cue, (first, last) in zip(shown, pairwise(places), strict=True):
            assert words[first].start == pytest.approx(cue.start, abs=0.0006)
            assert words[last - 1].end == pytest.approx(cue.end, abs=0.0006)
        if name != "srt" or len(given_speech.speakers) > 1:
            assert [word.speaker for word in words] == [word.speaker for word in given_speech.words]


@any_speech
@given(speeches())
def test_any_speech_as_a_document(tmp_path: Path, given_speech: AnnotatedSpeech) -> None:
    path = exported(tmp_path, "docx", given_speech)
    assert read_spoken(path).split() == [word.text for word in given_speech.words]
    if len(given_speech.speakers) > 1:
        assert [word.speaker for word in read_words(path)] == [word.speaker for word in given_speech.words]


@pytest.mark.parametrize("name", ["srt", "vtt", "vtt-words"])
def test_subtitles_there_and_back(tmp_path: Path, name: str) -> None:
    path = exported(tmp_path, name)
    words, shown = read_words(path), cues(DEBATE)
    brackets = str.maketrans("‹›", "<>")  # SubRip has no other way to write them
    assert [word.text.translate(brackets) for word in words] == [word.text for word in DEBATE.words]
    assert [word.speaker for word in words] == [word.speaker for word in DEBATE.words]
    assert len(read_lines(path)) == len(shown)
    starts = [
        next(cue).start for _, cue in groupby(words, key=lambda word: next(c for c in shown if word.start < c.end))
    ]
    assert starts == [cue.start for cue in shown]
    if name == "vtt-words":
        assert [word.start for word in words] == [word.start for word in DEBATE.words]


def test_srt_of_a_subtitle_program(tmp_path: Path) -> None:
    srt = pytest.importorskip("srt")
    said = [srt.Subtitle(7, timedelta(seconds=1.5), timedelta(seconds=2.5), "{\\an8}<i>Remember:\nit is</i> bad.")]
    said.append(srt.Subtitle(8, timedelta(seconds=3), timedelta(seconds=4), "[music]\nNo."))
    path = written(tmp_path, "a.srt", srt.compose(said, reindex=False))
    assert read_lines(path) == ("Remember: it is bad.", "No.")
    assert read_words(path)[0].start == 1.5
    assert read_words(path)[-1].end == 4.0


def test_speakers_as_whisperx_writes_them_in_subtitles(tmp_path: Path) -> None:
    path = written(tmp_path, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n[SPEAKER_01]: We should.\n")
    assert read_turns(path) == (Turn(start=1.0, end=2.0, speaker="SPEAKER_01"),)


def test_docx_there_and_back(tmp_path: Path) -> None:
    path = exported(tmp_path, "docx")
    assert read_spoken(path).split() == [word.text for word in DEBATE.words]
    assert [turn.speaker for turn in read_turns(path)] == ["Anna Smith", "Ben", "Anna Smith"]
    assert [turn.start for turn in read_turns(path)] == [float(int(turn.start)) for turn in DEBATE.turns]


def test_python_docx_saves_it_again(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    path = exported(tmp_path, "docx")
    turns = read_turns(path)
    docx.Document(str(path)).save(str(path))
    assert read_turns(path) == turns


WHISPER = {
    "text": " It is ten-year old.",
    "language": "en",
    "segments": [
        {
            "id": 0,
            "start": 0.5,
            "end": 2.0,
            "text": " It is ten-year.",
            "words": [
                {"word": " It", "start": 0.5, "end": 0.8, "probability": 0.9},
                {"word": " is", "start": 0.8, "end": 1.0, "probability": 0.8},
                {"word": " ten", "start": 1.0, "end": 1.5, "probability": 0.7},
                {"word": "-year.", "start": 1.5, "end": 2.0, "probability": 0.6},
            ],
        }
    ],
}
WHISPERX = {
    "segments": [
        {
            "start": 1.0,
            "end": 3.0,
            "text": " We want 5 more.",
            "speaker": "SPEAKER_00",
            "words": [
                {"word": "We", "start": 1.0, "end": 1.5, "score": 0.5, "speaker": "SPEAKER_00"},
                {"word": "want", "start": 1.5, "end": 2.0, "score": 0.5},
                {"word": "5"},
                {"word": "more.", "start": 2.5, "end": 3.0, "score": 0.5, "speaker": "SPEAKER_01"},
            ],
        }
    ],
    "word_segments": [],
}


def test_json_of_whisper(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", json.dumps(WHISPER))
    words = read_words(path)
    assert [(word.text, word.start, word.end, word.probability) for word in words] == [
        ("It", 0.5, 0.8, 0.9),
        ("is", 0.8, 1.0, 0.8),
        ("ten-year.", 1.0, 2.0, 0.7),
    ]
    assert read_language(path) == "en"
    assert read_spoken(path) == "It is ten-year."


def test_json_of_whisperx(tmp_path: Path) -> None:
    words = read_words(written(tmp_path, "a.json", json.dumps(WHISPERX)))
    assert [(word.text, word.start, word.end) for word in words] == [
        ("We", 1.0, 1.5),
        ("want", 1.5, 2.0),
        ("5", pytest.approx(2.166667), pytest.approx(2.333333)),
        ("more.", 2.5, 3.0),
    ]
    assert [word.speaker for word in words] == ["SPEAKER_00", "SPEAKER_00", "SPEAKER_00", "SPEAKER_01"]


def test_a_speech_about_a_motion_is_no_debate(tmp_path: Path) -> None:
    said = {
        "segments": [{"start": 0, "end": 1, "text": "x", "words": [{"word": w} for w in ("motion", "for", "against")]}]
    }
    assert len(read_words(written(tmp_path, "a.json", json.dumps(said)))) == 3


def test_an_elan_file_with_a_tier_for_each_speaker(tmp_path: Path) -> None:
    elan = pytest.importorskip("pympi.Elan")
    document = elan.Eaf()
    document.remove_tier("default")
    for name, participant, start in (("A", "Anna", 0), ("B", "", 1500)):
        document.add_tier(name, part=participant)
        document.add_annotation(name, start, start + 1000, f"said by {name}")
    path = tmp_path / "a.eaf"
    document.to_file(str(path))
    assert read_turns(path) == (Turn(start=0, end=1, speaker="Anna"), Turn(start=1.5, end=2.5, speaker="B"))
    assert read_lines(path) == ("said by A", "said by B")


def test_praat_saves_it_in_all_its_text_forms(tmp_path: Path) -> None:
    parselmouth = pytest.importorskip("parselmouth")
    path = exported(tmp_path, "textgrid", SOLO)
    words = read_words(path)
    grid = parselmouth.read(str(path))
    for name in ("Save as text file", "Save as short text file"):
        parselmouth.praat.call(grid, f"{name}...", str(tmp_path / "b.TextGrid"))
        assert read_words(tmp_path / "b.TextGrid") == words


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.srt", "1\n00:00:01 -> 2\n\n2\n0:0 --> 1\nx\n", "a.srt:5: the times of a cue must be such as"),
        ("a.TextGrid", '"ooTextFile" "TextGrid" 0 1 <exists> 2', "not a complete TextGrid"),
        ("a.eaf", "<x", "not an ELAN file"),
        ("a.json", "{", "not JSON"),
        ("a.json", '{"a": 1}', "no transcript of Whisper"),
        ("a.json", '{"segments": [{"start": -1, "end": 1, "text": ""}]}', "is not a number of seconds: -1"),
        ("a.ctm", "", "words without speakers"),
    ],
)
def test_errors_say_what_is_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(RostrumError, match=message):
        read_turns(written(tmp_path, name, text))


def test_columns_and_files_beside_the_recording(tmp_path: Path) -> None:
    (tmp_path / "talk.wav").write_bytes(b"")
    exported(tmp_path, "srt")  # by this name it may be an export
    corpus = open_corpus(tmp_path)
    assert corpus.given(ReferenceTranscript, corpus.entries[0]) is None
    exported(tmp_path, "eaf").rename(tmp_path / "talk.reference.eaf")
    (tmp_path / "talk.turns.srt").write_text((tmp_path / "talk.srt").read_text())
    entry = open_corpus(tmp_path).entries[0]
    assert entry.reference == tmp_path / "talk.reference.eaf"
    assert entry.turns == tmp_path / "talk.turns.srt"
    written(tmp_path, "speeches.csv", "id,file,reference,turns,transcript\na,talk.wav,talk.srt,talk.srt,talk.srt\n")
    corpus = open_corpus(tmp_path)
    assert not corpus.problems
    assert corpus.entries[0].words()[0].speaker == "Anna Smith"
