"""What all Whisper recognisers share, and beams that share the audio."""

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.transcribe.recogniser import Window
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.whisper_decoding import (
    Decoding,
    Heard,
    Piece,
    TimedWord,
    clear_steps,
    decode_all,
    least_doubtful,
)
from pipeline.transcribe.whisper_recogniser import (
    LONGEST_PROMPT,
    MOST_KNOWN,
    Prompt,
    Task,
    WhisperRecogniser,
    likeliest_language,
)


class Deaf:
    """A decoder that hears nothing in two pieces at once."""

    at_once = 2
    settings = TranscribeSettings()

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [Heard([], None, piece.length, steps=30) for piece in pieces]


def test_progress_is_the_share_of_the_speech_that_is_decoded() -> None:
    windows = [Window([(start, start + length)], 2.0) for start, length in ((0.0, 30.0), (40.0, 20.0), (100.0, 50.0))]
    told: list[float] = []
    assert decode_all(windows, Deaf(), lambda share, what: told.append(round(share, 2))) == ((), ())
    assert told == [0.5, 0.8, 1.0]


def decoding(tokens: int = 60, logprob: float = -0.2, ratio: float = 1.5, temperature: float = 0.0) -> Decoding:
    return Decoding([1] * tokens, temperature, logprob, 0.01, ratio)


class TestLeastDoubtful:
    """A window of 20 s: 30 + 80 steps if it is clear, so at most 330."""

    PIECE = Piece(Window([(0.0, 20.0)], 2.0))

    def tries(self, first: Decoding, *others: Decoding) -> tuple[Decoding, int, list[tuple[float, int]]]:
        """(what is taken, its steps, the tries as temperature and most tokens)."""
        asked: list[tuple[float, int]] = []

        def decode_again(temperature: float, most_tokens: int) -> Decoding:
            asked.append((temperature, most_tokens))
            return others[len(asked) - 1]

        taken, steps = least_doubtful(first, self.PIECE, TranscribeSettings(), decode_again)
        return taken, steps, asked

    def test_clear_speech_is_decoded_once(self) -> None:
        assert self.tries(decoding(60)) == (decoding(60), 90, [])

    def test_a_loop_is_tried_again(self) -> None:
        assert self.PIECE.most_tokens("en") == 135, "1.5 times 30 + 4 * 20 steps, without the 30 of the encoder"
        loop, better = decoding(135, ratio=20.0), decoding(60, -0.4)
        assert self.tries(loop, better) == (better, 30 + 135 + 30 + 60, [(0.2, 264 - 165 - 30)])

    def test_of_doubtful_ones_the_most_probable_that_does_not_repeat_itself_is_taken(self) -> None:
        loop, one, other = decoding(50, -0.1, 9.0), decoding(50, -1.4), decoding(60, -1.2)
        taken, steps, asked = self.tries(loop, one, other)
        assert (taken, steps) == (other, 250)
        assert asked == [(0.2, 154), (0.4, 74)], "nothing is left for a fourth"

    @given(st.floats(0.5, 120), st.lists(st.integers(0, 224), min_size=6, max_size=6))
    def test_no_window_takes_more_steps_than_its_multiple_of_clear_speech(
        self, length: float, tokens: list[int]
    ) -> None:
        window, spent = Window([(0.0, length)], 2.0), 0
        piece = Piece(window)
        while piece.is_worth_decoding:
            first, *others = tokens

            def decode_again(temperature: float, most: int, others: list[int] = others) -> Decoding:
                return decoding(min(most, others[0]), -2.0, temperature=temperature)

            doubted = decoding(min(first, piece.most_tokens("en")), -2.0)
            _, steps = least_doubtful(doubted, piece, TranscribeSettings(), decode_again)
            spent += steps
            piece = piece.following(reached=1.0, steps=steps)
        assert spent <= 2.4 * clear_steps(length)


@pytest.mark.parametrize(
    ("probabilities", "logprobs", "expected"),
    [
        ({"en": 0.9, "ar": 0.1}, {}, ("en", 0.9)),
        ({"ar": 0.27, "it": 0.19, "en": 0.18, "la": 0.1}, {"ar": -1.3, "it": -0.7, "en": -0.3, "la": -1}, ("en", 0.18)),
        ({"de": 0.45, "nl": 0.4}, {"de": -0.2, "nl": -0.6}, ("de", 0.45)),
    ],
)
def test_if_the_language_is_unsure_the_one_of_the_most_probable_text_is_taken(
    probabilities: dict[str, float], logprobs: dict[str, float], expected: tuple[str, float]
) -> None:
    found = likeliest_language(probabilities, lambda code: decoding(10, logprobs[code]))
    assert found == expected


class Foreigner:
    """A decoder that hears a word a second, and is not sure of any."""

    at_once = 1
    settings = TranscribeSettings()

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [
            Heard([TimedWord(" no", n, n + 0.5, 0.3) for n in range(int(piece.length))], decoding(), piece.length, 90)
            for piece in pieces
        ]


