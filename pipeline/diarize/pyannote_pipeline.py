"""pyannote.audio, on all cores and in bounded memory; its files are loaded without running code that is in them.

Import it by `pipeline.diarize.diarization`.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import soundfile
import torch
import yaml
from numpy.typing import NDArray
from pyannote.audio import Model
from pyannote.audio.core.plda import PLDA
from pyannote.audio.core.task import Problem, Resolution, Specifications
from pyannote.audio.pipelines import SpeakerDiarization
from pyannote.audio.pipelines.clustering import AgglomerativeClustering
from pyannote.core import SlidingWindow, SlidingWindowFeature
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from torch import Tensor
from torch.nn import functional
from torch.torch_version import TorchVersion

from pipeline.diarize.speaker_embedding import DIMENSION, EMBEDDINGS
from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors
from pipeline.records import SAMPLE_RATE
from pipeline.system.environment import usable_cores

# Windows that are segmented together: more make it no faster on a CPU, and leave cores without work.
_TOGETHER = {"cpu": 8, "cuda": 32}
# Voices that are compared with one another: about as many as an hour has. Their distances take 200 MB.
MOST_VOICES = 5000
# A voice that is heard once or twice is no speaker, however few of all voices are looked at.
_FEWEST_VOICES = 3
# A voice is nobody else's if it is less alike than this (a cosine): voices of one person begin at .42 under noise.
_ALIKE = 0.4
# A speaker of one window is that of another if they speak together for at least this share of what the first says.
_SAME_SPEAKER = 0.5
_CHECKPOINT, _CONFIGURATION = "pytorch_model.bin", "config.yaml"
_PIPELINES = (
    "pyannote.audio.pipelines.SpeakerDiarization",
    "pyannote.audio.pipelines.speaker_diarization.SpeakerDiarization",
)
Part = TypeVar("Part")
Result = TypeVar("Result")
Array = NDArray[np.floating[Any]]


class Diarization(SpeakerDiarization):  # type: ignore[misc]
    """pyannote's pipeline. Its two networks run on all cores, and a voice is embedded once every `embedding_step`.

    pyannote embeds the voices of every window, of which ten overlap. Here those between the windows that are embedded
    take the voice that they continue. With an `embedding_step` of one `segmentation_step` all are embedded.

    The recording is the path of a file of 16 kHz in one channel. Only windows that are worked on are in memory.
    """

    def __init__(self, embedding_step: float, **parts: Any) -> None:
        super().__init__(clustering="AgglomerativeClustering", **parts)
        self.clustering = BoundedClustering(metric=self._embedding.metric)
        self._every = max(1, round(embedding_step / self.segmentation_step))

    def get_segmentations(self, file: dict[str, Any], hook: Callable[..., None] | None = None) -> SlidingWindowFeature:
        """Who of up to three speakers speaks in which frame of each window."""
        inference, is_powerset = self._segmentation, self._segmentation.model.specifications.powerset
        length, step = round(inference.duration * SAMPLE_RATE), round(inference.step * SAMPLE_RATE)

        def segment(batch: range) -> Array:
            samples = _samples(file, batch.start * step, (len(batch) - 1) * step + length)
            activity: Array = inference.infer(samples.unfold(1, length, step).transpose(0, 1))
            return activity.astype(np.int8) if is_powerset else activity  # zeros and ones

        batches = _batches(soundfile.info(file["audio"]).frames, length, step, _TOGETHER[inference.device.type])
        segmented = list(self._on_all_cores(segment, batches, "segmentation", hook))
        clock = SlidingWindow(start=0.0, duration=inference.duration, step=inference.step)
        return SlidingWindowFeature(np.vstack(segmented), clock)

    def get_embeddings(
        self,
        file: dict[str, Any],
        binary_segmentations: SlidingWindowFeature,
        exclude_overlap: bool = False,
        hook: Callable[..., None] | None = None,
    ) -> Array:
        """The voice of each speaker of each window."""
        active = np.nan_to_num(binary_segmentations.data).astype(np.float32)
        clock = binary_segmentations.sliding_window
        length = round(clock.duration * SAMPLE_RATE)
        sources = voice_sources(active, clock.step / clock.duration, self._every)
        wanted = np.unique(sources[active.any(axis=1)], axis=0)
        # The longest first: no core waits for another at the end, and what one needed has room for the next.
        longest_first = np.argsort(-active.sum(axis=1)[tuple(wanted.T)], kind="stable")
        voices = [(int(window), int(speaker)) for window, speaker in wanted[longest_first]]

        def embed(voice: tuple[int, int]) -> Array:
            window, speaker = voice
            samples = _samples(file, round(window * clock.step * SAMPLE_RATE), length)
            heard = self._heard(active[window], length) if exclude_overlap else active[window]
            [vector] = self._embedding(samples[None], masks=torch.from_numpy(heard[:, [speaker]].T))
            return np.asarray(vector)

        vectors = np.full((len(active), active.shape[-1], self._embedding.dimension), np.nan)
        for voice, vector in zip(voices, self._on_all_cores(embed, voices, "embeddings", hook), strict=True):
            vectors[voice] = vector
        voices_of_all: Array = vectors[sources[..., 0], sources[..., 1]]
        return voices_of_all

    def _heard(self, active: Array, samples: int) -> Array:
        """Where each speaker of a window speaks alone; where that is too short for a voice, all that they say."""
        alone = active * (active.sum(axis=1, keepdims=True) < 2)
        fewest = math.ceil(len(active) * self._embedding.min_num_samples / samples)
        return np.where(alone.sum(axis=0) > fewest, alone, active)

    def reconstruct(
        self,
        segmentations: SlidingWindowFeature,
        hard_clusters: NDArray[np.integer[Any]],
        count: SlidingWindowFeature,
    ) -> SlidingWindowFeature:
        """Which speaker of the recording speaks in which frame: as pyannote's own, in an eighth of its memory."""
        windows, frames, _ = segmentations.data.shape
        active = np.zeros((windows, frames, hard_clusters.max() + 1), segmentations.data.dtype)
        for joined, window, clusters in zip(active, segmentations.data, hard_clusters, strict=True):
            for cluster in np.unique(clusters[clusters >= 0]):
                joined[:, cluster] = window[:, clusters == cluster].max(axis=1)
        return self.to_diarization(SlidingWindowFeature(active, segmentations.sliding_window), count)

    def _on_all_cores(
        self,
        work: Callable[[Part], Result],
        parts: Sequence[Part],
        step: str,
        hook: Callable[..., None] | None,
    ) -> Iterator[Result]:
        """The result for each part, in order. Each network uses torch's threads; as many run as have room."""
        on_cpu = self._segmentation.device.type == "cpu"
        workers = max(1, usable_cores() // torch.get_num_threads()) if on_cpu else 1
        with ThreadPoolExecutor(workers) as pool:
            for number, result in enumerate(pool.map(work, parts), start=1):
                if hook is not None:
                    hook(step, None, completed=number, total=len(parts))
                yield result


def _batches(samples: int, length: int, step: int, together: int) -> list[range]:
    """The numbers of all windows, so many together. A last one that goes on beyond the end comes by itself."""
    complete = (samples - length) // step + 1 if samples >= length else 0
    batches = [range(first, min(first + together, complete)) for first in range(0, complete, together)]
    is_rest = not complete or (samples - length) % step
    return [*batches, range(complete, complete + 1)] if is_rest else batches


def _samples(file: dict[str, Any], start: int, length: int) -> Tensor:
    """So many samples (1, length) of the file; what lies beyond its end is silence."""
    samples, _ = soundfile.read(file["audio"], frames=length, start=start, dtype="float32", fill_value=0.0)
    return torch.from_numpy(samples)[None]


class NoPLDA(PLDA):  # type: ignore[misc]
    """pyannote demands a PLDA also where its clustering does not use one."""

    def __init__(self) -> None:
        pass


class BoundedClustering(AgglomerativeClustering):  # type: ignore[misc]
    """pyannote's clustering. Of more than MOST_VOICES voices only so many, evenly spread in time, make the speakers.

    Each voice is then the speaker's whose mean voice is nearest. A person who says little is a speaker, too.
    """

    def cluster(self, embeddings: NDArray[np.floating[Any]], **bounds: int | None) -> NDArray[np.integer[Any]]:
        """The speaker of each voice (voices, dimension), from 0."""
        speakers = self._frequent_speakers(embeddings, **bounds)
        if bounds.get("num_clusters") or len(embeddings) < _FEWEST_VOICES:
            return speakers
        most = (bounds.get("max_clusters") or len(embeddings)) - speakers.max() - 1
        return with_rare_speakers(embeddings, speakers, self.threshold, int(most))

    def _frequent_speakers(
        self, embeddings: NDArray[np.floating[Any]], **bounds: int | None
    ) -> NDArray[np.integer[Any]]:
        """The same, with voices that are heard in few windows given to the nearest other speaker."""
        voices = len(embeddings)
        if voices <= MOST_VOICES:
            return np.asarray(super().cluster(embeddings, **bounds))
        sample = embeddings[np.linspace(0, voices - 1, MOST_VOICES).astype(int)]
        fewest = max(_FEWEST_VOICES, round(self.min_cluster_size * MOST_VOICES / voices))
        clustering = AgglomerativeClustering(metric=self.metric).instantiate(
            {"method": self.method, "threshold": self.threshold, "min_cluster_size": min(self.min_cluster_size, fewest)}
        )
        speakers = clustering.cluster(sample, **bounds)  # which brings the sample to unit length
        means = np.stack([sample[speakers == speaker].mean(axis=0) for speaker in range(speakers.max() + 1)])
        return np.asarray(cdist(embeddings, means, metric=self.metric).argmin(axis=1))


def with_rare_speakers(
    voices: NDArray[np.floating[Any]], speakers: NDArray[np.integer[Any]], threshold: float, most: int
) -> NDArray[np.integer[Any]]:
    """The speaker of each voice, where voices that are unlike every speaker are speakers of their own, at most so many.

    A moderator's welcome or a question from the floor is heard in few windows, and was given to the nearest speaker.
    Unlike voices that are like one another (by the clustering's threshold), in three windows or more, are one person.
    """
    means = [voices[speakers == speaker].mean(axis=0) for speaker in range(speakers.max() + 1)]
    unlike = np.flatnonzero(cdist(voices, np.stack(means), metric="cosine").min(axis=1) > 1 - _ALIKE)
    if not _FEWEST_VOICES <= len(unlike) <= MOST_VOICES:
        return speakers
    speakers, units = speakers.copy(), voices[unlike] / np.linalg.norm(voices[unlike], axis=1, keepdims=True)
    groups = fcluster(linkage(units, method="centroid"), threshold, criterion="distance")
    numbers, counts = np.unique(groups, return_counts=True)
    for group in numbers[np.argsort(-counts, kind="stable")][: max(0, most)]:
        own = groups == group
        mean = units[own].mean(axis=0)
        if own.sum() >= _FEWEST_VOICES and cdist([mean], means, metric="cosine").min() > 1 - _ALIKE:
            speakers[unlike[own]] = len(means)
            means.append(mean)
    return speakers


def voice_sources(active: NDArray[np.floating], step: float, every: int) -> NDArray[np.intp]:
    """Where the voice of each speaker of each window is taken from: (windows, speakers, 2) with window and speaker.

    `active` (windows, frames, speakers) says who speaks when in each window; a window begins `step` of its length after
    the one before. Voices are taken from every so many windows and from the last one. Between them, a speaker has the
    voice of whom they speak together with in one of the two nearest of these windows, otherwise a voice of their own.
    """
    windows, _, speakers = active.shape
    sources = np.stack(np.meshgrid(np.arange(windows), np.arange(speakers), indexing="ij"), axis=-1)
    known = np.unique([*range(0, windows, every), windows - 1])
    for window in np.setdiff1d(np.arange(windows), known):
        shares = np.zeros(speakers)
        following = int(np.searchsorted(known, window))
        around = known[max(0, following - 2) : following + 2]
        for nearest in around[np.argsort(np.abs(around - window), kind="stable")[:2]]:
            for mine, theirs, share in _matches(active[window], active[nearest], (window - nearest) * step):
                if share >= max(_SAME_SPEAKER, shares[mine] + 1e-9):
                    shares[mine] = share
                    sources[window, mine] = nearest, theirs
    return sources


def _matches(later: NDArray[np.floating], earlier: NDArray[np.floating], shift: float) -> list[tuple[int, int, float]]:
    """Speakers of two windows that are the same: both, and the share of the first one's speech that is common.

    The first window begins `shift` of a window's length after the second.
    """
    from scipy.optimize import linear_sum_assignment

    frames = round(abs(shift) * len(later))
    mine, theirs = (later, earlier[frames:]) if shift >= 0 else (later[frames:], earlier)
    length = min(len(mine), len(theirs))
    common = mine[:length].T @ theirs[:length]
    spoken = np.maximum(1, later.sum(axis=0))
    return [(i, j, common[i, j] / spoken[i]) for i, j in zip(*linear_sum_assignment(-common), strict=True)]


class SpeakerEmbedding(Model):  # type: ignore[misc]
    """CAM++ or ECAPA as pyannote wants them: waveforms (batch, 1, samples), weights (batch, frames) of who speaks.

    A vector is made of the frames whose weight is above one half; of none or too few of them it is NaN.
    """

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(sample_rate=16_000, num_channels=1)
        self.embedding = EMBEDDINGS[name]
        self.network = self.embedding.load(path)

    @property
    def dimension(self) -> int:
        return DIMENSION

    def forward(self, waveforms: Tensor, weights: Tensor | None = None) -> Tensor:
        vectors = torch.full((len(waveforms), self.dimension), torch.nan, device=waveforms.device)
        for index, waveform in enumerate(waveforms):
            frames = self.embedding.filter_banks(waveform)
            if weights is not None:
                speaks = (
                    functional.interpolate(weights[index][None, None], size=len(frames), mode="nearest")[0, 0] > 0.5
                )
                frames = frames[speaks]
            if len(frames) >= self.embedding.fewest_frames:
                vectors[index] = self.embedding.embed(self.network, frames)
        return vectors


def load_model(path: Path) -> Model:
    """The network of a checkpoint, or of a folder with one in it. (pyannote itself would unpickle any object.)"""
    path = path / _CHECKPOINT if path.is_dir() else path
    checkpoint = load_tensors(path, allowed=[Problem, Resolution, Specifications, TorchVersion])
    try:
        architecture = checkpoint["pyannote.audio"]["architecture"]
        kind = _network(architecture["module"], architecture["class"])
        accepted = inspect.signature(kind).parameters
        settings = {name: value for name, value in checkpoint["hyper_parameters"].items() if name in accepted}
        model = kind(**settings)
        model.on_load_checkpoint(checkpoint)
        # What was used in training only.
        weights = {name: value for name, value in checkpoint["state_dict"].items() if not name.startswith("loss_func")}
        model.load_state_dict(weights)
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, ImportError) as error:
        raise RostrumError(f"{path}: not a checkpoint of a network that pyannote.audio has") from error
    return model


def _network(module: str, name: str) -> type[Model]:
    if not module.startswith("pyannote.audio.models."):
        raise ValueError(module)
    kind = getattr(import_module(module), name)
    if not (isinstance(kind, type) and issubclass(kind, Model)):
        raise TypeError(name)
    return kind


def configuration_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The networks and parameters of a diarization pipeline, and their values; from a file, or its folder.

    (pyannote itself would make an object of any class that the configuration names.)
    """
    path = path / _CONFIGURATION if path.is_dir() else path
    try:
        configuration = yaml.safe_load(path.read_text("utf-8"))
        named = configuration["pipeline"]["name"]
        parameters = configuration["pipeline"].get("params") or {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise RostrumError(f"{path}: not the configuration of a pyannote pipeline") from error
    if named not in _PIPELINES or configuration.get("preprocessors") or not isinstance(parameters, dict):
        raise RostrumError(f"{path}: only pyannote's SpeakerDiarization without preprocessors can be used")
    return parameters, configuration.get("params") or {}
