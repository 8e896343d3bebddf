"""The passage that carries an argument: the sentence that makes it best, if one does.

Sentences are read beside titles by a matcher. Only a sentence that argues can carry an argument, and it carries those
of a list that it makes best. Where a transcript's sentences are cut in the middle, the passage has the rest as well.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Matrix
from pipeline.matching import Matcher, for_length, in_speech
from pipeline.records import Stance
from pipeline.sentence_roles import SentenceRole, is_cut, roles_of
from pipeline.speakers import load_stance_model

# From this score on, a sentence says the argument outright.
OUTRIGHT = 0.8
# A sentence carries an argument, too, if it scores at most this much less than the one that it makes best.
_AS_WELL = 0.05

# A shorter sentence without a full stop is a fragment. A longer one than the most gains nothing by its length.
_FEWEST_WORDS, _MOST_WORDS = 8, 60
# How a sentence ends that asks, announces, or denies what it has said: without punctuation, it may begin otherwise.
_ENDS_WITHOUT_ARGUING = re.compile(
    r"\b(?:what|how|why) (?:would|will|could|should|can|is|are|does|do)\b(?: [\w']+){0,6}\??$|"
    r"\b(?:let's|let us|order to|(?:i|we)(?:'ll| will|'m going to|'re going to| want to| would like to|'d like to)) "
    r"(?:first |now |just )?(?:discuss|talk about|look at|go over|outline)\b(?: [\w']+){0,7}\.?$|"
    r"\b(?:we|i)(?: [\w']+){0,3} (?:disagree|reject (?:this|that|it))\.?$",
    re.IGNORECASE,
)

# A sentence that is less probably on the side of an argument than so, and not on the other side, does not carry it.
_OWN_SIDE = 0.5

Roles = Callable[[Sequence[str], str], Sequence[SentenceRole]]
# For a motion and texts, the logarithms of the probabilities that each is for the motion, against it, and neither.
Stances = Callable[[str, Sequence[str]], Matrix]


def shipped_stances(motion: str, texts: Sequence[str]) -> Matrix:
    """The stances of texts by the model that comes with rostrum."""
    return load_stance_model().logarithms(motion, texts)


@dataclass(frozen=True)
class PassageReader:
    """Finds the sentences that carry arguments: those from `threshold` on, by a matcher's scores adapted to speech."""

    matcher: Matcher
    threshold: float
    roles: Roles = roles_of
    stances: Stances = shipped_stances

    def scores(self, motion: str, sentences: Sequence[str], titles: Sequence[str], stance: Stance) -> Matrix:
        """How well each sentence (row) makes each argument of a list (column); 0 where it cannot carry it.

        `stance` is that of the arguments. A sentence that is rather for the other side carries none of them.
        """
        scores = in_speech(self.matcher.scores(motion, sentences, titles), sentences)
        shortened = [" ".join(sentence.split()[:_MOST_WORDS]) for sentence in sentences]
        scores -= (for_length(sentences) - for_length(shortened))[:, None]
        roles = zip(self.roles(sentences, motion), sentences, strict=True)
        argued = np.array([role.is_argued and not _is_fragment(text) and ends_arguing(text) for role, text in roles])
        makes = scores >= scores.max(axis=1, keepdims=True) - _AS_WELL
        scores = np.where(argued[:, None] & makes, scores.clip(0, 1), 0.0)
        near = np.flatnonzero(scores.max(axis=1) >= self.threshold).tolist()
        for row, logarithms in zip(near, self.stances(motion, [sentences[row] for row in near]), strict=True):
            own, other = np.exp(logarithms[:2] if stance == "pro" else logarithms[1::-1])
            scores[row] *= own >= _OWN_SIDE * (own + other)
        return np.asarray(scores, dtype=np.float64)

    def carrying(self, scores: Floats, most: int) -> list[int]:
        """The sentences that carry an argument, by its column of `scores`: at most so many, the best first."""
        ordered = np.argsort(-scores, kind="stable")[:most].tolist()
        return [sentence for sentence in ordered if scores[sentence] >= max(self.threshold, 1e-9)]


def complete(place: int, sentences: Sequence[str]) -> tuple[int, int]:
    """The sentence of that place, with the one before or after it where a sentence was cut in the middle.

    >>> complete(1, ["He says", "zoos are bad because of the", "noise that visitors make"])
    (1, 3)
    >>> complete(0, ["Zoos are bad.", "Thank you."])
    (0, 1)
    """
    cut_before = place > 0 and is_cut(sentences[place - 1], sentences[place])
    cut_after = place + 1 < len(sentences) and is_cut(sentences[place], sentences[place + 1])
    return place - cut_before, place + 1 + cut_after


def ends_arguing(sentence: str) -> bool:
    """Whether a sentence does not end with a question, an announcement, or a denial of what it says.

    >>> ends_arguing("if the monarchy is abolished what would happen financially")
    False
    >>> ends_arguing("in order to discuss the advantages of wind power")
    False
    >>> ends_arguing("they say the state takes what is theirs and we would fundamentally disagree")
    False
    >>> ends_arguing("parents are too shy to talk about contraception")
    True
    """
    return not _ENDS_WITHOUT_ARGUING.search(sentence.strip())


def _is_fragment(sentence: str) -> bool:
    return len(sentence.split()) < _FEWEST_WORDS and not _has_end(sentence)


def _has_end(sentence: str) -> bool:
    return sentence.rstrip().endswith((".", "!", "?"))
