"""What all Whisper recognisers share, and beams that share the audio."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from pipeline.transcribe.recogniser import Window
from pipeline.transcribe.whisper import Heard, Piece, decode_all


class Deaf:
    """A decoder that hears nothing in two pieces at once."""

    at_once = 2

    def decode(self, pieces: Sequence[Piece]) -> Sequence[Heard]:
        return [Heard([], None, piece.length) for piece in pieces]


def test_progress_is_the_share_of_the_speech_that_is_decoded() -> None:
    windows = [Window([(start, start + length)], 2.0) for start, length in ((0.0, 30.0), (40.0, 20.0), (100.0, 50.0))]
    told: list[float] = []
    assert decode_all(windows, Deaf(), lambda share, what: told.append(round(share, 2))) == ((), ())
    assert told == [0.5, 0.8, 1.0]


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
