import pytest

from pipeline.errors import RostrumError
from pipeline.evaluation.convincing.linguistic import FAMILIES, linguistic, load_parser, parsed

TEXT = "Germany should ban the most dangerous weapons! They killed many people in 2015. What will happen next?"


def _parser_is_here():
    try:
        load_parser()
    except RostrumError:
        return False
    return True


needs_parser = pytest.mark.skipif(not _parser_is_here(), reason="spaCy, VADER or the parser's weights are not here")


def value(name, text=TEXT):
    ((_, numeric),) = linguistic(
        [text], [family for family in FAMILIES if not family.sparse and "spell" not in family.name]
    )
    return numeric[name]


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
    assert value("sentences") == 3.0
    assert value("words") == 16.0
    assert value("characters") == len(TEXT)


@needs_parser
def test_parts_of_speech():
    words = len(next(iter(parsed([TEXT]))))
    assert value("modals") == pytest.approx(2 / words)
    assert value("modal_should") == pytest.approx(1 / words)
    assert value("superlatives") == pytest.approx(1 / words)
    assert value("ending_ous") > 0
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
    ((sparse, numeric),) = linguistic(["The cats were sleeping."], FAMILIES[:1])
    assert numeric == {}
    assert {"w:cat", "w:be", "w:sleep", "w:the cat"} <= set(sparse)
    assert set(sparse.values()) == {1.0}


@needs_parser
@pytest.mark.parametrize("text", ["", " ", "!!!", "x"])
def test_hardly_any_text(text):
    families = [family for family in FAMILIES if family.name != "spelling"]
    ((sparse, numeric),) = linguistic([text], families)
    assert all(isinstance(each, float) for each in (*sparse.values(), *numeric.values()))
