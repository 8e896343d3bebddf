"""ctranslate2: Whisper by CTranslate2, several times faster on a CPU.

It shares windows, fallback rules and word times with the recogniser openai. An OpenAI checkpoint or a model of
HuggingFace's is converted once, into the model cache. A folder made for CTranslate2 or faster-whisper is used as it is.
"""

import functools
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from itertools import islice
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import models
from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.models.whisper_ctranslate2 import ctranslate2_folder, is_converted
from pipeline.models.whisper_huggingface import is_huggingface_whisper
from pipeline.progress import Progress, no_progress
from pipeline.system.device import chosen_device
from pipeline.system.environment import usable_cores
from pipeline.transcribe.recogniser import ReadSamples, Recognised, Stretch, windows
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper import (
    BEST_OF,
    MOST_TOKENS,
    WINDOW,
    Decoding,
    Heard,
    Piece,
    Prompt,
    covered,
    decode_all,
    least_doubtful,
    likeliest_language,
    log_mel,
    word_times,
)

IGNORES: frozenset[str] = frozenset()
# Pieces that are decoded together. More do not make it faster.
_TOGETHER = {"cpu": 4, "cuda": 16}
# Pieces that are encoded ahead where they are decoded one by one.
_AHEAD = 3
# CTranslate2's name for a `transcribe.precision`, where it has another one.
_COMPUTE_TYPES = {("auto", "cpu"): "int8", ("auto", "cuda"): "int8_float16", ("int8", "cuda"): "int8_float16"}
# Models with which int8 on a CPU was measured to make no more word errors than openai-whisper; and small, whose weights
# were 8 bits already, and which openai-whisper decodes too slowly.
_MEASURED = frozenset({"tiny.en", "base.en", "base", "small-8bit"})
# Held while a model is loaded: threads that begin together load it once, and import libraries in turn.
_LOADING = Lock()
# No more samplers than this at once: each is a copy that takes as much memory as the model.
_SAMPLING = BoundedSemaphore(2)
Features = NDArray[np.float32]


def weights(settings: TranscribeSettings) -> dict[str, str]:
    """The model's name and the sha256 of its weights, and the precision that they are used at."""
    model = models.find(settings.model)
    device = _device(settings.device)
    return {settings.model: model.digest, "ctranslate2": _compute_type(settings.precision, device)}


class _Model(NamedTuple):
    """A loaded model, and how to load it again."""

    name: str
    folder: Path
    device: str
    gpu: int
    compute_type: str
    workers: int
    weights: Any

    def sampler(self) -> Any:
        """A copy whose random numbers begin anew, so that the same audio always gives the same samples."""
        import ctranslate2

        ctranslate2.set_random_seed(0)
        return ctranslate2.models.Whisper(
            str(self.folder), self.device, device_index=self.gpu, compute_type=self.compute_type
        )


class CTranslate2Recogniser:
    """A loaded Whisper model, and how to decode with it."""

    def __init__(self, model: _Model, settings: TranscribeSettings) -> None:
        self.name = f"whisper {model.name}, ctranslate2 {model.compute_type}"
        self.device = model.device
        self._model = model
        self._settings = settings

    def transcribe(
        self,
        read: ReadSamples,
        stretches: Sequence[Stretch],
        prompt: str | None,
        progress: Progress = no_progress,
    ) -> Recognised:
        """Decode the stretches, with word times."""
        settings = self._settings
        packed = windows(stretches, settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), settings.known_language or "en")
        with closing(_Encoder(self._model, read, map(Piece, packed))) as encoder:
            language, probability = self._language(encoder)
            decoder = _Decoder(self._model, encoder, language, settings, prompt)
            expects_english = settings.known_language is None and probability is None
            words, segments = decode_all(packed, decoder, progress, expects_english=expects_english)
        return Recognised(words, segments, language, probability)

    def translate(
        self, read: ReadSamples, stretches: Sequence[Stretch], language: str, progress: Progress = no_progress
    ) -> Recognised:
        """Decode the stretches into English, with the times at which the model attends to each word's sound."""
        packed = windows(stretches, self._settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), "en")
        with closing(_Encoder(self._model, read, map(Piece, packed))) as encoder:
            decoder = _Decoder(self._model, encoder, language, self._settings, None, task="translate")
            words, segments = decode_all(packed, decoder, progress, is_translation=True)
        return Recognised(words, segments, "en")

    def _language(self, encoder: "_Encoder") -> tuple[str, float | None]:
        """The language spoken where speech begins, and its probability; None if the model was not asked."""
        known = self._settings.known_language
        if known or not self._model.weights.is_multilingual:
            return known or "en", None
        piece, features = encoder.first()
        [ranked] = self._model.weights.detect_language(_view(features))

        def decoded_as(code: str) -> Decoding:
            decoder = _Decoder(self._model, encoder, code, self._settings, None)
            return decoder.first_decoding(piece, features)

        return likeliest_language({str(name).strip("<|>"): float(share) for name, share in ranked}, decoded_as)


