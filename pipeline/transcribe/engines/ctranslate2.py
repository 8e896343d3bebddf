"""ctranslate2: Whisper by CTranslate2, several times faster on a CPU.

It shares windows, fallback rules and word times with the recogniser openai. An OpenAI checkpoint or a model of
HuggingFace's is converted once, into the model cache. A folder made for CTranslate2 or faster-whisper is used as it is.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline import models
from pipeline.arrays import Samples
from pipeline.errors import RostrumError
from pipeline.models.whisper_ctranslate2 import ctranslate2_folder, is_converted
from pipeline.models.whisper_huggingface import is_huggingface_whisper
from pipeline.system.environment import chosen_device, usable_cores
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper_decoding import MOST_TOKENS, Decoding, TimedWord
from pipeline.transcribe.whisper_recogniser import BEST_OF, Task, WhisperRecogniser, Write, log_mel

IGNORES: frozenset[str] = frozenset()
# Pieces that are decoded together. More do not make it faster.
_TOGETHER = {"cpu": 4, "cuda": 16}
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


@dataclass(frozen=True)
class _Model:
    """A model of CTranslate2, loaded when it is first used. The random numbers of a sampler begin anew."""

    name: str
    folder: Path
    device: str
    gpu: int
    compute_type: str
    workers: int
    is_sampler: bool = False

    @functools.cached_property
    def weights(self) -> Any:
        import ctranslate2

        threads = {} if self.is_sampler else {"inter_threads": self.workers, "intra_threads": 1}
        if self.is_sampler:
            ctranslate2.set_random_seed(0)
        return ctranslate2.models.Whisper(
            str(self.folder), self.device, device_index=self.gpu, compute_type=self.compute_type, **threads
        )


class CTranslate2Recogniser(WhisperRecogniser):
    """A model of CTranslate2, and how to recognise with it."""

    ahead = 3

    def __init__(self, model: _Model, settings: TranscribeSettings) -> None:
        super().__init__(f"whisper {model.name}, ctranslate2 {model.compute_type}", model.device, settings)
        self.together, self.threads = _TOGETHER[model.device], model.workers
        self._model = model

    @property
    def weights(self) -> Any:
        return self._model.weights

    def begin(self) -> None:
        pass  # for each piece, random numbers begin anew

    def encode(self, samples: Samples) -> Features:
        mel = np.ascontiguousarray(log_mel(samples, self.weights.n_mels).numpy())
        return np.array(self.weights.encode(_view(mel[None]), to_cpu=True))

    def languages(self, encoded: Features) -> Mapping[str, float]:
        [ranked] = self.weights.detect_language(_view(encoded))
        return {str(name).strip("<|>"): float(share) for name, share in ranked}

    @contextmanager
    def sampling(self) -> Iterator[Write]:
        with _SAMPLING:
            yield CTranslate2Recogniser(replace(self._model, is_sampler=True), self.settings).write

    def timed(self, task: Task, encoded: Features, tokens: list[int], seconds: float) -> list[TimedWord]:
        from whisper.audio import FRAMES_PER_SECOND

        text = [token for token in tokens if token < task.tokenizer.eot]
        start, frames = list(task.tokenizer.sot_sequence), round(seconds * FRAMES_PER_SECOND)
        [aligned] = self.weights.align(_view(encoded), start, [text], frames)
        return word_times(text, aligned.alignments, aligned.text_token_probs, task.tokenizer)

    def write(self, task: Task, pieces: Sequence[Features], temperature: float, most_tokens: int) -> list[Decoding]:
        from whisper.utils import compression_ratio

        samples = {"beam_size": 1, "num_hypotheses": BEST_OF, "sampling_topk": 0, "sampling_temperature": temperature}
        prompted = _prompted(task)
        results = self.weights.generate(
            _view(np.concatenate(pieces)),
            [prompted] * len(pieces),
            # CTranslate2 writes up to half of this length, and no more than the prompt leaves of it.
            max_length=min(2 * MOST_TOKENS, max(2 * most_tokens, most_tokens + len(prompted))),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_tokens=_suppressed(task.tokenizer),
            **(samples if temperature else {"beam_size": self.settings.beam_size}),
        )
        decodings = []
        for result in results:
            tokens = list(result.sequences_ids[0])
            # CTranslate2's mean is over the text alone; Whisper's also counts the token that ends it
            logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
            ratio = compression_ratio(task.tokenizer.decode(tokens).strip())
            decodings.append(Decoding(tokens, temperature, logprob, result.no_speech_prob, ratio))
        return decodings


def _prompted(task: Task) -> list[int]:
    """The tokens before those that the model writes: the prompt, and the start of a transcript."""
    tokenizer = task.tokenizer
    start = tokenizer.sot_sequence if task.writes_times else tokenizer.sot_sequence_including_notimestamps
    before = task.prompt.tokens
    return [tokenizer.sot_prev, *before, *start] if before else list(start)


def _suppressed(tokenizer: Any) -> list[int]:
    """Tokens that are never written: sounds and marks that nobody speaks, and the model's own signs."""
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
    import whisper.tokenizer  # noqa: F401

    model = models.find(name)
    folder, device, gpu = ctranslate2_folder(model), _device(device), _gpu(device)
    workers = usable_cores() if device == "cpu" else 1
    loaded = _Model(model.name, folder, device, gpu, _compute_type(precision, device), workers)
    assert loaded.weights
    return loaded


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


