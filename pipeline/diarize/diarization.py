"""Who spoke when, by pyannote.audio: its own pipeline with weights that need no account, or any other by name."""

import functools
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.diarize.stage import DiarizeSettings, Turns, turns_record
from pipeline.diarize.voices import embedding_model, voice_record
from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, Turn
from pipeline.system.environment import chosen_device
from pipeline.system.logs import logger

_SEED = 0
# The steps of the pipeline that take long, and which share of the work each of them is: from, to.
_STEPS = {"segmentation": (0.0, 0.4), "embeddings": (0.4, 1.0)}


def weights(settings: DiarizeSettings) -> dict[str, str]:
    """The digests of the weights these settings need; what is not on this machine is 'missing'."""
    names = [settings.pipeline] if settings.pipeline else [settings.segmentation, settings.embedding]
    return {name: _digest(name, settings.allow_hub) for name in names}


def find_turns(
    audio: Path,
    settings: DiarizeSettings,
    *,
    speakers: int | None = None,
    progress: Progress = no_progress,
) -> Turns:
    """The speakers' turns in a file of 16 kHz and one channel.

    `speakers` is their number if the corpus says it and no setting does.
    """
    import soundfile
    import torch

    pipeline = load_pipeline(settings)
    with torch.random.fork_rng(), _quiet():
        torch.manual_seed(_SEED)
        if settings.pipeline:  # one from elsewhere wants all samples, and may not take a hook
            samples, rate = soundfile.read(audio, dtype="float32")
            file = {"waveform": torch.from_numpy(samples)[None], "sample_rate": rate, "uri": "recording"}
            output = pipeline(file, **_bounds(settings, speakers))
        else:
            file = {"audio": str(audio), "uri": "recording"}
            output = pipeline(file, **_bounds(settings, speakers), hook=_hook(progress))
    # Pipelines made for pyannote.audio 3 return an annotation alone, without exclusive turns.
    annotation = getattr(output, "speaker_diarization", output)
    exclusive = getattr(output, "exclusive_speaker_diarization", None)
    # Speakers in the order in which they first speak.
    labels = dict.fromkeys(label for _, _, label in annotation.itertracks(yield_label=True))
    names = {label: f"S{number}" for number, label in enumerate(labels, start=1)}
    found = turns_record(
        _turns(annotation, names),
        soundfile.info(audio).frames / SAMPLE_RATE,
        settings.pipeline or f"pyannote.audio: {settings.segmentation}, {settings.embedding}",
        None if exclusive is None else tuple(_turns(exclusive, names)),
    )
    vectors = getattr(output, "speaker_embeddings", None)
    if vectors is None or not settings.voices:
        return found
    voices = {names[label]: vector for label, vector in zip(annotation.labels(), vectors, strict=False)}
    # Of who is heard too shortly there is no vector.
    heard = {speaker: voices[speaker] for speaker in found.speakers if speaker in voices}
    known = {speaker: vector for speaker, vector in heard.items() if np.any(vector) and np.isfinite(vector).all()}
    return found.model_copy(update={"voices": tuple(voice_record(*voice, settings) for voice in known.items())})


def _bounds(settings: DiarizeSettings, speakers: int | None) -> dict[str, int]:
    limits = {"min_speakers": settings.min_speakers, "max_speakers": settings.max_speakers}
    bounds = {name: value for name, value in limits.items() if value is not None}
    if settings.speakers is not None or not bounds:
        exact = settings.speakers or speakers
        return {"num_speakers": exact} if exact else {}
    return bounds


def _turns(annotation: Any, names: dict[str, str]) -> Iterator[Turn]:
    for segment, _, label in annotation.itertracks(yield_label=True):
        yield Turn(start=max(0.0, round(segment.start, 3)), end=max(0.0, round(segment.end, 3)), speaker=names[label])


