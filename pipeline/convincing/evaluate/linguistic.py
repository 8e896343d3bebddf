"""The linguistic features of the published SVM (Habernal and Gurevych 2016, section 4.1), family by family.

Units are those of the published system: counts, and percentages of verbs or adjectives. They need a tagger, a parser
and a lexicon of sentiment: `pip install 'rostrum[linguistics]'`. Three things differ. Dependencies stand for
constituents, VADER's scores of sentences in five classes for Stanford's, and the most frequent words of the word
vectors for a list of English words.
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

_ENDINGS = ("able", "al", "ful", "ible", "ic", "ive", "less", "ous")
_MODALS = ("can", "could", "may", "might", "must", "shall", "should", "will", "would")
# Sentences by VADER's compound score, from very negative to very positive.
_SENTIMENT = (("very_negative", -0.6), ("negative", -0.2), ("neutral", 0.2), ("positive", 0.6), ("very_positive", 1.1))
# A word counts as misspelt if it is not among this many most frequent words of the word vectors.
_VOCABULARY = 60_000


def word_ngrams(document: Any) -> Values:
    """Presence of lemma unigrams and bigrams."""
    words = [token.lemma_.lower() for token in document if not token.is_space]
    return _presence("w", itertools.chain(_ngrams(words, 1), _ngrams(words, 2)))


def endings(document: Any) -> Values:
    """Adjectives by ending, in percent of all adjectives, and adverbs in -ly in percent of all adverbs."""
    adjectives, adverbs = ([token.lower_ for token in document if token.pos_ == kind] for kind in ("ADJ", "ADV"))
    shares = {f"ending_{end}": _percent(word.endswith(end) for word in adjectives) for end in _ENDINGS}
    return {**shares, "ending_ly": _percent(word.endswith("ly") for word in adverbs)}


def contextuality(document: Any) -> Values:
    """Heylighen and Dewaele's formality: nouns, adjectives, prepositions, articles against deictic parts of speech."""
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
    sentences = max(sum(1 for _ in document.sents), 1)
    return {
        "exclamations": len(re.findall("!+", document.text)) / sentences,
        "questions": len(re.findall(r"\?+", document.text)) / sentences,
        "quotations": _share(token.is_quote for token in document),
    }


def modals(document: Any) -> Values:
    """Modal verbs in percent of all verbs; uncertain ones are all but 'will' and 'must'."""
    verbs = _verbs(document)
    shares = {f"modal_{modal}": _percent(verb.lower_ == modal for verb in verbs) for modal in _MODALS}
    modal = sum(shares.values())
    return {**shares, "modals": modal, "modals_uncertain": modal - shares["modal_will"] - shares["modal_must"]}


def named_entities(document: Any) -> Values:
    counts = Counter(f"entity_{entity.label_}" for entity in document.ents)
    return {name: float(count) for name, count in counts.items()}


def tenses(document: Any) -> Values:
    """Past and future in percent of all verbs. As published, every verb but a modal counts as present or future."""
    verbs = _verbs(document)
    past = _percent(verb.tag_ in ("VBD", "VBN") for verb in verbs)
    future = _percent(verb.tag_.startswith("VB") for verb in verbs)
    return {"past": past, "future": future, "future_to_past": future / past if past else 0.0}


def part_of_speech_ngrams(document: Any) -> Values:
    tags = [token.pos_ for token in document if not token.is_space]
    counts = Counter(f"p:{gram}" for size in (1, 2, 3) for gram in _ngrams(tags, size))
    return {name: float(count) for name, count in counts.items()}


def readability_scores(document: Any) -> Values:
    return {f"readability_{name}": value for name, value in readability(document.text).items()}


def sentiment(document: Any) -> Values:
    compounds = [_sentiment_analyzer().polarity_scores(sentence.text)["compound"] for sentence in document.sents]
    classes = [next(name for name, upper in _SENTIMENT if compound < upper) for compound in compounds]
    return {f"sentiment_{name}": _share(own == name for own in classes) for name, _ in _SENTIMENT}


