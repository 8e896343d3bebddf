import pytest

from pipeline.text.sentences import asks


@pytest.mark.parametrize(
    "sentence",
    [
        "why should we act",
        "so why is that",
        "do you agree",
        "and isn't it true that they left",
        "what kind of world is this",
        "how much can a family pay",
        "how about the poor",
        "what's the harm",
        "who are we to judge",
    ],
)
def test_questions(sentence: str) -> None:
    assert asks(sentence.split())


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "so",
        "what we need is time",
        "when something is required we act",
        "first is that it harms",
        "is",
        "we should act",
    ],
)
def test_statements(sentence: str) -> None:
    assert not asks(sentence.split())