class Looping:
    """A decoder that hears one word in the first second of a window, and the same again and again in what is left."""

    at_once = 1
    settings = TranscribeSettings()

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [
            Heard([TimedWord(" yes", 0, 1, 0.9)], decoding(), piece.length, 30)
            if piece.start == 0
            else Heard([TimedWord(" go", n / 9, n / 9 + 0.1, 0.9) for n in range(9)], decoding(ratio=7.0), 1.0, 30)
            for piece in pieces
        ]


def test_a_loop_in_what_is_left_of_a_window_is_not_taken() -> None:
    words, _ = decode_all([Window([(0.0, 8.0)], 2.0)], Looping())
    assert [word.text for word in words] == ["yes"]


def test_what_is_not_understood_ends_within_the_first_minute() -> None:
    windows = [Window([(start, start + 25.0)], 2.0) for start in range(0, 3600, 30)]
    decoded: list[float] = []
    with pytest.raises(RostrumError) as caught:
        decode_all(windows, Foreigner(), lambda share, _: decoded.append(share), expects_english=True)
    assert str(caught.value) == (
        "not understood: in the first 50 s of speech 50 of 50 words are doubtful; another language than English needs "
        "transcribe.model=small; to transcribe it as English, set transcribe.language=en"
    )
    assert len(decoded) == 1
    words, _ = decode_all(windows, Foreigner())
    assert len(words) == 120 * 25


def test_no_more_than_two_minutes_are_decoded_before_it_is_known_whether_they_are_understood() -> None:
    class Together(Foreigner):
        at_once = 16
        asked: ClassVar[list[int]] = []

        def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
            self.asked.append(len(pieces))
            return super().decode(pieces)

    windows = [Window([(start, start + 25.0)], 2.0) for start in range(0, 3600, 30)]
    with pytest.raises(RostrumError, match=r"in the first 98 s of speech"):
        decode_all(windows, Together(), expects_english=True)
    assert Together.asked == [4]
    decode_all(windows[:20], Together())
    assert Together.asked == [4, 16, 4]


class Written:
    """What a recogniser was asked to write: how many pieces at once, and whether with times. What it hears is silence,
    or, if it `loops`, the same again and again.
    """

    def __init__(self, settings: TranscribeSettings, name: str = "transcribe", *, loops: bool = False) -> None:
        asked: list[tuple[int, bool]] = []
        heard = (-0.1, 0.0, 9.0) if loops else (-2.0, 0.9, 1.0)

        class Silent(WhisperRecogniser):
            weights = SimpleNamespace(is_multilingual=False, num_languages=99)
            together, threads = 2, 2

            def encode(self, samples: Any) -> Any:
                return samples

            def languages(self, encoded: Any) -> dict[str, float]:
                return {}

            def write(self, task: Task, pieces: Sequence[Any], temperature: float, most: int) -> list[Decoding]:
                asked.append((len(pieces), task.writes_times))
                return [Decoding([], temperature, *heard) for _ in pieces]

            def timed(self, *_: Any) -> list[TimedWord]:
                return []

            def begin(self) -> None:
                pass

        recogniser, read = Silent("silent", "cpu", settings), lambda start, end: np.zeros(1, np.float32)
        stretches = [(0.0, 25.0), (30.0, 50.0), (60.0, 84.0), (90.0, 125.0), (130.0, 150.0)]
        if name == "translate":
            recogniser.translate(read, stretches, "de")
        else:
            recogniser.transcribe(read, stretches, None)
        self.asked = asked


def test_windows_are_decoded_together_and_have_times_where_an_utterance_may_be_cut_off() -> None:
    """The fourth window has 35 s: its first piece goes on, and what is left of it does not."""
    assert sorted(Written(TranscribeSettings()).asked) == [(2, False), (2, False), (2, True)]
    assert Written(TranscribeSettings(condition_on_previous_text=True)).asked == [(1, True)] * 6
    assert Written(TranscribeSettings(), "translate").asked == [(1, True)] * 6


def test_what_repeats_itself_is_tried_again_with_times() -> None:
    asked = Written(TranscribeSettings(), loops=True).asked
    assert {times for pieces, times in asked if pieces == 1} == {True}
    assert (2, False) in asked


class Skipper:
    """A decoder that hears a word a second, but of its first window skips what is said from `start` to `end`.

    Asked again, it hears there the words of `again`, with this confidence.
    """

    at_once = 1
    settings = TranscribeSettings()

    def __init__(self, start: float, end: float, again: Sequence[str] = (), confidence: float = 0.9) -> None:
        self.start, self.end, self.again, self.confidence = start, end, again, confidence
        self.asked: list[tuple[float, float]] = []

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [self._heard(piece) for piece in pieces]

    def _heard(self, piece: Piece) -> Heard:
        first = piece.window.recorded(piece.start)
        self.asked.append((first, first + piece.length))
        if piece.was_skipped:
            words = [TimedWord(f" {text}", n, n + 0.5, self.confidence) for n, text in enumerate(self.again)]
        else:
            times = [n for n in range(int(piece.length)) if not self.start <= n < self.end]
            words = [TimedWord(f" w{n}", n, n + 1.0, 0.9) for n in times]
        return Heard(words, decoding(), piece.length, 90)


