import pytest

from pipeline.convincing.evaluate.linguistic import FAMILIES, load_parser, parsed, part_of_speech_ngrams, word_ngrams
from pipeline.errors import RostrumError

TEXT = "Germany should ban the most dangerous weapons! They killed many people in 2015. What will happen next?"


@pytest.fixture(scope="module")
def _parser():
    try:
        load_parser()
    except RostrumError:
        pytest.skip("spaCy, VADER or the parser's weights are not here")


needs_parser = pytest.mark.usefixtures("_parser")


def value(name, text=TEXT):
    (document,) = parsed([text])
    families = [family for family in FAMILIES if not family.sparse and "spell" not in family.name]
    return {name: number for family in families for name, number in family.values(document).items()}[name]


def test_every_family_says_what_it_is_for():
    assert all(family.purpose for family in FAMILIES)
    assert len({family.name for family in FAMILIES}) == len(FAMILIES) == 16


def test_without_spacy_the_way_out_is_said(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    load_parser.cache_clear()
    try:
        with pytest.raises(RostrumError, match=r"rostrum\[linguistics\]"):
            load_parser()
    finally:
        load_parser.cache_clear()


@needs_parser
def test_shares_of_sentences_and_words():
    assert value("exclamations") == pytest.approx(1 / 3)
    assert value("questions") == pytest.approx(1 / 3)
    assert value("questions", "What??? Why?") == pytest.approx(1.0)
    # with the three marks
    assert value("words") == 20.0
    assert value("long_words") == 3.0
    assert value("characters") == len(TEXT)
    # with their marks: eight, seven and five
    assert value("sentence_words_max") == 8.0
    assert value("sentence_words_mean") == pytest.approx(20 / 3)


@needs_parser
def test_parts_of_speech():
    (document,) = parsed([TEXT])
    verbs = sum(token.pos_ in ("VERB", "AUX") for token in document)
    assert value("modals") == pytest.approx(100 * 2 / verbs)
    assert value("modal_should") == pytest.approx(100 / verbs)
    assert value("modals_uncertain") == pytest.approx(100 / verbs)
    assert value("superlatives") == pytest.approx(1 / len(document))
    assert value("ending_ous") > 0
    # one of two adverbs ends in -ly
    assert value("ending_ly", "She often speaks clearly.") == 50.0
    assert value("ending_ly") == 0.0
    assert value("past") > 0
    assert value("future") > 0
    assert value("depth_max") >= value("depth_mean") > 0


@needs_parser
def test_names_of_people_places_and_dates():
    assert value("entity_GPE") == 1.0
    assert value("entity_DATE") == 1.0


@needs_parser
def test_feelings():
    assert value("sentiment_very_positive", "This is a wonderful, great and happy success.") == 1.0
    assert value("sentiment_very_negative", "This is a horrible, evil and terrible crime.") == 1.0


@needs_parser
def test_presence_of_lemmas_and_tags():
    (document,) = parsed(["The cats were sleeping, the cats."])
    lemmas = word_ngrams(document)
    assert {"w:cat", "w:be", "w:sleep", "w:the cat"} <= set(lemmas)
    assert set(lemmas.values()) == {1.0}
    assert part_of_speech_ngrams(document)["p:DET NOUN"] == 2.0


@needs_parser
@pytest.mark.parametrize("text", ["", " ", "!!!", "x"])
def test_hardly_any_text(text):
    (document,) = parsed([text])
    families = [family for family in FAMILIES if family.name != "spelling"]
    assert all(isinstance(each, float) for family in families for each in family.values(document).values())
