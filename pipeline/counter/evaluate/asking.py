"""Asking about every motion: under each protocol and setting, by every method, alone and by the best assignment.

A trained ranker is also asked whom each opposing speech answers, if anybody.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Mask, Matrix
from pipeline.counter.evaluate.debates import AnsweredDebate, outcomes
from pipeline.counter.evaluate.learning import Resources, Scored, left_out, scored
from pipeline.counter.evaluate.methods import Fitted, all_methods
from pipeline.counter.evaluate.question_log import EXPLAINED, QuestionLog
from pipeline.counter.evaluate.rows import (
    ALONE,
    ASSIGNMENT,
    BY_SPLIT,
    OF_A_RUN,
    SEVERAL,
    Line,
    Results,
    accuracy_figures,
    candidate_rows,
)
from pipeline.counter.method import Method, score_table
from pipeline.counter.ranker import Ranker, Table, marginal_values, several_answers
from pipeline.counter.texts import allowed_pairs
from pipeline.evaluation.result import Row

# Candidates are the opposing speeches of the motion, or those of all motions; by other speakers, or by anybody.
PROTOCOLS = ("motion", "motion, any speaker", "retrieval", "retrieval, any speaker")
_MOST_PAIRS = 20_000
# The marginal values of all pairs, or of those in one row.
_Values = Callable[[Matrix, Mask, int | None], Matrix]


class Round(NamedTuple):
    """A round of cross-validation; `pool` are the debates whose opposing speeches retrieval searches."""

    training: list[AnsweredDebate]
    validation: list[AnsweredDebate]
    asked: list[AnsweredDebate]
    pool: list[AnsweredDebate]


class Choice(NamedTuple):
    """The choice for one opposing speech: the probability that it answers anybody, and whether it really does.

    `right` says whether the choice is right, `right_without` whether the likeliest supporting speech is right.
    """

    probability: float
    somebody: bool
    right: bool
    right_without: bool


@dataclass(frozen=True)
class Asking:
    """Asks about the motions of a transcript, round by round, and adds what comes out to the results."""

    transcript: str
    protocols: Sequence[str]
    resources: Resources
    results: Results
    log: QuestionLog | None
    _debates: dict[tuple[str, str], list[AnsweredDebate]] = field(default_factory=lambda: defaultdict(list))
    _choices: dict[str, list[list[Choice]]] = field(default_factory=lambda: defaultdict(list))
    # By protocol, setting and (within motions) motion: what is assigned together once all rounds are over.
    _together: dict[tuple[str, str, str], list[Scored]] = field(default_factory=lambda: defaultdict(list))

    @cached_property
    def _assigned(self) -> set[str]:
        """The methods that are also shown by the best assignment."""
        return {"combined", "learned", OF_A_RUN} | {method.name for method in all_methods() if method.assigned}

    def ask(self, debates: Round, fitted: Fitted) -> None:
        """Ask about every motion of a round with what was learned for it."""
        for debate in debates.asked:
            if fitted.ranker.attribution:
                self._choose(debate, fitted.ranker)
            for protocol in self.protocols:
                pool = debates.pool if protocol.startswith("retrieval") else [debate]
                with_pool = asked_about(debate, pool, protocol)
                scoring = _Scoring.for_debate(with_pool, fitted, self.resources)
                for setting in settings(debates.pool):
                    self._ask(protocol, setting, in_setting(with_pool, setting), scoring)

    def _choose(self, debate: AnsweredDebate, ranker: Ranker) -> None:
        """Choose whom each speech answers, if anybody; also with one left out, with and without the known share."""
        recorded, *parts = (scored(part, self.resources, ranker.configuration) for part in (debate, *left_out(debate)))
        self._choices["as recorded"].append(choices(recorded, ranker))
        for_share = ranker.for_share(1 - 1 / len(debate.supporting)) if parts else ranker
        for setting, chooser in (("one speech left out", ranker), ("one speech left out, share told", for_share)):
            self._choices[setting].append([choice for part in parts for choice in choices(part, chooser)])

    def rows(self) -> list[Row]:
        """What was asked, and whom each speech answers, if anybody."""
        return [*candidate_rows(self.transcript, self._debates), *choice_rows(self.transcript, self._choices)]

    def assign(self) -> list[str]:
        """Assign all speeches that were asked about together: one answer for each supporting speech, or any number.

        Returns a note where they are too many for the first.
        """
        notes = []
        for (protocol, setting, motion), group in self._together.items():
            everything = self._together[protocol, "all", motion]
            pairs = sum(debate.allowed.size for debate, _ in group)
            if pairs > _MOST_PAIRS:
                notes.append(f"{self.transcript}, {protocol}: no assignment of one answer, {pairs} pairs are too many")
            for method in group[0][1]:
                any_number = _assigned(
                    group, everything, method, lambda scores, allowed, _: several_answers(scores, allowed)
                )
                assigned = {SEVERAL: any_number}
                if pairs <= _MOST_PAIRS:
                    assigned[ASSIGNMENT] = _assigned(group, everything, method, marginal_values)
                for config, matrices in assigned.items():
                    line = Line(self.transcript, protocol, setting, method, config)
                    for (debate, _), values in zip(group, matrices, strict=True):
                        self._record(line, debate, values)
        return notes

    def _ask(self, protocol: str, setting: str, debate: AnsweredDebate, scoring: "_Scoring") -> None:
        scores, reasons = scoring.scores(debate)
        for method, values in scores.items():
            line = Line(self.transcript, protocol, setting, method, "")
            self._record(line, debate, values, reasons if method == EXPLAINED else None)
        self._debates[protocol, setting].append(debate)
        kept = {name: values for name, values in scores.items() if name in self._assigned}
        group = protocol, setting, "" if protocol.startswith("retrieval") else debate.motion
        self._together[group].append((debate, kept))

    def _record(self, line: Line, debate: AnsweredDebate, scores: Matrix, reasons: Table | None = None) -> None:
        self.results.setdefault(line, {}).setdefault(debate.motion, []).extend(outcomes(debate, scores))
        if self.log:
            self.log.write(line, debate, scores, reasons)


@dataclass(frozen=True)
class _Scoring:
    """Scores a motion's speeches by the methods as the paper trains them, and by those of a run, for the rankers.

    What a pair of speeches decides alone is the same in every setting, and is computed once.
    """

    fitted: Fitted
    run_methods: Mapping[str, Method]
    pairwise: Table
    run_pairwise: Table

    @classmethod
    def for_debate(cls, debate: AnsweredDebate, fitted: Fitted, resources: Resources) -> "_Scoring":
        run_methods = resources.run_methods(debate.speeches, fitted.ranker.configuration)
        pairwise, run_pairwise = (
            score_table(_that_see("pair", methods), debate.supporting, debate.opposing, debate.allowed)
            for methods in (fitted.methods, run_methods)
        )
        return cls(fitted, run_methods, pairwise, run_pairwise)

    def scores(self, debate: AnsweredDebate) -> tuple[dict[str, Matrix], dict[str, Matrix]]:
        """The scores of every method and ranker, and each method's share of the combined score."""
        of_paper = self._table(self.fitted.methods, self.pairwise, debate)
        of_run = self._table(self.run_methods, self.run_pairwise, debate)
        rankers = {"combined": Ranker.untrained(), "learned": self.fitted.ranker}
        alone = {
            f"{name}, {ALONE}": ranker.combined(of_paper, debate.allowed, by_row=True)
            for name, ranker in rankers.items()
        }
        together = {name: ranker.combined(of_run, debate.allowed) for name, ranker in rankers.items()}
        together[OF_A_RUN] = Ranker.by_method("tf-idf").combined(of_run, debate.allowed)
        return of_paper | alone | together, rankers["combined"].parts(of_run, debate.allowed)

    def _table(self, methods: Mapping[str, Method], pairwise: Table, debate: AnsweredDebate) -> dict[str, Matrix]:
        others = _that_see("candidates", methods)
        return {**pairwise, **score_table(others, debate.supporting, debate.opposing, debate.allowed)}


