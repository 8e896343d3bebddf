"""Sentences made of known tones, whose features follow from how they were made."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Samples
from pipeline.diarize.stage import Turns
from pipeline.prosody.contours import contours
from pipeline.prosody.features import FEATURES
from pipeline.prosody.prosody import Sound, group_measures, sentence_measures, speaker_norms
from pipeline.prosody.stage import Measures
from pipeline.records import Sentence, Turn, Word
from pipeline.transcribe.stage import Transcript
from tests.voices import RATE, coloured, glide, noise, silence, voice


@dataclass
class Talk:
    """Audio and its words, put together piece by piece."""

    sound: list[Samples] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    keeps_hesitations: bool = True
    language: str = "en"

    def pause(self, seconds: float) -> "Talk":
        self.sound.append(silence(seconds))
        return self

    def say(self, *words: tuple[str, Samples], speaker: str | None = None) -> "Talk":
        """A sentence without a pause between its words; '' is a pause."""
        first = len(self.words)
        for text, sound in words:
            start = self.seconds
            self.sound.append(sound)
            if text:
                self.words.append(Word(text=text, start=start, end=self.seconds, speaker=speaker))
        said = self.words[first:]
        text = " ".join(word.text for word in said)
        times = {"start": said[0].start, "end": said[-1].end}
        self.sentences.append(Sentence(text=text, first=first, last=len(self.words), speaker=speaker, **times))
        return self

    @property
    def seconds(self) -> float:
        return round(sum(map(len, self.sound)) / RATE, 6)

    def heard(self, turns: Turns | None = None, hiss: float = 0.0) -> Sound:
        samples = np.concatenate(self.sound)
        samples = samples + noise(len(samples) / RATE, hiss) if hiss else samples

        def read(start: float, end: float) -> Samples:
            return samples[round(start * RATE) : round(end * RATE)]

        found, cycles = contours(read, self.seconds, floor=50.0, ceiling=500.0, threshold=0.5)
        transcript = Transcript(
            words=tuple(self.words),
            language=self.language,
            recogniser="by hand",
            device="none",
            punctuated=True,
            keeps_hesitations=self.keeps_hesitations,
        )
        return Sound.from_transcript(found, cycles, transcript, turns, 0.2)

    def rows(self, turns: Turns | None = None, hiss: float = 0.0) -> tuple[Measures, ...]:
        return sentence_measures(self.heard(turns, hiss), self.sentences)


def one(sound: Samples, text: str = "word") -> dict[str, float | None]:
    return Talk().pause(0.5).say((text, sound)).pause(0.5).rows()[0].values


def semitones(high: float, low: float) -> float:
    return float(12 * np.log2(high / low))


def test_a_steady_voice() -> None:
    found = one(voice(150.0, 1.0, level=0.1), "going to be mad")
    assert found["f0_median"] == pytest.approx(150.0, rel=0.01)
    assert found["f0_range"] == pytest.approx(0.0, abs=0.2)
    assert found["f0_slope"] == pytest.approx(0.0, abs=0.1)
    assert found["f0_final_rise"] == pytest.approx(0.0, abs=0.2)
    assert found["f0_declination"] == pytest.approx(0.0, abs=0.1)
    assert found["intensity_mean"] == pytest.approx(-20.0, abs=0.2)
    assert found["jitter"] == pytest.approx(0.0, abs=0.002)
    assert found["shimmer"] == pytest.approx(0.0, abs=0.005)
    assert found["hnr"] is not None
    assert found["hnr"] > 25
    assert found["voiced_share"] == pytest.approx(1.0, abs=0.05)
    assert found["pause_count"] == found["pause_share"] == found["pause_longest"] == 0


@pytest.mark.parametrize(("low", "high"), [(100.0, 200.0), (180.0, 120.0)])
def test_a_glide(low: float, high: float) -> None:
    found = one(voice(glide(low, high, 2.0), 2.0))
    whole = semitones(high, low)
    assert found["f0_median"] == pytest.approx(np.sqrt(low * high), rel=0.01)
    assert found["f0_slope"] == pytest.approx(whole / 2, rel=0.03)
    assert found["f0_declination"] == pytest.approx(whole / 2, rel=0.08)
    assert found["f0_range"] == pytest.approx(0.9 * abs(whole), rel=0.03)
    assert found["f0_final_rise"] == pytest.approx(whole / 2 * 0.29, rel=0.08)


def test_declination_is_of_the_baseline() -> None:
    """Accents that stand up from a falling baseline do not hide it."""
    base = glide(160, 120, 3.0)
    accents = np.where(np.arange(len(base)) % 8000 < 4000, 1.0, 1.2)
    found = one(voice(base * accents, 3.0))
    assert found["f0_declination"] == pytest.approx(semitones(120, 160) / 3, abs=0.4)


def test_a_question_rises_and_a_statement_falls() -> None:
    level = voice(np.full(RATE, 130.0), 1.0)
    question = one(np.concatenate([level, voice(glide(130, 195, 0.3), 0.3)]))
    statement = one(np.concatenate([level, voice(glide(130, 95, 0.3), 0.3)]))
    assert question["f0_final_rise"] == pytest.approx(semitones(195, 130), abs=1.0)
    assert statement["f0_final_rise"] == pytest.approx(semitones(95, 130), abs=1.0)


def test_level_range_and_peaks() -> None:
    soft, loud = voice(150.0, 0.3, 0.02), voice(150.0, 0.3, 0.2)
    found = one(np.concatenate([soft, loud, soft, loud, soft, loud, soft]))
    assert found["intensity_range"] == pytest.approx(20.0, abs=0.5)
    assert found["intensity_peak"] == pytest.approx(20 * np.log10(0.2), abs=0.7)
    assert found["intensity_peaks"] == pytest.approx(3 / 2.1, abs=0.05)


def test_pauses_and_rates() -> None:
    part = voice(150.0, 1.0)
    words = [("government", part), ("", silence(0.5)), ("really", part), ("", silence(0.1)), ("matters", part)]
    talk = Talk().pause(0.7).say(*words).pause(0.9).say(("so", part)).pause(0.4)
    found = talk.rows()[0].values
    assert found["pause_count"] == 1
    assert found["pause_longest"] == pytest.approx(0.5, abs=0.05)
    assert found["pause_share"] == pytest.approx(0.5 / 3.6, abs=0.02)
    assert found["speech_rate"] == pytest.approx(7 / 3.6, rel=0.03)
    assert found["articulation_rate"] == pytest.approx(7 / 3.1, rel=0.03)
    assert found["pause_after"] == pytest.approx(0.9, abs=0.05)
    assert talk.rows()[1].values["pause_before"] == pytest.approx(0.9, abs=0.05)


def test_rates_are_by_the_syllables_of_the_language() -> None:
    """Re-gie-rung, ähm, 21 (ein-und-zwan-zig): eight syllables in 1.5 s. In Polish they are not known, and say so."""
    part = voice(150.0, 0.5)
    talk = Talk(language="de").pause(0.5).say(("Regierung,", part), ("ähm,", part), ("21", part)).pause(0.5)
    values = talk.rows()[0].values
    assert (values["speech_rate"], values["filled_pauses"]) == (pytest.approx(8 / 1.5, rel=0.03), 1)
    talk.language = "pl"
    row = talk.rows()[0]
    assert (row.values["speech_rate"], row.values["articulation_rate"]) == (None, None)
    assert row.reasons["speech_rate"] == "nothing is known of the syllables of this language"
    assert row.values["pause_count"] == 0


def test_the_edges_of_the_recording_are_no_pauses() -> None:
    row = Talk().pause(0.5).say(("word", voice(150.0))).pause(0.5).rows()[0]
    assert row.values["pause_before"] is None
    assert row.reasons["pause_before"] == "the recording begins with it"
    assert row.reasons["pause_after"] == "the recording ends with it"


def test_word_times_that_miss_the_sound_a_little() -> None:
    talk = Talk().pause(0.5).say(("one", voice(150.0))).pause(0.6).say(("two", voice(150.0))).pause(0.5)
    late = talk.words[1].model_copy(update={"start": talk.words[1].start + 0.12})
    early = talk.words[0].model_copy(update={"end": talk.words[0].end - 0.1})
    talk.words = [early, late]
    first, second = talk.rows()
    assert first.values["pause_after"] == pytest.approx(0.6, abs=0.05)
    assert second.values["pause_before"] == pytest.approx(0.6, abs=0.05)


def test_groups_are_the_words_between_pauses() -> None:
    part = voice(150.0, 0.4)
    words = [("one", part), ("two", part), ("", silence(0.5)), ("three", part), ("", silence(0.4)), ("four", part)]
    talk = Talk().pause(0.5).say(*words).pause(0.5).say(("five", part)).pause(0.5)
    groups = group_measures(talk.heard(), talk.sentences)
    assert [group.text for group in groups] == ["one two", "three", "four", "five"]
    assert [(group.first, group.last) for group in groups] == [(0, 2), (2, 3), (3, 4), (4, 5)]


def test_hesitations_are_counted_where_the_recogniser_keeps_them() -> None:
    part = voice(150.0, 0.3)
    talk = Talk().pause(0.5).say(("So,", part), ("um,", part), ("yes", part), ("Uh", part)).say(("no", part))
    assert [row.values["filled_pauses"] for row in talk.rows()] == [2, 0]
    talk.keeps_hesitations = False
    rows = talk.rows()
    assert [row.values["filled_pauses"] for row in rows] == [2, None]
    assert rows[1].reasons["filled_pauses"] == "this recogniser leaves hesitations out"


def test_emphasis_is_found() -> None:
    """Of eight words one is louder, higher and longer."""
    plain = [(f"word{n}", voice(120.0 + n % 3, 0.25, 0.05 + 0.002 * n)) for n in range(8)]
    stressed = [*plain[:5], ("ban", voice(170.0, 0.45, 0.12)), *plain[6:]]
    talk = Talk().pause(0.5).say(*stressed).pause(0.5)
    found = [word.emphasis for word in talk.heard().word_emphasis]
    assert int(np.argmax(np.array(found, dtype=float))) == 5
    assert found[5] is not None
    assert found[5] > 2 > max(each for n, each in enumerate(found) if n != 5 and each is not None)


def test_the_emphasised_sentence_is_found() -> None:
    talk = Talk().pause(0.5)
    for number in range(5):
        pitch, level = (165.0, 0.2) if number == 3 else (120.0 + number, 0.05)
        talk.say(*((f"w{number}{n}", voice(pitch + n, 0.3, level)) for n in range(4))).pause(0.5)
    emphases = [row.values["emphasis"] or 0.0 for row in talk.rows()]
    assert int(np.argmax(emphases)) == 3


def test_each_speaker_is_their_own_norm() -> None:
    talk = Talk().pause(0.5)
    for number in range(4):
        for speaker, pitch in (("Ann", 200.0), ("Bob", 100.0)):
            talk.say(("some", voice(pitch * (1 + 0.02 * number), 0.6)), speaker=speaker).pause(0.4)
    rows = talk.rows()
    own = [row.normalised["f0_median"] for row in rows]
    assert own[0] == pytest.approx(own[1], abs=0.1)
    for speaker in ("Ann", "Bob"):
        scores = [row.normalised["f0_median"] or 0.0 for row in rows if row.speaker == speaker]
        assert np.mean(scores) == pytest.approx(0.0, abs=1e-3)
        assert np.std(scores) == pytest.approx(1.0, abs=1e-3)
    norms = {norm.speaker: norm for norm in speaker_norms(rows)}
    assert norms["Ann"].mean["f0_median"] == pytest.approx(2 * norms["Bob"].mean["f0_median"], rel=0.01)
    assert norms["Ann"].count == 4


def test_too_few_sentences_are_no_norm() -> None:
    row = Talk().pause(0.5).say(("word", voice(150.0))).rows()[0]
    assert set(row.normalised.values()) == {None}


def test_octave_errors_do_not_stretch_the_range() -> None:
    pitch = np.full(2 * RATE, 200.0)
    pitch[RATE : RATE + 1600] = 100.0
    found = one(voice(pitch, 2.0))
    assert found["f0_range"] is not None
    assert found["f0_range"] < 1.0


def test_overlap() -> None:
    talk = Talk().pause(0.5).say(("word", voice(150.0, 2.0)), speaker="A").pause(0.5)
    both = (Turn(start=0.5, end=2.5, speaker="A"), Turn(start=2.0, end=2.5, speaker="B"))
    turns = Turns(turns=both, exclusive=both[:1], speakers=("A", "B"), method="given")
    assert talk.rows(turns)[0].values["overlap"] == pytest.approx(0.25, abs=0.02)
    assert talk.rows()[0].reasons["overlap"] == "no turns"


def telephone(sound: Samples) -> Samples:
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(resample_poly(sound, 1, 2), 2, 1), dtype=np.float32)


DIFFICULT: dict[str, Sequence[Samples]] = {
    "silence": [silence(1.0), silence(0.5)],
    "whispering": [coloured(1.0, -6.0), coloured(0.7, -6.0, seed=1)],
    "clipped": [np.clip(20 * voice(150.0), -1, 1), np.clip(20 * voice(170.0), -1, 1)],
    "8 kHz": [telephone(voice(150.0)), telephone(voice(170.0))],
    "hiss": [noise(1.0), noise(1.0, seed=1)],
    "very short": [voice(150.0, 0.01), voice(150.0, 0.03)],
    "no length": [silence(0.0), voice(150.0, 0.2)],
    "constant": [np.full(RATE, 0.5, dtype=np.float32), voice(150.0)],
}


@pytest.mark.parametrize("sounds", DIFFICULT.values(), ids=DIFFICULT)
@pytest.mark.parametrize("hiss", [0.0, 1e-3])
def test_every_feature_is_finite_or_says_why_not(sounds: Sequence[Samples], hiss: float) -> None:
    talk = Talk().pause(0.3)
    for sound in sounds:
        talk.say(("word", sound)).pause(0.3)
    heard = talk.heard(hiss=hiss)
    for row in (*sentence_measures(heard, talk.sentences), *group_measures(heard, talk.sentences)):
        assert set(row.values) == {feature.name for feature in FEATURES}
        for name, value in row.values.items():
            assert (value is None) == (name in row.reasons), name
            assert value is None or np.isfinite(value)
        assert "NaN" not in json.dumps(json.loads(row.model_dump_json()))


def test_words_after_the_end_of_the_audio() -> None:
    talk = Talk().pause(0.3).say(("word", voice(150.0)))
    talk.words.append(Word(text="late", start=5.0, end=6.0))
    talk.sentences.append(Sentence(text="late", start=5.0, end=6.0, first=1, last=2))
    row = talk.rows()[1]
    assert set(row.values.values()) == {None}
    assert set(row.reasons.values()) == {"nothing is heard between the times of its words"}


def test_the_table_is_complete() -> None:
    names = [feature.name for feature in FEATURES]
    assert len(names) == len(set(names))
    assert all(feature.unit and feature.meaning.endswith(".") for feature in FEATURES)


def test_the_documentation_has_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "prosody.md").read_text(encoding="utf-8")
    rows = [f"| `{feature.name}` | {feature.unit} | {feature.meaning} |" for feature in FEATURES]
    table = page.partition("| feature | unit | |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == rows
