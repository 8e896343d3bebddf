from pipeline.argue.counter.methods.ngrams import SharedNgrams, ngrams, shared_ngrams
from tests.pipeline.argue.counter.speeches import CANDIDATES, SUPPORTING, speech


def test_ngrams_stay_within_a_sentence_and_skip_stop_words() -> None:
    assert ngrams(speech("s", "The cat and the dog.", "A fish.")) == {("cat", "dog")}


def test_only_the_longest_shared_by_one_candidate_alone_count() -> None:
    # supporting has ab bc abc da; first shares ab, the others nothing
    assert SharedNgrams().scores(SUPPORTING, CANDIDATES).tolist() == [2.0, 0.0, 0.0]
    long, short = speech("long", "Cat dog fish."), speech("short", "Dog fish.")
    # 'dog fish' belongs to both; 'cat dog' is contained in 'cat dog fish'
    assert shared_ngrams(SUPPORTING, [long, short]) == [{("cat", "dog", "fish")}, set()]
    assert SharedNgrams().scores(SUPPORTING, [long, short]).tolist() == [3.0, 0.0]


def test_four_words_are_the_most() -> None:
    five = speech("five", "Cat dog fish bird tree.")
    found = shared_ngrams(five, [speech("same", "Cat dog fish bird tree.")])
    assert found == [{("cat", "dog", "fish", "bird"), ("dog", "fish", "bird", "tree")}]


def test_identical_candidates_have_nothing_of_their_own() -> None:
    assert SharedNgrams().scores(SUPPORTING, [CANDIDATES[0], speech("twin", *CANDIDATES[0].sentences)]).tolist() == [
        0,
        0,
    ]
