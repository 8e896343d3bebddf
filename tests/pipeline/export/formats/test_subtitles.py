import io
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.export.formats.subtitles import LINE, LONGEST, cues, srt, timestamp, vtt
from pipeline.export.formats.tables import tsv
from pipeline.export.speech import AnnotatedSpeech
from pipeline.records import Sentence, Word
from tests.pipeline.report.speeches import speech

LONG = "This is a sentence that goes on and on until no two lines of a subtitle can hold it, as speakers like to do."


def test_timestamp() -> None:
    assert timestamp(3723.0456, ",") == "01:02:03,046"
    assert timestamp(59.9996, ".") == "00:01:00.000"


def test_cues_fit_the_screen_and_hold_every_word() -> None:
    found = cues(speech(LONG, "Short."))
    assert " ".join(cue.text for cue in found) == f"{LONG} Short."
    assert all(len(line) <= LINE for cue in found for line in cue.lines)
    assert all(len(cue.lines) <= 2 for cue in found)
    assert all(cue.end - cue.start <= LONGEST + 1 for cue in found)


@st.composite
def spoken(draw: st.DrawFn) -> AnnotatedSpeech:
    """Any words in any times, as one sentence."""
    texts = draw(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=60), min_size=1))
    gaps = draw(st.lists(st.floats(0, 3), min_size=2 * len(texts), max_size=2 * len(texts)))
    words, at = [], 0.0
    for number, text in enumerate(texts):
        start = at + gaps[2 * number]
        at = start + gaps[2 * number + 1]
        words.append(Word(text=text, start=start, end=at))
    sentence = Sentence(text=" ".join(texts), start=words[0].start, end=at, first=0, last=len(words))
    return AnnotatedSpeech("any", at, tuple(words), (sentence,))


@given(spoken())
def test_cues_never_overlap(any_speech: AnnotatedSpeech) -> None:
    found = cues(any_speech)
    assert sum(len(cue.words) for cue in found) == len(any_speech.words)
    assert all(cue.start < cue.end for cue in found)
    assert all(one.end <= other.start + 0.002 for one, other in zip(found, found[1:], strict=False))


def test_srt_is_what_a_parser_reads() -> None:
    parser = pytest.importorskip("srt")
    parsed = list(parser.parse(srt(speech(LONG, "Yes & <no>.", speakers=("Anna", "Ben")))))
    assert [each.index for each in parsed] == list(range(1, len(parsed) + 1))
    assert parsed[0].start == timedelta(0)
    assert parsed[0].content.startswith("Anna: This is a sentence")
    assert parsed[-1].content == "Ben: Yes & ‹no›."


def test_srt_of_one_speaker_names_nobody() -> None:
    assert "Anna" not in srt(speech("Hello there."))


def test_srt_has_no_tags_and_no_times_of_the_speech() -> None:
    text = srt(speech("<b>Yes</b> --> {\\an8}no <script>."))
    assert text.count("-->") == 1, "the cue's own"
    assert not set("<>") & set(text.replace("-->", ""))
    assert "{\\" not in text


def test_vtt_is_what_a_parser_reads() -> None:
    webvtt = pytest.importorskip("webvtt")
    text = vtt(speech(LONG, "Yes & <no>.", speakers=("Anna", "Ben")))
    parsed = webvtt.from_buffer(io.StringIO(text))
    assert parsed[0].voice == "Anna"
    assert parsed[-1].raw_text == "<v Ben>Yes &amp; &lt;no&gt;."
    assert parsed[-1].start == "00:00:09.600"


def test_vtt_with_word_times() -> None:
    webvtt = pytest.importorskip("webvtt")
    text = vtt(speech("Yes we can."), word_times=True)
    cue = webvtt.from_buffer(io.StringIO(text))[0]
    assert cue.raw_text == "<v Anna><c>Yes</c> <00:00:00.400><c>we</c> <00:00:00.800><c>can.</c>"
    assert cue.text == "Yes we can."


def test_tsv_has_a_line_a_sentence(tmp_path: Path) -> None:
    assert tsv(speech("One\ttwo.", "Three.", speakers=("Anna", None))).splitlines() == [
        "start\tend\ttext\tspeaker",
        "0\t800\tOne two.\tAnna",
        "800\t1200\tThree.\t",
    ]