class _Encoder:
    """Encodes the next pieces while one is decoded, so that all cores have work even if pieces are decoded in turn."""

    def __init__(self, model: _Model, read: ReadSamples, pieces: Iterable[Piece]) -> None:
        self._model, self._read, self._coming = model, read, iter(pieces)
        self._begun: dict[Piece, Future[Features]] = {}
        self._threads = ThreadPoolExecutor(model.workers)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    def features(self, piece: Piece, ahead: int) -> Features:
        """The encoded piece. Encoding is begun for the first pieces of up to `ahead` windows."""
        self._begin(ahead)
        begun = self._begun.pop(piece, None)
        return begun.result() if begun else self._encode(piece.samples(self._read))

    def first(self) -> tuple[Piece, Features]:
        """The piece that is decoded first, and the same encoded. It is kept until then."""
        self._begin(_AHEAD)
        piece, begun = next(iter(self._begun.items()))
        return piece, begun.result()

    def _begin(self, ahead: int) -> None:
        for piece in islice(self._coming, max(0, ahead - len(self._begun))):
            self._begun[piece] = self._threads.submit(self._encode, piece.samples(self._read))

    def _encode(self, samples: Samples) -> Features:
        weights = self._model.weights
        mel = np.ascontiguousarray(log_mel(samples, weights.n_mels).numpy())
        return np.array(weights.encode(_view(mel[None]), to_cpu=True))