# When words begin and end, by the audio frame at which each token was written: the rules of openai-whisper.

SECONDS_PER_FRAME = 0.02
LONGEST_USUAL_WORD = 0.7
SENTENCE_ENDS = ".。!！?？"
PREPENDED = "\"'“¿([{-"
APPENDED = "\"'.。,，!！?？:：”)]}、"


def word_times(
    tokens: Sequence[int], path: Sequence[tuple[int, int]], probabilities: Sequence[float], tokenizer: Any
) -> list[TimedWord]:
    """The words that these text tokens spell.

    `path` pairs tokens with frames of 20 ms, in order; `probabilities` are those of the tokens.
    """
    from whisper.timing import merge_punctuations

    words = _aligned(tokens, path, probabilities, tokenizer)
    durations = [word.end - word.start for word in words if word.end != word.start]
    usual = min(LONGEST_USUAL_WORD, float(np.median(durations))) if durations else 0.0
    if durations:
        _shorten_at_sentence_ends(words, 2 * usual)
    merge_punctuations(words, PREPENDED, APPENDED)
    timed = [
        TimedWord(word.word, round(word.start, 2), round(word.end, 2), word.probability) for word in words if word.word
    ]
    return _shorten_first(timed, usual)


def _aligned(
    tokens: Sequence[int], path: Sequence[tuple[int, int]], probabilities: Sequence[float], tokenizer: Any
) -> list[Any]:
    """A word begins at the first frame of its first token, and ends where the next one begins."""
    from whisper.timing import WordTiming

    spelled, parts = tokenizer.split_to_word_tokens([*tokens, tokenizer.eot])
    if len(parts) <= 1:
        return []
    token_index, frame = np.array(path).T
    begins = frame[np.diff(token_index, prepend=-1) > 0] * SECONDS_PER_FRAME
    edges = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return [
        WordTiming(word, part, float(begins[first]), float(begins[last]), float(np.mean(probabilities[first:last])))
        for word, part, first, last in zip(spelled, parts, edges[:-1], edges[1:], strict=False)
    ]


def _shorten_at_sentence_ends(words: Sequence[Any], longest: float) -> None:
    """A pause between sentences belongs to neither the punctuation mark nor the word after it."""
    for previous, word in zip(words, words[1:], strict=False):
        if word.end - word.start > longest:
            if word.word in SENTENCE_ENDS:
                word.end = word.start + longest
            elif previous.word in SENTENCE_ENDS:
                word.start = word.end - longest


def _shorten_first(words: list[TimedWord], usual: float) -> list[TimedWord]:
    """The silence before the first word does not belong to it."""
    longest = 2 * usual
    if not words or words[0].end <= 2 * longest:
        return words
    first, *others = words
    too_long = first.end - first.start > longest
    if not too_long and not (others and others[0].end - first.start > 2 * longest):
        return words
    if others and others[0].end - others[0].start > longest:
        boundary = max(others[0].end / 2, others[0].end - longest)
        first = first._replace(end=boundary)
        others[0] = others[0]._replace(start=boundary)
    return [first._replace(start=max(0.0, first.end - longest)), *others]
