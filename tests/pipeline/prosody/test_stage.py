"""The stage on a tone with words, its page, and what lies beside the artifact."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.ingest.stage import Recording
from pipeline.prosody.stage import Prosody, ProsodySettings, prosody
from pipeline.records import Sentence, Word
from pipeline.report.markdown import page
from pipeline.segment.stage import Sentences
from pipeline.stage import Skip
from pipeline.transcribe.stage import Transcript
from tests.pipeline.diarize.test_stage import recording
from tests.voices import glide, silence, voice

WORDS = (("We", 120), ("must", 125), ("ban", 180), ("it", 118), ("Is", 121), ("that", 122), ("wise", 126))
SETTINGS = ProsodySettings()


@pytest.fixture
def recorded(tmp_path: Path) -> Recording:
    sounds = [voice(glide(hertz, hertz * 1.02, 0.4), 0.4, 0.2 if hertz > 150 else 0.08) for _, hertz in WORDS]
    pauses = [silence(0.5) if place == 3 else silence(0.02) for place in range(len(WORDS))]
    parts = [part for pair in zip(sounds, pauses, strict=True) for part in pair]
    return recording(tmp_path / "talk.wav", np.concatenate([silence(0.5), *parts, silence(0.5)]))


@pytest.fixture
def transcript() -> Transcript:
    words, start = [], 0.5
    for place, (text, _) in enumerate(WORDS):
        words.append(Word(text=text, start=start, end=start + 0.4, speaker="Ann"))
        start += 0.4 + (0.5 if place == 3 else 0.02)
    return Transcript(words=tuple(words), language="en", recogniser="by hand", device="none", punctuated=True)


@pytest.fixture
def sentences(transcript: Transcript) -> Sentences:
    cut = ((0, 4), (4, 7))
    return Sentences(
        sentences=tuple(
            Sentence(
                text=" ".join(word.text for word in transcript.words[first:last]),
                start=transcript.words[first].start,
                end=transcript.words[last - 1].end,
                first=first,
                last=last,
                speaker="Ann",
            )
            for first, last in cut
        ),
        method="by hand",
    )


@pytest.fixture
def measured(recorded: Recording, transcript: Transcript, sentences: Sentences) -> Prosody:
    return prosody(recorded, transcript, sentences, None, settings=SETTINGS)


def test_a_row_a_sentence_and_a_word(measured: Prosody) -> None:
    assert [row.text for row in measured.sentences] == ["We must ban it", "Is that wise"]
    assert [row.text for row in measured.groups] == ["We must ban it", "Is that wise"]
    assert len(measured.words) == len(WORDS)
    assert measured.words[2].emphasis == max(word.emphasis or -9 for word in measured.words)
    assert [norm.speaker for norm in measured.speakers] == ["Ann"]
    assert Prosody.model_validate_json(measured.model_dump_json()).digest() == measured.digest()


def test_contours_lie_beside_it(measured: Prosody, recorded: Recording) -> None:
    with np.load(measured.contours.path, allow_pickle=False) as contours:
        assert set(contours) == {"time", "pitch", "voicing", "level", "harmonicity", "centroid", "slope", "flux"}
        assert len({len(contours[name]) for name in contours}) == 1
        assert contours["time"][1] == pytest.approx(0.01)
        assert contours["time"][-1] == pytest.approx(recorded.duration, abs=0.01)
        middle = contours["pitch"][round((0.5 + 2 * 0.42 + 0.2) * 100)]
        assert middle == pytest.approx(182, rel=0.02)


def test_the_same_again(recorded: Recording, transcript: Transcript, sentences: Sentences, measured: Prosody) -> None:
    assert prosody(recorded, transcript, sentences, None, settings=SETTINGS).digest() == measured.digest()


def test_the_page(measured: Prosody) -> None:
    text = page("prosody", measured)
    assert text.startswith("## Most emphasised\n\n0:00, Ann, emphasis +0.28:\n\n> We must **ban** it\n\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert max(row.count("|") - 1 for row in rows) == 7, "as many columns as the UI of Prefect shows"
    assert "| at | emphasis (z) | f0 median (Hz) |" in text
    assert " | We must ban it |" in text
    assert "| pause_before | the recording begins with it | 1 |" in text


def test_nobody_speaks(recorded: Recording, transcript: Transcript, sentences: Sentences) -> None:
    nothing = transcript.model_copy(update={"words": ()})
    with pytest.raises(Skip, match="nobody speaks"):
        prosody(recorded, nothing, sentences, None, settings=SETTINGS)


def test_egemaps_needs_opensmile(
    monkeypatch: pytest.MonkeyPatch, recorded: Recording, transcript: Transcript, sentences: Sentences
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opensmile", None)
    with pytest.raises(RostrumError, match="pip install opensmile .its licence is free for research only"):
        prosody(recorded, transcript, sentences, None, settings=ProsodySettings(egemaps=True))


def test_egemaps(recorded: Recording, transcript: Transcript, sentences: Sentences) -> None:
    pytest.importorskip("opensmile")
    found = prosody(recorded, transcript, sentences, None, settings=ProsodySettings(egemaps=True))
    assert found.egemaps is not None
    with np.load(found.egemaps.path, allow_pickle=False) as features:
        assert features["values"].shape == (2, 88)
        assert features["names"][0].startswith("F0semitone")
