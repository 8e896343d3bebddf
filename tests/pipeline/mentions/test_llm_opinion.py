"""A large language model's opinion on passages and arguments."""

import json
import re
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.llm.large_model import LargeModel
from pipeline.mentions.finding import LlmOpinion
from tests.llm_server import Response, serving


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    monkeypatch.delenv("ROSTRUM_LLM_KEY", raising=False)


def by_length(prompt: str) -> Response:
    """A model that answers with a tenth of the passage's words, the last pair first."""
    found = re.findall(r"Pair (\d+)\nPassage: (.*)\nArgument", prompt)
    answers = [{"pair": int(number), "probability": len(text.split()) / 10} for number, text in found]
    return Response(json.dumps({"answers": answers[::-1]}))


def test_each_pair_has_its_own_answer_whatever_the_batch() -> None:
    pairs = [(" ".join(["word"] * count), "a claim") for count in (1, 5, 2, 9, 3)]
    with serving(by_length) as server:
        opinion = LlmOpinion(LargeModel(server.settings.model_copy(update={"batch": 2})))
        assert opinion.probabilities(pairs).tolist() == [0.1, 0.5, 0.2, 0.9, 0.3]
        assert len(server.asked) == 3


def test_a_pair_that_is_left_out_is_asked_for() -> None:
    one = Response('{"answers": [{"pair": 1, "probability": 0.5}]}')
    with serving(lambda prompt: one) as server, pytest.raises(RostrumError, match="pair 2 is missing"):
        LlmOpinion(LargeModel(server.settings)).probabilities([("a", "b"), ("c", "d")])
