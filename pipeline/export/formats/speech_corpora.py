"""Data folders of speech toolkits: Lhotse, Kaldi and NeMo. Each has the audio, and a segment for every sentence."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.export.formats import FolderFormat, json_lines, write
from pipeline.export.speech import AnnotatedSpeech, recorded_speeches
from pipeline.formats import field
from pipeline.grouping import grouped
from pipeline.ingest import Recording
from pipeline.records import SAMPLE_RATE, Sentence
from pipeline.run.finished import FinishedRun

MEMBERS = {
    "kaldi": "Kaldi data folder: wav.scp, segments, text, utt2spk, spk2utt, with the audio as WAV.",
    "lhotse": "Lhotse manifests: recordings and supervisions with word times, with the audio as FLAC.",
    "nemo": "NeMo manifest: one line per sentence with its offset, with the audio as FLAC.",
}


def copied_audio(recording: Recording, target: Path) -> Path:
    """A copy of the 16 kHz audio, as FLAC, or as WAV if the target says so."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".wav":
        import soundfile

        samples, rate = soundfile.read(recording.audio.path, dtype="int16")
        soundfile.write(target, samples, rate, subtype="PCM_16")
    else:
        shutil.copyfile(recording.audio.path, target)
    return target


def _times(sentence: Sentence, speech: AnnotatedSpeech) -> tuple[float, float]:
    """When a sentence begins and ends. No toolkit takes a segment without length: it gets a millisecond."""
    start, end = round(sentence.start, 3), round(sentence.end, 3)
    if end > start:
        return start, end
    start = min(start, round(speech.duration, 3) - 0.001)
    return round(start, 3), round(start + 0.001, 3)


def _lhotse_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """recordings.jsonl and supervisions.jsonl. Paths are relative to the folder (`with_path_prefix`)."""
    recordings, supervisions = [], []
    for speech, recording, annotated in recorded_speeches(run):
        audio = copied_audio(recording, folder / "audio" / f"{run.file_names[speech.id]}.flac")
        yield audio
        samples = round(recording.duration * SAMPLE_RATE)
        source = {"type": "file", "channels": [0], "source": audio.relative_to(folder).as_posix()}
        recordings.append(
            {
                "id": speech.id,
                "sources": [source],
                "sampling_rate": SAMPLE_RATE,
                "num_samples": samples,
                "duration": samples / SAMPLE_RATE,
                "channel_ids": [0],
            }
        )
        about = {"motion": speech.motion, "stance": speech.stance}
        custom = {name: value for name, value in about.items() if value}
        supervisions += [_supervision(annotated, n, sentence, custom) for n, sentence in enumerate(annotated.sentences)]
    if recordings:
        yield write(folder / "recordings.jsonl", json_lines(recordings))
        yield write(folder / "supervisions.jsonl", json_lines(supervisions))


def _supervision(speech: AnnotatedSpeech, number: int, sentence: Sentence, custom: Mapping[str, Any]) -> dict[str, Any]:
    words = speech.words[sentence.first : sentence.last]
    start, end = _times(sentence, speech)
    aligned = [[word.text, round(word.start, 3), round(word.duration, 3), word.probability] for word in words]
    row = {
        "id": f"{speech.id}-{number:04d}",
        "recording_id": speech.id,
        "start": start,
        "duration": round(end - start, 3),
        "channel": 0,
        "text": sentence.text,
        "language": speech.language or None,
        "speaker": sentence.speaker,
        "custom": dict(custom),
        "alignment": {"word": aligned},
    }
    return {name: value for name, value in row.items() if value not in (None, {})}


def _kaldi_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """The files of a data folder, sorted by bytes, as Kaldi's own tools demand. Paths are relative to the folder.

    An utterance's id begins with its speaker's, so that both orders agree. A speaker who is not known is the recording.
    """
    audio: dict[str, str] = {}
    durations: dict[str, str] = {}
    utterances: dict[str, tuple[str, str, str]] = {}
    for speech, recording, annotated in recorded_speeches(run):
        name = field(speech.id.replace("/", "-"))
        target = copied_audio(recording, folder / "audio" / f"{run.file_names[speech.id]}.wav")
        yield target
        audio[name], durations[name] = target.relative_to(folder).as_posix(), f"{recording.duration:.3f}"
        for sentence in annotated.sentences:
            speaker = field((sentence.speaker or name).replace("/", "-"))
            start, end = _times(sentence, annotated)
            times = f"{round(start * 1000):08d}-{round(end * 1000):08d}"
            segment = f"{name} {start:.3f} {end:.3f}"
            utterances[f"{speaker}-{name}-{times}"] = speaker, segment, " ".join(sentence.text.split())
    if not audio:
        return
    tables: dict[str, Mapping[str, str]] = {
        "wav.scp": audio,
        "reco2dur": durations,
        "utt2spk": {id: speaker for id, (speaker, _, _) in utterances.items()},
        "segments": {id: segment for id, (_, segment, _) in utterances.items()},
        "text": {id: text for id, (_, _, text) in utterances.items()},
        "spk2utt": {
            speaker: " ".join(sorted(own, key=str.encode))
            for speaker, own in grouped((speaker, id) for id, (speaker, _, _) in utterances.items()).items()
        },
    }
    for file, rows in tables.items():
        yield write(folder / file, "".join(f"{id} {rows[id]}\n" for id in sorted(rows, key=str.encode)))


def _nemo_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """manifest.json: one JSON object per line. Paths are relative to the manifest."""
    rows = []
    for speech, recording, annotated in recorded_speeches(run):
        audio = copied_audio(recording, folder / "audio" / f"{run.file_names[speech.id]}.flac")
        yield audio
        for sentence in annotated.sentences:
            start, end = _times(sentence, annotated)
            row = {
                "audio_filepath": audio.relative_to(folder).as_posix(),
                "offset": start,
                "duration": round(end - start, 3),
                "text": sentence.text,
                "speaker": sentence.speaker,
                "lang": annotated.language or None,
            }
            rows.append({name: value for name, value in row.items() if value is not None})
    if rows:
        yield write(folder / "manifest.json", json_lines(rows))


FORMATS = {
    "kaldi": FolderFormat(_kaldi_files),
    "lhotse": FolderFormat(_lhotse_files),
    "nemo": FolderFormat(_nemo_files),
}
