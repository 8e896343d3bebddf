"""The feature-rich SVM's features of an argument, each with what it is for (Habernal and Gurevych 2016, section 4.1).

They need a tagger, a parser and a lexicon of sentiment: `pip install 'rostrum[linguistics]'`. Where the published
system used constituents (production rules) and five classes of sentiment from Stanford's tools, here stand the parser's
dependencies and VADER's scores of sentences in five classes.
"""

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.errors import RostrumError
from pipeline.text.readability import readability

Values = dict[str, float]
PARSER = "en_core_web_sm"

_ENDINGS = ("able", "al", "ful", "ible", "ic", "ive", "less", "ous", "ly")
_MODALS = ("can", "could", "may", "might", "must", "ought", "shall", "should", "will", "would")
# Sentences by VADER's compound score, from very negative to very positive.
_SENTIMENT = (("very_negative", -0.6), ("negative", -0.2), ("neutral", 0.2), ("positive", 0.6), ("very_positive", 1.1))
# A word is misspelt when it is not among so many most frequent words of the word vectors' corpus.
_VOCABULARY = 60_000


def word_ngrams(document: Any) -> Values:
    words = [token.lemma_.lower() for token in document if not token.is_space]
    return _presence("w", itertools.chain(_ngrams(words, 1), _ngrams(words, 2)))


def endings(document: Any) -> Values:
    words = [token.lower_ for token in document if token.pos_ in ("ADJ", "ADV")]
    return {f"ending_{end}": _share(word.endswith(end) for word in words) for end in _ENDINGS}


def contextuality(document: Any) -> Values:
    """Heylighen and Dewaele's measure: nouns, adjectives, prepositions, articles against deictic parts of speech."""
    counts = Counter(token.pos_ for token in document if token.is_alpha)
    counts["ART"] = sum(token.lower_ in ("a", "an", "the") for token in document)
    formal = counts["NOUN"] + counts["PROPN"] + counts["ADJ"] + counts["ADP"] + counts["ART"]
    deictic = counts["PRON"] + counts["VERB"] + counts["AUX"] + counts["ADV"] + counts["INTJ"]
    words = max(sum(token.is_alpha for token in document), 1)
    return {"contextuality": 0.5 * ((formal - deictic) / words + 1.0)}


def dependency_depth(document: Any) -> Values:
    depths = [max(len(list(token.ancestors)) for token in sentence) for sentence in document.sents]
    return {"depth_max": float(max(depths, default=0)), "depth_mean": sum(depths) / max(len(depths), 1)}


def dependency_rules(document: Any) -> Values:
    rules = (
        f"{token.pos_}>{'_'.join(child.dep_ for child in token.children if not child.is_punct)}"
        for token in document
        if any(not child.is_punct for child in token.children)
    )
    return _presence("rule", rules)


def marks(document: Any) -> Values:
    ends = [sentence.text.rstrip() for sentence in document.sents]
    return {
        "exclamations": _share(end.endswith("!") for end in ends),
        "questions": _share(end.endswith("?") for end in ends),
        "quotations": _share(token.is_quote for token in document),
    }


def modals(document: Any) -> Values:
    words = [token.lower_ for token in document]
    shares = {f"modal_{modal}": _share(word == modal for word in words) for modal in _MODALS}
    return {"modals": sum(shares.values()), **shares}


def named_entities(document: Any) -> Values:
    counts = Counter(f"entity_{entity.label_}" for entity in document.ents)
    return {"entities": float(len(document.ents)), **{name: float(count) for name, count in counts.items()}}


def tenses(document: Any) -> Values:
    verbs = [token for token in document if token.pos_ in ("VERB", "AUX")]
    past = sum(token.tag_ in ("VBD", "VBN") for token in verbs)
    future = sum(token.lower_ in ("will", "shall", "'ll") and token.tag_ == "MD" for token in verbs)
    return {"past": past / max(len(verbs), 1), "future": future / max(len(verbs), 1)}


def part_of_speech_ngrams(document: Any) -> Values:
    tags = [token.pos_ for token in document if not token.is_space]
    return _presence("p", (gram for size in (1, 2, 3) for gram in _ngrams(tags, size)))


def readability_scores(document: Any) -> Values:
    return {f"readability_{name}": value for name, value in readability(document.text).items()}


def sentiment(document: Any) -> Values:
    compounds = [_sentiment_scores(sentence.text)["compound"] for sentence in document.sents]
    classes = [next(name for name, upper in _SENTIMENT if compound < upper) for compound in compounds]
    return {f"sentiment_{name}": _share(each == name for each in classes) for name, _ in _SENTIMENT}


