"""Which speech answers which: the methods of Orbach et al. 2020, reasons as scores, and rankers over all of them.

Every motion is asked about once. Without test data the motions are split in five, and each fifth is answered by what
was learned from the others, three fifths for training and one for validation: the paper's 60/20/20, rotated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.argue.counter.debate import Debate, Kind, allowed_pairs
from pipeline.argue.counter.elimination import eliminated
from pipeline.argue.counter.fitting import Fitted, Resources, fit, folds, ranked_methods
from pipeline.argue.counter.methods import table
from pipeline.argue.counter.question import accuracy, reciprocal_rank
from pipeline.argue.counter.ranker import Mask, Ranker
from pipeline.argue.counter.speech_text import Method, Scores, SpeechText
from pipeline.errors import RostrumError
from pipeline.evaluation.counter_data import read_debates, transcripts
from pipeline.evaluation.counter_table import ELIMINATION, Line, Results, comparisons, rows
from pipeline.evaluation.result import Evaluation, signature

# Candidates are the opposing speeches of the motion by other speakers; by any speaker; those of all motions.
PROTOCOLS = ("motion", "motion, any speaker", "retrieval")
# These are shown beside the assignment of the whole motion by their scores.
_ELIMINATED = ("random", "tf-idf", "JS", "ngrs", "c-MI", "SD-e", "combined", "learned")

Progress = Callable[[str], None]
# Given training and validation debates: the methods that are made of neural models.
Neural = Callable[[Sequence[Debate], Sequence[Debate]], Sequence[Method]]


@dataclass(frozen=True)
class Options:
    """What the methods use and what is asked; `facts` go into the signature."""

    resources: Resources
    neural: Neural | None = None
    transcripts: Sequence[str] = ()
    protocols: Sequence[str] = PROTOCOLS
    seed: int = 0
    facts: Mapping[str, str | None] = field(default_factory=dict)


class Round(NamedTuple):
    """Debates to learn from, debates to ask about, and those whose opposing speeches retrieval searches."""

    training: list[Debate]
    validation: list[Debate]
    asked: list[Debate]
    pool: list[Debate]


def evaluate(data: Path, test: Path | None, options: Options, progress: Progress | None = None) -> Evaluation:
    """The table of all methods; with `test` everything is learned from `data` and asked about `test`."""
    results: Results = defaultdict(lambda: defaultdict(list))
    notes: list[str] = []
    motions: set[str] = set()
    for transcript in options.transcripts or transcripts(data):
        debates = read_debates(data, transcript)
        tested = read_debates(test, transcript) if test else None
        for number, each in enumerate(rounds(debates, tested, options.seed), start=1):
            if progress:
                progress(f"{transcript}: round {number}, {len(each.asked)} motions")
            fitted = fit(each.training, each.validation, options.resources)
            neural = options.neural(each.training, each.validation) if options.neural else ()
            _ask(each, fitted, neural, options, transcript, results)
            motions |= {debate.motion for debate in each.asked}
            if test:
                notes += [f"{transcript}: {name}: {config}" for name, config in fitted.configurations.items()]
                notes.append(f"{transcript}: learned: " + _weights(fitted.ranker))
    split = "test folder" if test else "five folds by motion, 60/20/20"
    return Evaluation(
        name="counter",
        signature=signature(
            "numpy", "scipy", seed=options.seed, motions=len(motions), split=split, bootstrap="motions", **options.facts
        ),
        rows=tuple(rows(results)),
        notes=(*notes, *comparisons(results)),
    )


def options(
    *,
    encoder: str | None,
    vectors: str | None,
    bert: str | None = None,
    epochs: int = 3,
    allow_hub: bool = False,
    transcripts: Sequence[str] = (),
    protocols: Sequence[str] = PROTOCOLS,
    seed: int = 0,
) -> Options:
    """Load the models, by name or path; without an encoder sentences are compared by the words they share."""
    from pipeline import models
    from pipeline.argue.counter.configured import sentence_similarity, word_movers

    facts: dict[str, str | None] = {"encoder": None, "vectors": None, "bert": None}
    for use, name in (("encoder", encoder), ("vectors", vectors), ("bert", bert)):
        if name:
            facts[use] = f"{name}@{models.find(name, allow_hub=allow_hub).digest[:12]}"
    neural = None
    if bert:
        from pipeline.argue.counter.next_sentence_training import next_sentence_methods

        neural = next_sentence_methods(models.find(bert, allow_hub=allow_hub).path, epochs=epochs, seed=seed)
    resources = Resources(sentence_similarity(encoder), word_movers(vectors))
    return Options(resources, neural, transcripts, protocols, seed, facts)


def rounds(debates: Sequence[Debate], tested: Sequence[Debate] | None, seed: int) -> Iterator[Round]:
    """With test debates one round, a fifth of the others for validation; without, five, each fifth asked once."""
    parts = folds(debates, seed)
    if tested is not None:
        yield Round(_joined(parts[1:]) or parts[0], parts[0], list(tested), list(tested))
        return
    if len(parts) < 2:
        raise RostrumError("one motion alone can be asked about only with others to learn from; give them as --data")
    for number, asked in enumerate(parts):
        validation = parts[(number + 1) % len(parts)]
        training = _joined(part for part in parts if part is not asked and part is not validation)
        yield Round(training or validation, validation, asked, list(debates))


def _joined(parts: Iterable[list[Debate]]) -> list[Debate]:
    return [debate for part in parts for debate in part]


def _ask(
    each: Round, fitted: Fitted, neural: Sequence[Method], options: Options, transcript: str, results: Results
) -> None:
    """Ask about every motion of a round under every protocol and setting."""
    for setting in _settings(each.pool):
        pool = [_in_setting(debate, setting) for debate in each.pool]
        for debate in (_in_setting(debate, setting) for debate in each.asked):
            for protocol in options.protocols:
                block = _block(debate, pool, protocol)
                scores = _scores(block, fitted, neural, options.resources)
                for (method, config), found in scores.items():
                    if protocol == "retrieval" and config:
                        continue
                    line = Line(transcript, protocol, setting, method, config)
                    results[line][debate.motion] += block.outcomes(found)


@dataclass(frozen=True, eq=False)
class Block:
    """Supporting speeches that are asked about together, and their candidates."""

    supporting: Sequence[SpeechText]
    opposing: Sequence[SpeechText]
    allowed: Mask
    answers: Mask

    def outcomes(self, scores: Scores) -> list[tuple[float, float]]:
        """Accuracy and reciprocal rank of each speech with an answer among at least two candidates."""
        found = []
        for row, allowed in enumerate(self.allowed):
            correct = self.answers[row, allowed]
            if correct.any() and len(correct) > 1:
                found.append((accuracy(scores[row, allowed], correct), reciprocal_rank(scores[row, allowed], correct)))
        return found


def _block(debate: Debate, pool: Sequence[Debate], protocol: str) -> Block:
    if protocol == "motion":
        allowed = allowed_pairs(debate.supporting, debate.opposing)
        return Block(debate.supporting, debate.opposing, allowed, debate.answers)
    if protocol != "retrieval":
        return Block(debate.supporting, debate.opposing, np.ones_like(debate.answers), debate.answers)
    own = [debate.answers if other.motion == debate.motion else None for other in pool]
    answers = [
        np.zeros((len(debate.supporting), len(other.opposing)), dtype=np.bool_) if known is None else known
        for other, known in zip(pool, own, strict=True)
    ]
    found = np.concatenate(answers, axis=1)
    opposing = [speech for other in pool for speech in other.opposing]
    return Block(debate.supporting, opposing, np.ones_like(found), found)


def _scores(
    block: Block, fitted: Fitted, neural: Sequence[Method], resources: Resources
) -> dict[tuple[str, str], Scores]:
    """The scores of every method and ranker, alone and with elimination."""
    found = table([*fitted.methods, *neural], block.supporting, block.opposing, block.allowed)
    speeches = [*block.supporting, *block.opposing]
    ranked = ranked_methods(resources, speeches, fitted.configurations.get("SD-e"))
    ranked_table = table(ranked, block.supporting, block.opposing, block.allowed)
    found["combined"] = Ranker().combined(ranked_table, block.allowed)
    found["learned"] = fitted.ranker.combined(ranked_table, block.allowed)
    alone = {(name, ""): scores for name, scores in found.items()}
    together = {(name, ELIMINATION): eliminated(found[name], block.allowed) for name in _ELIMINATED if name in found}
    return alone | together


def _settings(debates: Sequence[Debate]) -> list[str]:
    kinds = {kind for debate in debates for kind in debate.kinds if kind}
    return ["all", *sorted(kinds)]


def _in_setting(debate: Debate, setting: str) -> Debate:
    kinds: dict[str, Kind] = {"explicit": "explicit", "implicit": "implicit"}
    return debate.only(kinds[setting]) if setting in kinds else debate


def _weights(ranker: Ranker) -> str:
    return ", ".join(f"{name} {weight:.2f}" for name, weight in ranker.weights.items() if weight >= 0.005)