def _that_see(what: str, methods: Mapping[str, Method]) -> dict[str, Method]:
    names = {method.name for method in all_methods() if method.sees == what}
    return {name: method for name, method in methods.items() if name in names}


def _assigned(group: Sequence[Scored], everything: Sequence[Scored], method: str, values: _Values) -> list[Matrix]:
    """The marginal values of each debate of a setting.

    The question's own candidates are those of the setting; the other speeches have all of theirs.
    """
    allowed = np.concatenate([debate.allowed for debate, _ in everything])
    scores = np.concatenate([table[method] for _, table in everything])
    if group is everything:
        marginal = values(scores, allowed, None)
    else:
        marginal = np.full(scores.shape, -np.inf)
        own_allowed = np.concatenate([debate.allowed for debate, _ in group])
        own_scores = np.concatenate([table[method] for _, table in group])
        for row in map(int, np.flatnonzero(own_allowed.any(axis=1))):
            mixed_scores, mixed_allowed = scores.copy(), allowed.copy()
            mixed_scores[row], mixed_allowed[row] = own_scores[row], own_allowed[row]
            marginal[row] = values(mixed_scores, mixed_allowed, row)[row]
    return np.split(marginal, np.cumsum([len(debate.supporting) for debate, _ in everything])[:-1])


