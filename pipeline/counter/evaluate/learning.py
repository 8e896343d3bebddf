"""What is learned from motions with known answers: a ranker's weights, SD's configuration, who answers nobody."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pipeline import models
from pipeline.arrays import Mask, Matrix, Vector
from pipeline.counter.comparison import Relations
from pipeline.counter.evaluate.debates import AnsweredDebate, Question, mean_accuracy, questions
from pipeline.counter.evaluate.next_sentence import NextSentence, load_next_sentence
from pipeline.counter.judge import sentence_relations, word_movers
from pipeline.counter.method import Given, Method, build, run_methods, score_table
from pipeline.counter.methods.word_movers import SimilarityDissimilarity, SpeechSimilarity
from pipeline.counter.ranker import Attribution, Ranker, Table, best_scores, shares, standardised
from pipeline.counter.texts import SpeechText
from pipeline.counter.word_movers import AGGREGATIONS, Configuration, MoverSimilarity


@dataclass(frozen=True)
class Resources:
    """The models at hand: how sentences relate, word vectors, and a BERT that is fine-tuned for so many epochs.

    `digests` names each model with its digest. `seed` is that of the fine-tuning, and of the split.
    """

    relations: Relations
    movers: MoverSimilarity | None = None
    bert: NextSentence | None = None
    epochs: int = 0
    seed: int = 0
    digests: Mapping[str, str | None] = field(default_factory=dict)

    def run_methods(self, speeches: Sequence[SpeechText], configuration: Configuration | None) -> dict[str, Method]:
        """The methods as a run has them: they know only the speeches at hand, and what was tuned of SD-e."""
        given = Given(self.relations, speeches=speeches, movers=self.movers, configuration=configuration)
        return build(run_methods(), given)


def load_resources(
    *,
    encoder: str | None,
    vectors: str | None,
    inference: str | None = None,
    bert: str | None = None,
    epochs: int = 3,
    allow_hub: bool = False,
    seed: int = 0,
) -> Resources:
    """The models of these names or paths. Without an encoder sentences are compared by the words they share."""
    used = {"encoder": encoder, "inference": inference, "vectors": vectors, "bert": bert}
    digests = {
        use: f"{name}@{models.find(name, allow_hub=allow_hub).digest[:12]}" if name else None
        for use, name in used.items()
    }
    relations = sentence_relations(encoder, inference, allow_hub=allow_hub)
    base = None
    if bert:
        import torch

        torch.manual_seed(seed)  # a missing head gets random weights
        base = load_next_sentence(models.find(bert, allow_hub=allow_hub).path, to_be_trained=epochs > 0)
    return Resources(relations, word_movers(vectors), base, epochs, seed, digests)


# A debate, and its scores by each method.
Scored = tuple[AnsweredDebate, Table]


def scored(debate: AnsweredDebate, resources: Resources, configuration: Configuration | None) -> Scored:
    """The debate with its scores by the methods of a run."""
    methods = resources.run_methods(debate.speeches, configuration)
    return debate, score_table(methods, debate.supporting, debate.opposing, debate.allowed)


def fit_ranker(debates: Sequence[AnsweredDebate], resources: Resources) -> Ranker:
    """A ranker trained on these debates, with SD-e's configuration and the attribution."""
    configuration = tuned([resources.movers], questions(debates)) if resources.movers else None
    examples = [scored(debate, resources, configuration) for debate in debates]
    ranker = Ranker(learn(examples, list(examples[0][1])), configuration)
    return replace(ranker, attribution=learn_attribution(examples, resources, ranker))


# The configuration of SD and SD-e that answers most questions.

ALPHAS = (1.0, 0.9, 0.8)
CONFIGURATIONS: tuple[Configuration, ...] = (
    *(Configuration(sim, sim, 1.0) for sim in AGGREGATIONS),
    *(
        Configuration(sim, dissim, alpha)
        for sim, dissim in itertools.permutations(AGGREGATIONS, 2)
        for alpha in ALPHAS
        if alpha < 1
    ),
)


def tuned(parts: Sequence[SpeechSimilarity], questions: Sequence[Question]) -> Configuration:
    """The configuration with the highest accuracy on these questions, the first of equals."""
    method = SimilarityDissimilarity(parts)
    tables = [method.table(question.supporting, question.candidates) for question in questions]
    return max(
        CONFIGURATIONS,
        key=lambda config: mean_accuracy([scored_configurations(table, config) for table in tables], questions),
    )


def scored_configurations(table: Matrix, config: Configuration) -> Vector:
    """Scores by a configuration, from a table of all aggregations."""
    similarity = table[:, AGGREGATIONS.index(config.similarity)]
    dissimilarity = table[:, AGGREGATIONS.index(config.dissimilarity)]
    return np.asarray(config.alpha * similarity - (1 - config.alpha) * dissimilarity)


# Weights of a ranker, learned from motions with known answers.

_PENALTIES = (0.3, 3.0, 30.0)
_FOLDS = 5


def learn(examples: Sequence[Scored], names: Sequence[str]) -> dict[str, float]:
    """Weights of the methods, trained to choose answers among candidates, and whom a speech answers.

    They maximise the likelihood of the answers, less a penalty on their distance from equal weights. Cross-validation
    over motions chooses the strength of the penalty. No weight is negative: a high score never speaks against an
    answer.
    """
    choices = [_choices(example, names) for example in examples]
    folds = min(_FOLDS, len(choices))
    parts = [range(start, len(choices), folds) for start in range(folds)]

    def loss(penalty: float) -> float:
        total = 0.0
        for part in parts:
            weights = _fitted([motion for i, motion in enumerate(choices) if i not in part], len(names), penalty)
            total += sum(_loss(weights, choices[index])[0] for index in part)
        return total

    penalty = min(_PENALTIES, key=loss) if folds > 1 else _PENALTIES[-1]
    return dict(zip(names, _fitted(choices, len(names), penalty).tolist(), strict=True))


