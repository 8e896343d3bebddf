"""How many syllables a word has as it is spoken: in English, German, French and Spanish.

Digits are read as numbers, and capitals alone as letters.
"""

import functools
import re
from collections.abc import Callable
from typing import NamedTuple

_listed = str.split
_DIGITS = re.compile(r"\d+")
_LONGEST_NUMBER = 15


class _Spelling(NamedTuple):
    """How syllables are counted: those of a word's letters, of a number, and of the names of letters.

    A letter that is not in `letters` has one. `groups` is what may stand between each three digits.
    """

    of_letters: Callable[[str], int]
    of_number: Callable[[int], int]
    letters: dict[str, int]
    groups: re.Pattern[str]


@functools.lru_cache(maxsize=50_000)
def syllables(word: str, language: str = "en") -> int | None:
    """The syllables of a word as written, one at least; None in a language whose spelling is not known.

    >>> [syllables(word) for word in ("mobile", "1999", "BBC")]
    [2, 5, 3]
    >>> syllables("Straßenbahn", "de"), syllables("bateau", "fr"), syllables("país", "es"), syllables("szkoła", "pl")
    (3, 2, 2, None)
    """
    spelling = _SPELLINGS.get(language)
    if spelling is None:
        return None
    if len(word) > 1 and word.isupper() and word.isalpha() and len(word) <= 4:
        return sum(spelling.letters.get(letter, 1) for letter in word.lower())
    text = spelling.groups.sub("", word.lower().replace("’", "'"))
    spoken = sum(_of_digits(digits, spelling) for digits in _DIGITS.findall(text))
    parts = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text)
    return max(1, spoken + sum(spelling.of_letters(part) for part in parts))


def _of_digits(digits: str, spelling: _Spelling) -> int:
    if len(digits) > _LONGEST_NUMBER:
        return sum(spelling.of_number(int(digit)) for digit in digits)
    return spelling.of_number(int(digits))


# English: right for 99 words of 100 in running speech.

_VOWELS = re.compile(r"[aeiouy]+")
# Where spelling has a group of vowels more, or less, than speech has syllables.
_RULES = tuple(
    (re.compile(pattern), difference)
    for pattern, difference in (
        # make, more, able: an e at the end is silent, unless it is all that the last syllable has
        (r"(?:[^aeiouylr]|[aeiouy][lr]|[^aeiouy]r)e$", -1),
        # asked but wanted, makes but changes
        (r"(?:[^aeiouydtlr]|[aeiouy][lr]|ll)ed$", -1),
        (r"(?:[^aeiouysxzcghlr]|[aeiouy][lr]|[^cs]h)es$", -1),
        # the same inside a word: largely, safety, something, lifestyle, business, basically
        (r"[aeiouy][^aeiouywxy]e(?=(?:ly|ty|ments?|fully?|less|ness|where|things?|body|times?|one|how|what)$)", -1),
        (r"(?<=[aeio][^aeiouy]e)(?:style|stock|hold|most|book|fore|way|line|side|work|guard)", -1),
        (r"busi(?=ness)|ical(?=ly$)|every(?=[btw])|(?<=nin)e(?=te)|soverei(?=gn)", -1),
        # two vowels that are spoken one after another
        (r"i(?:a(?!l|n$|ns$|ge|r)|o(?!n|us)|u)|eo(?!ple|rg|n$)|(?<![gq])ua(?!rd|rte|de|ge)", 1),
        (r"[aeouy]ing|(?<=[^aeiouycst])ia[ln]|uou|iet|[^q]uity|ience|(?<![ct])ient", 1),
        (
            r"(?<=[bdlnrv])ious|crea(?=t)|rea(?:l[it]|ct)|[dr]eas?$|uels?$|(?<!q)uenc|[^aeiouycst]iers?$|[aeo]yers?$|oya",
            1,
        ),
        (r"sm$|(?:[dsr]|ould)n't$|eyo|entific|nuclea|pean|oer|tire", 1),
    )
)
_SHORT_FORM = re.compile(r"'(?:s|re|ve|ll|d|m)$")
_BELOW_TWENTY = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)


