import math
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.content.rouge import (
    Terms,
    base_rouge,
    best_rouge,
    content_vector,
    cosine,
    inverse_document_frequency,
    mean_rouge,
    new_rouge,
    overlap,
    rouge_155,
)

WORDS = st.lists(st.sampled_from("abcde"), max_size=8)


def test_base_rouge_counts_tokens() -> None:
    # 'police killed the gunman' (Lin 2004): three of its four words, one of its three pairs
    reference, text = "police killed the gunman", "police kill the gunman"
    assert base_rouge(text, reference) == pytest.approx(3 / 4)
    assert base_rouge(text, reference, 2) == pytest.approx(1 / 3)
    # tokens: each 'the' of the reference wants a 'the' of its own
    assert base_rouge("the", "the the cat") == pytest.approx(1 / 3)


def test_new_rouge_counts_types_and_sums_over_references() -> None:
    # {the, cat} and {the, dog, ran}: 'the' is in both, 'dog' in the second, so 3 of 5
    assert new_rouge("the the dog", ["the the cat", "the dog ran"]) == pytest.approx(3 / 5)
    # repeating oneself gains nothing
    assert new_rouge("dog dog dog", ["a dog"]) == new_rouge("dog", ["a dog"])


def test_the_sum_over_references_is_not_the_maximum() -> None:
    references = ["one two", "three four five six"]
    text = "one two"
    assert overlap(text.split(), [each.split() for each in references]).recall == pytest.approx(2 / 6)
    assert best_rouge(text, references) == 1.0


def test_precision_is_over_the_text_once_for_each_reference() -> None:
    found = overlap(["a", "b"], [["a"], ["b", "c"]])
    assert found.precision == pytest.approx(2 / 4)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))


@pytest.mark.parametrize(("text", "reference"), [("", ""), ("", "a b"), ("a b", "")])
def test_nothing_to_count_is_none_and_nothing_said_is_zero(text: str, reference: str) -> None:
    assert base_rouge(text, reference) == (0.0 if reference else None)
    assert content_vector(text.split(), [reference.split()], lambda _: 1.0) is None
    assert new_rouge(text, []) is None
    assert best_rouge(text, []) is None


def test_stems_and_stop_words() -> None:
    assert base_rouge("banning schools", "ban the school", terms=Terms()) == 0
    assert base_rouge("banning schools", "ban the school", terms=Terms("stems")) == pytest.approx(2 / 3)
    assert base_rouge("banning schools", "ban the school", terms=Terms("stems", stop_words=False)) == 1


def test_disfluencies_are_counted_or_not() -> None:
    said = "we um we should ban"
    assert Terms().terms_in(said) == ["we", "um", "we", "should", "ban"]
    assert Terms(disfluencies=False).terms_in(said) == ["we", "should", "ban"]


def test_the_mean_over_references_is_neither_the_first_nor_the_best() -> None:
    references = ["one two", "one two three four", ""]
    assert base_rouge("one two", references[0]) == best_rouge("one two", references) == 1.0
    # an empty reference has no recall
    assert mean_rouge("one two", references) == pytest.approx((1 + 1 / 2) / 2)
    assert mean_rouge("one two", []) is None


def test_accents_may_be_typed_in_either_way() -> None:
    assert base_rouge("a naïve café", "nai\u0308ve cafe\u0301") == 1.0


def test_content_vector_by_hand() -> None:
    idf = {"ban": 1.0, "phone": 2.0, "school": 3.0}.__getitem__
    # text {ban, phone}, references together {ban, school}: 1 / (sqrt(1 + 4) sqrt(1 + 9))
    assert content_vector(["ban", "phone", "phone"], [["ban"], ["school"]], idf) == pytest.approx(1 / math.sqrt(50))


def test_rare_terms_weigh_more() -> None:
    idf = inverse_document_frequency([["the", "ban"], ["the", "tax"], ["the"]])
    assert idf("the") < idf("ban") == idf("tax") == idf("never seen")
    assert idf("the") == pytest.approx(math.log(4 / 4) + 1)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.booleans())
def test_overlap_is_a_share_and_all_of_itself(words: list[str], references: list[list[str]], types: bool) -> None:
    found = overlap(words, references, types=types)
    assert all(value is None or 0 <= value <= 1 for value in found)
    itself = overlap(words, [words], types=types)
    assert itself.recall == (1.0 if words else None)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_overlap_agrees_with_the_formula(words: list[str], references: list[list[str]]) -> None:
    hits = sum(min(words.count(word), reference.count(word)) for reference in references for word in set(reference))
    total = sum(len(reference) for reference in references)
    assert overlap(words, references).recall == (hits / total if total else None)


@given(st.lists(st.sampled_from("abcd"), min_size=1), st.lists(st.sampled_from("abcd"), min_size=1))
def test_cosine_agrees_with_numpy(one: list[str], other: list[str]) -> None:
    vectors = [np.array([Counter(words)[letter] for letter in "abcd"], dtype=float) for words in (one, other)]
    expected = vectors[0] @ vectors[1] / (np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[1]))
    assert cosine(Counter(one), Counter(other)) == pytest.approx(expected)


def test_the_compatible_mode_gives_the_figures_of_rouge_155() -> None:
    folder = Path(os.environ.get("ROSTRUM_DATA", "../shared/data")) / "rouge-testdata"
    if not folder.is_dir():
        pytest.skip("no rouge-testdata below $ROSTRUM_DATA")
    texts = [(folder / f"{name}_large.txt").read_text().splitlines() for name in ("prediction", "target")]
    found = np.mean([rouge_155(text, reference) for text, reference in zip(*texts, strict=True)], axis=0)
    # ROUGE-1.5.5 prints the mean of resamples: the last digits are its own
    np.testing.assert_allclose(found, [0.49879, 0.31950, 0.38554], atol=0.0005)


def test_the_compatible_mode_on_sentences_of_its_own() -> None:
    assert rouge_155("", "a b") == (0, 0, 0)
    assert rouge_155("Don't STOP", "don t stop, now") == (1.0, 0.75, pytest.approx(6 / 7))
