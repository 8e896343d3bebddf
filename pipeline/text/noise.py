"""Simulated recognition errors: the word errors of a real recogniser, added to a text.

They are learned from pairs of what was said and what the recogniser heard: how often each word is misheard, and as what
(another word, several, none, or itself with one word more). With one seed, a text at 20 % has the errors that it has at
10 %, and as many more.
"""

import functools
import json
import math
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

import numpy as np

from pipeline.errors import RostrumError
from pipeline.system.files import read_file, write_file
from pipeline.text.encoders.word_vectors import bare

Words = tuple[str, ...]
T = TypeVar("T")
FORMAT = "rostrum word confusions 1"

# The general rate counts like so many occurrences of the word itself.
_PRIOR = 5.0
# A word that was never seen is misheard as one of this many that are spelled most like it.
_NEIGHBOURS = 5


@dataclass(frozen=True)
class Confusions:
    """How words are misheard: `seen` and `wrong` count them, `outcomes` says what was heard instead and how often."""

    seen: Mapping[str, int]
    wrong: Mapping[str, int]
    outcomes: Mapping[str, Mapping[Words, int]]

    @functools.cached_property
    def rare_rate(self) -> float:
        """The error rate of words seen once: what to expect of a word that was never seen."""
        once = [word for word, count in self.seen.items() if count == 1]
        return (sum(self.wrong.get(word, 0) for word in once) + 1) / (len(once) + 2)

    def rate(self, word: str) -> float:
        """How often this word is misheard."""
        return (self.wrong.get(word, 0) + _PRIOR * self.rare_rate) / (self.seen.get(word, 0) + _PRIOR)

    @functools.cached_property
    def kinds(self) -> dict[str, int]:
        """The numbers of deletions, insertions and substitutions."""
        kinds: Counter[str] = Counter()
        for word, outcomes in self.outcomes.items():
            for outcome, count in outcomes.items():
                kinds["drop" if not outcome else "add" if word in outcome else "change"] += count
        return dict(kinds)

    @functools.cached_property
    def added(self) -> dict[Words, int]:
        """The words that were added, and how often."""
        counts: Counter[Words] = Counter()
        for word, outcomes in self.outcomes.items():
            for outcome, count in outcomes.items():
                if len(outcome) == 2 and outcome[0] == word:
                    counts[outcome[1:]] += count
        return dict(counts)

    @functools.cached_property
    def vocabulary(self) -> list[str]:
        return sorted(self.seen)

    @functools.cached_property
    def similar(self) -> Callable[[str], list[str]]:
        """The known words that are spelled most like a word."""
        from rapidfuzz import process
        from rapidfuzz.distance import JaroWinkler

        @functools.cache
        def nearest(word: str) -> list[str]:
            likest = process.extract(word, self.vocabulary, scorer=JaroWinkler.similarity, limit=_NEIGHBOURS + 1)
            return [other for other, _, _ in likest if other != word][:_NEIGHBOURS]

        return nearest


