"""The role of each sentence: what rules say for certain, else what logistic regression over its vector says."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.arrays import Floats
from pipeline.models.stored import StoredModel, check_encoder
from pipeline.text.encoders.sentence_encoder import load_encoder
from pipeline.text.phrases import phrase_lists
from pipeline.text.terms import stem, stems, tokens

ENCODER = "bge-small-en-v1.5-int8"
PACKAGED_FILE = Path(__file__).with_name("argues.json")


class ArgumentClassifier(StoredModel):
    """One weight per number of a sentence's vector. `attribution` names the data and the licences."""

    noun = "a classifier of sentences"

    encoder: str
    encoder_digest: str
    weights: tuple[float, ...]
    bias: float
    trained_on: str
    attribution: str

    def probabilities(self, sentences: Sequence[str]) -> Floats:
        """For each sentence, how probably it is an argument or evidence."""
        vectors = load_encoder(self.encoder).encode(sentences).astype(np.float64)
        return np.asarray(1 / (1 + np.exp(-(vectors @ np.array(self.weights) + self.bias))))


@functools.cache
def load_classifier(file: Path = PACKAGED_FILE, training: str = "roles") -> ArgumentClassifier:
    """The classifier of a file of `rostrum train roles`, or of another training; without a file, the one that comes
    with rostrum."""
    classifier = ArgumentClassifier.read(file)
    check_encoder(file, classifier.encoder, classifier.encoder_digest, training)
    return classifier


# `aside`: a sentence that says something, and argues nothing.
Kind = Literal["argument", "evidence", "question", "quoting", "conceding", "procedure", "aside"]
ARGUES_FROM = 0.5


@dataclass(frozen=True)
class SentenceRole:
    """What a sentence is for. `argues` is how probably it is an argument or evidence of the speaker's own side.

    `likely` is that probability by the sentence's meaning alone, whoever says it and however it is put.
    """

    kind: Kind
    argues: float
    likely: float

    @property
    def is_argued(self) -> bool:
        """Whether it may carry a mention, make a key point or convince."""
        return self.kind in ("argument", "evidence")

    @property
    def is_of_other_side(self) -> bool:
        """Whether what it says belongs to the other side: it is quoted from there, or granted to it."""
        return self.kind in ("quoting", "conceding")


def roles_of(sentences: Sequence[str], motion: str, classifier: ArgumentClassifier | None = None) -> list[SentenceRole]:
    """The role of each sentence of a speech on a motion, in the speech's order."""
    if not sentences:
        return []
    likely = (classifier or load_classifier()).probabilities(sentences).tolist()
    by_rule = roles_by_rule(sentences, motion)
    return [_role(*each) for each in zip(sentences, likely, by_rule, strict=True)]


def roles_by_rule(sentences: Sequence[str], motion: str) -> list[Kind | None]:
    """The role of each sentence of a speech that rules tell for certain; None where only its meaning does."""
    told = zip(sentences, reports(sentences), grants(sentences), strict=True)
    return [_by_rule(*each, motion) for each in told]


def _role(sentence: str, likely: float, by_rule: Kind | None) -> SentenceRole:
    if by_rule:
        return SentenceRole(by_rule, 0.0, likely)
    if likely < ARGUES_FROM:
        return SentenceRole("aside", likely, likely)
    return SentenceRole("evidence" if gives_evidence(sentence) else "argument", likely, likely)


def _by_rule(sentence: str, is_reported: bool, is_granted: bool, motion: str) -> Kind | None:
    if is_question(sentence):
        return "question"
    if is_procedure(sentence, motion):
        return "procedure"
    if is_reported or is_quoting(sentence):
        return "quoting"
    return "conceding" if is_granted or is_conceding(sentence) else None


# The rules. Their phrases are lists in `phrases/`.

