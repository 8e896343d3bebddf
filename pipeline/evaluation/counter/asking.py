"""Asking about every motion: under each protocol and setting, by every method, alone and by elimination."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pipeline.argue.counter.assignment import marginal_values
from pipeline.argue.counter.candidates import allowed_pairs
from pipeline.argue.counter.method import METHODS, build, members, score_table
from pipeline.argue.counter.ranker import Ranker, Table
from pipeline.argue.counter.speech_text import SpeechText
from pipeline.arrays import Mask, Matrix
from pipeline.evaluation.counter.debates import AnsweredDebate, Kind
from pipeline.evaluation.counter.fitting import PAPER_METHODS, Fitted, Resources
from pipeline.evaluation.counter.metrics import accuracy, reciprocal_rank
from pipeline.evaluation.counter.rows import ELIMINATION, RANKERS, Line, Results

# Candidates are the opposing speeches of the motion, or those of all motions; by other speakers, or by anybody.
PROTOCOLS = ("motion", "motion, any speaker", "retrieval", "retrieval, any speaker")
_MOST_PAIRS = 20_000


class Round(NamedTuple):
    """Debates to learn from, debates to ask about, and those whose opposing speeches retrieval searches."""

    training: list[AnsweredDebate]
    validation: list[AnsweredDebate]
    asked: list[AnsweredDebate]
    pool: list[AnsweredDebate]


@dataclass(frozen=True, eq=False)
class Block:
    """The supporting speeches of a motion, who may have answered them, and who has."""

    motion: str
    supporting: Sequence[SpeechText]
    opposing: Sequence[SpeechText]
    allowed: Mask
    answers: Mask

    def outcomes(self, scores: Matrix) -> list[tuple[float, float]]:
        """Accuracy and reciprocal rank of each speech with an answer among at least two candidates."""
        found = []
        for row, allowed in enumerate(self.allowed):
            correct = self.answers[row, allowed]
            if correct.any() and len(correct) > 1:
                found.append((accuracy(scores[row, allowed], correct), reciprocal_rank(scores[row, allowed], correct)))
        return found


class Asking:
    """Asks about the motions of a transcript, round by round, and adds what comes out to the results."""

    def __init__(self, transcript: str, protocols: Sequence[str], resources: Resources, results: Results) -> None:
        self._transcript = transcript
        self._protocols = protocols
        self._resources = resources
        self._results = results
        self._assigned = {each.name for each in members(METHODS, PAPER_METHODS) if each.assigned} | set(RANKERS)
        # By protocol, setting and (within motions) motion: what is assigned together once all rounds are over.
        self._together: dict[tuple[str, str, str], list[tuple[Block, Table]]] = defaultdict(list)

    def ask(self, each: Round, fitted: Fitted) -> None:
        """Ask about every motion of a round with what was learned for it."""
        for setting in _settings(each.pool):
            pool = [_in_setting(debate, setting) for debate in each.pool]
            for debate in (_in_setting(debate, setting) for debate in each.asked):
                for protocol in self._protocols:
                    block = _block(debate, pool if protocol.startswith("retrieval") else [debate], protocol)
                    scores = self._scores(block, fitted)
                    for method, found in scores.items():
                        self._record(protocol, setting, method, "", block, found)
                    group = protocol, setting, "" if protocol.startswith("retrieval") else debate.motion
                    kept = {name: found for name, found in scores.items() if name in self._assigned}
                    self._together[group].append((block, kept))

    def eliminate(self) -> list[str]:
        """Assign all speeches that were asked about together; a note where they are too many."""
        notes = []
        for (protocol, setting, _), group in self._together.items():
            allowed = np.concatenate([block.allowed for block, _ in group])
            if allowed.size > _MOST_PAIRS:
                notes.append(f"{self._transcript}, {protocol}: no elimination, {allowed.size} pairs are too many")
                continue
            for method in group[0][1]:
                worth = marginal_values(np.concatenate([scores[method] for _, scores in group]), allowed)
                ends = np.cumsum([len(block.supporting) for block, _ in group])
                for (block, _), found in zip(group, np.split(worth, ends[:-1]), strict=True):
                    self._record(protocol, setting, method, ELIMINATION, block, found)
        return notes

    def _scores(self, block: Block, fitted: Fitted) -> dict[str, Matrix]:
        """The scores of every method and ranker."""
        found = score_table(fitted.methods, block.supporting, block.opposing, block.allowed)
        given = self._resources.given([*block.supporting, *block.opposing], fitted.ranker)
        scores = score_table(build(members(METHODS), given), block.supporting, block.opposing, block.allowed)
        found["combined"] = Ranker.untrained().combined(scores, block.allowed)
        found["learned"] = fitted.ranker.combined(scores, block.allowed)
        return found

    def _record(self, protocol: str, setting: str, method: str, config: str, block: Block, scores: Matrix) -> None:
        line = Line(self._transcript, protocol, setting, method, config)
        self._results.setdefault(line, {}).setdefault(block.motion, []).extend(block.outcomes(scores))


def _block(debate: AnsweredDebate, pool: Sequence[AnsweredDebate], protocol: str) -> Block:
    """A motion's supporting speeches with all opposing speeches of a pool of debates."""
    opposing = [speech for other in pool for speech in other.opposing]
    answers = np.concatenate(list(_answers(debate, pool)), axis=1)
    anybody = protocol.endswith("any speaker")
    allowed = np.ones_like(answers) if anybody else allowed_pairs(debate.supporting, opposing)
    return Block(debate.motion, debate.supporting, opposing, allowed, answers)


def _answers(debate: AnsweredDebate, pool: Sequence[AnsweredDebate]) -> Iterator[Mask]:
    for other in pool:
        nothing = np.zeros((len(debate.supporting), len(other.opposing)), dtype=np.bool_)
        yield debate.answers if other.motion == debate.motion else nothing


def _settings(debates: Sequence[AnsweredDebate]) -> list[str]:
    return ["all", *sorted({kind for debate in debates for kind in debate.kinds if kind})]


def _in_setting(debate: AnsweredDebate, setting: str) -> AnsweredDebate:
    kinds: dict[str, Kind] = {"explicit": "explicit", "implicit": "implicit"}
    return debate.only(kinds[setting]) if setting in kinds else debate
