"""sherpa: Parakeet, Zipformer, Canary or Moonshine by sherpa-onnx, from a folder.

`transcribe.model` is the path of a folder as sherpa-onnx publishes it: ONNX files and a tokens.txt. Which family it is,
is read from the names of the files. Transducers (Parakeet, Zipformer) say when each word begins and how sure they are
of it. Canary and Moonshine do not: their words share the time of a stretch of speech by their length, and have no
confidence.
"""

import functools
import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import RostrumError
from pipeline.progress import Progress, no_progress
from pipeline.records import SAMPLE_RATE, Word, file_digest
from pipeline.transcribe.recogniser import ReadSamples, Recognised, Stretch, Window, windows
from pipeline.transcribe.reference import is_punctuated
from pipeline.transcribe.stage import TranscribeSettings

# Settings of Whisper's decoder, and of devices: the wheels of sherpa-onnx run on a CPU.
IGNORES = frozenset(
    [
        "device",
        "precision",
        "beam_size",
        "prompt",
        "known_words",
        "condition_on_previous_text",
        "temperatures",
        "compression_ratio_threshold",
        "logprob_threshold",
        "no_speech_threshold",
        "translate",
    ]
)
# Seconds that are decoded together: short ones where the times of words are shared out.
_TIMED, _UNTIMED = 30.0, 12.0
# Moonshine at times writes nothing at all. Longer windows without words are decoded again in halves.
_SILENT = 4.0
# A word is no longer than this, also where a pause comes after its last token.
_LONGEST_WORD = 1.0
_ONNX = (".int8.onnx", ".onnx", ".ort")


class _Family(NamedTuple):
    """A family of models: the parts that its files are, sherpa-onnx's function that loads them, what else it takes."""

    name: str
    parts: dict[str, str]
    load: str
    has_times: bool
    more: dict[str, Any]


_FAMILIES = (
    _Family(
        "Moonshine", {"encoder": "encoder_model", "decoder": "decoder_model_merged"}, "from_moonshine_v2", False, {}
    ),
    _Family(
        "Moonshine",
        {
            "preprocessor": "preprocess",
            "encoder": "encode",
            "uncached_decoder": "uncached_decode",
            "cached_decoder": "cached_decode",
        },
        "from_moonshine",
        False,
        {},
    ),
    # sherpa-onnx tells Parakeet from Zipformer by what is in the files.
    _Family(
        "transducer",
        {"encoder": "encoder", "decoder": "decoder", "joiner": "joiner"},
        "from_transducer",
        True,
        {"model_type": ""},
    ),
    _Family("Canary", {"encoder": "encoder", "decoder": "decoder"}, "from_nemo_canary", False, {}),
)


class SherpaRecogniser:
    """A loaded model, and how to decode with it."""

    device = "cpu"

    def __init__(self, name: str, model: Any, *, has_times: bool, settings: TranscribeSettings) -> None:
        self.name = f"sherpa-onnx {name}"
        self._model, self._has_times, self._settings = model, has_times, settings

    def transcribe(
        self, read: ReadSamples, stretches: Sequence[Stretch], prompt: str | None, progress: Progress = no_progress
    ) -> Recognised:
        """Decode the stretches, window by window."""
        length = _TIMED if self._has_times else _UNTIMED
        waiting = windows(list(_short(stretches, length)), self._settings.max_pause, length)
        total = sum(window.length for window in waiting) or 1.0
        words: list[Word] = []
        done = 0.0
        for window in waiting:
            words += self._words(window, read)
            done += window.length
            progress(min(1.0, done / total), "recognising")
        punctuated = is_punctuated([word.text for word in words])
        return Recognised(tuple(words), (), self._settings.known_language or "en", punctuated=punctuated)

    def _words(self, window: Window, read: ReadSamples) -> list[Word]:
        stream = self._model.create_stream()
        stream.accept_waveform(SAMPLE_RATE, window.read(read, 0.0, window.length))
        self._model.decode_stream(stream)
        heard = stream.result
        if not heard.text.strip() and window.length > _SILENT:
            half = window.length / 2
            halves = windows(list(_short(window.stretches, half)), self._settings.max_pause, half)
            return [word for part in halves if part.length < window.length for word in self._words(part, read)]
        timed = token_words(heard.tokens, heard.timestamps, heard.ys_log_probs, window.length)
        return [window.in_recording(word) for word in timed or shared_out(heard.text.split(), window.length)]


