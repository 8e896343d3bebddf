import math
from pathlib import Path

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.text.noise import Confusions, add_noise, learn, load, save

SAID = "we should ban the gun and the van because we can and we should not wait for it".split()  # noqa: SIM905
HEARD = "we should ban a gun and van because because we can an we should not wait on for it".split()  # noqa: SIM905
CONFUSIONS = learn([(SAID, HEARD), (["rare", "words"], ["rear", "words"])])
TEXTS = st.lists(st.sampled_from([*SAID, "unheard", "words"]), max_size=60)


def test_what_became_of_each_word_is_counted() -> None:
    assert CONFUSIONS.seen["we"] == 3
    assert CONFUSIONS.outcomes["rare"] == {("rear",): 1}
    # one 'the' became 'a', one was dropped
    assert CONFUSIONS.outcomes["the"] == {("a",): 1, (): 1}
    assert CONFUSIONS.wrong["the"] == 2
    # what was added belongs to the word before it
    assert CONFUSIONS.outcomes["wait"] == {("wait", "on"): 1}
    assert "not" not in CONFUSIONS.wrong


def test_a_word_that_often_suffers_has_the_higher_rate() -> None:
    assert CONFUSIONS.rate("the") > CONFUSIONS.rate("we")
    assert 0 < CONFUSIONS.rate("never seen") < 1


def errors(words: list[str], noisy: list[str]) -> int:
    if not words:
        return len(noisy)
    found = jiwer.process_words(" ".join(words), " ".join(noisy))
    return int(found.substitutions + found.deletions + found.insertions)


@given(TEXTS, st.floats(0, 1), st.integers(0, 5))
@settings(deadline=None)
def test_there_are_as_many_errors_as_asked_for_at_most_one_over(words: list[str], rate: float, seed: int) -> None:
    noisy = add_noise(words, CONFUSIONS, rate, seed)
    assert noisy == add_noise(words, CONFUSIONS, rate, seed)
    assert errors(words, noisy) <= round(rate * len(words)) + 1


def test_the_rate_is_reached() -> None:
    words = [f"{word}{number}" for number in range(100) for word in ("ban", "gun", "van")]
    noisy = add_noise(words, CONFUSIONS, 0.2)
    assert errors(words, noisy) == pytest.approx(60, abs=4)


@given(TEXTS)
def test_no_errors_at_zero(words: list[str]) -> None:
    assert add_noise(words, CONFUSIONS, 0.0) == words


def test_a_higher_rate_has_the_errors_of_the_lower_one_and_more() -> None:
    words = SAID * 5
    low, high = (add_noise(words, CONFUSIONS, rate) for rate in (0.1, 0.3))
    assert errors(words, high) > errors(words, low) > 0
    assert errors(low, high) <= errors(words, high)


def test_words_keep_their_spelling_where_nothing_happens() -> None:
    assert add_noise(["We,", "Should."], CONFUSIONS, 0.0) == ["We,", "Should."]


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    save(CONFUSIONS, tmp_path / "folder" / "noise.json")
    assert load(tmp_path / "folder" / "noise.json") == CONFUSIONS


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "other", "words": {}}', '{"format": "rostrum word confusions 1"}']
)
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "noise.json"
    path.write_text(content)
    with pytest.raises(RostrumError, match="not a table of confusions"):
        load(path)


def test_a_missing_table() -> None:
    with pytest.raises(RostrumError, match=r"nowhere\.json: no table"):
        load(Path("nowhere.json"))


@pytest.mark.parametrize("rate", [-0.1, math.nan, math.inf])
def test_a_rate_that_cannot_be(rate: float) -> None:
    with pytest.raises(RostrumError, match="give a number from 0 on"):
        add_noise(["a"], CONFUSIONS, rate)


def test_nothing_to_learn_from() -> None:
    with pytest.raises(RostrumError, match="no word errors"):
        learn([(["same"], ["same"])])


def test_one_kind_of_error_is_enough() -> None:
    only_drops = learn([(["a", "b"], ["a"])])
    assert isinstance(only_drops, Confusions)
    assert add_noise(["x", "y"], only_drops, 1.0) == []