_PHRASES = phrase_lists("pipeline.sentence_roles")
# Words that link a sentence to the one before, and hesitations: rules look at what comes after them.
_LINKS = re.compile(
    r"(?:(?:and|but|so|or|yet|because|well|now|okay|ok|right|yes|no|look|listen|then|again|also|uh|um|like|first|firstly|"
    r"second|secondly|third|thirdly|finally|lastly|first of all|you know|i mean|i think|we think|obviously|of course)"
    r"\b[\s,:–—-]*)*",
    re.IGNORECASE,
)
# Where a sentence's clauses begin, also where there are no commas.
_CLAUSES = re.compile(
    r"[,;:.]\s+|\b(?:because|but|since)\b|\band (?:so )?(?=(?:i|we|it|they|this|that|there)\b)", re.IGNORECASE
)
_FEWEST_WORDS = 3
# A clause of fewer words says nothing of its own beside a greeting, an announcement or a report.
_CLAUSE_WORDS = 6
# So many sentences go on granting at most, before one that turns to the speaker's own.
_MOST_GRANTED = 3
_TURNS = re.compile(
    r"(?<!\W)\W*(?:(?:and|well|now|so)\W+)?(?:(?:but|however|yet|nevertheless)\b|still,)", re.IGNORECASE
)
_ANSWERS = re.compile(r"\b(?:but|however|yet|although|except|when in fact|in reality)\b", re.IGNORECASE)
# An announcement of a report has no more words: 'His last reason was a matter of principle.'
_ANNOUNCED_WORDS = 10


def is_question(sentence: str) -> bool:
    """Whether the sentence asks.

    >>> is_question("and why is this the case")
    True
    >>> is_question("What is worse, it costs lives.")
    False
    """
    if "?" in sentence:
        return sentence.rstrip().endswith("?")
    body = _body(sentence)
    return not body.rstrip().endswith((".", "!")) and _begins(body, "question_starts")


def is_procedure(sentence: str, motion: str) -> bool:
    """Whether the sentence greets, thanks, announces, keeps house, or says no more than the motion.

    >>> is_procedure("Thank you very much, and good evening.", "We should ban zoos")
    True
    >>> is_procedure("So for these reasons we should ban zoos.", "We should ban zoos")
    True
    >>> is_procedure("We should ban zoos because animals suffer there.", "We should ban zoos")
    False
    """
    if len(tokens(sentence)) < _FEWEST_WORDS or restates(sentence, motion):
        return True
    clauses = list(_clauses(sentence))
    if not any(_is_procedural(clause) for clause in clauses):
        return False
    return all(_is_procedural(clause) or len(clause.split()) < _CLAUSE_WORDS for clause in clauses)


def restates(sentence: str, motion: str) -> bool:
    """Whether a sentence says nothing beyond the motion, its negation, or a stand on it.

    >>> restates("So we should introduce universal healthcare.", "We should introduce universal health care")
    True
    """
    of_motion, said = tokens(motion), tokens(sentence)
    joined = {stem("".join(pair)) for words in (of_motion, said) for pair in pairwise(words)}
    known = {stem(word) for word in (*of_motion, *_PHRASES.words("verdicts"))}
    known |= joined & {stem(word) for word in (*of_motion, *said)}
    parts = {stem(word) for pair in pairwise(said) if stem("".join(pair)) in known for word in pair}
    return not set(stems(sentence, without_stop_words=True)) - known - parts


def is_quoting(sentence: str) -> bool:
    """Whether the sentence reports what others say, and does not answer it.

    >>> is_quoting("They tell us that zoos save species.")
    True
    >>> is_quoting("They say zoos save species, but hardly any animal is ever released.")
    False
    """
    return _begins(_body(sentence), "quotes") and not _is_answered(sentence)


def without_report(sentence: str) -> str:
    """What a sentence that quotes others reports, without saying who does.

    >>> without_report("So first they tell us that zoos save species.")
    'zoos save species.'
    """
    body = _body(sentence)
    report = _PHRASES.beginning("quotes").match(body)
    return re.sub(r"^(?:[\s,:]*(?:us|you|that|about|how|is)\b)*[\s,:]*", "", body[report.end() :]) if report else body


