import pytest

from pipeline.errors import RostrumError
from pipeline.text import sentences


@pytest.fixture(autouse=True)
def _needs_punkt() -> None:
    try:
        sentences.punkt_folder()
    except RostrumError as error:
        pytest.skip(str(error))


def cut(text: str) -> list[str]:
    starts = [0, *sentences.sentence_ends(text)]
    return [text[start:end].strip() for start, end in zip(starts, starts[1:], strict=False)]


@pytest.mark.parametrize(
    "sentence",
    [
        "We should act, e.g. in the schools, i.e. The House should.",
        "Mr. Smith met Mrs. Jones, Dr. Brown, Sen. Warren and Prof. Green.",
        "Roe v. Wade and Brown vs. Board of Education were decided in the U.S. Supreme Court.",
        "See No. 5, Art. 3 and Fig. 2 of the E.U. Parliament.",
        "It costs 3.5 percent of the G.D.P. every year.",
        "Taxes, fees, etc. are a burden on St. Louis.",
        "He said it... and left.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(sentence: str) -> None:
    assert cut(sentence) == [sentence]
    assert cut(f"{sentence} This is next.") == [sentence, "This is next."]


def test_words_that_only_look_like_abbreviations_end_sentences() -> None:
    assert cut("Should we? No. Governments fall ill. Markets don't.") == [
        "Should we?",
        "No.",
        "Governments fall ill.",
        "Markets don't.",
    ]


def test_a_sentence_may_end_with_an_acronym() -> None:
    assert cut("It is legal in the U.S. We should follow. So it is with the N.H.S. They wait.") == [
        "It is legal in the U.S.",
        "We should follow.",
        "So it is with the N.H.S.",
        "They wait.",
    ]


def test_closing_quotes_stay_with_their_sentence() -> None:
    assert cut('He said "stop." Then what?! "Go," she said.') == ['He said "stop."', "Then what?!", '"Go," she said.']


def test_nothing_and_blank_text() -> None:
    assert cut("") == []
    assert cut("   ") == []
