import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.readability import syllables

# As the Carnegie Mellon pronouncing dictionary counts them.
COUNTED = {
    1: "a the make more there changed asked through used school schools don't we're states",
    2: "able wanted changes going being something really doesn't because idle table people create business safety",
    3: "idea area government educate companies everyone various influence nuclear medium",
    4: "education society especially obviously community realistic",
    5: "university organization opportunity individual vegetarian",
    6: "responsibility individually",
}
READ = {"12": 1, "20": 2, "77": 5, "100": 3, "1,000": 3, "1999": 5, "2016": 4, "2005": 4, "3.5": 2, "1000000": 3}
LETTERS = {"US": 2, "UK": 2, "BBC": 3, "WHO": 5, "I": 1, "A": 1}
OTHER = {"twenty-one": 3, "Zoë": 1, "…": 1, "": 1, "phone,": 1, "it's": 1, "“Yes!”": 1}


@pytest.mark.parametrize(("word", "count"), [(word, n) for n, line in COUNTED.items() for word in line.split()])
def test_words(word: str, count: int) -> None:
    assert syllables(word) == count


@pytest.mark.parametrize(("word", "count"), [*READ.items(), *LETTERS.items(), *OTHER.items()])
def test_what_is_read_aloud(word: str, count: int) -> None:
    assert syllables(word) == count


@given(st.text(max_size=60))
def test_any_text_has_one_at_least(text: str) -> None:
    assert syllables(text) >= 1


def test_a_number_of_any_length() -> None:
    assert syllables("1" * 6000) == 6000