def without_answered_report(sentence: str) -> str:
    """What a sentence that quotes others says against them: the words after *but*. Any other sentence as it is.

    >>> without_answered_report("They say that zoos save species, but hardly any animal is ever released.")
    'hardly any animal is ever released.'
    """
    if not (_begins(_body(sentence), "quotes") and _is_answered(sentence)):
        return sentence
    return _ANSWERS.split(sentence)[-1].strip(" ,;:")


def is_conceding(sentence: str) -> bool:
    """Whether the sentence grants the other side something, and does not go on against it."""
    return _begins(_body(sentence), "concessions") and not _is_answered(sentence)


def gives_evidence(sentence: str) -> bool:
    """Whether a sentence that argues does it by an example, a number or a source."""
    return bool(_PHRASES.beginning("evidence").search(sentence))


def reports(sentences: Sequence[str]) -> list[bool]:
    """For each sentence, whether it has the other side's words: the one before announces them, or begins them.

    >>> reports(["first they tell us that the influx of unskilled labor is", "harmful for the economy"])
    [False, True]
    """
    announced = [False]
    for sentence, following in pairwise(sentences):
        is_short = len(tokens(sentence)) <= _ANNOUNCED_WORDS
        goes_on = is_short or is_cut(sentence, following)
        announced.append(goes_on and is_quoting(sentence) and not is_question(sentence))
    return announced[: len(sentences)]


def grants(sentences: Sequence[str]) -> list[bool]:
    """For each sentence, whether it goes on with what the one before it grants, until one begins with *but*.

    >>> grants(["It is true that zoos save species.", "Some live nowhere else.", "But most animals suffer."])
    [False, True, False]
    >>> grants(["It is true that zoos save species.", "Some live nowhere else.", "Let me go on."])
    [False, False, False]
    """
    granted = [False] * len(sentences)
    for place, sentence in enumerate(sentences):
        following = sentences[place + 1 : place + 2 + _MOST_GRANTED]
        until = next((count for count, one in enumerate(following) if _TURNS.match(one)), 0)
        if until and is_conceding(sentence):
            granted[place + 1 : place + 1 + until] = [True] * until
    return granted


def is_cut(sentence: str, following: str) -> bool:
    """Whether a transcript without full stops was cut between these two in the middle of a sentence.

    >>> is_cut("zoos are bad because of the", "noise that visitors make")
    True
    >>> is_cut("Zoos are bad.", "Thank you.")
    False
    """
    if not sentence.split() or not following.split() or sentence.rstrip().endswith((".", "!", "?")):
        return False
    never_last, never_first = _never_at_an_end()
    return sentence.split()[-1].lower() in never_last or following.split()[0].lower() in never_first


@functools.cache
def _never_at_an_end() -> tuple[frozenset[str], frozenset[str]]:
    """(Words that no sentence ends with, words that none begins with.)"""
    last, first = (frozenset(line.split()) for line in _PHRASES.lines("cuts"))
    return last, first


def _body(sentence: str) -> str:
    """A sentence without the links that it begins with."""
    plain = sentence.replace("’", "'").strip()
    match = _LINKS.match(plain)
    return plain[match.end() :] if match else plain


def _begins(text: str, name: str) -> bool:
    return bool(_PHRASES.beginning(name).match(text))


def _is_procedural(clause: str) -> bool:
    return _begins(clause, "greetings") or _begins(clause, "announcements")


def _clauses(sentence: str) -> Iterator[str]:
    for clause in _CLAUSES.split(sentence.replace("’", "'")):
        if body := _body(clause):
            yield body


def _is_answered(sentence: str) -> bool:
    """Whether 'but' or the like is followed by as much as a clause."""
    parts = _ANSWERS.split(sentence)
    return len(parts) > 1 and len(parts[-1].split()) >= _CLAUSE_WORDS - 1