def _english(text: str) -> int:
    text = _SHORT_FORM.sub("", text)
    groups = len(_VOWELS.findall(text))
    return max(1, groups + sum(difference * len(rule.findall(text)) for rule, difference in _RULES))


def _english_number(number: int) -> int:
    """The syllables of a number as it is read: 1999 as nineteen ninety-nine, 120 as one hundred twenty."""
    if number < 20:
        return _BELOW_TWENTY[number]
    if number < 100:
        tens = 3 if number // 10 == 7 else 2
        return tens + (_BELOW_TWENTY[number % 10] if number % 10 else 0)
    if 1100 <= number < 2000 or (2010 <= number < 2100):
        century, year = divmod(number, 100)
        rest = _english_number(year) if year >= 10 else 2 if year == 0 else 1 + _english_number(year)
        return _english_number(century) + rest
    for size, name in ((10**9, 2), (10**6, 2), (1000, 2), (100, 2)):
        if number >= size:
            rest = number % size
            return _english_number(number // size) + name + (_english_number(rest) if rest else 0)
    raise AssertionError("every number is below a hundred or above")


# German, by the syllables at which a dictionary divides words: Na-ti-on, Fa-mi-lie.

_GERMAN_HIATUS = re.compile(
    r"(?<=^[bg]e)(?=eh|en[dg]|ur|ir|un)|(?<=[aeiou][^aeiou]i)(?=en$)|(?:(?<=mili)|(?<=lini)|(?<=udi)|(?<=seri))(?=e$)"
)
_GERMAN_NUCLEUS = re.compile(r"aa|ee|oo|ie|ei|ey|ai|ay|au|äu|eu(?!m$)|[aeiouäöüy]")
_GERMAN_UNITS = _listed(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
)
_GERMAN_TENS = _listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")


def _german(text: str) -> int:
    return len(_GERMAN_NUCLEUS.findall(_GERMAN_HIATUS.sub("-", text.replace("qu", "q"))))


def _german_number(number: int) -> str:
    """The number as it is read: 1999 as neunzehnhundertneunundneunzig."""
    if number < 20:
        return _GERMAN_UNITS[number]
    if number < 100:
        unit = f"{'ein' if number % 10 == 1 else _GERMAN_UNITS[number % 10]}und" if number % 10 else ""
        return unit + _GERMAN_TENS[number // 10 - 2]
    sizes = [(100, "hundert")] if 1100 <= number < 2000 else [(10**9, "milliarde"), (10**6, "million")]
    for size, name in [*sizes, (1000, "tausend"), (100, "hundert")]:
        if number >= size:
            many, rest = divmod(number, size)
            plural = ("n" if name.endswith("e") else "en") if many > 1 and size > 1000 else ""
            one = "eine" if size > 1000 else "ein"
            counted = one if many == 1 else _german_number(many)
            return counted + name + plural + (_german_number(rest) if rest else "")
    raise AssertionError("every number is below a hundred or above")


# French, by groups of vowels; an e at the end of a word is silent.

_FRENCH_NUCLEUS = re.compile(r"[aeiouyàâäéèêëîïôöùûüœæ]+")
_FRENCH_SILENT = re.compile(r"(?<=[^aeiouyàâäéèêëîïôöùûüœæ])es?$")
# Vowels that are spoken one after another, and a y between two that is a consonant.
_FRENCH_HIATUS = re.compile(
    r"(?<=[aeiou])(?=[ïëéè])|(?<=é)(?=[aàâioôu]|e[lnrz])|(?<=[aeou])y(?=[aeiouéè])|(?<=[bcdfgpt][lr])i(?=[eoa])"
)
_FRENCH_UNITS = _listed(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf"
)
_FRENCH_TENS = _listed("vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")


def _french(text: str) -> int:
    text = re.sub(r"q'?u|gu(?=[eiéèê])", "q", text)
    nuclei = len(_FRENCH_NUCLEUS.findall(_FRENCH_HIATUS.sub(lambda found: f"{found[0]}-", text)))
    return max(1, nuclei - len(_FRENCH_SILENT.findall(text))) if nuclei else 0


def _french_number(number: int) -> str:
    """The number as it is read in France: 94 as quatre-vingt-quatorze."""
    if number < 20:
        return _FRENCH_UNITS[number]
    if number < 100:
        tens, unit = divmod(number, 10)
        unit += 10 * (tens in (7, 9))
        joined = "-et-" if unit in (1, 11) and tens < 8 else "-"
        return _FRENCH_TENS[tens - 2] + (joined + _FRENCH_UNITS[unit] if unit else "")
    for size, name in ((10**9, "milliard"), (10**6, "million"), (1000, "mille"), (100, "cent")):
        if number >= size:
            many, rest = divmod(number, size)
            counted = "" if many == 1 and size <= 1000 else f"{_french_number(many)}-"
            return counted + name + (f"-{_french_number(rest)}" if rest else "")
    raise AssertionError("every number is below a hundred or above")


# Spanish: the spelling says it all. Two strong vowels are two syllables, a weak one beside them is none of its own.

_SPANISH_NUCLEUS = re.compile(
    r"[iuü]?[aeoáéó](?:[iuü](?![aeoáéóíú])|y(?![aeiouáéíóú]))?|[íú]|[iuü][iuüy]?(?![aeoáéó])|y(?![aeiouáéíóú])"
)
_SPANISH_UNITS = _listed(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
)
_SPANISH_TENS = _listed("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_SPANISH_HUNDREDS = _listed(
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)


def _spanish(text: str) -> int:
    return len(_SPANISH_NUCLEUS.findall(re.sub(r"qu|gu(?=[eiéí])", "q", text)))


def _spanish_number(number: int) -> str:
    """The number as it is read: 1999 as mil novecientos noventa y nueve."""
    if number < 30:
        return _SPANISH_UNITS[number]
    if number < 100:
        return _SPANISH_TENS[number // 10 - 3] + (f" y {_SPANISH_UNITS[number % 10]}" if number % 10 else "")
    if number == 100:
        return "cien"
    if number < 1000:
        tens = f" {_spanish_number(number % 100)}" if number % 100 else ""
        return _SPANISH_HUNDREDS[number // 100 - 1] + tens
    size = 10**6 if number >= 10**6 else 1000
    many, rest = divmod(number, size)
    counted = "" if many == 1 and size == 1000 else "un " if many == 1 else f"{_spanish_number(many)} "
    name = "mil" if size == 1000 else "millón" if many == 1 else "millones"
    return counted + name + (f" {_spanish_number(rest)}" if rest else "")


def _spelled(number: Callable[[int], str], of_letters: Callable[[str], int]) -> Callable[[int], int]:
    """The syllables of a number, by how it is spelled."""
    return lambda value: sum(of_letters(part) for part in re.findall(r"[^\W\d_]+", number(value)))


_SPELLINGS = {
    "en": _Spelling(_english, _english_number, {"w": 3}, re.compile(r"(?<=\d),(?=\d{3})")),
    "de": _Spelling(_german, _spelled(_german_number, _german), {"y": 3}, re.compile(r"(?<=\d)[.  ](?=\d{3})")),
    "fr": _Spelling(_french, _spelled(_french_number, _french), {"w": 3, "y": 2}, re.compile(r"(?<=\d)[.  ](?=\d{3})")),
    "es": _Spelling(
        _spanish,
        _spelled(_spanish_number, _spanish),
        dict.fromkeys("fhjlmnñrsxz", 2) | {"w": 4},
        re.compile(r"(?<=\d)[.  ](?=\d{3})"),
    ),
}
_SPELLINGS["und"] = _SPELLINGS["en"]
