"""A recogniser with a Whisper model, whichever library computes it.

A library's engine says how sound is encoded, how tokens are written, and when words begin and end. All else is here:
the language, the text that the model reads first, further tries at a higher temperature.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from typing import Any, Literal

from pipeline.arrays import Samples
from pipeline.progress import Progress, no_progress
from pipeline.transcribe.recogniser import ReadSamples, Recognised, Stretch, Window, windows
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper_decoding import WINDOW, Decoding, Heard, Piece, TimedWord, decode_all, least_doubtful

RESET_PROMPT_ABOVE = 0.5
# Below this probability of the most probable language, so many languages are tried.
SURE_OF_LANGUAGE = 0.5
LANGUAGES_TRIED = 4
# Half of the model's context may be a prompt, and a third of that known words.
LONGEST_PROMPT, MOST_KNOWN = 223, 74
# Samples drawn at a temperature above 0; the most probable is taken.
BEST_OF = 5
# A piece as the library's encoder returns it.
Encoded = Any


class Prompt:
    """The tokens that the model reads before the next piece: known words, then a given text, then what was heard.

    What was heard is read if it `remembers`; otherwise the same tokens are read before each piece.
    """

    def __init__(
        self, tokenizer: Any, text: str | None, settings: TranscribeSettings, *, remembers: bool = False
    ) -> None:
        words = ", ".join(settings.known_words)
        self._known: list[int] = tokenizer.encode(f" {words}.")[:MOST_KNOWN] if words else []
        self._before: list[int] = tokenizer.encode(f" {text.strip()}") if text else []
        self.remembers = remembers or settings.condition_on_previous_text

    @property
    def tokens(self) -> list[int]:
        """As many as the model can read, the last ones of what was heard."""
        return [*self._known, *self._before[-(LONGEST_PROMPT - len(self._known)) :]]

    def add(self, tokens: list[int], temperature: float) -> None:
        """Add what was heard. Text of a high temperature may be wrong, and is not read before the next piece."""
        if self.remembers:
            self._before = [] if temperature > RESET_PROMPT_ABOVE else self._before + tokens


@dataclass(frozen=True)
class Task:
    """What the model is to write: a transcript of speech in this language, or its translation.

    If it `writes_times`, tokens say when each utterance begins and ends.
    """

    name: Literal["transcribe", "translate"]
    language: str
    tokenizer: Any
    prompt: Prompt
    writes_times: bool = True


# Writes the tokens of encoded pieces: at a temperature, so many or fewer of each.
Write = Callable[[Task, Sequence[Encoded], float, int], list[Decoding]]


class WhisperRecogniser(ABC):
    """A Whisper model, and how to recognise with it. `weights` is the model as its library knows it."""

    weights: Any
    # How many windows are encoded ahead, how many pieces are decoded together, and in how many threads.
    ahead, together, threads = 0, 1, 1

    def __init__(self, name: str, device: str, settings: TranscribeSettings) -> None:
        self.name, self.device, self.settings = name, device, settings

    @abstractmethod
    def encode(self, samples: Samples) -> Encoded:
        """Encode up to 30 s of sound."""

    @abstractmethod
    def languages(self, encoded: Encoded) -> Mapping[str, float]:
        """The probability of each language."""

    @abstractmethod
    def write(self, task: Task, pieces: Sequence[Encoded], temperature: float, most_tokens: int) -> list[Decoding]:
        """Decode each of these pieces."""

    @abstractmethod
    def timed(self, task: Task, encoded: Encoded, tokens: list[int], seconds: float) -> list[TimedWord]:
        """The words of these tokens, with their times in the piece, which has so many seconds."""

    def sampling(self) -> AbstractContextManager[Write]:
        """What writes at temperatures above 0, while the context is open."""
        return nullcontext(self.write)

    @abstractmethod
    def begin(self) -> None:
        """Get ready for a recording: the same one always gives the same samples."""

    def transcribe(
        self, read: ReadSamples, stretches: Sequence[Stretch], prompt: str | None, progress: Progress = no_progress
    ) -> Recognised:
        """Decode the stretches, with word times."""
        packed = windows(stretches, self.settings.max_pause, WINDOW)
        if not packed:
            return Recognised((), (), self.settings.known_language or "en")
        self.begin()
        with closing(_Encoder(self, read, packed)) as encoder:
            language, probability = self._language(Piece(packed[0]), encoder)
            decoder = _Decoder(self, encoder, self._task(language, prompt))
            expects_english = self.settings.known_language is None and probability is None
            heard = decode_all(packed, decoder, progress, expects_english=expects_english)
        return Recognised(*heard, language, probability)

    def translate(
        self, read: ReadSamples, stretches: Sequence[Stretch], language: str, progress: Progress = no_progress
    ) -> Recognised:
        """Decode the stretches into English, with the times at which the model attends to each word's sound."""
        packed = windows(stretches, self.settings.max_pause, WINDOW)
        self.begin()
        with closing(_Encoder(self, read, packed)) as encoder:
            decoder = _Decoder(self, encoder, self._task(language, name="translate"))
            return Recognised(*decode_all(packed, decoder, progress, is_translation=True), "en")

    def _language(self, first: Piece, encoder: "_Encoder") -> tuple[str, float | None]:
        """The language spoken where speech begins, and its probability; None if the model was not asked."""
        known = self.settings.known_language
        if known or not self.weights.is_multilingual:
            return known or "en", None
        encoded = encoder.peek(first)

        def decoded_as(code: str) -> Decoding:
            most_tokens = first.most_tokens(code)
            return self.write(self._task(code), [encoded], self.settings.temperatures[0], most_tokens)[0]

        return likeliest_language(self.languages(encoded), decoded_as)

    def _task(
        self, language: str, prompt: str | None = None, name: Literal["transcribe", "translate"] = "transcribe"
    ) -> Task:
        from whisper.tokenizer import get_tokenizer

        model = self.weights
        tokenizer = get_tokenizer(
            model.is_multilingual, num_languages=model.num_languages, language=language, task=name
        )
        # A translation is one text, whose words depend on what came before.
        return Task(name, language, tokenizer, Prompt(tokenizer, prompt, self.settings, remembers=name == "translate"))


