"""The form of a clause: whether words are a whole claim, not more and not less, and in an order that people write.

Logistic regression over what a parser says of the words and of those beside them, and another one over the vector of
the words, learned by `rostrum train clauses`. Their odds are multiplied.
"""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats
from pipeline.keypoints.grammar import auxiliaries, is_finite, subject_of
from pipeline.models.stored import StoredModel, check_encoder
from pipeline.text.encoders.sentence_encoder import load_encoder

PACKAGED_FILE = Path(__file__).with_name("clauses.json")
_EMBEDDED = frozenset({"relcl", "advcl", "ccomp", "conj", "acl", "xcomp", "csubj", "pcomp", "appos"})


class Fluency(StoredModel):
    """How often function words and parts of speech follow one another in written claims: runs of one, two and three."""

    noun = "runs of words"

    runs: Mapping[str, int]

    @functools.cached_property
    def total(self) -> int:
        return sum(count for run, count in self.runs.items() if " " not in run)

    def surprise(self, pattern: Sequence[str]) -> list[float]:
        """How improbable each element is after the two before it: minus the logarithm of its probability."""
        return [-math.log(self._probability(*three)) for three in zip(pattern, pattern[1:], pattern[2:], strict=False)]

    def _probability(self, one: str, two: str, three: str) -> float:
        count = self.runs.get
        alone = (count(three, 0) + 1) / (self.total + 1_000)
        after_one = count(f"{two} {three}", 0) / max(count(two, 0), 1)
        after_two = count(f"{one} {two} {three}", 0) / max(count(f"{one} {two}", 0), 1)
        return min(1.0, 0.6 * after_two + 0.3 * after_one + 0.1 * alone)


class ClauseForm(StoredModel):
    """One weight per feature of a clause, one per number of its vector, and how usual the order of its words is."""

    noun = "a model of clauses"

    weights: Mapping[str, float]
    bias: float
    fluency: Fluency
    encoder: str
    encoder_digest: str
    meaning: tuple[float, ...]
    meaning_bias: float
    trained_on: str
    attribution: str

    def probabilities(self, texts: Sequence[str], features: Sequence[Sequence[str]]) -> Floats:
        """For each text with its features, the probability that it is a whole claim."""
        by_form = [sum(self.weights.get(name, 0.0) for name in set(names)) for names in features]
        by_meaning = load_encoder(self.encoder).encode(texts).astype(np.float64) @ np.array(self.meaning)
        odds = np.array(by_form) + self.bias + by_meaning + self.meaning_bias
        return np.asarray(1 / (1 + np.exp(-odds)))


@functools.cache
def load_form(file: Path = PACKAGED_FILE) -> ClauseForm:
    """The model of a file of `rostrum train clauses`; without a file, the one that comes with rostrum."""
    form = ClauseForm.read(file)
    check_encoder(file, form.encoder, form.encoder_digest, "clauses")
    return form


def features(parsed: Any, verb: Any, span: Any, breaks: Sequence[bool], fluency: Fluency) -> Iterator[str]:
    """What is known of the form of a clause: of its parse, of the words at its edges, and of those beside them.

    `parsed` are its words parsed alone, `verb` among them, and `span` the same words in the speech. `breaks` says for
    each word of the speech, and for its end, whether a sentence or a stretch between two pauses ends before it.
    """
    words = [word for word in parsed if not word.is_punct]
    yield f"words {len(words)}"
    yield from _of_verb(verb)
    yield from _of_edges(words)
    for word in words:
        yield f"has {word.dep_}"
        if word.dep_ in _EMBEDDED:
            yield f"embedded {word.dep_} {word.tag_}"
    yield from _of_fluency(fluency.surprise(patterns(words)))
    yield from _of_context(span, breaks)


def _of_fluency(surprise: Sequence[float]) -> Iterator[str]:
    """How usual the order of function words and parts of speech is in written claims, at its worst and on the whole."""
    yield f"worst surprise {min(12, int(max(surprise)))}"
    yield f"mean surprise {min(20, int(3 * sum(surprise) / len(surprise)))}"
    yield f"surprising {min(4, sum(one > 6 for one in surprise))}"


def _of_verb(verb: Any) -> Iterator[str]:
    subject = subject_of(verb)
    yield f"verb {verb.tag_} {bool(auxiliaries(verb))}"
    yield from (f"after verb {child.dep_}" for child in verb.children if child.i > verb.i and not child.is_punct)
    yield from (f"before verb {child.dep_}" for child in verb.children if child.i < verb.i)
    yield f"subject {subject.tag_} {subject.dep_}"
    yield f"subject after {min(subject.left_edge.i, 4)}"


def _of_edges(words: Sequence[Any]) -> Iterator[str]:
    first, last = words[0], words[-1]
    yield f"first {first.pos_} {first.dep_}"
    yield f"last {last.tag_}"
    yield f"last {last.dep_}"
    yield f"finite verbs {sum(map(is_finite, words))}"


def _of_context(span: Any, breaks: Sequence[bool]) -> Iterator[str]:
    stops = breaks[span.end]
    yield f"begins at a break {breaks[span.start]}"
    yield f"stops at a break {stops}"
    yield f"breaks inside {min(2, sum(breaks[span.start + 1 : span.end]))}"
    after = span.doc[span.end] if span.end < len(span.doc) else None
    if after is not None and not after.is_punct:
        top = top_after(after, span.end)
        yield f"goes on {top.dep_ if top.head.i >= span.start else 'elsewhere'} {stops}"


def top_after(word: Any, start: int) -> Any:
    """The highest word that this one depends on, of those from `start` on."""
    while word.head.i >= start and word.head != word:
        word = word.head
    return word


def _plain(word: Any) -> str:
    """A function word, or the part of speech of another."""
    return str(word.tag_ if word.pos_ in ("NOUN", "VERB", "ADJ", "PROPN", "NUM", "ADV") else word.lower_)


def patterns(words: Sequence[Any]) -> list[str]:
    """Each word as a function word or a part of speech."""
    return ["<", "<", *map(_plain, words), ">"]