def learn(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Confusions:
    """Count what became of each word, from (said, heard) pairs of transcripts in words."""
    seen: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    outcomes: defaultdict[str, Counter[Words]] = defaultdict(Counter)
    for said, heard in pairs:
        seen.update(said)
        for word, outcome in _outcomes(said, heard):
            wrong[word] += 1
            outcomes[word][outcome] += 1
    if not outcomes:
        raise RostrumError("no word errors to learn from: the transcripts are the same, or empty")
    return Confusions(dict(seen), dict(wrong), {word: dict(counts) for word, counts in outcomes.items()})


def _outcomes(said: Sequence[str], heard: Sequence[str]) -> Iterable[tuple[str, Words]]:
    """(word, what was heard instead) of every misheard word. An added word belongs to the word before it."""
    from rapidfuzz.distance import Levenshtein

    became: dict[int, Words] = {}
    for edit in Levenshtein.editops(said, heard):
        match edit.tag:
            case "replace":
                became[edit.src_pos] = (heard[edit.dest_pos],)
            case "delete":
                became[edit.src_pos] = ()
            case "insert" if edit.src_pos:
                before = edit.src_pos - 1
                became[before] = (*became.get(before, (said[before],)), heard[edit.dest_pos])
    return ((said[index], outcome) for index, outcome in sorted(became.items()))


def add_noise(words: Sequence[str], confusions: Confusions, rate: float, seed: int = 0) -> list[str]:
    """The words with so many errors that their word error rate is `rate`. Likely words are misheard first.

    A rate above about 1 cannot be reached: then there are as many errors as the words have room for.
    """
    return [word for became in noisy_words(words, confusions, rate, seed) for word in became]


def noisy_words(words: Sequence[str], confusions: Confusions, rate: float, seed: int = 0) -> list[Words]:
    """What is heard for each word: itself, another, several or none. Marks around a word stay with what is heard."""
    if not 0 <= rate < math.inf:
        raise RostrumError(f"a word error rate of {rate:g}: give a number from 0 on, such as 0.2")
    random = np.random.default_rng(seed)
    known = [bare(word) for word in words]
    rates = np.array([confusions.rate(word) for word in known])
    # The largest of log rate + Gumbel noise are a sample without replacement, weighted by rate.
    order = np.argsort(-(np.log(rates) + random.gumbel(size=len(words))), kind="stable")
    draws = random.random((len(words), 2))
    wanted = round(rate * len(words))
    noisy: list[Words] = [(word,) for word in words]
    errors = 0
    for index in order.tolist():
        if errors >= wanted:
            break
        word = known[index]
        outcome = _draw(word, confusions, *draws[index].tolist())
        errors += len(outcome) - 1 if word in outcome else max(len(outcome), 1)
        noisy[index] = _spelled(outcome, words[index], word)
    return noisy


def _spelled(outcome: Words, word: str, known: str) -> Words:
    """The outcome with the marks that stood around the word, and the word itself as it was written."""
    if not outcome or not known:
        return outcome
    before, _, after = word.lower().replace("’", "'").partition(known)
    first, last = len(before), len(word) - len(after)
    spelled = [word[first:last] if part == known else part for part in outcome]
    spelled[0] = word[:first] + spelled[0]
    spelled[-1] += word[last:]
    return tuple(spelled)


def _draw(word: str, confusions: Confusions, first: float, second: float) -> Words:
    """A random outcome of a misheard word, by two random numbers between 0 and 1."""
    outcomes = confusions.outcomes.get(word, {})
    known = sum(outcomes.values())
    if first * (known + 1) < known:
        return _chosen(outcomes, second)
    kind = _chosen(confusions.kinds, (first * (known + 1) - known) % 1.0)
    if kind == "drop":
        return ()
    if kind == "add" and confusions.added:
        return (word, *_chosen(confusions.added, second))
    similar = confusions.similar(word)
    return (similar[math.floor(second * len(similar))],) if similar else ()


def _chosen(counts: Mapping[T, int], draw: float) -> T:
    values = list(counts)
    sums = list(accumulate(counts.values()))
    return values[min(bisect(sums, draw * sums[-1]), len(values) - 1)]


SHIPPED = Path(__file__).with_name("confusions.json")


def trained_path() -> Path:
    """Where `rostrum train noise` leaves its table."""
    from pipeline import models

    return models.cache_folder() / "noise.json"


def default_path() -> Path:
    """The table that was learned on this machine if there is one, else the one that comes with rostrum."""
    trained = trained_path()
    return trained if trained.exists() else SHIPPED


def save(confusions: Confusions, path: Path, source: str = "") -> None:
    """Write the table as JSON, sorted, so that equal tables are equal files; `source` says whose speech it is."""
    table = {
        word: [
            confusions.seen[word],
            confusions.wrong.get(word, 0),
            {" ".join(outcome): count for outcome, count in sorted(confusions.outcomes.get(word, {}).items())},
        ]
        for word in confusions.vocabulary
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"format": FORMAT, "source": source, "words": table})
    write_file(path, content.encode(), replace=True)


def load(path: Path) -> Confusions:
    """A table that `save` wrote."""
    try:
        content = json.loads(read_file(path))
        if content["format"] != FORMAT:
            raise ValueError(content["format"])
        table = content["words"]
        return Confusions(
            {word: int(row[0]) for word, row in table.items()},
            {word: int(row[1]) for word, row in table.items() if row[1]},
            {
                word: {tuple(text.split()): int(count) for text, count in row[2].items()}
                for word, row in table.items()
                if row[2]
            },
        )
    except FileNotFoundError as error:
        raise RostrumError(f"{path}: no table of confusions there; make one with: rostrum train noise") from error
    except OSError as error:
        raise RostrumError(f"{path}: cannot read the table of confusions: {error.strerror}") from error
    except (ValueError, RecursionError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise RostrumError(f"{path}: not a table of confusions; make one with: rostrum train noise") from error