class _Encoder:
    """Encodes the next pieces while one is decoded, so that all cores have work even if pieces are decoded in turn."""

    def __init__(self, model: WhisperRecogniser, read: ReadSamples, windows: Sequence[Window]) -> None:
        self._model, self._read, self._coming = model, read, map(Piece, windows)
        self._begun: dict[Piece, Future[Encoded]] = {}
        self._threads = ThreadPoolExecutor(model.threads)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    def encoded(self, piece: Piece, together: int = 1) -> Encoded:
        """The encoded piece. If the model encodes ahead, the next windows are begun: as many as are used together."""
        ahead = max(together, self._model.ahead) if self._model.ahead else 0
        for coming in islice(self._coming, max(0, ahead - len(self._begun))):
            self._begun[coming] = self._threads.submit(self._model.encode, coming.samples(self._read))
        begun = self._begun.pop(piece, None)
        return begun.result() if begun else self._model.encode(piece.samples(self._read))

    def peek(self, piece: Piece) -> Encoded:
        """The encoded piece, which is kept until it is decoded."""
        kept: Future[Encoded] = Future()
        kept.set_result(self.encoded(piece))
        self._begun[piece] = kept
        return kept.result()


class _Decoder:
    """Decodes pieces together, or one after the other where each is given the text before it."""

    def __init__(self, model: WhisperRecogniser, encoder: _Encoder, task: Task) -> None:
        self.model, self.encoder, self.task, self.settings = model, encoder, task, model.settings

    @property
    def at_once(self) -> int:
        return 1 if self.task.prompt.remembers else self.model.together * self.model.threads

    def decode(self, pieces: Sequence[Piece]) -> list[Heard]:
        encoded = [self.encoder.encoded(piece, self.at_once) for piece in pieces]
        together = self.model.together
        parts = [slice(start, start + together) for start in range(0, len(pieces), together)]
        most_tokens = [max(piece.most_tokens(self.task.language) for piece in pieces[part]) for part in parts]
        tasks, first = [self._task(pieces[part]) for part in parts], repeat(self.settings.temperatures[0])
        with ThreadPoolExecutor(len(parts)) as threads:
            each = threads.map if len(parts) > 1 else map
            written = each(self.model.write, tasks, [encoded[part] for part in parts], first, most_tokens)
            every_task = [task for task, part in zip(tasks, parts, strict=True) for _ in pieces[part]]
            return list(each(self._heard, every_task, pieces, encoded, chain.from_iterable(written)))

    def _task(self, pieces: Sequence[Piece]) -> Task:
        """What is to be written of these pieces. Times are left out where no utterance is cut off: fewer tokens."""
        is_cut_off = any(piece.goes_on for piece in pieces)
        return replace(self.task, writes_times=self.task.prompt.remembers or is_cut_off)

    def _heard(self, task: Task, piece: Piece, encoded: Encoded, first: Decoding) -> Heard:
        """The words of a piece, with times, from its least doubtful decoding."""
        is_doubtful = first.is_doubtful(self.settings)
        with self.model.sampling() if is_doubtful else nullcontext(self.model.write) as write:

            def decode_again(temperature: float, most_tokens: int) -> Decoding:
                # with times, the model is less likely to repeat itself
                return write(replace(task, writes_times=True), [encoded], temperature, most_tokens)[0]

            decoding, steps = least_doubtful(first, piece, self.settings, decode_again)
        if decoding.is_silence(self.settings):
            return Heard([], None, piece.length, steps)
        tokens, reached = covered(decoding.tokens, task.tokenizer.timestamp_begin, piece)
        task.prompt.add(tokens, decoding.temperature)
        return Heard(self.model.timed(task, encoded, tokens, piece.length), decoding, reached, steps)


def covered(tokens: list[int], first_time: int, piece: Piece) -> tuple[list[int], float]:
    """The tokens to keep of a decoded piece, and how many seconds of it they cover.

    Where speech goes on after the piece, the utterance that its end cuts off is left for the next one. Tokens from
    `first_time` on are times.
    """
    times = [token >= first_time for token in tokens]
    if not piece.goes_on or times[-2:] == [False, True]:
        return tokens, piece.length
    pairs = [i for i in range(1, len(tokens)) if times[i] and times[i - 1]]
    if not pairs:
        return tokens, piece.length
    return tokens[: pairs[-1]], (tokens[pairs[-1] - 1] - first_time) * 0.02


def likeliest_language(probabilities: Mapping[str, float], decoded_as: Callable[[str], Decoding]) -> tuple[str, float]:
    """The language of a recording and its probability, by its first piece.

    If the model is not sure, the piece is decoded in the most probable languages. The one of the most probable text is
    taken, even if the language itself is a little less probable.
    """
    ranked = sorted(probabilities, key=lambda code: -probabilities[code])
    chosen = ranked[0]
    if probabilities[chosen] < SURE_OF_LANGUAGE:
        chosen = max(ranked[:LANGUAGES_TRIED], key=lambda code: decoded_as(code).mean_logprob)
    return chosen, round(probabilities[chosen], 4)


def log_mel(samples: Samples, mels: int) -> Any:
    """The log mel spectrogram of samples, filled up with silence to 30 s."""
    import whisper

    return whisper.log_mel_spectrogram(whisper.pad_or_trim(samples), mels)
