"""Answers of a large language model: checked, asked for once more, kept, counted."""

from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.llm.large_model import Answer, Check, LargeModel, Prompt, model_digests
from pipeline.settings import LlmSettings
from tests.llm_server import MODEL, Response, in_turn, serving


class Picked(Answer):
    """An answer to the prompt `match`, for these tests: any of its forms would do."""

    matches: list[int]


PROMPT = Prompt("match", Picked)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path))
    monkeypatch.delenv("ROSTRUM_LLM_KEY", raising=False)


def ask(asked: LargeModel, *topics: str, check: Check[Picked] = lambda answer: "") -> list[Picked]:
    questions = [
        {"topic": topic, "statements": "1. They ring.", "key_points": "1. Phones ring."}
        for topic in topics or ["phones"]
    ]
    return asked.ask(PROMPT, questions, [check] * len(questions))


@pytest.mark.parametrize(
    "text",
    [
        '{"matches": [3]}',
        '```json\n{"matches": [3]}\n```',
        '<think>{not this}</think>\nHere it is: {"matches": [3]}',
    ],
)
def test_the_answer_is_found_in_what_models_write_around_it(text: str) -> None:
    with serving(in_turn(Response(text))) as server:
        assert ask(LargeModel(server.settings)) == [Picked(matches=[3])]
        assert "This is a debate on: phones" in server.prompts[0]


def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong() -> None:
    with serving(in_turn(Response('{"matches": "all"}'), Response('{"matches": [1]}'))) as server:
        asked = LargeModel(server.settings)
        assert ask(asked) == [Picked(matches=[1])]
        second = server.asked[1]["messages"]
        assert [message["role"] for message in second] == ["user", "assistant", "user"]
        assert "matches: Input should be a valid array" in second[2]["content"]
        assert (asked.use().answers, asked.use().sent_tokens, asked.use().answered_tokens) == (1, 200, 20)


def test_two_wrong_answers_are_an_error_of_one_line() -> None:
    with serving(in_turn(Response("I cannot."), Response("No."))) as server:
        with pytest.raises(RostrumError) as error:
            ask(LargeModel(server.settings))
        assert str(error.value) == (
            "llm.model small: its answers to the prompt match cannot be used (it is not the JSON that was asked for); "
            "use a larger model, or a smaller llm.batch"
        )
        assert len(server.asked) == 2


def test_an_answer_in_the_right_form_may_still_be_wrong() -> None:
    def wrong(answer: Picked) -> str:
        return "there is no key point 9" if 9 in answer.matches else ""

    with serving(in_turn(Response('{"matches": [9]}'), Response('{"matches": [1]}'))) as server:
        assert ask(LargeModel(server.settings), check=wrong) == [Picked(matches=[1])]
        assert "there is no key point 9" in server.prompts[1]


def test_an_answer_is_kept_and_costs_the_same_on_record() -> None:
    with serving(in_turn(Response('{"matches": [1]}'))) as server:
        priced = server.settings.model_copy(update={"input_price": 2.0, "output_price": 30.0})
        first, second = LargeModel(priced), LargeModel(priced)
        assert ask(first) == ask(second)
        assert len(server.asked) == 1
    # 100 tokens at 2, 10 tokens at 30, each by the million
    assert first.use() == second.use()
    assert (first.use().model, first.use().cost) == (MODEL, 0.0005)


def test_without_prices_no_cost_is_claimed() -> None:
    with serving(in_turn(Response('{"matches": []}'))) as server:
        asked = LargeModel(server.settings)
        ask(asked)
        assert asked.use().cost is None
        assert asked.use().report_line() == "small: 1 answer, 100 + 10 tokens"


def test_another_question_or_another_model_is_asked_anew() -> None:
    with serving(lambda prompt: Response('{"matches": []}')) as server:
        for settings, topic in (
            (server.settings, "phones"),
            (server.settings, "trains"),
            (server.settings.model_copy(update={"model": "other"}), "phones"),
        ):
            ask(LargeModel(settings), topic)
        assert len(server.asked) == 3


def test_answers_come_in_the_order_of_the_questions() -> None:
    def answer(prompt: str) -> Response:
        topic = prompt.splitlines()[0].rpartition(" ")[2]
        return Response(f'{{"matches": [{topic}]}}')

    with serving(answer) as server:
        asked = LargeModel(server.settings.model_copy(update={"parallel": 4}))
        found = ask(asked, *map(str, range(20)))
    assert [answer.matches for answer in found] == [[number] for number in range(20)]


def test_the_digest_is_of_what_decides_the_answers() -> None:
    def digest(**changed: object) -> str:
        settings = LlmSettings(url="http://a/v1", model="m").model_copy(update=changed)
        return model_digests(settings, [PROMPT])[f"llm {settings.model}"]

    assert digest() == digest(url="http://b/v1", parallel=9, timeout=1.0, input_price=3.0)
    others = [{"model": "n"}, {"temperature": 0.5}, {"batch": 3}, {"structured": False}, {"max_tokens": 9}]
    assert len({digest(), *(digest(**other) for other in others)}) == 6
