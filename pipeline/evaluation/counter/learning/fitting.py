"""Everything that is learned from motions with known answers: the terms, SD's configuration, the ranker's weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.argue.counter.method import METHODS, Given, Method, build, members
from pipeline.argue.counter.ranker import Ranker
from pipeline.argue.counter.texts.vocabulary import Vocabularies
from pipeline.evaluation.counter.debates import AnsweredDebate, answer_pairs, questions
from pipeline.evaluation.counter.learning.attribution import learn_attribution, scored
from pipeline.evaluation.counter.learning.tuning import tuned
from pipeline.evaluation.counter.learning.weights import learn
from pipeline.evaluation.counter.next_sentence import NextSentence
from pipeline.evaluation.counter.resources import Resources
from pipeline.family import Family

PAPER_METHODS = Family("pipeline.evaluation.counter.methods", "counter method")


@dataclass(frozen=True)
class Taught(Given):
    """The inputs that the paper's methods are built from: those of a run's methods, and debates to learn from."""

    training: Sequence[AnsweredDebate] = ()
    validation: Sequence[AnsweredDebate] = ()
    bert: NextSentence | None = None
    epochs: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Fitted:
    """The trained methods, and the trained ranker."""

    methods: dict[str, Method]
    ranker: Ranker


def folds(debates: Sequence[AnsweredDebate], seed: int, count: int = 5) -> list[list[AnsweredDebate]]:
    """The motions in random order, cut into `count` parts, or into fewer if there are fewer motions."""
    order = [debates[index] for index in np.random.default_rng(seed).permutation(len(debates))]
    return [order[start::count] for start in range(min(count, len(order)))]


def fit(training: Sequence[AnsweredDebate], validation: Sequence[AnsweredDebate], resources: Resources) -> Fitted:
    """Terms from training, SD tuned on validation, SD-e and the ranker's weights on both."""
    ranker = fit_ranker([*training, *validation], resources)
    taught = Taught(
        resources.relations,
        Vocabularies.of_pairs(answer_pairs(training)),
        [speech for debate in training for speech in debate.speeches],
        resources.movers,
        ranker.configuration,
        training,
        validation,
        resources.bert,
        resources.epochs,
        resources.seed,
    )
    return Fitted(build(members(METHODS, PAPER_METHODS), taught), ranker)


def fit_ranker(debates: Sequence[AnsweredDebate], resources: Resources) -> Ranker:
    """A ranker under which these debates' answers stand out, with SD-e's configuration and the attribution."""
    configuration = tuned([resources.movers], questions(debates)) if resources.movers else None
    examples = [scored(debate, resources, configuration) for debate in debates]
    ranker = Ranker(learn(examples, list(examples[0][1])), configuration)
    return replace(ranker, attribution=learn_attribution(examples, resources, ranker))
