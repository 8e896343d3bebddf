import pytest
import torch

from pipeline.diarize import speaker_embedding
from pipeline.diarize.speaker_embedding import CAMPlusPlus
from tests.voices import noise, voice


@pytest.fixture(scope="module")
def network() -> CAMPlusPlus:
    torch.manual_seed(0)
    return CAMPlusPlus().eval()


def test_the_network_is_the_papers(network: CAMPlusPlus) -> None:
    """Its size is the published one, and its weights have the published names."""
    assert sum(weight.numel() for weight in network.parameters()) == pytest.approx(7.18e6, rel=0.05)
    state = network.state_dict()
    assert state["xvector.block2.tdnnd24.cam_layer.linear_local.weight"].shape == (32, 128, 3)
    assert state["xvector.transit3.linear.weight"].shape == (512, 1024, 1)
    assert state["xvector.dense.linear.weight"].shape == (192, 1024, 1)


@pytest.mark.parametrize("frames", [4, 7, 99, 100, 101, 350])
def test_a_vector_for_any_length(network: CAMPlusPlus, frames: int) -> None:
    vector = speaker_embedding.embed_with_campplus(network, torch.randn(frames, 80))
    assert vector.shape == (192,)
    assert vector.isfinite().all()


def test_the_mask_is_that_of_each_frames_own_context(network: CAMPlusPlus) -> None:
    """As the paper has it: for every frame the mean of all, plus the mean of its segment of a hundred."""
    mask = network.xvector.block1.tdnnd1.cam_layer
    frames = torch.randn(1, 128, 250)
    segments = torch.cat(
        [frames[..., a:b].mean(-1, keepdim=True).expand(-1, -1, b - a) for a, b in ((0, 100), (100, 200), (200, 250))],
        dim=-1,
    )
    context = frames.mean(-1, keepdim=True) + segments
    expected = mask.linear_local(frames) * torch.sigmoid(mask.linear2(torch.relu(mask.linear1(context))))
    assert torch.allclose(mask(frames), expected, atol=1e-5)


def test_level_is_not_part_of_a_voice(network: CAMPlusPlus) -> None:
    sound = torch.from_numpy(voice(150.0) + noise(1.0, 0.02))
    loud, soft = (speaker_embedding.kaldi_filter_banks(sound * gain) for gain in (1.0, 0.1))
    assert loud.shape == (98, 80)
    vectors = (speaker_embedding.embed_with_campplus(network, banks) for banks in (loud, soft))
    assert torch.nn.functional.cosine_similarity(*vectors, dim=0).item() == pytest.approx(1.0, abs=1e-3)
