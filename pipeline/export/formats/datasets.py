"""A folder for Hugging Face's load_dataset: FLAC audio and one row of metadata per speech, split by motion."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError, without_controls
from pipeline.export.formats import FolderFormat, write
from pipeline.export.formats.speech_corpora import copied_audio
from pipeline.export.speech import AnnotatedSpeech, recorded_speeches, reference_texts
from pipeline.records import Speech
from pipeline.run.finished import FinishedRun

_SPLITS = ("train", "validation", "test")
# The share of the motions that validation and test each get, at least one motion if there are three.
_HELD_OUT = 0.1
_CARD = """\
---
{head}---
# Speeches

Exported by rostrum from a run of {started}. Transcripts are those of the recogniser ({recognisers}) unless a person
corrected them; `reference` is what a person wrote down, where the corpus has it. Times are in seconds.

| split | speeches | motions | hours |
|---|---|---|---|
{rows}
No motion is in two splits. Speeches without a motion are in train.

```python
datasets.load_dataset("audiofolder", data_dir="this folder")
```

Licence: not known to rostrum. Whoever publishes this writes it here, and into `license` above. A voice reveals who
speaks.
"""


def write_dataset(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """Write every speech that has audio and a transcript, and yield the files."""
    split_of = splits([motion.id for motion in run.motions])
    references = reference_texts(run)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _SPLITS}
    languages, recognisers = set[str](), set[str]()
    for speech, recording, annotated in recorded_speeches(run):
        split = split_of.get(speech.motion or "", "train")
        audio = copied_audio(recording, folder / split / f"{run.file_names[speech.id]}.flac")
        name = audio.relative_to(folder / split).as_posix()
        rows[split].append(_row(name, speech, annotated, references.get(speech.id)))
        languages.add(annotated.language)
        recognisers.add(annotated.recogniser)
        yield audio
    for split, own in rows.items():
        if own:
            yield _metadata(folder / split / "metadata.parquet", own)
    if any(rows.values()):
        yield write(folder / "README.md", _card(run, rows, languages - {""}, recognisers - {""}))


def splits(motions: Sequence[str]) -> dict[str, str]:
    """The split of each motion, in the order of digests of their ids, which says nothing about them.

    >>> sorted(splits(["zoos", "buses", "phones"]).values())
    ['test', 'train', 'validation']
    """
    order = sorted(motions, key=lambda motion: hashlib.sha256(motion.encode()).hexdigest())
    held_out = max(1, round(_HELD_OUT * len(order))) if len(order) >= len(_SPLITS) else 0
    names = ["test"] * held_out + ["validation"] * held_out
    return {motion: names[index] if index < len(names) else "train" for index, motion in enumerate(order)}


def _row(file: str, speech: Speech, annotated: AnnotatedSpeech, reference: str | None) -> dict[str, Any]:
    return {
        "file_name": file,
        "speech": speech.id,
        "motion": speech.motion,
        "stance": speech.stance,
        "speakers": list(speech.speakers),
        "language": annotated.language or None,
        "duration": annotated.duration,
        "text": " ".join(sentence.text for sentence in annotated.sentences),
        "reference": reference,
        "words": [word.model_dump() for word in annotated.words],
        "sentences": [
            sentence.model_dump(include={"text", "start", "end", "speaker"}) for sentence in annotated.sentences
        ],
    }


def _metadata(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write the rows with their types: in JSON, a column that is empty in one split would have another type there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sentence = {"text": pa.string(), "start": pa.float64(), "end": pa.float64(), "speaker": pa.string()}
    types = dict.fromkeys(rows[0], pa.string()) | {
        "speakers": pa.list_(pa.string()),
        "duration": pa.float64(),
        "words": pa.list_(pa.struct({**sentence, "probability": pa.float64()})),
        "sentences": pa.list_(pa.struct(sentence)),
    }
    pq.write_table(pa.Table.from_pylist(_readable(rows), schema=pa.schema(types)), path)
    return path


def _readable(value: Any) -> Any:
    """The rows, or a value in them, without hidden characters."""
    if isinstance(value, list):
        return [_readable(each) for each in value]
    if isinstance(value, dict):
        return {name: _readable(each) for name, each in value.items()}
    return without_controls(value) if isinstance(value, str) else value


def _card(
    run: FinishedRun, rows: dict[str, list[dict[str, Any]]], languages: Collection[str], recognisers: Collection[str]
) -> str:
    """The card: language, licence, task and splits for the hub, then what is in the folder."""
    used = {split: own for split, own in rows.items() if own}
    head = [f"language: [{', '.join(sorted(languages))}]", "license: unknown"]
    head += ["task_categories: [automatic-speech-recognition]", "tags: [debate, argument-mining]"]
    head += ["configs:", "- config_name: default", "  data_files:"]
    head += [line for split in used for line in (f"  - split: {split}", f"    path: {split}/**")]
    table = [
        f"| {split} | {len(own)} | {len({row['motion'] for row in own} - {None})} | "
        f"{sum(row['duration'] for row in own) / 3600:.2f} |\n"
        for split, own in used.items()
    ]
    return _CARD.format(
        head="".join(f"{line}\n" for line in head),
        started=run.summary.started[:10],
        recognisers=", ".join(sorted(recognisers)) or "not known",
        rows="".join(table),
    )


def push(folder: Path, files: Collection[Path], repository: str) -> str:
    """Upload an exported data set to the hub, and return its address. A new repository is private."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = False  # the user has asked for it
    try:
        api = HfApi()
        url = api.create_repo(repository, repo_type="dataset", private=True, exist_ok=True)
        patterns = [path.relative_to(folder).as_posix() for path in files]
        api.upload_folder(repo_id=repository, repo_type="dataset", folder_path=folder, allow_patterns=patterns)
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        what = str(error).strip().splitlines()[0]
        raise RostrumError(f"{repository}: not uploaded: {what}; `hf auth login` signs in; {folder} is kept") from error
    finally:
        constants.HF_HUB_OFFLINE = before
    return str(url)


FORMAT = FolderFormat(write_dataset)
