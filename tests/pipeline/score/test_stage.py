"""A transcript against its reference: what is compared, what does not count, and what is kept."""

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.records import ErrorCounts, ReferenceTranscript, Word
from pipeline.score.stage import NormaliserName, ScoreSettings, normaliser, score, word_errors
from pipeline.stage import Skip
from pipeline.transcribe.stage import Transcript


def heard(*words: str) -> Transcript:
    spoken = tuple(Word(text=word, start=i, end=i + 1, probability=1.0) for i, word in enumerate(words))
    return Transcript(words=spoken, language="en", recogniser="tests", device="cpu", punctuated=True)


def test_a_speech_of_which_nothing_was_heard_is_all_deletions() -> None:
    """Only what nobody can have said in one speech is left out."""
    errors = score(heard(), ReferenceTranscript(text="we should ban zoos " * 500), settings=ScoreSettings())
    assert (errors.wer, errors.words.deletions) == (1.0, 2_000)


def test_a_reference_out_of_all_proportion_is_skipped_with_its_size() -> None:
    """Ten million words took 5.9 GB, and came to no end."""
    endless = ReferenceTranscript(text="we should ban zoos " * 2_500_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Skip, match=r"47,500,000 characters, the transcript 7: it is not of this recording"):
        score(heard("we", "shou"), endless, settings=ScoreSettings())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kilobytes"


words = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "wer", "mer", "wil"),
    [
        # jiwer's documentation
        ("hello world", "hello duck", 1 / 2, 1 / 2, 3 / 4),
        ("this is a test", "this is a test", 0, 0, 0),
        # Morris et al. 2004: MER = errors / (hits + errors), WIL = 1 - H²/(N₁ N₂)
        ("a b c d", "a x c", 2 / 4, 2 / 4, 1 - 4 / 12),
        ("a", "a b c d", 3 / 1, 3 / 4, 1 - 1 / 4),
        ("a b", "", 1, 1, 1),
    ],
)
def test_rates(reference: str, hypothesis: str, wer: float, mer: float, wil: float) -> None:
    found = word_errors(reference, hypothesis, "verbatim")
    assert (found.wer, found.mer, found.wil) == pytest.approx((wer, mer, wil))


def test_characters() -> None:
    assert word_errors("abcd", "abxd", "verbatim").cer == 1 / 4


def test_the_alignment_is_kept() -> None:
    found = word_errors("we should ban all cars here", "we would ban cars here now", "verbatim")
    assert found.words == ErrorCounts(hits=4, substitutions=1, deletions=1, insertions=1)
    assert [(each.type, each.reference, each.hypothesis) for each in found.alignment] == [
        ("equal", (0, 1), (0, 1)),
        ("substitute", (1, 2), (1, 2)),
        ("equal", (2, 3), (2, 3)),
        ("delete", (3, 4), (3, 3)),
        ("equal", (4, 6), (3, 5)),
        ("insert", (6, 6), (5, 6)),
    ]


@pytest.mark.parametrize("reference", ["", "  \n", "(laughs)"])
def test_an_empty_reference_has_counts_and_no_rates(reference: str) -> None:
    found = word_errors(reference, "somebody spoke", "whisper")
    assert found.words == ErrorCounts(insertions=2)
    assert (found.wer, found.mer, found.wil, found.cer) == (None, None, None, None)
    assert word_errors(reference, "", "whisper").alignment == ()


@given(words, words)
def test_counts_add_up(reference: str, hypothesis: str) -> None:
    found = word_errors(reference, hypothesis, "verbatim")
    counts = found.words
    assert counts.length == len(reference.split()) == len(found.reference)
    assert counts.hits + counts.substitutions + counts.insertions == len(hypothesis.split()) == len(found.hypothesis)
    assert found.wer is None or found.wer == pytest.approx(counts.errors / counts.length)
    spans = [(each.reference, each.hypothesis) for each in found.alignment]
    assert [index for (first, last), _ in spans for index in range(first, last)] == list(range(len(found.reference)))
    assert [index for _, (first, last) in spans for index in range(first, last)] == list(range(len(found.hypothesis)))


@given(words, words)
def test_errors_are_as_many_both_ways(one: str, other: str) -> None:
    assert word_errors(one, other, "verbatim").words.errors == word_errors(other, one, "verbatim").words.errors


