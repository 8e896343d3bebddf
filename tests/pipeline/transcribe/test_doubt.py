"""Transcripts that are not to be trusted are marked wherever they are shown."""

import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.diarize import DiarizeSettings, diarize
from pipeline.export.formats.documents import md, txt
from pipeline.export.formats.subtitles import srt, vtt
from pipeline.export.formats.tables import transcript as as_json
from pipeline.export.speech import AnnotatedSpeech
from pipeline.ingest import ingested
from pipeline.records import Sentence, Word
from pipeline.segment import segment as cut
from pipeline.text.terms import tokens
from pipeline.transcribe import Segment, TranscribeSettings, Transcript, transcribe
from pipeline.transcribe.show import page
from pipeline.transcribe.stage import Doubt
from tests.models import needs

WORDS = {
    "en": "Ladies and gentlemen, the schools in our country need more money and more teachers. Whoever saves on "
    "education today will pay twice the price tomorrow.",
    "de": "Meine Damen und Herren, die Schulen in unserem Land brauchen mehr Geld und mehr Lehrer. Wer heute an der "
    "Bildung spart, der zahlt morgen den doppelten Preis.",
    "es": "Señoras y señores, las escuelas de nuestro país necesitan más dinero y más maestros. Quien ahorra hoy en "
    "educación pagará mañana el doble.",
}
espeak = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs the program espeak-ng")


def word(at: float, probability: float | None) -> Word:
    return Word(text="no", start=at, end=at + 0.5, probability=probability)


def segment(start: float, end: float, logprob: float = -0.2, ratio: float = 1.5) -> Segment:
    return Segment(
        start=start,
        end=end,
        temperature=0.0,
        mean_logprob=logprob,
        no_speech_probability=0.0,
        compression_ratio=ratio,
    )


def transcript(*probabilities: float, recogniser: str = "whisper base.en", **more: object) -> Transcript:
    words = tuple(word(at, probability) for at, probability in enumerate(probabilities))
    return Transcript(words=words, language="en", recogniser=recogniser, device="cpu", punctuated=True, **more)


class TestDoubt:
    def test_words_of_low_confidence_and_those_of_poor_segments_are_doubtful(self) -> None:
        words = [word(0, 0.9), word(1, 0.4), word(2, None), word(10, 0.9), word(11, 0.3), word(20, 0.9)]
        segments = [segment(0, 9), segment(9, 19, ratio=2.5), segment(19, 29, logprob=-0.9)]
        assert Doubt.of(words, segments) == (4, 6)
        assert Doubt.of(words, segments).prevails
        assert not Doubt.of(words[:2], []).prevails, "half is not most"

    def test_a_transcript_says_why_it_is_not_to_be_trusted(self) -> None:
        says = "2 of 3 words are doubtful"
        assert transcript(0.9, 0.1, 0.1).doubt == f"{says}; another language than English needs transcribe.model=small"
        assert transcript(0.9, 0.1, 0.1, recogniser="whisper small-8bit").doubt == says
        assert transcript(0.9, 0.9, 0.1).doubt is None
        assert transcript(0.9, 0.9, 0.1).figures() == {"words": 3, "doubtful": pytest.approx(1 / 3)}

    def test_words_that_a_person_wrote_are_not_doubted(self) -> None:
        assert transcript(0.1, recognised=()).doubt is None
        assert transcript().doubt is None

    def test_the_page_says_so_above_the_text(self) -> None:
        facts, warning, *_ = page(transcript(0.1, 0.1, language_probability=0.974)).split("\n\n")
        assert "| 2 | en (0.97) |" in facts
        assert warning == "**2 of 2 words are doubtful; another language than English needs transcribe.model=small**"

    def test_exports_are_marked(self) -> None:
        sentence = Sentence(text="No.", start=0.0, end=0.5, first=0, last=1)
        speech = AnnotatedSpeech("a", 1.0, (word(0, 0.1),), (sentence,), doubt="1 of 1 words are doubtful")
        assert txt(speech) == "[1 of 1 words are doubtful]\n\nNo.\n"
        assert "1 of 1 words are doubtful" in md(speech)
        assert "NOTE 1 of 1 words are doubtful\n" in vtt(speech)
        assert "[1 of 1 words are doubtful]\nNo." in srt(speech)
        assert '"doubt": "1 of 1 words are doubtful"' in as_json(speech)


def heard(folder: Path, language: str, model: str, *, translate: bool = False) -> Transcript:
    audio = folder / f"{language}.wav"
    subprocess.run(["espeak-ng", "-v", language, "-s", "140", "-w", audio, WORDS[language]], check=True)
    with ingested(audio) as recording:
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        return transcribe(recording, turns, None, None, settings=TranscribeSettings(model=model, translate=translate))


@espeak
class TestOtherLanguages:
    @needs("base.en")
    @pytest.mark.parametrize("language", ["de", "es"])
    def test_what_an_english_model_invents_is_marked(self, tmp_path: Path, language: str) -> None:
        transcript = heard(tmp_path, language, "base.en")
        assert transcript.doubt is not None
        assert "transcribe.model=small" in transcript.doubt

    @needs("base.en")
    def test_english_is_not_marked(self, tmp_path: Path) -> None:
        assert heard(tmp_path, "en", "base.en").doubt is None

    @needs("small-8bit")
    @pytest.mark.parametrize("language", list(WORDS))
    def test_small_says_which_language_it_is(self, tmp_path: Path, language: str) -> None:
        transcript = heard(tmp_path, language, "small")
        assert transcript.language == language
        assert transcript.language_probability is not None
        assert transcript.language_probability > 0.8
        assert transcript.doubt is None

    @needs("small-8bit", "german")
    def test_german_is_translated_sentence_by_sentence(self, tmp_path: Path) -> None:
        """Espeak's German says that schools need more money and teachers, and that who saves now pays twice."""
        transcript = heard(tmp_path, "de", "small", translate=True)
        assert transcript.translation is not None
        assert {"schools", "money", "teachers"} <= set(tokens(" ".join(w.text for w in transcript.translation.words)))
        found = cut(transcript)
        assert [bool(sentence.translation) for sentence in found.sentences] == [True] * len(found.sentences)
        assert "schools" in found.in_english().sentences[0].text

    @needs("small-8bit")
    def test_english_is_not_translated(self, tmp_path: Path) -> None:
        assert heard(tmp_path, "en", "small", translate=True).translation is None


@pytest.mark.parametrize("model", ["base.en", "large-v3-turbo"])
def test_a_model_that_cannot_translate_is_refused_before_a_run(model: str) -> None:
    with pytest.raises(ValueError, match="cannot translate.*take small"):
        TranscribeSettings(model=model, translate=True)