def spelling(document: Any) -> Values:
    words = [token.lower_ for token in document if token.is_alpha and token.ent_type_ == ""]
    return {"misspelt": _share(_word_ranks().get(word, _VOCABULARY) >= _VOCABULARY for word in words)}


def superlatives(document: Any) -> Values:
    return {"superlatives": _share(token.tag_ in ("JJS", "RBS") for token in document)}


def lengths(document: Any) -> Values:
    words = [token.text for token in document if token.is_alpha]
    sentences = max(sum(1 for _ in document.sents), 1)
    return {
        "characters": float(len(document.text)),
        "words": float(len(words)),
        "sentences": float(sentences),
        "words_per_sentence": len(words) / sentences,
        "word_length": sum(map(len, words)) / max(len(words), 1),
        "long_words": _share(len(word) > 6 for word in words),
        "short_words": _share(len(word) < 4 for word in words),
    }


def capitals(document: Any) -> Values:
    letters = re.sub(r"[^A-Za-z]", "", document.text)
    return {"capitals": _share(letter.isupper() for letter in letters)}


@dataclass(frozen=True)
class Family:
    """Features of one kind. Of `sparse` ones only presence counts; others are numbers, to be standardised."""

    name: str
    purpose: str
    values: Callable[[Any], Values]
    sparse: bool = False


FAMILIES: tuple[Family, ...] = (
    Family("word n-grams", "what is said: presence of lemmas and pairs of lemmas", word_ngrams, sparse=True),
    Family("endings", "which kinds of adjectives and adverbs are used, by ending", endings),
    Family("contextuality", "a text that stands for itself, or leans on its situation", contextuality),
    Family("dependency depth", "how nested sentences are", dependency_depth),
    Family(
        "dependency rules", "which constructions are used: a head with its dependents", dependency_rules, sparse=True
    ),
    Family("marks", "shouting, asking, quoting", marks),
    Family("modal verbs", "obligation, possibility, prediction", modals),
    Family("named entities", "concrete people, places, organisations, dates, sums", named_entities),
    Family("tenses", "the past against the future", tenses),
    Family("part-of-speech n-grams", "style without topic", part_of_speech_ngrams, sparse=True),
    Family("readability", "seven measures of how hard the text is to read", readability_scores),
    Family("sentiment", "the share of sentences in each of five classes of feeling", sentiment),
    Family("spelling", "care: the share of words that are not English words", spelling),
    Family("superlatives", "overstatement", superlatives),
    Family("lengths", "how much is said, and in how long words and sentences", lengths),
    Family("capitals", "shouting", capitals),
)


@functools.cache
def load_parser() -> tuple[Any, str]:
    """(spaCy's English pipeline, the digest of its weights)."""
    from pipeline import models

    try:
        import spacy
        import vaderSentiment  # noqa: F401
    except ImportError as error:
        raise RostrumError(f"{error.name} is not installed; get it with: pip install 'rostrum[linguistics]'") from error
    found = models.find(PARSER)
    return spacy.load(found.path), found.digest


def parsed(texts: Sequence[str]) -> Iterator[Any]:
    """The texts as spaCy documents."""
    parser, _ = load_parser()
    yield from parser.pipe(texts)


def linguistic(texts: Sequence[str], families: Sequence[Family] = FAMILIES) -> list[tuple[Values, Values]]:
    """Of each text, the (sparse, numeric) features of these families."""
    return [
        tuple(  # type: ignore[misc]
            {name: value for f in families if f.sparse is sparse for name, value in f.values(document).items()}
            for sparse in (True, False)
        )
        for document in parsed(texts)
    ]


def _ngrams(words: Sequence[str], size: int) -> Iterator[str]:
    return (" ".join(words[i : i + size]) for i in range(len(words) - size + 1))


def _presence(prefix: str, names: Iterable[str]) -> Values:
    return {f"{prefix}:{name}": 1.0 for name in names}


def _share(these: Iterable[bool]) -> float:
    these = list(these)
    return sum(these) / len(these) if these else 0.0


@functools.cache
def _word_ranks() -> dict[str, int]:
    """Of each word of the word vectors how many are more frequent."""
    from pipeline.text.encoders.word_vectors import load_vectors

    return load_vectors().rows


def _sentiment_scores(text: str) -> dict[str, float]:
    scores: dict[str, float] = _sentiment_analyzer().polarity_scores(text)
    return scores


@functools.cache
def _sentiment_analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
