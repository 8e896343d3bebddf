import numpy as np
import pytest

from pipeline.counter import method
from pipeline.counter.comparison import EncodedSimilarity, Relations, SharedWordSimilarity, worded_opposition
from pipeline.counter.methods.comprehensive import comprehensive
from pipeline.counter.methods.main_issue import main_issue
from pipeline.counter.methods.mentions import shared_terms
from pipeline.counter.methods.opposes import opposes
from pipeline.counter.methods.order import METHOD, chain_weight
from pipeline.counter.methods.quotes import quotes
from pipeline.counter.reports import attributes, emphasises, is_negated, names_spoken, report_weights, turns_against
from pipeline.counter.texts import SpeechText
from tests.pipeline.counter.speeches import CANDIDATES, FIRST, SECOND, SUPPORTING, speech


class Given:
    """The likeness of two speeches' sentences, as the test says."""

    def __init__(self, values: dict[tuple[str, str], list[list[float]]]) -> None:
        self.values = values

    def __call__(self, one: SpeechText, other: SpeechText) -> np.ndarray:
        return np.array(self.values[one.id, other.id], dtype=np.float64)


def test_sentences_are_alike_by_the_words_they_share() -> None:
    # abc and da, against abe and a
    expected = np.array([[2 / 3, 1 / np.sqrt(3)], [1 / np.sqrt(6), 1 / np.sqrt(2)]])
    assert SharedWordSimilarity()(SUPPORTING, FIRST) == pytest.approx(expected)


def test_comprehensive_is_the_mean_of_the_best_matches() -> None:
    expected = [(2 / 3 + 1 / np.sqrt(2)) / 2, (1 / np.sqrt(6) + 0) / 2, 0.0]
    similarity = SharedWordSimilarity()
    assert [comprehensive(similarity, SUPPORTING, each) for each in CANDIDATES] == pytest.approx(expected)


def test_the_main_issue_is_what_is_central_and_emphasised() -> None:
    supporting = speech("s", "Most importantly it is unfair.", "It rains.")
    similarity = Given({("s", "s"): [[1.0, 0.5], [0.5, 1.0]], ("s", "x"): [[0.8], [0.2]], ("s", "y"): [[0.2], [0.8]]})
    scores = main_issue(similarity, supporting, [speech("x", "No."), speech("y", "No.")])
    # centrality is 0.75 of both, and the first counts twice
    assert scores == pytest.approx([(2 * 0.8 + 0.2) / 3, (2 * 0.2 + 0.8) / 3])


def test_quotes_count_reports_by_what_they_match_and_the_sentence_after_by_half() -> None:
    supporting = speech("s", "One.", "Two.", speakers=("Anna",))
    candidate = speech("c", "They told us this.", "It is not so.", "We go on.", "Anna forgets it.")
    similarity = Given({("s", "c"): [[0.9, 0.1, 0.7, 0.3], [0.2, 0.4, 0.6, 0.5]]})
    assert report_weights(candidate, ("Anna",)).tolist() == [1.0, 0.5, 0.0, 1.0]
    expected = (0.9 + 0.4 / 2 + 0.5) / np.sqrt(4)
    assert quotes(similarity, supporting, candidate) == pytest.approx(expected)


def test_mentions_are_terms_of_one_candidate_alone_and_figures_count_double() -> None:
    supporting = speech("s", "Cat dog 1984 fish.")
    scores = shared_terms(supporting, [speech("x", "Cat 1984."), speech("y", "Cat dog moon.")])
    assert scores == pytest.approx([2 / np.sqrt(2), 1 / np.sqrt(3)])


def test_a_chain_goes_forward_in_both_speeches() -> None:
    straight, crossed = np.eye(3), np.eye(3)[::-1]
    # the mean of all, 1/3, counts for nothing
    assert chain_weight(straight) == pytest.approx(3 * (2 / 3) / 3)
    assert chain_weight(crossed) == pytest.approx((2 / 3) / 3)
    assert chain_weight(np.zeros((0, 3))) == 0.0


def test_order_prefers_the_candidate_that_answers_in_order() -> None:
    similarity = Given(
        {("supporting", "first"): [[1.0, 0.0], [0.0, 1.0]], ("supporting", "second"): [[0.0, 1.0], [1.0, 0.0]]}
    )
    scores = METHOD.build(method.Given(Relations(similarity)))(SUPPORTING, [FIRST, SECOND])
    assert scores[0] == pytest.approx(2 * scores[1])


def test_what_contradicts_counts_in_full() -> None:
    supporting = speech("s", "Cats are good.")
    against, along = speech("against", "Cats are not good."), speech("along", "Cats are good.")
    similarity = Given({("s", "against"): [[0.9]], ("s", "along"): [[0.9]]})
    relations = Relations(similarity, worded_opposition)
    assert opposes(relations, supporting, against) == pytest.approx(0.9)
    assert opposes(relations, supporting, along) == pytest.approx(0.45)


@pytest.mark.parametrize(
    "sentence",
    [
        "She said that a phone is built to be picked up.",
        "The first thing that was brought up is creativity.",
        "The second thing that we're being told is that it costs money.",
        "The prime minister talked about freedom.",
        "Allow me to respond to these points.",
        "It's reasonable what the other side are saying, as they tell us themselves.",
        "He gave the example of a library.",
        "A lot of government's case circles around consent.",
        "We agree with the previous speaker about one thing.",
        "Two answers here.",
        "The harms that they talk about will disappear.",
    ],
)
def test_sentences_that_report_the_other_side(sentence: str) -> None:
    assert attributes(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "She called me.",
        "What the fares bring in is another matter.",
        "I say no.",
        "They gave children food.",
        "People say what they like, and they give up their seats.",
        "They speak English at home.",
        "He said exactly what he needed to, and was let go.",
        "Nurses are told to show up early.",
        "Russia does not respond well to threats.",
        "A tax was introduced, and the government raised it.",
        "Public transport is the answer to traffic.",
    ],
)
def test_sentences_that_report_nobody(sentence: str) -> None:
    assert not attributes(sentence)


def test_a_name_is_heard_unless_it_is_a_common_word() -> None:
    names = names_spoken(["anna", "will"])
    assert attributes("Anna would take away the water.", names)
    assert not attributes("Will this help?", names)
    assert attributes("Will says that it helps.", names)
    assert attributes("the mistake that anna makes is this.", names), "transcripts without capitals"
    assert not attributes("He saw anna there.", names)
    assert not attributes("Hannah left.", names)
    assert names_spoken([]) is None


def test_small_cues() -> None:
    assert emphasises("The most important thing is trust.")
    assert not emphasises("Trust is a thing.")
    assert emphasises("So secondly, it is unfair.")
    assert emphasises("The third and final reason is trust.")
    assert not emphasises("A second later the bell rings.")
    assert not emphasises("The first time they met, it rained.")
    assert turns_against("But that is only half of it.")
    assert turns_against("That is simply not true.")
    assert not turns_against("Nothing but the truth.")
    assert is_negated("It isn't so.")
    assert not is_negated("Nobody did not know.")


def test_an_encoder_is_asked_for_each_speech_once() -> None:
    class Encoder:
        name, digest = "test", ""
        asked = 0

        def encode(self, texts):  # type: ignore[no-untyped-def]
            self.asked += 1
            return np.eye(4, dtype=np.float32)[: len(texts)]

    encoder = Encoder()
    similarity = EncodedSimilarity(encoder)
    for _ in range(2):
        assert similarity(SUPPORTING, FIRST) == pytest.approx(np.eye(2))
    assert encoder.asked == 2
