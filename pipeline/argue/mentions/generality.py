"""How general a claim is: whether its words are those of arguments on any topic, or on few.

'Will harm others' is heard in most debates, 'benefits minorities' in few, whatever they are about.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from pipeline.argue.mentions.features import standardised
from pipeline.argue.mentions.prior import terms
from pipeline.arrays import Floats
from pipeline.text.terms import stem, stop_words, tokens

# What a word counts for topics that it was not seen on.
_UNSEEN = 0.5


class Generality(BaseModel):
    """Word stems, and on how many of all `topics` people used them in an argument."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    topics: int
    words: dict[str, int]

    @classmethod
    def of(cls, arguments: Iterable[tuple[str, str]]) -> "Generality":
        """From (topic, argument). Words of a single topic are left out: they count like unseen ones."""
        found: dict[str, set[str]] = {}
        for topic, text in arguments:
            found.setdefault(topic, set()).update(stem(word) for word in tokens(text))
        counts = Counter(word for words in found.values() for word in words)
        return cls(topics=len(found), words={word: count for word, count in sorted(counts.items()) if count > 1})

    def standing(self, motion: str, titles: Sequence[str]) -> Floats:
        """For each title, the mean logarithm of its words' shares of topics, in deviations from the list's mean.

        Stop words and the motion's own words count for nothing.
        """
        return standardised(np.array([self._log_share(motion, title) for title in titles]))

    def _log_share(self, motion: str, title: str) -> float:
        content = sorted(terms(motion, title) - set(map(stem, stop_words())))
        shares = [np.log((self.words.get(word, 0) + _UNSEEN) / max(self.topics, 1)) for word in content]
        return float(np.mean(shares)) if shares else 0.0