SPEECH = [Window([(100.0, 110.0), (111.0, 120.0)], 2.0)]


def test_speech_that_was_skipped_is_decoded_by_itself() -> None:
    skipper = Skipper(4, 14, again=["the", "floor", "is", "yours"])
    words, _ = decode_all(SPEECH, skipper)
    assert skipper.asked == [(100.0, 120.0), (104.0, 114.0)]
    assert [word.text for word in words][3:10] == ["w3", "the", "floor", "is", "yours", "w14", "w15"]
    assert [word.start for word in words][4:8] == [104.0, 105.0, 106.0, 107.0]


@pytest.mark.parametrize(
    ("again", "confidence"),
    [(["the", "floor"], 0.3), (["w2", "w3", "w14"], 0.9), ([], 0.9)],
    ids=["not sure", "said beside it", "nothing"],
)
def test_skipped_speech_adds_only_words_that_are_sure_and_new(again: list[str], confidence: float) -> None:
    words, _ = decode_all(SPEECH, Skipper(4, 14, again, confidence))
    assert [word.text for word in words] == [f"w{n}" for n in (*range(4), *range(14, 20))]


def test_a_pause_is_not_skipped_speech() -> None:
    skipper = Skipper(9, 11)
    decode_all(SPEECH, skipper)
    assert len(skipper.asked) == 1, "of the two seconds without a word, one is speech"


PROMPT = list(range(1000, 1040))


@pytest.fixture(scope="module")
def model() -> Any:
    """A small Whisper with random weights."""
    import torch
    from whisper.model import ModelDimensions, Whisper

    torch.manual_seed(0)
    dims = ModelDimensions(
        n_mels=80,
        n_audio_ctx=1500,
        n_audio_state=32,
        n_audio_head=2,
        n_audio_layer=1,
        n_vocab=51864,
        n_text_ctx=448,
        n_text_state=32,
        n_text_head=2,
        n_text_layer=2,
    )
    model = Whisper(dims).eval()
    torch.nn.init.normal_(model.decoder.positional_embedding)  # whisper leaves it as it finds the memory
    return model


@pytest.mark.parametrize("options", [{"beam_size": 5}, {"best_of": 5, "temperature": 0.8}], ids=["beams", "samples"])
@pytest.mark.parametrize("prompt", [None, PROMPT], ids=["alone", "after text"])
def test_they_write_what_whisper_writes(model: Any, options: dict[str, Any], prompt: list[int] | None) -> None:
    import torch
    from whisper import DecodingOptions

    from pipeline.transcribe.engines.openai import decode, share_audio

    sharing = copy.deepcopy(model)
    share_audio(sharing)
    mel = torch.randn(80, 3000, generator=torch.Generator().manual_seed(2))
    how = DecodingOptions(language="en", fp16=False, prompt=prompt, sample_len=30, **options)
    torch.manual_seed(1)
    theirs = model.decode(mel, how)
    torch.manual_seed(1)
    ours = decode(sharing, mel, how)
    assert ours.tokens == theirs.tokens
    assert len(ours.tokens) > 5
    assert ours.avg_logprob == pytest.approx(theirs.avg_logprob, abs=1e-4)
    assert ours.no_speech_prob == pytest.approx(theirs.no_speech_prob, abs=1e-6)
    assert torch.equal(ours.audio_features, theirs.audio_features)


def test_known_words_are_read_before_every_window() -> None:
    """Earlier text comes after them, its last tokens if it is long; a doubtful text is forgotten, and they are not."""
    from whisper.tokenizer import get_tokenizer

    tokenizer = get_tokenizer(False)
    known = tokenizer.encode(" Amara, Julian.")
    settings = TranscribeSettings(known_words=("Amara", "Julian"), condition_on_previous_text=True)
    prompt = Prompt(tokenizer, "Zoos", settings)
    assert prompt.tokens == [*known, *tokenizer.encode(" Zoos")]
    prompt.add(list(range(300)), temperature=0.0)
    assert prompt.tokens == [*known, *range(300 - LONGEST_PROMPT + len(known), 300)]
    assert len(prompt.tokens) == LONGEST_PROMPT
    prompt.add([1, 2], temperature=0.8)
    assert prompt.tokens == known


def test_without_earlier_text_a_given_one_is_read_before_every_window() -> None:
    from whisper.tokenizer import get_tokenizer

    tokenizer = get_tokenizer(False)
    prompt = Prompt(tokenizer, "Zoos", TranscribeSettings(known_words=("Amara",)))
    for temperature in (0.0, 0.8):
        prompt.add([1, 2], temperature)
        assert prompt.tokens == [*tokenizer.encode(" Amara."), *tokenizer.encode(" Zoos")]


def test_many_known_words_leave_room_for_what_was_heard() -> None:
    from whisper.tokenizer import get_tokenizer

    prompt = Prompt(get_tokenizer(False), None, TranscribeSettings(known_words=("Stephanopoulos",) * 200))
    assert len(prompt.tokens) == MOST_KNOWN