def _short(stretches: Sequence[Stretch], length: float) -> Iterator[Stretch]:
    """The stretches, long ones in equal parts of at most `length` seconds."""
    for start, end in stretches:
        count = max(1, math.ceil((end - start) / length))
        yield from pairwise([start + (end - start) * number / count for number in range(count + 1)])


def token_words(
    tokens: Sequence[str], starts: Sequence[float], log_probabilities: Sequence[float], length: float
) -> list[Word]:
    """The words that tokens spell, if the model says when they begin. A space begins a word."""
    if not tokens or len(starts) != len(tokens):
        return []
    sure = log_probabilities if len(log_probabilities) == len(tokens) else None
    firsts = [i for i, token in enumerate(tokens) if i == 0 or token[:1] in (" ", "\u2581")]
    words = []
    for first, last in pairwise([*firsts, len(tokens)]):
        text = "".join(tokens[first:last]).replace("\u2581", " ").strip()
        following = starts[last] if last < len(tokens) else length
        end = min(following, starts[last - 1] + _LONGEST_WORD)
        probability = math.exp(sum(sure[first:last]) / (last - first)) if sure else None
        if text:
            words.append(_word(text, starts[first], max(end, starts[first]), probability))
    return words


def shared_out(texts: Sequence[str], length: float) -> list[Word]:
    """Words that share so many seconds by their length, for a model that says no times."""
    letters = list(accumulate((len(text) + 1 for text in texts), initial=0))
    edges = [length * count / max(letters[-1], 1) for count in letters]
    return [_word(text, start, end) for text, (start, end) in zip(texts, pairwise(edges), strict=True)]


def _word(text: str, start: float, end: float, probability: float | None = None) -> Word:
    sure = None if probability is None else round(min(1.0, probability), 4)
    return Word(text=text, start=round(max(0.0, start), 2), end=round(max(0.0, end), 2), probability=sure)


def weights(settings: TranscribeSettings) -> dict[str, str]:
    """The name of the folder, and a digest of the files that `load` would take."""
    folder = Path(settings.model)
    _, files = _family(folder)
    digest = hashlib.sha256("".join(file_digest(path) for path in files.values()).encode()).hexdigest()
    return {folder.name: digest, "sherpa-onnx": _version()}


def _version() -> str:
    try:
        return version("sherpa-onnx")
    except ImportError as error:
        raise RostrumError("transcribe.engine=sherpa needs sherpa-onnx: pip install 'rostrum[sherpa]'") from error


def side_by_side(settings: TranscribeSettings) -> bool:
    """True: each core decodes a recording."""
    return True


def load(settings: TranscribeSettings) -> SherpaRecogniser:
    """The model in that folder."""
    family, model = _loaded(settings.model, settings.known_language)
    return SherpaRecogniser(Path(settings.model).name, model, has_times=family.has_times, settings=settings)


@functools.cache
def _loaded(model: str, language: str | None) -> tuple[_Family, Any]:
    _version()
    import sherpa_onnx

    family, files = _family(Path(model))
    more = dict(family.more)
    if family.name == "Canary":
        more |= {"src_lang": language or "en", "tgt_lang": language or "en"}
    make: Callable[..., Any] = getattr(sherpa_onnx.OfflineRecognizer, family.load)
    return family, make(**{part: str(path) for part, path in files.items()}, num_threads=1, **more)


def _family(folder: Path) -> tuple[_Family, dict[str, Path]]:
    """The family of the model in a folder, and its files by their parts."""
    if not folder.is_dir():
        remedy = "give the path of a folder with ONNX files and a tokens.txt, as sherpa-onnx publishes them"
        raise RostrumError(f"transcribe.model={folder}: no such folder; {remedy}")
    for family in _FAMILIES:
        found = {part: _file(folder, name) for part, name in family.parts.items()}
        files = {part: path for part, path in found.items() if path}
        if len(files) == len(found) and (folder / "tokens.txt").is_file():
            return family, {**files, "tokens": folder / "tokens.txt"}
    known = "; ".join(f"{family.name}: {', '.join(family.parts.values())}" for family in _FAMILIES)
    raise RostrumError(f"{folder}: no model that is known here ({known}, each with .onnx, and tokens.txt)")


def _file(folder: Path, name: str) -> Path | None:
    """The file of a part of the model: `encoder.onnx`, `encoder.int8.onnx` or `encoder-epoch-99-avg-1.onnx`."""
    exact = [folder / f"{name}{suffix}" for suffix in _ONNX]
    numbered = sorted(folder.glob(f"{name}-*.onnx"), key=lambda path: (not path.name.endswith(".int8.onnx"), path.name))
    return next((path for path in (*exact, *numbered) if path.is_file()), None)