def asked_about(debate: AnsweredDebate, pool: Sequence[AnsweredDebate], protocol: str) -> AnsweredDebate:
    """A motion's supporting speeches with all opposing speeches of a pool of debates."""
    opposing = tuple(speech for other in pool for speech in other.opposing)
    answers = [
        debate.answers if other is debate else np.zeros((len(debate.supporting), len(other.opposing)), dtype=np.bool_)
        for other in pool
    ]
    joined = np.concatenate(answers, axis=1)
    anybody = protocol.endswith("any speaker")
    allowed = np.ones_like(joined) if anybody else allowed_pairs(debate.supporting, opposing)
    kinds = tuple(kind for other in pool for kind in other.kinds)
    return replace(debate, opposing=opposing, allowed=allowed, answers=joined, kinds=kinds)


def settings(debates: Sequence[AnsweredDebate]) -> list[str]:
    """All answers together, and each kind of answer that the data knows."""
    return ["all", *sorted({kind for debate in debates for kind in debate.kinds if kind})]


def in_setting(debate: AnsweredDebate, setting: str) -> AnsweredDebate:
    """The questions of one kind: a speech's own answers of another kind are neither candidates nor answers.

    Answers to other supporting speeches stay candidates, whatever their kind.
    """
    if setting == "all":
        return debate
    other_kind = debate.answers & np.array([kind != setting for kind in debate.kinds])
    return replace(debate, allowed=debate.allowed & ~other_kind, answers=debate.answers & ~other_kind)


def split_rows(transcript: str, parts: Mapping[str, Sequence[AnsweredDebate]]) -> Iterator[Row]:
    """What is asked in each part of the data, by the paper's choice of candidates: its Table 2 by split."""
    kinds = settings([debate for debates in parts.values() for debate in debates])
    for split, debates in parts.items():
        asked = [asked_about(debate, [debate], PROTOCOLS[0]) for debate in debates]
        by_setting = {(PROTOCOLS[0], kind): [in_setting(debate, kind) for debate in asked] for kind in kinds}
        for row in candidate_rows(transcript, by_setting):
            yield {**row, "method": BY_SPLIT, "split": split, "motions": len(debates)}


# Whom each opposing speech answers, if anybody: what a trained ranker says, and how often it is right.


def choices(scored: Scored, ranker: Ranker) -> list[Choice]:
    """The choice for every opposing speech of a debate that may answer somebody in it."""
    assert ranker.attribution is not None
    debate, table = scored
    combined = ranker.combined(table, debate.allowed)
    probabilities = ranker.attribution.probabilities(table, combined, debate.allowed)
    best = np.where(debate.allowed, combined, -np.inf).argmax(axis=0)
    chosen = []
    for column in np.flatnonzero(debate.judged):
        somebody = bool(debate.answers_somebody[column])
        probability = float(probabilities[:, column].sum())
        is_best = bool(debate.answers[best[column], column])
        takes_nobody = probabilities[best[column], column] < 1 - probability
        chosen.append(Choice(probability, somebody, not somebody if takes_nobody else is_best, is_best))
    return chosen


def choice_rows(transcript: str, chosen: Mapping[str, Sequence[Sequence[Choice]]]) -> Iterator[Row]:
    """Accuracy over all opposing speeches, and how well those are told that answer nobody; one group per setting.

    `brier` is the mean square of the probability's error, `brier_of_share` that of always giving the share.
    """
    for setting, motions in chosen.items():
        everything = [choice for motion in motions for choice in motion]
        if not everything:
            continue
        line = Line(transcript, "who is answered", setting, "learned", "")._asdict()
        always = accuracy_figures([[choice.right_without for choice in motion] for motion in motions])
        yield {**line, "method": "always somebody", **always, "questions": len(everything)}
        probabilities = np.array([choice.probability for choice in everything])
        somebody = np.array([choice.somebody for choice in everything])
        yield {
            **line,
            **accuracy_figures([[choice.right for choice in motion] for motion in motions]),
            "brier": float(((probabilities - somebody) ** 2).mean()),
            "brier_of_share": float(somebody.mean() * (1 - somebody.mean())),
            "answer_nobody": int((~somebody).sum()),
            "questions": len(everything),
        }