# One choice: the scores of what could be chosen, one row each, and which of them are right.
_Choice = tuple[Matrix, Mask]


def _choices(example: Scored, names: Sequence[str]) -> list[_Choice]:
    """Every choice with something right and something wrong to choose: rows, then columns."""
    debate, table = example
    scores = np.stack([standardised(table[name], debate.allowed) for name in names], axis=-1)
    lines = [*zip(scores, debate.allowed, debate.answers, strict=True)]
    lines += zip(scores.swapaxes(0, 1), debate.allowed.T, debate.answers.T, strict=True)
    kept = ((line[allowed], answers[allowed]) for line, allowed, answers in lines)
    return [(line, answers) for line, answers in kept if answers.any() and not answers.all()]


def _fitted(motions: Sequence[Sequence[_Choice]], size: int, penalty: float) -> Vector:
    from scipy.optimize import minimize

    equal = np.full(size, 1 / size)
    choices = [choice for motion in motions for choice in motion]

    def objective(weights: Vector) -> tuple[float, Vector]:
        loss, gradient = _loss(weights, choices)
        away = weights - equal
        return loss + penalty * float(away @ away), gradient + 2 * penalty * away

    result = minimize(objective, equal, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * size)
    return np.asarray(result.x)


def _loss(weights: Vector, choices: Sequence[_Choice]) -> tuple[float, Vector]:
    """The negative log-likelihood of the right ones under a softmax, and its gradient."""
    loss, gradient = 0.0, np.zeros_like(weights)
    for scores, right in choices:
        values = scores @ weights
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        of_right = shares[right].sum()
        loss -= float(np.log(of_right))
        gradient += shares @ scores - (shares[right] / of_right) @ scores[right]
    return loss, gradient


# Learning when an opposing speech answers nobody: a supporting speech is left out of its motion, so that its answers
# answer nobody who is left.

_INVERSE_PENALTY = 1 / 6
_MOST_SHARPNESS = 20.0


def left_out(debate: AnsweredDebate) -> Iterator[AnsweredDebate]:
    """The debate without each of its supporting speeches in turn, as long as one is left."""
    for row in range(len(debate.supporting) if len(debate.supporting) > 1 else 0):
        rest = debate.supporting[:row] + debate.supporting[row + 1 :]
        allowed, answers = (np.delete(table, row, axis=0) for table in (debate.allowed, debate.answers))
        yield replace(debate, supporting=rest, allowed=allowed, answers=answers)


def learn_attribution(recorded: Sequence[Scored], resources: Resources, ranker: Ranker) -> Attribution | None:
    """Train a classifier of speeches that answer somebody or nobody; None if the debates do not have both.

    The weights come from debates with a speech left out, many of whose opposing speeches answer nobody. The bias is
    then set for the whole debates, so that the expected share of answers is the real one. The intercept that came with
    the weights gives the bias for any other share.
    """
    from sklearn.linear_model import LogisticRegression

    parts = [scored(part, resources, ranker.configuration) for debate, _ in recorded for part in left_out(debate)]
    if not parts:
        return None
    names = sorted(parts[0][1])
    features, labels = _features(parts, names)
    if labels.all() or not labels.any():
        return None
    centre, scale = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    model = LogisticRegression(C=_INVERSE_PENALTY, tol=1e-8, max_iter=1000).fit((features - centre) / scale, labels)
    weights = model.coef_[0] / scale
    even = float(model.intercept_[0] - centre @ weights - np.log(labels.mean() / (1 - labels.mean())))
    of_recorded, really = _features(recorded, names)
    share = (really.sum() + 1) / (len(really) + 2)
    by_name = dict(zip(names, map(float, weights), strict=True))
    return Attribution(by_name, _bias(of_recorded @ weights, share), _sharpness(recorded, ranker), even)


def _features(examples: Sequence[Scored], names: Sequence[str]) -> tuple[Matrix, Mask]:
    """The best score of every opposing speech by each method, and whether it answers somebody."""
    best = [(debate.judged, best_scores(table, debate.allowed)) for debate, table in examples]
    rows = [np.stack([scores[name][judged] for name in names], axis=1) for judged, scores in best]
    return np.concatenate(rows), np.concatenate([debate.answers_somebody[debate.judged] for debate, _ in examples])


def _bias(logits: Vector, share: float) -> float:
    """The bias under which the mean probability is this share."""
    from scipy.optimize import brentq

    def excess(bias: float) -> float:
        return float((1 / (1 + np.exp(-(logits + bias)))).mean() - share)

    return float(brentq(excess, -logits.max() - 50, -logits.min() + 50))


def _sharpness(examples: Sequence[Scored], ranker: Ranker) -> float:
    """The sharpness of the softmax that maximises the likelihood of the known answers."""
    from scipy.optimize import minimize_scalar

    combined = [(debate, ranker.combined(table, debate.allowed)) for debate, table in examples]

    def loss(sharpness: float) -> float:
        total = 0.0
        for debate, scores in combined:
            right = (shares(scores, debate.allowed, sharpness) * debate.answers).sum(axis=0)
            total -= float(np.log(np.maximum(right[debate.answers_somebody], 1e-12)).sum())
        return total

    return float(minimize_scalar(loss, bounds=(0.0, _MOST_SHARPNESS), method="bounded").x)
