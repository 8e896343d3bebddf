"""How hard a text is to read, and how it uses language: formulas over counts of sentences, words and syllables."""

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.text import sentences
from pipeline.text.terms import is_filled_pause, stop_words, tokens, without_disfluencies

_VOWELS = re.compile(r"[aeiouy]+")
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]+(?=\s|$)|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def vowel_groups(word: str) -> int:
    """The number of groups of vowels without a silent final e, at least one. The shipped models use this rough count.

    `syllables` counts them as they are spoken.
    """
    word = word.lower()
    count = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee", "ye")) and count > 1:
        count -= 1
    return max(count, 1)


@dataclass(frozen=True)
class TextCounts:
    """The counts that the formulas use."""

    sentences: int
    words: int
    syllables: int
    letters: int
    long_words: int
    polysyllables: int


def count(text: str) -> TextCounts:
    """The counts of a text. Long words have more than six letters, polysyllables three syllables or more."""
    words = _WORD.findall(text)
    by_word = [vowel_groups(word) for word in words]
    sentences = [part for part in _SENTENCE_END.split(text) if _WORD.search(part)]
    return TextCounts(
        sentences=max(len(sentences), 1),
        words=len(words),
        syllables=sum(by_word),
        letters=sum(len(word) for word in words),
        long_words=sum(len(word) > 6 for word in words),
        polysyllables=sum(number >= 3 for number in by_word),
    )


def automated_readability_index(c: TextCounts) -> float:
    return 4.71 * c.letters / c.words + 0.5 * c.words / c.sentences - 21.43


def coleman_liau(c: TextCounts) -> float:
    return 5.88 * c.letters / c.words - 29.6 * c.sentences / c.words - 15.8


def flesch(c: TextCounts) -> float:
    return 206.835 - 1.015 * c.words / c.sentences - 84.6 * c.syllables / c.words


def flesch_kincaid(c: TextCounts) -> float:
    return 0.39 * c.words / c.sentences + 11.8 * c.syllables / c.words - 15.59


def gunning_fog(c: TextCounts) -> float:
    return 0.4 * (c.words / c.sentences + 100 * c.polysyllables / c.words)


def lix(c: TextCounts) -> float:
    return c.words / c.sentences + 100 * c.long_words / c.words


def smog(c: TextCounts) -> float:
    return 1.043 * math.sqrt(30 * c.polysyllables / c.sentences) + 3.1291


FORMULAS: dict[str, Callable[[TextCounts], float]] = {
    "ari": automated_readability_index,
    "coleman_liau": coleman_liau,
    "flesch": flesch,
    "flesch_kincaid": flesch_kincaid,
    "gunning_fog": gunning_fog,
    "lix": lix,
    "smog": smog,
}


def readability(text: str) -> dict[str, float]:
    """Every formula's value; all zero for a text without words."""
    counts = count(text)
    return {name: formula(counts) if counts.words else 0.0 for name, formula in FORMULAS.items()}


# How many syllables an English word has, by its spelling: right for 99 words of 100 in running speech.

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
_DIGITS = re.compile(r"\d+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d{3})")
_LONGEST_NUMBER = 15
_BELOW_TWENTY = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 2, 2, 2, 2, 3, 2, 2)


@functools.lru_cache(maxsize=50_000)
def syllables(word: str) -> int:
    """The syllables of a word as written, one at least; digits are read as a number, capitals alone as letters.

    >>> [syllables(word) for word in ("mobile", "1999", "BBC")]
    [2, 5, 3]
    """
    if len(word) > 1 and word.isupper() and word.isalpha() and len(word) <= 4:
        return sum(3 if letter == "W" else 1 for letter in word)
    text = _BETWEEN_DIGITS.sub("", word.lower().replace("’", "'"))
    spoken = sum(_of_digits(digits) for digits in _DIGITS.findall(text))
    parts = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text)
    return max(1, spoken + sum(_of_letters(part) for part in parts))


def _of_letters(text: str) -> int:
    text = _SHORT_FORM.sub("", text)
    groups = len(_VOWELS.findall(text))
    return max(1, groups + sum(difference * len(rule.findall(text)) for rule, difference in _RULES))


def _of_digits(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        return sum(_BELOW_TWENTY[int(digit)] for digit in digits)
    return _of_number(int(digits))


def _of_number(number: int) -> int:
    """The syllables of a number as it is read: 1999 as nineteen ninety-nine, 120 as one hundred twenty."""
    if number < 20:
        return _BELOW_TWENTY[number]
    if number < 100:
        tens = 3 if number // 10 == 7 else 2
        return tens + (_BELOW_TWENTY[number % 10] if number % 10 else 0)
    if 1100 <= number < 2000 or (2010 <= number < 2100):
        century, year = divmod(number, 100)
        return _of_number(century) + (_of_number(year) if year >= 10 else 2 if year == 0 else 1 + _of_number(year))
    for size, name in ((10**9, 2), (10**6, 2), (1000, 2), (100, 2)):
        if number >= size:
            rest = number % size
            return _of_number(number // size) + name + (_of_number(rest) if rest else 0)
    raise AssertionError("every number is below a hundred or above")


# Numbers on how a text uses language, apart from its content: vocabulary, sentences, connectives, disfluencies.

_CONNECTIVES = frozenset(
    {
        *("because", "since", "therefore", "thus", "hence", "so", "reason", "but", "however", "although", "though"),
        *("yet", "whereas", "while", "instead", "example", "first", "second", "third", "finally", "also"),
        *("moreover", "furthermore"),
    }
)


def _repeated(words: list[str], text: str) -> float:
    """The share of words that are cut off or said twice; filled pauses are left out."""
    spoken = [word for word in text.split() if not is_filled_pause(word)]
    return 1.0 - len(without_disfluencies(text).split()) / len(spoken) if spoken else 0.0


def _share(words: list[str], chosen: Callable[[str], bool]) -> float:
    return sum(chosen(word) for word in words) / len(words)


_MEASURES: dict[str, Callable[[list[str], str], float]] = {
    # different words over the root of all words, which grows less with length than their number does
    "variety of words": lambda words, _: len(set(words)) / math.sqrt(len(words)),
    "word length": lambda words, _: sum(map(len, words)) / len(words),
    "words per sentence": lambda words, text: len(words) / max(len(sentences.split(text)), 1),
    "content words": lambda words, _: _share(words, lambda word: word not in stop_words()),
    "connectives": lambda words, _: _share(words, lambda word: word in _CONNECTIVES),
    "reading ease": lambda _, text: max(flesch(count(text)), -100.0),
    "filled pauses": lambda words, _: _share(words, is_filled_pause),
    "repetitions": _repeated,
}
LANGUAGE_USE = tuple(_MEASURES)


def language_use(text: str) -> dict[str, float]:
    """Each measure by its name; all 0 for a text without words."""
    words = tokens(text)
    return {name: float(measure(words, text)) if words else 0.0 for name, measure in _MEASURES.items()}
