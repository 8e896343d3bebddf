import numpy as np
import pytest

from pipeline.counter.methods.sequences import (
    ngrams_of_content_words,
    ngrams_of_stems,
    ngrams_of_words,
    quoted_words,
)
from pipeline.counter.texts import lone_content_ngrams
from tests.pipeline.counter.speeches import CANDIDATES, SUPPORTING, speech


def test_only_the_longest_shared_by_one_candidate_alone_count() -> None:
    # supporting has ab bc abc da; first shares ab, the others nothing
    for method in (ngrams_of_stems, ngrams_of_content_words):
        assert method(SUPPORTING, CANDIDATES).tolist() == [2.0, 0.0, 0.0]
        long, short = speech("long", "Cat dog fish."), speech("short", "Dog fish.")
        # 'dog fish' belongs to both; 'cat dog' is contained in 'cat dog fish'
        assert method(SUPPORTING, [long, short]).tolist() == [3.0, 0.0]


def test_the_published_rule_removes_within_each_speech_what_a_longer_ngram_contains() -> None:
    supporting = speech("s", "Big cats chase fish.", "Dogs sleep.")
    # by hand: ours are {big cats chase fish, dogs sleep}; theirs {cats chase birds, dogs sleep}; both have 'dogs sleep'
    one, other = speech("o", "Cats chase birds.", "Dogs sleep."), speech("p", "Trees.")
    assert ngrams_of_words(supporting, [one, other]).tolist() == [2.0, 0.0]
    # the variant also finds 'cats chase', which longer n-grams contain in both speeches
    assert ngrams_of_stems(supporting, [one, other]).tolist() == [4.0, 0.0]


def test_the_published_rule_compares_words_and_not_stems() -> None:
    supporting, one = speech("s", "Cats chase."), speech("o", "Cat chases.")
    assert ngrams_of_words(supporting, [one, speech("p", "Trees.")]).tolist() == [0.0, 0.0]
    assert ngrams_of_stems(supporting, [one, speech("p", "Trees.")]).tolist() == [2.0, 0.0]


def test_the_published_rule_drops_what_holds_a_stop_word_and_the_variant_joins_what_is_left() -> None:
    supporting = speech("s", "The cat and the dog saw a fish tree.", "Rock.", "Sun.")
    same, other = speech("same", *supporting.sentences), speech("other", "Cat. Dog.")
    # 'dog saw' and 'fish tree' have no stop word between them; 'cat and the dog', 'saw a fish' have
    assert ngrams_of_stems(supporting, [same, other]).tolist() == [4.0, 0.0]
    # of 'cat dog saw fish tree': 'cat dog saw fish' and 'dog saw fish tree'
    assert ngrams_of_content_words(supporting, [same, other]).tolist() == [8.0, 0.0]


def test_four_words_are_the_most_and_no_ngram_crosses_a_sentence() -> None:
    five = speech("five", "Cat dog fish bird tree.", "Rock.")
    found = lone_content_ngrams(five, [speech("same", "Cat dog fish bird tree.", "Rock.")])
    assert found == [{("cat", "dog", "fish", "bird"), ("dog", "fish", "bird", "tree")}]
    assert ngrams_of_stems(five, [speech("same", *five.sentences)]).tolist() == [8.0]


def test_identical_candidates_have_nothing_of_their_own() -> None:
    twins = [CANDIDATES[0], speech("twin", *CANDIDATES[0].sentences)]
    for method in (ngrams_of_stems, ngrams_of_content_words):
        assert method(SUPPORTING, twins).tolist() == [0, 0]


def test_a_phrase_is_quoted_word_for_word_by_one_candidate_alone() -> None:
    supporting = speech("s", "A phone is built to be picked up.", "We want it to be as it is.")
    quoting = speech("q", "She said that a phone is built to be picked up, and so on.", "It is as it is.")
    other = speech("o", "A phone can be picked up.", "We want it to be otherwise.")
    # 'a phone is built to be picked up': eight words; 'want it to be' has one content word; 'we want it to be' too
    assert quoted_words(supporting, [quoting, other]) == pytest.approx([8 / np.sqrt(2), 0.0])
    # what two candidates quote is neither's own
    assert quoted_words(supporting, [quoting, speech("r", *quoting.sentences)]).tolist() == [0.0, 0.0]