class _Decoder:
    """Decodes pieces together, or one after the other where each is given the text before it."""

    def __init__(
        self,
        model: _Model,
        encoder: _Encoder,
        language: str,
        settings: TranscribeSettings,
        prompt: str | None,
        task: str = "transcribe",
    ) -> None:
        from whisper.tokenizer import get_tokenizer

        self.model, self.encoder, self.language, self.settings = model, encoder, language, settings
        weights = model.weights
        self.tokenizer = get_tokenizer(
            weights.is_multilingual, num_languages=weights.num_languages, language=language, task=task
        )
        self.prompt = Prompt(self.tokenizer, prompt, settings)
        self.start = list(self.tokenizer.sot_sequence)

    @property
    def at_once(self) -> int:
        one_by_one = self.settings.condition_on_previous_text or self.prompt.tokens
        return 1 if one_by_one else _TOGETHER[self.model.device] * self.model.workers

    def decode(self, pieces: Sequence[Piece]) -> list[Heard]:
        ahead = max(self.at_once, _AHEAD)
        heard = [(piece, self.encoder.features(piece, ahead)) for piece in pieces]
        share = -(-len(heard) // self.model.workers)
        groups = [heard[start : start + share] for start in range(0, len(heard), share)]
        if len(groups) == 1:
            return self._decode(heard)
        with ThreadPoolExecutor(self.model.workers) as pool:
            return [piece for group in pool.map(self._decode, groups) for piece in group]

    def _decode(self, heard: Sequence[tuple[Piece, Features]]) -> list[Heard]:
        together = np.concatenate([features for _, features in heard])
        most_tokens = max(piece.most_tokens(self.language) for piece, _ in heard)
        decodings = self._generate(self.model.weights, together, self.settings.temperatures[0], most_tokens)
        return [self._heard(*encoded, decoding) for encoded, decoding in zip(heard, decodings, strict=True)]

    def first_decoding(self, piece: Piece, features: Features) -> Decoding:
        """The first decoding of a piece, doubtful or not."""
        most_tokens = piece.most_tokens(self.language)
        return self._generate(self.model.weights, features, self.settings.temperatures[0], most_tokens)[0]

    def _with_fallback(self, decoding: Decoding, piece: Piece, features: Features) -> tuple[Decoding, int]:
        """The least doubtful decoding, each try at a higher temperature; and the steps that it took."""
        sampler = functools.cache(self.model.sampler)

        def decode_again(temperature: float, most_tokens: int) -> Decoding:
            return self._generate(sampler(), features, temperature, most_tokens)[0]

        with _SAMPLING if decoding.is_doubtful(self.settings) else nullcontext():
            return least_doubtful(decoding, piece, self.settings, decode_again)

    def _generate(self, weights: Any, features: Features, temperature: float, most_tokens: int) -> list[Decoding]:
        """The decoding of each of these pieces at one temperature."""
        from whisper.utils import compression_ratio

        samples = {"beam_size": 1, "num_hypotheses": BEST_OF, "sampling_topk": 0, "sampling_temperature": temperature}
        prompted = self._prompted()
        results = weights.generate(
            _view(features),
            [prompted] * len(features),
            # CTranslate2 writes up to half of this length, and no more than the prompt leaves of it.
            max_length=min(2 * MOST_TOKENS, max(2 * most_tokens, most_tokens + len(prompted))),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_tokens=self._suppressed,
            **(samples if temperature else {"beam_size": self.settings.beam_size}),
        )
        decodings = []
        for result in results:
            tokens = list(result.sequences_ids[0])
            # CTranslate2's mean is over the text alone; Whisper's also counts the token that ends it
            logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
            ratio = compression_ratio(self.tokenizer.decode(tokens).strip())
            decodings.append(Decoding(tokens, temperature, logprob, result.no_speech_prob, ratio))
        return decodings

    def _heard(self, piece: Piece, features: Features, decoding: Decoding) -> Heard:
        """The words of a piece, with times, from its least doubtful decoding."""
        from whisper.audio import FRAMES_PER_SECOND

        decoding, steps = self._with_fallback(decoding, piece, features)
        if decoding.is_silence(self.settings):
            return Heard([], None, piece.length, steps)
        tokens, reached = covered(decoding.tokens, self.tokenizer.timestamp_begin, piece)
        self.prompt.add(tokens, decoding.temperature)
        text = [token for token in tokens if token < self.tokenizer.eot]
        frames = round(piece.length * FRAMES_PER_SECOND)
        [aligned] = self.model.weights.align(_view(features), self.start, [text], frames)
        words = word_times(text, aligned.alignments, aligned.text_token_probs, self.tokenizer)
        return Heard(words, decoding, reached, steps)

    def _prompted(self) -> list[int]:
        """The tokens before those that the model writes: the prompt, and the start of a transcript."""
        if not self.prompt.tokens:
            return self.start
        return [self.tokenizer.sot_prev, *self.prompt.tokens, *self.start]

    @functools.cached_property
    def _suppressed(self) -> list[int]:
        """Tokens that are never written: sounds and marks that nobody speaks, and the model's own signs."""
        tokenizer = self.tokenizer
        signs = {tokenizer.transcribe, tokenizer.translate, tokenizer.sot, tokenizer.sot_prev, tokenizer.sot_lm}
        return sorted({*tokenizer.non_speech_tokens, *signs, tokenizer.no_speech})


def _view(array: Features) -> Any:
    import ctranslate2

    return ctranslate2.StorageView.from_array(array)


def is_as_good(settings: TranscribeSettings) -> bool:
    """Whether to prefer it to openai: its words were measured to be as good, or openai cannot load the model."""
    model = models.find(settings.model)
    only_here = is_converted(model.path) or is_huggingface_whisper(model.path)
    return only_here or (model.name in _MEASURED and _device(settings.device) == "cpu")


def side_by_side(settings: TranscribeSettings) -> bool:
    """True on a CPU, where each core decodes a recording. One recording is enough work for a GPU."""
    return _device(settings.device) == "cpu"


def load(settings: TranscribeSettings) -> CTranslate2Recogniser:
    """The model of that size, of that checkpoint, or of that CTranslate2 folder."""
    with _LOADING:
        return CTranslate2Recogniser(_loaded(settings.model, settings.device, settings.precision), settings)


@functools.cache
def _loaded(name: str, device: str, precision: str) -> _Model:
    import ctranslate2
    import whisper.tokenizer  # noqa: F401

    model = models.find(name)
    folder, device, gpu = ctranslate2_folder(model), _device(device), _gpu(device)
    workers = usable_cores() if device == "cpu" else 1
    compute_type = _compute_type(precision, device)
    weights = ctranslate2.models.Whisper(
        str(folder), device, device_index=gpu, compute_type=compute_type, inter_threads=workers, intra_threads=1
    )
    return _Model(model.name, folder, device, gpu, compute_type, workers, weights)


def _device(wanted: str) -> str:
    """`cpu` or `cuda`."""
    return _chosen(wanted).partition(":")[0]


def _gpu(wanted: str) -> int:
    """The number of the GPU; 0 without one."""
    return int(_chosen(wanted).partition(":")[2] or 0)


def _chosen(wanted: str) -> str:
    import ctranslate2

    return chosen_device(wanted, ctranslate2.get_cuda_device_count(), "transcribe.device", "CTranslate2")


def _compute_type(precision: str, device: str) -> str:
    import ctranslate2

    wanted = _COMPUTE_TYPES.get((precision, device), precision)
    if wanted not in ctranslate2.get_supported_compute_types(device):
        raise RostrumError(
            f"transcribe.precision={precision}: CTranslate2 cannot use it on this {device}; set it to auto"
        )
    return wanted
