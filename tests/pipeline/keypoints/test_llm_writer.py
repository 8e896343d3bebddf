"""Key points with a large language model: as a matcher and as a writer."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.keypoints.llm_writer import ChosenBy, LlmWriter
from pipeline.keypoints.show import page
from pipeline.keypoints.stage import KeypointsSettings, keypoints
from pipeline.llm.large_model import LargeModel
from pipeline.matching.matcher import load_matcher
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.records import Speeches
from tests.llm_server import Response, Server, serving
from tests.models import needs
from tests.pipeline.keypoints.test_debate import MOTION, SENTENCES, SPEECHES

SPEECHES_RECORD = Speeches(items=SPEECHES)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The models of this machine, and no answers."""
    for model in models.usable():
        if model.path.parent == models.cache_folder():
            (tmp_path / model.name).symlink_to(model.path)
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    monkeypatch.delenv("ROSTRUM_LLM_KEY", raising=False)


def items(prompt: str, after: str) -> list[str]:
    """The numbered lines of a prompt below the line that begins so."""
    block = re.split(rf"(?m)^{after}.*$", prompt)[1].strip().split("\n\n")[0]
    return [line.partition(". ")[2] for line in block.splitlines()]


def words_in_common(prompt: str) -> Response:
    """A model that finds a match where the last words are the same."""
    statements, points = items(prompt, "Statements"), items(prompt, "Key points")
    matches = [
        {"statement": row + 1, "key_point": column + 1, "confidence": 0.75}
        for row, statement in enumerate(statements)
        for column, point in enumerate(points)
        if statement.rstrip(".").split()[-1] == point.rstrip(".").split()[-1]
    ]
    return Response(json.dumps({"matches": matches}))


def asked(server: Server, **changed: object) -> LargeModel:
    return LargeModel(server.settings.model_copy(update=changed))


def test_scores_are_at_their_place_whatever_the_batch() -> None:
    arguments = [f"Statement {number}" for number in range(7)]
    points = [f"Point {number}" for number in range(25)]
    with serving(words_in_common) as server:
        found = load_matcher("llm", asked(server, batch=3)).scores("phones", arguments, points)
        assert len(server.asked) == 3 * 2  # seven statements by threes, 25 key points by twenties
    assert np.array_equal(found, 0.75 * np.eye(7, 25))


def test_a_number_that_nothing_has_is_no_match() -> None:
    wrong = Response('{"matches": [{"statement": 1, "key_point": 2, "confidence": 1}]}')
    with serving(lambda prompt: wrong) as server, pytest.raises(RostrumError, match="there is no key point 2"):
        load_matcher("llm", asked(server)).scores("phones", ["one"], ["one"])


def test_without_an_address_there_is_no_such_matcher() -> None:
    with pytest.raises(RostrumError, match=r"set llm.url and llm.model"):
        load_matcher("llm")


def written(*points: tuple[str, list[int]]) -> Response:
    return Response(json.dumps({"key_points": [{"text": text, "statements": numbers} for text, numbers in points]}))


def test_what_is_written_names_what_it_comes_from() -> None:
    texts = ["They ring.", "Phones distract pupils.", "Pupils look at phones."]
    with serving(lambda prompt: written(("Phones distract pupils.", [2, 3]))) as server:
        made = LlmWriter(asked(server))("phones", texts, TokenOverlap())
        assert items(server.prompts[0], "These statements") == texts
    (point,) = made.key_points
    assert (point.text, point.source) == ("Phones distract pupils", 1)
    assert np.allclose(made.scores[:, 0], [0, 1, 2 / 3])


def test_long_debates_are_summed_up_part_by_part() -> None:
    texts = [f"Reason {number}" for number in range(310)]

    def answer(prompt: str) -> Response:
        statements = items(prompt, "These statements")
        return written((f"Best of {statements[-1]}", [len(statements)]))

    with serving(answer) as server:
        (point,) = LlmWriter(asked(server)).written("phones", texts)
        assert [len(items(prompt, "These statements")) for prompt in server.prompts] == [150, 150, 10, 3]
    assert (point.text, point.source) == ("Best of Best of Reason 309", 309)


def test_too_many_key_points_are_refused() -> None:
    three = written(*[(f"Point {number}", [1]) for number in range(3)])
    with serving(lambda prompt: three) as server, pytest.raises(RostrumError, match="3 key points, and 2 is the most"):
        LlmWriter(asked(server)).written("phones", ["one"], most=2)


def test_nothing_is_asked_where_nothing_was_said() -> None:
    with serving(words_in_common) as server:
        assert LlmWriter(asked(server))("phones", [], TokenOverlap()).key_points == ()
        assert server.asked == []


@needs("punkt")
def test_a_fast_matcher_chooses_what_the_model_matches() -> None:
    texts = ["Phones distract pupils from learning", "So phones distract pupils from learning", "Toys cost money"]
    with serving(words_in_common) as server:
        made = ChosenBy(TokenOverlap())("phones", texts, load_matcher("llm", asked(server)))
        assert all(len(items(prompt, "Key points")) <= len(texts) for prompt in server.prompts)
    learning = [point.text for point in made.key_points].index("Phones distract pupils from learning")
    assert made.scores[:, learning].tolist() == [0.75, 0.75, 0]


def answers(prompt: str) -> Response:
    if "Key points, each" in prompt:
        return words_in_common(prompt)
    return written((items(prompt, "These statements")[0], [1]))


def test_the_stage_says_who_was_asked_and_what_it_took() -> None:
    with serving(answers) as server:
        settings = KeypointsSettings(matcher="llm", writer="llm", llm=server.settings)
        record = keypoints(MOTION, SPEECHES_RECORD, SENTENCES, settings=settings)
        again = keypoints(MOTION, SPEECHES_RECORD, SENTENCES, settings=settings)
        assert record.matcher == "llm small"
        assert record.llm is not None
        assert (record.llm.model, record.llm.answers) == ("small", len(server.asked))
        assert "Asked: small: " in page(record)
        assert again == record  # from what was kept: nothing was asked a second time
    assert {point.stance for point in record.points} == {"pro", "con"}


def test_no_stage_asks_unless_a_setting_says_so() -> None:
    from pipeline.run.configuration import Settings
    from pipeline.stage import STAGES

    settings = Settings.model_validate({"llm": {"url": "http://127.0.0.1:1/v1", "model": "m"}})
    assert [name for name in STAGES if (own := settings.of(name)) and own.asked_llm] == []
