"""The passage that carries an argument: the sentence that makes it best, if one does.

Sentences are read beside titles by a matcher. Only a sentence that argues can carry an argument, and it carries those
of a list that it makes best.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats, Matrix
from pipeline.matching import Matcher, in_speech
from pipeline.sentence_roles import SentenceRole, roles_of

# From this score on, a sentence says the argument outright.
OUTRIGHT = 0.8
# A sentence carries an argument, too, if it scores at most this much less than the one that it makes best.
_AS_WELL = 0.05

Roles = Callable[[Sequence[str], str], Sequence[SentenceRole]]


@dataclass(frozen=True)
class PassageReader:
    """Finds the sentences that carry arguments: those from `threshold` on, by a matcher's scores adapted to speech."""

    matcher: Matcher
    threshold: float
    roles: Roles = roles_of

    def scores(self, motion: str, sentences: Sequence[str], titles: Sequence[str]) -> Matrix:
        """How well each sentence (row) makes each argument of a list (column); 0 where it cannot carry it."""
        scores = in_speech(self.matcher.scores(motion, sentences, titles), sentences)
        argued = np.array([role.is_argued for role in self.roles(sentences, motion)])
        makes = scores >= scores.max(axis=1, keepdims=True) - _AS_WELL
        return np.where(argued[:, None] & makes, scores.clip(0, 1), 0.0)

    def carrying(self, scores: Floats, most: int) -> list[int]:
        """The sentences that carry an argument, by its column of `scores`: at most so many, the best first."""
        ordered = np.argsort(-scores, kind="stable")[:most].tolist()
        return [sentence for sentence in ordered if scores[sentence] >= max(self.threshold, 1e-9)]
