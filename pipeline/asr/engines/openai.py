"""openai: Whisper by OpenAI's own package, openai-whisper.

Its decoder, its fallbacks and its word times, over windows that are packed from the speech that was found.

`whisper.transcribe` moves through a recording by the times that the model writes; on a short rest of a clip it can come
to stand still. Here voice activity has already said where speech is, so windows begin and end in pauses, and hold as
much speech as they can: the model hears better in context, and a window costs the same however full it is.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline import models
from pipeline.arrays import Samples
from pipeline.asr.recogniser import Recognised
from pipeline.asr.windows import ReadSamples, Stretch, Window, windows
from pipeline.errors import RostrumError
from pipeline.records import SAMPLE_RATE, Segment, Word
from pipeline.settings import TranscribeSettings

WINDOW = 30.0
# After what the model wrote, this many seconds of found speech are worth another look, but not less.
MISSED_SPEECH = 1.0
RESET_PROMPT_ABOVE = 0.5


IGNORES: frozenset[str] = frozenset()


class WhisperRecogniser:
    """A loaded Whisper model, and how to decode with it."""

    def __init__(self, name: str, model: Any, device: str, settings: TranscribeSettings) -> None:
        self.name = f"whisper {name}"
        self.device = device
        self._model = model
        self._settings = settings

    def transcribe(self, read: ReadSamples, stretches: Sequence[Stretch], prompt: str | None) -> Recognised:
        """Decode the stretches, with word times."""
        import torch

        torch.manual_seed(0)  # the temperature fallback samples
        settings = self._settings
        packed = windows(stretches, settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), settings.language or "en")
        language = settings.language or self._language(packed[0].read(read, 0.0, min(WINDOW, packed[0].length)))
        decoder = _Decoder(self._model, self.device, language, settings, prompt)
        words: list[Word] = []
        segments: list[Segment] = []
        for window in packed:
            for heard, segment in _through(window, read, decoder):
                words += heard
                segments.append(segment)
        return Recognised(_in_order(words), tuple(segments), language)

    def _language(self, samples: Samples) -> str:
        """The language spoken where speech begins; an English-only model is not asked."""
        if not self._model.is_multilingual:
            return "en"
        _, probabilities = self._model.detect_language(_mel(self._model, samples))
        return str(max(probabilities, key=probabilities.get))


def _through(window: Window, read: ReadSamples, decoder: "_Decoder") -> "list[tuple[list[Word], Segment]]":
    """Decode a window in pieces of up to 30 s: one piece where it is no longer, unless speech in it was missed."""
    found: list[tuple[list[Word], Segment]] = []
    position = 0.0
    while position < window.length and window.speech_after(position) >= min(MISSED_SPEECH, window.length):
        length = min(WINDOW, window.length - position)
        samples = window.read(read, position, position + length)
        heard, result, reached = decoder.decode(samples, position, window.length - position > WINDOW)
        if result:
            span = window.recorded(position), window.recorded(position + reached)
            found.append(([window.placed(word) for word in heard], _segment(result, *span)))
        position += max(reached, MISSED_SPEECH) if result else length
    return found


class _Decoder:
    """Decodes pieces of up to 30 s one after the other, each given the text before it."""

    def __init__(
        self, model: Any, device: str, language: str, settings: TranscribeSettings, prompt: str | None
    ) -> None:
        from whisper.tokenizer import get_tokenizer

        self.model, self.settings, self.language = model, settings, language
        self.fp16 = device.startswith("cuda")
        self.tokenizer = get_tokenizer(
            model.is_multilingual, num_languages=model.num_languages, language=language, task="transcribe"
        )
        self.prompt: list[int] = self.tokenizer.encode(f" {prompt.strip()}") if prompt else []

    def decode(self, samples: Samples, offset: float, goes_on: bool) -> tuple[list[Word], Any, float]:
        """(words, Whisper's result, seconds that were decoded); no result where the model hears no speech.

        `offset` is when the samples begin, on the clock that times the words. Where speech `goes_on` after this piece,
        an utterance that the end cuts off is left for the next piece.
        """
        mel = _mel(self.model, samples)
        length = len(samples) / SAMPLE_RATE
        result = self._with_fallback(mel)
        if self._is_silence(result):
            return [], None, length
        tokens, reached = self._complete(result.tokens, length) if goes_on else (result.tokens, length)
        words = self._words(tokens, result.audio_features, length, offset)
        self._remember(tokens, result.temperature)
        if words and not goes_on:
            reached = words[-1].end - offset
        return words, result, reached

    def _with_fallback(self, mel: Any) -> Any:
        """The first decoding that is neither repetitive nor improbable; each try is at a higher temperature."""
        from whisper import DecodingOptions

        heard = mel
        for temperature in self.settings.temperatures:
            search = {"beam_size": self.settings.beam_size} if temperature == 0 else {"best_of": 5}
            result = self.model.decode(
                heard,
                DecodingOptions(
                    language=self.language, temperature=temperature, prompt=self.prompt, fp16=self.fp16, **search
                ),
            )
            heard = result.audio_features
            repetitive = result.compression_ratio > self.settings.compression_ratio_threshold
            improbable = result.avg_logprob < self.settings.logprob_threshold
            if not (repetitive or improbable) or self._is_silence(result):
                break
        return result

    def _is_silence(self, result: Any) -> bool:
        return bool(
            result.no_speech_prob > self.settings.no_speech_threshold
            and result.avg_logprob <= self.settings.logprob_threshold
        )

    def _complete(self, tokens: list[int], length: float) -> tuple[list[int], float]:
        """The tokens up to the last utterance that the model closed, and when that ended."""
        begin = self.tokenizer.timestamp_begin
        times = [token >= begin for token in tokens]
        if times[-2:] == [False, True]:
            return tokens, length
        pairs = [i for i in range(1, len(tokens)) if times[i] and times[i - 1]]
        if not pairs:
            return tokens, length
        return tokens[: pairs[-1]], (tokens[pairs[-1] - 1] - begin) * 0.02

    def _words(self, tokens: list[int], heard: Any, length: float, offset: float) -> list[Word]:
        from whisper.audio import FRAMES_PER_SECOND
        from whisper.timing import add_word_timestamps

        segment: dict[str, Any] = {"seek": 0, "start": 0.0, "end": length, "tokens": tokens}
        add_word_timestamps(
            segments=[segment],
            model=_AfterEncoder(self.model),
            tokenizer=self.tokenizer,
            mel=heard,
            num_frames=round(length * FRAMES_PER_SECOND),
            last_speech_timestamp=0.0,
        )
        return [_word(each, offset, length) for each in _joined(segment["words"])]

    def _remember(self, tokens: list[int], temperature: float) -> None:
        """Add the text to the prompt of the next piece. Text of a high temperature may be wrong, and clears it."""
        if not self.settings.condition_on_previous_text or temperature > RESET_PROMPT_ABOVE:
            self.prompt = []
        else:
            self.prompt = self.prompt + tokens


class _AfterEncoder:
    """A model that reuses the encoder's output, so that timing words does not encode again."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, heard: Any, tokens: Any) -> Any:
        return self._model.decoder(tokens, heard)


def _mel(model: Any, samples: Samples) -> Any:
    import whisper

    padded = whisper.pad_or_trim(samples)
    return whisper.log_mel_spectrogram(padded, model.dims.n_mels).to(model.device)


def _segment(result: Any, start: float, end: float) -> Segment:
    return Segment(
        start=round(start, 2),
        end=round(end, 2),
        temperature=result.temperature,
        mean_logprob=round(result.avg_logprob, 4),
        no_speech_probability=round(result.no_speech_prob, 4),
        compression_ratio=round(result.compression_ratio, 3),
    )


def _joined(timed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Words as they are written: '-control' joins the 'self' before it. Scripts without spaces stay as they are."""
    words: list[dict[str, Any]] = []
    for each in timed:
        if words and each["word"] and not (each["word"][0].isspace() or each["word"][0].isalnum()):
            last = words[-1]
            doubt = min(last["probability"], each["probability"])
            words[-1] = {**last, "word": last["word"] + each["word"], "end": each["end"], "probability": doubt}
        elif each["word"].strip():
            words.append(each)
    return words


def _word(timed: dict[str, Any], offset: float, length: float) -> Word:
    start, end = (round(offset + min(timed[edge], length), 2) for edge in ("start", "end"))
    return Word(text=timed["word"].strip(), start=start, end=end, probability=round(float(timed["probability"]), 4))


def _in_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Times that never run backwards: a word begins no earlier than the one before it."""
    ordered: list[Word] = []
    earliest = 0.0
    for word in words:
        start = max(word.start, earliest)
        ordered.append(word.model_copy(update={"start": start, "end": max(word.end, start)}))
        earliest = start
    return tuple(ordered)


def weights(settings: TranscribeSettings) -> dict[str, str]:
    """The model's name and the sha256 of the weights that `load` would take."""
    return {settings.model: models.find(settings.model).digest}


def load(settings: TranscribeSettings) -> WhisperRecogniser:
    """The model of that size, or of that checkpoint."""
    name, model, device = _loaded(settings.model, settings.device)
    return WhisperRecogniser(name, model, device, settings)


@functools.cache
def _loaded(model: str, device: str) -> tuple[str, Any, str]:
    """(its name, the model, the device it is on); loaded once per process."""
    import torch
    import whisper

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise RostrumError("transcribe.device=cuda: there is no GPU that this torch can use; set it to cpu or auto")
    found = models.find(model)
    if found.path.is_dir():
        return found.name, whisper.load_model(found.name, device=device, download_root=str(found.path)), device
    return found.name, _load_checkpoint(found.path, device), device


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


# (audio layers, text layers, mel bands) tell the size of a checkpoint.
_SIZES = {
    (4, 4, 80): "tiny",
    (6, 6, 80): "base",
    (12, 12, 80): "small",
    (24, 24, 80): "medium",
    (32, 32, 80): "large-v2",
    (32, 32, 128): "large-v3",
    (32, 4, 128): "turbo",
}


def _size_of(model: Any) -> str | None:
    dims = model.dims
    size = _SIZES.get((dims.n_audio_layer, dims.n_text_layer, dims.n_mels))
    return f"{size}.en" if size and not model.is_multilingual else size