def spelling(document: Any) -> Values:
    from pipeline.text.encoders.word_vectors import load_vectors

    ranks = load_vectors().rows  # of each word, how many words are more frequent
    words = [token.lower_ for token in document if token.is_alpha and token.ent_type_ == ""]
    return {"misspelt": float(sum(ranks.get(word, _VOCABULARY) >= _VOCABULARY for word in words))}


def superlatives(document: Any) -> Values:
    return {"superlatives": _share(token.tag_ in ("JJS", "RBS") for token in document)}


def lengths(document: Any) -> Values:
    words = [token.text for token in document if not token.is_space]
    sentences = [sum(not token.is_space for token in sentence) for sentence in document.sents]
    return {
        "characters": float(len(document.text)),
        "sentence_words_max": float(max(sentences, default=0)),
        "sentence_words_mean": sum(sentences) / max(len(sentences), 1),
        "words": float(len(words)),
        "long_words": float(sum(len(word) > 6 for word in words)),
        "long_words_share": _share(len(word) > 6 for word in words),
    }


def capitals(document: Any) -> Values:
    letters = re.sub(r"[^A-Za-z]", "", document.text)
    return {"capitals": _share(letter.isupper() for letter in letters)}


@dataclass(frozen=True)
class FeatureFamily:
    """Features of one kind, and their purpose. `sparse` families have thousands, and a text has few of them."""

    name: str
    purpose: str
    values: Callable[[Any], Values]
    sparse: bool = False


FAMILIES: tuple[FeatureFamily, ...] = (
    FeatureFamily("word n-grams", "what is said: presence of lemmas and pairs of lemmas", word_ngrams, sparse=True),
    FeatureFamily("endings", "which kinds of adjectives and adverbs are used, by ending", endings),
    FeatureFamily("contextuality", "a text that stands for itself, or leans on its situation", contextuality),
    FeatureFamily("dependency depth", "how nested sentences are", dependency_depth),
    FeatureFamily(
        "dependency rules", "which constructions are used: a head with its dependents", dependency_rules, sparse=True
    ),
    FeatureFamily("marks", "shouting, asking, quoting", marks),
    FeatureFamily("modal verbs", "obligation, possibility, prediction", modals),
    FeatureFamily("named entities", "concrete people, places, organisations, dates, sums", named_entities),
    FeatureFamily("tenses", "the past against the future", tenses),
    FeatureFamily("part-of-speech n-grams", "style without topic", part_of_speech_ngrams, sparse=True),
    FeatureFamily("readability", "seven measures of how hard the text is to read", readability_scores),
    FeatureFamily("sentiment", "the share of sentences in each of five classes of feeling", sentiment),
    FeatureFamily("spelling", "care: how many words are not English words", spelling),
    FeatureFamily("superlatives", "overstatement", superlatives),
    FeatureFamily("lengths", "how much is said, in how long sentences and words", lengths),
    FeatureFamily("capitals", "shouting", capitals),
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
    model = models.find(PARSER)
    return spacy.load(model.path), model.digest


def parsed(texts: Sequence[str]) -> list[Any]:
    """The texts as spaCy documents."""
    parser, _ = load_parser()
    return list(parser.pipe(texts))


def linguistic(texts: Sequence[str]) -> dict[str, list[Values]]:
    """The features of each text, by family."""
    documents = parsed(texts)
    return {family.name: [family.values(document) for document in documents] for family in FAMILIES}


def _ngrams(words: Sequence[str], size: int) -> Iterator[str]:
    return (" ".join(words[i : i + size]) for i in range(len(words) - size + 1))


def _presence(prefix: str, names: Iterable[str]) -> Values:
    return {f"{prefix}:{name}": 1.0 for name in names}


def _verbs(document: Any) -> list[Any]:
    return [token for token in document if token.pos_ in ("VERB", "AUX")]


def _percent(these: Iterable[bool]) -> float:
    return 100.0 * _share(these)


def _share(these: Iterable[bool]) -> float:
    these = list(these)
    return sum(these) / len(these) if these else 0.0


@functools.cache
def _sentiment_analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