def _hook(progress: Progress) -> Callable[..., None]:
    """The function that pyannote calls in each of its steps."""

    def hook(step: str, _: Any, *, completed: int | None = None, total: int | None = None, **__: Any) -> None:
        if completed is not None and total and step in _STEPS:
            first, last = _STEPS[step]
            progress(float(first + (last - first) * min(1.0, completed / total)), step)

    return hook


@functools.lru_cache(maxsize=1)
def load_pipeline(settings: DiarizeSettings) -> Any:
    """pyannote's pipeline with the networks that the settings name. It is loaded once, until settings change."""
    import torch

    import_pyannote()
    with _quiet():
        pipeline = _from_config(settings) if settings.pipeline else _from_weights(settings)
    device = chosen_device(settings.device, torch.cuda.device_count(), "diarize.device", "torch")
    return pipeline.to(torch.device(device))


def _from_weights(settings: DiarizeSettings) -> Any:
    from pipeline import models
    from pipeline.diarize.pyannote_pipeline import Diarization, NoPLDA, load_model

    segmentation = models.find(settings.segmentation, allow_hub=settings.allow_hub)
    pipeline = Diarization(
        settings.embedding_step,
        segmentation=load_model(segmentation.path),
        segmentation_step=settings.segmentation_step,
        embedding=embedding_model(settings.embedding, settings.allow_hub),
        embedding_exclude_overlap=True,
        plda=NoPLDA(),
    )
    return pipeline.instantiate(
        {
            "segmentation": {"min_duration_off": settings.min_duration_off},
            "clustering": {
                "method": "centroid",
                "threshold": settings.clustering_threshold,
                "min_cluster_size": settings.min_cluster_size,
            },
        }
    )


def _from_config(settings: DiarizeSettings) -> Any:
    """The pipeline of a configuration file, with the networks that it names."""
    from pyannote.audio.core.plda import PLDA
    from pyannote.audio.pipelines import SpeakerDiarization

    from pipeline import models
    from pipeline.diarize.pyannote_pipeline import NoPLDA, configuration_of, load_model

    assert settings.pipeline is not None
    path = models.find(settings.pipeline, allow_hub=settings.allow_hub).path
    folder = path if path.is_dir() else path.parent

    def part(name: Any) -> Path:
        if not isinstance(name, str):
            raise RostrumError(f"{path}: a network must be named, not described")
        own = name.removeprefix("$model/")
        return folder / own if own != name else models.find(name, allow_hub=settings.allow_hub).path

    parameters, values = configuration_of(path)
    parts = {key: load_model(part(parameters.pop(key, None))) for key in ("segmentation", "embedding")}
    plda = parameters.pop("plda", None)
    try:
        parts["plda"] = PLDA.from_pretrained(part(plda)) if plda else NoPLDA()
        return SpeakerDiarization(**parts, **parameters).instantiate(values)
    except (TypeError, ValueError, KeyError, OSError) as error:
        raise RostrumError(f"{path}: pyannote.audio cannot make a pipeline of it: {error}") from error


def import_pyannote() -> None:
    """Import pyannote.audio without its telemetry, its warning about torchcodec and its prints.

    It is given samples, and need not decode files.
    """
    from pipeline.system.environment import import_torchaudio

    os.environ["PYANNOTE_METRICS_ENABLED"] = "0"
    import_torchaudio()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\s*torchcodec is not installed correctly")
        from pyannote.audio.pipelines import clustering

    vars(clustering)["print"] = logger.warning


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out warnings that a user cannot act on."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"std\(\): degrees of freedom")
        warnings.filterwarnings("ignore", message=r"(?s).*TensorFloat-32")
        # A recording too short of speech for any embedding.
        warnings.filterwarnings("ignore", message="Mean of empty slice|invalid value encountered in divide")
        yield


def _digest(name: str, allow_hub: bool) -> str:
    from pipeline import models

    try:
        return models.find(name, allow_hub=allow_hub).digest
    except RostrumError:
        return "missing"