@given(
    st.lists(st.builds(ErrorCounts, hits=st.integers(0, 9), deletions=st.integers(0, 9), insertions=st.integers(0, 9)))
)
def test_counts_of_many_are_their_sums(counts: list[ErrorCounts]) -> None:
    total = sum(counts, ErrorCounts())
    assert total.errors == sum(each.errors for each in counts)
    assert total.length == sum(each.length for each in counts)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("verbatim", "  Don’t,   STOP! ", "Don’t, STOP!"),
        ("verbatim", "cafe\u0301", "café"),
        ("plain", "Don’t, STOP!  'Now'", "don't stop now"),
        ("plain", "rock_n_roll — 1,000", "rock n roll 1 000"),
        ("whisper", "Um, I won't pay twenty dollars.", "i will not pay $20"),
        ("whisper", "The colour of it", "the color of it"),
        ("whisper", "mm-hmm [noise] (laughs) yes", "yes"),
    ],
)
def test_what_does_not_count(name: str, text: str, expected: str) -> None:
    assert normaliser(name)(text) == expected  # type: ignore[arg-type]


def test_other_languages_have_general_rules() -> None:
    assert normaliser("whisper", "de")("Größe, über!") == "größe über"


@given(st.text(max_size=40), st.sampled_from(["plain", "verbatim"]))
def test_normalising_twice_changes_nothing(text: str, name: str) -> None:
    normalise = normaliser(name)  # type: ignore[arg-type]
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("name", "heard", "expected"),
    [
        ("plain", "Don't - stop, now", [("don't", "Don't"), ("stop", "stop,"), ("now", "now")]),
        ("whisper", "um I won't go", [("i", "I"), ("will", "won't"), ("not", "won't"), ("go", "go")]),
        (
            "whisper",
            "there are one hundred and one dalmatians here",
            [
                ("there", "there"),
                ("are", "are"),
                ("101", "one hundred and one"),
                ("dalmatians", "dalmatians"),
                ("here", "here"),
            ],
        ),
        ("whisper", "it costs twenty dollars now", [("it", "it"), ("costs", "costs"), ("$20", "twenty dollars")]),
        ("whisper", "yes [loud noise here] two", [("yes", "yes"), ("2", "two")]),
        (
            "whisper",
            "the the end it's been",
            [("the", "the"), ("the", "the"), ("end", "end"), ("it", "it's"), ("has", "it's")],
        ),
    ],
)
def test_each_normalised_word_has_the_words_that_it_comes_from(
    name: NormaliserName, heard: str, expected: list[tuple[str, str]]
) -> None:
    found, words = word_errors("something", heard, name), heard.split()
    pairs = [
        (token, " ".join(words[first:last]))
        for token, (first, last) in zip(found.hypothesis, found.sources, strict=True)
    ]
    assert pairs[: len(expected)] == expected


WORDS = ["a", "one", "twenty", "hundred", "and", "dollars", "won't", "um's", "half", "[x", "y]", "3.5", "point"]


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_sources_are_in_order_and_within_the_transcript(heard: list[str]) -> None:
    sources = word_errors("a", heard, "whisper").sources
    assert all(0 <= first < last <= len(heard) for first, last in sources)
    assert list(sources) == sorted(sources)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("5 % of them", "5% of them"),
        ("five percent", "5 %"),
        ("2.5 %.", "2.5%."),
        ("5 million %", "5 million percent"),
        ("$ 5", "5 dollars"),
        ("20 €", "€20"),
        ("20 € is too much", "€20 is too much"),
    ],
)
def test_a_space_between_a_number_and_its_symbol_is_no_error(said: str, heard: str) -> None:
    assert word_errors(said, heard, "whisper").words.errors == 0


@pytest.mark.parametrize("name", ["whisper", "plain"])
@pytest.mark.parametrize("text", ["I’m sure they’ll stay", "It’s what we’d do, and they don’t"])
def test_an_apostrophe_that_was_typed_otherwise_is_no_error(name: NormaliserName, text: str) -> None:
    assert word_errors(text, text.replace("’", "'"), name).words.errors == 0


def test_words_spelled_otherwise_are_errors_in_german_too() -> None:
    """Whisper's general rules lower the case and drop punctuation; accents and umlauts of the word are compared."""
    found = word_errors("Die Schule, sagt er, öffnet.", "die Schule sagt er offnet", "whisper", "de")
    assert (found.words.errors, found.words.length, found.characters.errors) == (1, 5, 1)
