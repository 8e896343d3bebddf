"""What is known of German, French and Spanish: syllables, numbers, stop words, stems, and where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.text.language import ENGLISH, language
from pipeline.text.sentences import sentence_ends, split
from pipeline.text.syllables import syllables
from tests.models import needs


# Divided as dictionaries divide them (Duden, Larousse's phonetics without silent e, RAE).
@pytest.mark.parametrize(
    ("code", "divided"),
    [
        ("de", "Schu-le Na-ti-on Fa-mi-li-en Mu-se-um Bau-er neue freie* be-ob-ach-ten be-ur-tei-len ge-ehrt Quel-le"),
        ("de", "Ener-gie* die Stu-die* be-quem ru-hig Stra-ßen-bahn Häu-ser Ent-schei-dung ak-tu-ell Tee Boot"),
        ("fr", "bateau* école idée théâ-tre* na-tion beau-coup guerre langue naïf ou-vrir pro-fes-seur eau li-ber-té"),
        (
            "es",
            "ciu-dad pa-ís a-e-ro-puer-to U-ru-guay muy ma-yo hoy cons-tru-í-a que-re-mos gue-rra pin-güi-no ac-tuáis",
        ),
        ("es", "ni-ños te-lé-fo-no es-cue-la rey a-ve-ri-guar te-a-tro eu-ro-pe-o ba-úl"),
    ],
)
def test_syllables(code: str, divided: str) -> None:
    # a star: the dictionary divides otherwise than it is spoken, or joins a vowel alone to its neighbour
    spoken = {"neue": 2, "freie": 2, "Ener-gie": 3, "Stu-die": 3, "bateau": 2, "école": 2, "idée": 2, "théâ-tre": 2}
    spoken |= {"guerre": 1, "langue": 1, "naïf": 2}
    for word in divided.replace("*", "").split():
        found = syllables(word.replace("-", ""), code)
        assert found == spoken.get(word, word.count("-") + 1), word


@pytest.mark.parametrize(
    ("code", "number", "read"),
    [
        ("de", "21", "ein-und-zwan-zig"),
        ("de", "1999", "neun-zehn-hun-dert-neun-und-neun-zig"),
        ("de", "2024", "zwei-tau-send-vier-und-zwan-zig"),
        ("de", "2.500", "zwei-tau-send-fünf-hun-dert"),
        ("fr", "71", "soi-xante-et-onze"),
        ("fr", "94", "quatre-vingt-qua-torze"),
        ("fr", "1789", "mille-sept-cent-quatre-vingt-neuf"),
        ("es", "16", "die-ci-séis"),
        ("es", "555", "qui-nien-tos-cin-cuen-ta-y-cin-co"),
        ("es", "2.000.000", "dos-mi-llo-nes"),
        ("es", "100", "cien"),
    ],
)
def test_digits_have_the_syllables_of_the_number(code: str, number: str, read: str) -> None:
    assert syllables(number, code) == read.count("-") + 1


@given(st.integers(min_value=0, max_value=10**15), st.sampled_from(["en", "de", "fr", "es"]))
def test_every_number_can_be_read(number: int, code: str) -> None:
    assert (syllables(str(number), code) or 0) >= 1


def test_capitals_alone_are_letters() -> None:
    assert [syllables("WWW", code) for code in ("en", "de", "fr", "es")] == [9, 3, 9, 12]


def test_a_language_that_is_not_known_has_no_syllables() -> None:
    assert syllables("szkoła", "pl") is None
    assert language("pl").stop_words == frozenset()
    assert language("und") is ENGLISH, "a language that nobody named counts as English, as in score"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Am 3. Oktober ist Feiertag. | Wir haben frei."),
        ("de", "Das kostet z.B. 5 Euro. | Herr Dr. Müller sagt nein. | Ich auch."),
        ("de", "Laut Art. 5 Abs. 3 ist das erlaubt. | Wer will das?"),
        ("de", "Im 19. Jahrhundert gab es keine Handys. | Heute schon."),
        ("de", "Er sagte: „Das geht nicht.“ | Dann ging er."),
        ("de", "Wir waren bei 100. | Das ist viel."),
        ("fr", "M. Dupont et Mme. Martin sont là. | Ils parlent."),
        ("fr", "Il dit : « Non. » | Voir l'art. 5 de la loi. | C'est clair."),
        ("es", "El Sr. García y la Sra. López hablan. | ¿Es verdad? | ¡Sí! | Claro."),
        ("es", "Los móviles, p.ej. en clase, distraen. | Hay que prohibirlos, etc. | Eso es todo."),
    ],
)
@needs("german", "french", "spanish")
def test_sentences(code: str, text: str) -> None:
    assert split(text.replace(" | ", " "), language(code)) == text.split(" | ")


def test_a_language_without_tables_is_cut_at_marks() -> None:
    assert split("È vero? Sì. Così.", language("it")) == ["È vero?", "Sì.", "Così."]
    assert split("我们应该禁止手机。对吗？对。", language("zh")) == ["我们应该禁止手机。", "对吗？", "对。"]


@needs("german", "french", "spanish")
@given(st.text(alphabet="ab .?!。3é«»\n", max_size=40), st.sampled_from(["en", "de", "fr", "es", "it", "zh"]))
def test_the_last_sentence_ends_with_the_text(text: str, code: str) -> None:
    ends = sentence_ends(text, language(code))
    assert ends == sorted(set(ends))
    assert (ends[-1] if ends else 0) == len(text.rstrip())
    assert "".join("".join(split(text, language(code))).split()) == "".join(text.split())


@needs("german", "french", "spanish")
def test_stop_words_and_stems() -> None:
    """Snowball's own examples of stems, from its vocabulary lists."""
    assert {"der", "und", "nicht", "ähm"} <= language("de").stop_words
    assert {"les", "euh"} <= language("fr").stop_words
    assert {"los", "eh"} <= language("es").stop_words
    stems = {"de": ("aufeinanderfolgenden", "aufeinanderfolg"), "fr": ("continuellement", "continuel")}
    stems |= {"es": ("chicharrones", "chicharron"), "en": ("relational", "relat")}
    for code, (word, stem) in stems.items():
        assert language(code).stemmer.stem(word) == stem
