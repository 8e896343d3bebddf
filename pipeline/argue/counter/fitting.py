"""Everything that is learned from motions with known answers: the terms, SD's configuration, the ranker's weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.counter.debate import Debate, allowed_pairs, answer_pairs, questions
from pipeline.argue.counter.dissimilarity import (
    Configuration,
    MoverSimilarity,
    SimilarityDissimilarity,
    WordSimilarity,
)
from pipeline.argue.counter.divergence import TfIdfCosine
from pipeline.argue.counter.methods import (
    Equal,
    Longest,
    Vocabularies,
    reason_methods,
    table,
    term_methods,
    untrained_methods,
)
from pipeline.argue.counter.opposition import Relations
from pipeline.argue.counter.ranker import Example, Ranker, learn
from pipeline.argue.counter.speech_text import Method, SpeechText


@dataclass(frozen=True)
class Resources:
    """What the methods are given: how sentences relate, and word vectors where there are any."""

    relations: Relations
    movers: MoverSimilarity | None = None


@dataclass(frozen=True)
class Fitted:
    """The methods with what they learned, and the learned ranker."""

    methods: tuple[Method, ...]
    ranker: Ranker
    configurations: dict[str, Configuration]


def folds(debates: Sequence[Debate], seed: int, count: int = 5) -> list[list[Debate]]:
    """The motions in random order, cut into so many parts; fewer where there are fewer motions."""
    order = [debates[index] for index in np.random.default_rng(seed).permutation(len(debates))]
    return [order[start::count] for start in range(min(count, len(order)))]


def fit(training: Sequence[Debate], validation: Sequence[Debate], resources: Resources) -> Fitted:
    """Terms from training, SD tuned on validation, SD-e and the ranker's weights on both, as far as each is used."""
    vocabularies = Vocabularies.of_pairs(answer_pairs(training))
    both = [*training, *validation]
    methods: list[Method] = [
        Equal(),
        Longest(),
        *term_methods(vocabularies),
        TfIdfCosine(speech for debate in training for speech in debate.speeches),
        *reason_methods(resources.relations),
    ]
    configurations = {}
    if resources.movers:
        words = WordSimilarity(vocabularies.all_words)
        for own_words, tuned_on in ((words, validation), (None, both)):
            untuned = SimilarityDissimilarity(own_words, resources.movers)
            config = untuned.tuned(questions(tuned_on))
            configurations[untuned.name] = config
            methods.append(SimilarityDissimilarity(own_words, resources.movers, config))
    ranker = fit_ranker(both, resources, configurations.get("SD-e"))
    return Fitted(tuple(methods), ranker, configurations)


def fit_on_all(debates: Sequence[Debate], resources: Resources) -> Ranker:
    """A ranker that learned from everything there is."""
    sd_e = None
    if resources.movers:
        sd_e = SimilarityDissimilarity(None, resources.movers).tuned(questions(debates))
    return fit_ranker(debates, resources, sd_e)


def fit_ranker(debates: Sequence[Debate], resources: Resources, sd_e: Configuration | None) -> Ranker:
    """The weights under which the answers of these debates stand out."""
    examples = []
    for debate in debates:
        allowed = allowed_pairs(debate.supporting, debate.opposing)
        methods = ranked_methods(resources, debate.speeches, sd_e)
        scores = table(methods, debate.supporting, debate.opposing, allowed)
        examples.append(Example(scores, allowed, debate.answers & allowed))
    names = [method.name for method in ranked_methods(resources, (), sd_e)]
    weights = learn(examples, names).weights
    return Ranker(weights, sd_e.as_json() if sd_e else {})


def ranked_methods(resources: Resources, speeches: Sequence[SpeechText], sd_e: Configuration | None) -> list[Method]:
    """The scores that a learned ranker combines: those that need no training, and SD-e where there are vectors."""
    methods = untrained_methods(resources.relations, speeches)
    if resources.movers and sd_e:
        methods.append(SimilarityDissimilarity(None, resources.movers, sd_e))
    return methods
