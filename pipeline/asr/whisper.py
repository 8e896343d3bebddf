"""OpenAI's Whisper, by its own package."""

import functools
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import models
from pipeline.asr import ReadSamples, Recognised, Samples, Stretch, grouped
from pipeline.errors import RostrumError
from pipeline.records import SAMPLE_RATE, Segment, Word

# Long recordings are decoded in pieces of about this many seconds, cut where nobody speaks.
MAX_SPAN = 600.0
LANGUAGE_SECONDS = 30.0


class WhisperRecogniser:
    """A loaded Whisper model."""

    def __init__(self, name: str, model: Any, device: str) -> None:
        self.name = name
        self.device = device
        self._model = model

    def transcribe(
        self,
        read: ReadSamples,
        stretches: Sequence[Stretch],
        *,
        language: str | None = None,
        max_pause: float = 2.0,
        **options: Any,
    ) -> Recognised:
        """Decode the stretches with word times; `options` are those of `whisper.transcribe`."""
        import torch

        torch.manual_seed(0)  # the temperature fallback samples
        groups = grouped(stretches, max_pause, MAX_SPAN)
        language = language or (self._language(read, groups[0][0]) if groups else "en")
        words: list[Word] = []
        segments: list[Segment] = []
        for group in groups:
            start = group[0][0]
            decoded = self._decode(read(start, group[-1][1]), start, group, language, options)
            segments += [_segment(each, start) for each in decoded if each["words"]]
            words += [word for each in decoded for word in _words(each["words"], start)]
        return Recognised(_in_order(words), tuple(segments), language)

    def _language(self, read: ReadSamples, first: Stretch) -> str:
        """What is spoken where speech begins; an English-only model is not asked."""
        if not self._model.is_multilingual:
            return "en"
        import whisper

        samples = whisper.pad_or_trim(read(first[0], first[0] + LANGUAGE_SECONDS))
        mel = whisper.log_mel_spectrogram(samples, self._model.dims.n_mels).to(self._model.device)
        _, probabilities = self._model.detect_language(mel)
        return str(max(probabilities, key=probabilities.get))

    def _decode(
        self, samples: Samples, start: float, group: list[Stretch], language: str, options: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        clips = [round(time - start, 2) for stretch in group for time in stretch]
        # An odd number of clip times means 'to the end', and a last time beyond the samples would decode padding.
        clips[-1] = min(clips[-1], len(samples) / SAMPLE_RATE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self._model.transcribe(
                samples,
                language=language,
                word_timestamps=True,
                clip_timestamps=clips,
                fp16=self.device.startswith("cuda"),
                verbose=None,
                **options,
            )
        segments: list[dict[str, Any]] = result["segments"]
        return segments


def _segment(decoded: Mapping[str, Any], offset: float) -> Segment:
    return Segment(
        start=round(offset + decoded["start"], 2),
        end=round(offset + decoded["end"], 2),
        temperature=decoded["temperature"],
        mean_logprob=round(decoded["avg_logprob"], 4),
        no_speech_probability=round(decoded["no_speech_prob"], 4),
        compression_ratio=round(decoded["compression_ratio"], 3),
    )


def _words(decoded: Sequence[Mapping[str, Any]], offset: float) -> list[Word]:
    return [
        Word(
            text=each["word"].strip(),
            start=round(offset + each["start"], 2),
            end=round(offset + each["end"], 2),
            probability=round(float(each["probability"]), 4),
        )
        for each in decoded
        if each["word"].strip()
    ]


def _in_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Times that never run backwards: a word begins no earlier than the one before it."""
    ordered: list[Word] = []
    earliest = 0.0
    for word in words:
        start = max(word.start, earliest)
        ordered.append(word.model_copy(update={"start": start, "end": max(word.end, start)}))
        earliest = start
    return tuple(ordered)


def digest(model: str) -> str:
    """sha256 of the weights that `load` would take."""
    return models.find(model).digest


@functools.cache
def load(name: str, device: str) -> WhisperRecogniser:
    """The model of that size, or of that checkpoint; loaded once per process."""
    import torch
    import whisper

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise RostrumError("transcribe.device=cuda: there is no GPU that this torch can use; set it to cpu or auto")
    found = models.find(name)
    if found.path.is_dir():
        model = whisper.load_model(found.name, device=device, download_root=str(found.path))
    else:
        model = _load_checkpoint(found.path, device)
    return WhisperRecogniser(found.name, model, device)


def _load_checkpoint(path: Path, device: str) -> Any:
    """A checkpoint by path. Whisper sets the alignment heads only for its own names; its sizes are told by shape."""
    import whisper

    try:
        model = whisper.load_model(str(path), device=device)
    except Exception as error:
        raise RostrumError(f"{path}: is not a Whisper checkpoint ({type(error).__name__}: {error})") from error
    heads = whisper._ALIGNMENT_HEADS.get(_size_of(model))
    if heads:
        model.set_alignment_heads(heads)
    return model


# (audio layers, text layers, mel bands) and whether the vocabulary is multilingual tell the size of a checkpoint.
_SIZES = {(4, 4, 80): "tiny", (6, 6, 80): "base", (12, 12, 80): "small", (24, 24, 80): "medium",
          (32, 32, 80): "large-v2", (32, 32, 128): "large-v3", (32, 4, 128): "turbo"}  # fmt: skip


def _size_of(model: Any) -> str | None:
    dims = model.dims
    size = _SIZES.get((dims.n_audio_layer, dims.n_text_layer, dims.n_mels))
    return f"{size}.en" if size and not model.is_multilingual else size
