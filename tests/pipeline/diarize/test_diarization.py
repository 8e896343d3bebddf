"""The whole of diarization on the samples' exchange of two speakers, beside pyannote.audio called by hand."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pipeline import models
from pipeline.arrays import Samples
from pipeline.diarize.evaluate_diarization import Case, annotation, evaluate, score
from pipeline.diarize.stage import DiarizeSettings, Turns, diarize
from pipeline.errors import RostrumError
from pipeline.formats import read_rttm, read_rttm_recordings
from pipeline.ingest.stage import IngestSettings, Recording, ingest
from pipeline.records.corpus import AudioFile
from pipeline.records.speech import Turn
from pipeline.transcribe.stage import TranscribeSettings, transcribe
from tests.models import needs
from tests.voices import silence

SAMPLES = Path(__file__).parents[3] / "audio_samples"
REFERENCE = SAMPLES / "references" / "schools_exchange"


@pytest.fixture(scope="module")
def recording() -> Iterator[Recording]:
    taken_in = ingest(AudioFile(path=SAMPLES / "schools_exchange.flac"), settings=IngestSettings())
    yield taken_in
    taken_in.audio.path.unlink()


@pytest.fixture(scope="module")
def beginning(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 s, in which both speak."""
    path = tmp_path_factory.mktemp("beginning") / "beginning.wav"
    soundfile.write(path, recording.samples(0, 20), 16_000)
    return path


@pytest.fixture(scope="module")
def found(recording: Recording) -> Turns:
    return diarize(None, recording, None, settings=DiarizeSettings())


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_two_speakers_told_apart(recording: Recording, found: Turns) -> None:
    reference = read_rttm(REFERENCE.with_suffix(".rttm"))
    assert found.speakers == ("S1", "S2")
    assert score(Case("exchange", reference, found.turns, recording.duration)).rate < 0.05
    assert all(before.end <= after.start for before, after in zip(found.exclusive, found.exclusive[1:], strict=False))


def by_hand(samples: Samples) -> Any:
    """What pyannote.audio finds, called without any of our code but for the embedding's shape."""
    from pipeline.diarize.diarization import import_pyannote

    import_pyannote()
    import torch
    from pyannote.audio import Model
    from pyannote.audio.pipelines import SpeakerDiarization

    from pipeline.diarize.pyannote_pipeline import NoPLDA, SpeakerEmbedding

    pipeline = SpeakerDiarization(
        segmentation=Model.from_pretrained(models.find("segmentation-3.0").path),
        embedding=SpeakerEmbedding("campplus", models.find("campplus").path),
        embedding_exclude_overlap=True,
        clustering="AgglomerativeClustering",
        plda=NoPLDA(),
    ).instantiate(
        {
            "segmentation": {"min_duration_off": 0.0},
            "clustering": {"method": "centroid", "threshold": 0.7, "min_cluster_size": 12},
        }
    )
    return pipeline({"waveform": torch.from_numpy(samples)[None], "sample_rate": 16_000}).speaker_diarization


def errors_by_hand(reference: Sequence[Turn], samples: Samples) -> tuple[float, float]:
    """Seconds of speech and of errors, with pyannote.metrics on what pyannote.audio finds."""
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate

    scored = Timeline([Segment(0, len(samples) / 16_000)])
    found = DiarizationErrorRate()(annotation(reference, "x"), by_hand(samples), uem=scored, detailed=True)
    return found["total"], found["missed detection"] + found["false alarm"] + found["confusion"]


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_as_pyannote_called_by_hand_where_every_window_is_looked_at(recording: Recording) -> None:
    from pipeline.diarize.diarization import find_turns

    found = find_turns(recording.audio.path, DiarizeSettings(embedding_step=0.1))
    reference = read_rttm(REFERENCE.with_suffix(".rttm"))
    total, wrong = errors_by_hand(reference, recording.samples())
    ours = score(Case("exchange", reference, found.turns, recording.duration))
    assert ours.rate == pytest.approx(wrong / total, abs=1e-4)


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="needs diarization in the folder that ROSTRUM_DATA names")
def test_the_table_is_as_pyannote_called_by_hand() -> None:
    folder = Path(os.environ["ROSTRUM_DATA"]) / "diarization"
    references = {name: turns for path in folder.glob("*.rttm") for name, turns in read_rttm_recordings(path).items()}
    table = evaluate(folder).rows
    ours = {
        row["file"]: row
        for row in table
        if (row["method"], row["collar"], row["overlap"]) == ("pyannote.audio", 0.0, "in")
    }
    totals = []
    for path in sorted(folder.glob("*.wav")):
        samples, rate = soundfile.read(path, dtype="float32")
        assert rate == 16_000
        totals.append(errors_by_hand(references[path.stem], samples))
        total, wrong = totals[-1]
        assert ours[path.stem]["der"] == pytest.approx(wrong / total, abs=1e-4), path.stem
    assert ours["total"]["der"] == pytest.approx(sum(w for _, w in totals) / sum(t for t, _ in totals), abs=1e-4)


@pytest.mark.slow
@needs("segmentation-3.0", "ecapa")
def test_ecapa_tells_them_apart(recording: Recording) -> None:
    pytest.importorskip("speechbrain")
    from pipeline.diarize.diarization import find_turns

    turns = find_turns(recording.audio.path, DiarizeSettings(embedding="ecapa")).turns
    reference = read_rttm(REFERENCE.with_suffix(".rttm"))
    assert score(Case("exchange", reference, turns, recording.duration)).rate < 0.05


