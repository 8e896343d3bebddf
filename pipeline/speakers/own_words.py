"""A debater's side from the words of that debater alone: passages compared with the motion, and with its denial."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Floats
from pipeline.speakers.camps import Clue, side_probabilities
from pipeline.speakers.declarations import declarations
from pipeline.speakers.denial import denied, plain
from pipeline.speakers.stance_model import AGAINST, FOR, StanceModel
from pipeline.speakers.utterances import Utterance

# A passage has at least this many words, if the turn has; a turn of fewer than `_LEAST` words tells nothing.
_PASSAGE = 40
_LEAST = 12
# The mean difference of passages' log-odds turned into log-odds of the debater's side: less of few passages, more where
# the other debaters tell what is usual.
_SLOPE = 11.0
_FEW = 30
_AMONG_OTHERS = 1.5
# What the words alone can say at most: they are often on both sides.
_MOST = 2.5
# How many passages are shown as evidence.
_SHOWN = 2


@dataclass(frozen=True)
class Passage:
    """Neighbouring sentences of one turn, the first of which is number `first` of the recording."""

    text: str
    first: int


def passages(said: Sequence[Utterance]) -> list[Passage]:
    """The words of some turns in passages of a few sentences."""
    return [passage for utterance in said if utterance.words >= _LEAST for passage in _cut(utterance)]


def _cut(utterance: Utterance) -> Iterator[Passage]:
    """Neighbouring sentences together, until there are enough words; a short rest belongs to the last passage."""
    made: list[list[str]] = [[]]
    for sentence in utterance.sentences:
        if _words(made[-1]) >= _PASSAGE:
            made.append([])
        made[-1].append(sentence)
    if len(made) > 1 and _words(made[-1]) < _PASSAGE // 2:
        rest = made.pop()
        made[-1] += rest
    first = utterance.first
    for part in made:
        yield Passage(" ".join(part), first)
        first += len(part)


def _words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def own_side(model: StanceModel | None, motion: str, said: Sequence[Utterance], *, declared: bool = True) -> float:
    """How probably who says this is for the motion, by these words alone; without a model, by what they declare."""
    voice = said[0].voice if said else ""
    odds = side_odds(model, motion, said) if model else 0.0
    clues = list(declarations(said, motion)) if declared else []
    return side_probabilities([voice], clues, (), {voice: odds})[voice]


def side_odds(model: StanceModel, motion: str, said: Sequence[Utterance]) -> float:
    """The log-odds that who says this is for the motion; 0 if nothing is said.

    What the model finds in any text on this motion is subtracted.
    """
    odds = passage_odds(model, motion, [passage.text for passage in passages(said)]) - usual_odds(model, motion)
    return _weighed(float(odds.mean()), len(odds)) if len(odds) else 0.0


def _weighed(more: float, count: int) -> float:
    """The log-odds of a side by the mean of some passages' log-odds."""
    return float(np.clip(_SLOPE * count / (count + _FEW) * more, -_MOST, _MOST))


def odds_in_debate(
    model: StanceModel, motion: str, said: Sequence[Utterance], debaters: Sequence[str]
) -> tuple[dict[str, float], list[Clue]]:
    """(the log-odds of each debater of a debate, the passages that tell them most).

    What all debaters seem to say of a motion is mostly how the model reads the motion, so that only the difference from
    their mean counts, if there are several.
    """
    found = {voice: passages([one for one in said if one.voice == voice]) for voice in debaters}
    odds = {voice: passage_odds(model, motion, [one.text for one in some]) for voice, some in found.items() if some}
    several = len(odds) > 1
    usual = float(np.mean([one.mean() for one in odds.values()])) if several else usual_odds(model, motion)
    more = _AMONG_OTHERS if several else 1.0
    sides = {voice: _weighed(more * float(one.mean() - usual), len(one)) for voice, one in odds.items()}
    clues = [
        clue
        for voice, one in odds.items()
        for clue in _telling(voice, found[voice], (one - usual) * np.sign(sides[voice]), sides[voice])
    ]
    return sides, clues


def _telling(voice: str, some: Sequence[Passage], agreement: Floats, side: float) -> Iterator[Clue]:
    """The passages that agree most with the side that all together tell."""
    for index in np.argsort(-agreement, kind="stable")[:_SHOWN].tolist():
        if agreement[index] > 0:
            yield Clue("own words", voice, some[index].first, some[index].text, "pro" if side > 0 else "con")


@functools.lru_cache(maxsize=1000)
def usual_odds(model: StanceModel, motion: str) -> float:
    """The mean log-odds of passages that have nothing to do with the motion."""
    return float(passage_odds(model, motion, model.elsewhere).mean()) if model.elsewhere else 0.0


def passage_odds(model: StanceModel, motion: str, texts: Sequence[str]) -> Floats:
    """How much more each passage is for the motion than against it, and against its denial than for it."""
    upright = model.logarithms(plain(motion), texts)
    turned = model.logarithms(denied(motion), texts)
    return np.asarray((upright[:, FOR] - upright[:, AGAINST] + turned[:, AGAINST] - turned[:, FOR]) / 2)
