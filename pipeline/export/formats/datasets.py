"""A folder for Hugging Face's load_dataset: FLAC audio and one row of metadata per speech."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.export.formats import FolderFormat, write
from pipeline.export.speech import AnnotatedSpeech, annotated_speech
from pipeline.ingest import Recording
from pipeline.records import Speech
from pipeline.run.finished import FinishedRun

_CARD = """\
---
configs:
- config_name: default
  data_files:
  - split: train
    path: train/**
---
Speeches with their words and sentences, exported by rostrum. Read them with
`datasets.load_dataset("audiofolder", data_dir="this folder")`. Times are in seconds.
"""


def write_dataset(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """Write every speech that has audio and a transcript, and yield the files."""
    train = folder / "train"
    rows = []
    for speech in run.recordings:
        results = run.speech(speech.id)
        recording, found = results.get(Recording), annotated_speech(results)
        if recording is None or found is None:
            continue
        audio = train / f"{run.file_names[speech.id]}.flac"
        audio.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(recording.audio.path, audio)
        rows.append(_row(audio.relative_to(train).as_posix(), speech, found))
        yield audio
    if rows:
        yield write(train / "metadata.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        yield write(folder / "README.md", _CARD)


def _row(file: str, speech: Speech, found: AnnotatedSpeech) -> dict[str, Any]:
    return {
        "file_name": file,
        "speech": speech.id,
        "motion": speech.motion,
        "stance": speech.stance,
        "speakers": list(speech.speakers),
        "duration": found.duration,
        "text": " ".join(sentence.text for sentence in found.sentences),
        "words": [word.model_dump() for word in found.words],
        "sentences": [sentence.model_dump(include={"text", "start", "end", "speaker"}) for sentence in found.sentences],
    }


FORMAT = FolderFormat(write_dataset)