def test_ecapa_needs_speechbrain(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.diarize.speaker_embedding import load_ecapa

    monkeypatch.setitem(sys.modules, "speechbrain.lobes.models.ECAPA_TDNN", None)
    with pytest.raises(RostrumError, match="pip install speechbrain"):
        load_ecapa(Path("weights"))


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_it_says_how_far_it_is(beginning: Path) -> None:
    from pipeline.diarize.diarization import find_turns

    told: list[tuple[float, str]] = []
    find_turns(beginning, DiarizeSettings(), progress=lambda *each: told.append(each))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {step for _, step in told} == {"segmentation", "embeddings"}


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_the_number_of_speakers_can_be_told(beginning: Path) -> None:
    from pipeline.diarize.diarization import find_turns

    assert find_turns(beginning, DiarizeSettings(), speakers=1).speakers == ("S1",)
    assert find_turns(beginning, DiarizeSettings(speakers=2), speakers=1).speakers == ("S1", "S2")


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_a_word_is_too_short_for_a_voice(recording: Recording, tmp_path: Path) -> None:
    start = min(turn.start for turn in read_rttm(REFERENCE.with_suffix(".rttm"))) + 0.2
    word = np.concatenate([silence(3), recording.samples(start, start + 0.5), silence(3)])
    soundfile.write(tmp_path / "word.wav", word, 16_000)
    short = diarize(None, ingest(AudioFile(path=tmp_path / "word.wav")), None)
    assert short.speakers == ("S1",)
    assert short.voices == ()


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_both_voices_are_kept(found: Turns) -> None:
    assert [voice.speaker for voice in found.voices] == ["S1", "S2"]
    one, other = (np.array(voice.vector) for voice in found.voices)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-3)
    assert one @ other < 0.4


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
@pytest.mark.parametrize("seconds", [0.01, 1.0, 12.0])
def test_silence_has_no_turns(seconds: float, tmp_path: Path) -> None:
    from pipeline.diarize.diarization import find_turns

    soundfile.write(tmp_path / "silence.wav", silence(seconds), 16_000)
    assert find_turns(tmp_path / "silence.wav", DiarizeSettings()).turns == ()


@pytest.mark.slow
@needs("segmentation-3.0", "campplus")
def test_a_recording_is_not_held_in_memory(tmp_path: Path) -> None:
    from pipeline.diarize.diarization import find_turns

    minutes = 10
    soundfile.write(tmp_path / "silence.flac", silence(60.0 * minutes), 16_000)
    tracemalloc.start()
    assert find_turns(tmp_path / "silence.flac", DiarizeSettings(segmentation_step=1.0)).turns == ()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * minutes * 60 * 16_000 * 4


@needs("segmentation-3.0", "campplus")
def test_speakers_are_put_into_frames_as_pyannote_does_in_less_memory() -> None:
    from pipeline.diarize import diarization

    pipeline = diarization.load_pipeline(DiarizeSettings())
    from pyannote.audio.pipelines import SpeakerDiarization
    from pyannote.core import SlidingWindow, SlidingWindowFeature

    random = np.random.default_rng(0)
    segmentations = SlidingWindowFeature(
        random.integers(0, 2, (40, 589, 3), np.int8), SlidingWindow(start=0.0, duration=10.0, step=1.0)
    )
    clusters = random.integers(-1, 20, (40, 3))
    clusters[clusters < 0] = -2
    count = pipeline.speaker_count(segmentations, pipeline._segmentation.model.receptive_field, warm_up=(0.0, 0.0))
    made, peaks = [], []
    for kind in (SpeakerDiarization, type(pipeline)):
        tracemalloc.start()
        made.append(kind.reconstruct(pipeline, segmentations, clusters, count).data)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert np.array_equal(*made)
    assert peaks[1] < peaks[0] / 2


@pytest.mark.slow
@needs("segmentation-3.0", "campplus", "tiny.en")
def test_words_have_the_right_speaker(recording: Recording, found: Turns) -> None:
    """Of the words that the recogniser got right, in the order in which the reference has them."""
    transcript = transcribe(recording, found, None, None, settings=TranscribeSettings(model="tiny.en"))
    words = transcript.words
    said = []
    for line in REFERENCE.with_suffix(".stm").read_text("utf-8").splitlines():
        _, _, speaker, _, _, text = line.split(" ", 5)
        said += [(bare(word), speaker) for word in text.split()]
    matching = SequenceMatcher(None, [word for word, _ in said], [bare(word.text) for word in words], autojunk=False)
    pairs = [
        (said[block.a + n][1], words[block.b + n].speaker)
        for block in matching.get_matching_blocks()
        for n in range(block.size)
    ]
    assert len(pairs) > 0.8 * len(said)
    right = max(
        sum(names[speaker] == heard for speaker, heard in pairs)
        for names in ({"Clara": "S1", "Victor": "S2"}, {"Clara": "S2", "Victor": "S1"})
    )
    assert right / len(pairs) > 0.97


def bare(word: str) -> str:
    return "".join(sign for sign in word.casefold() if sign.isalnum())


@pytest.mark.slow
def test_pyannote_is_quiet_and_calls_nobody() -> None:
    """Importing it writes nothing, and its telemetry is off."""
    code = (
        "from pipeline.diarize.diarization import import_pyannote; import_pyannote(); "
        "from pyannote.audio.telemetry.metrics import is_metrics_enabled; assert not is_metrics_enabled()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
