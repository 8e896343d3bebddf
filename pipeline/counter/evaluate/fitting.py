"""Everything that is learned from motions with known answers: the terms, SD's configuration, the ranker's weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.counter.evaluate.debates import AnsweredDebate, answer_pairs, questions
from pipeline.counter.evaluate.learning import learn, learn_attribution, scored, tuned
from pipeline.counter.evaluate.methods import PAPER_METHODS
from pipeline.counter.evaluate.next_sentence import NextSentence
from pipeline.counter.evaluate.resources import Resources
from pipeline.counter.method import METHODS, Given, Method, build, members
from pipeline.counter.ranker import Ranker
from pipeline.counter.texts import Vocabularies

# Learning when an opposing speech answers nobody.
#
# Speeches that answer nobody are made: a supporting speech is left out of its motion, so that its answers answer nobody
# who is left.


# The configuration of SD and SD-e that answers most questions.


# Weights of a ranker, learned from motions with known answers.


# Everything that is learned from motions with known answers: the terms, SD's configuration, the ranker's weights.


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
