"""The scoring study: which responses are predicted from which references, and what is measured of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.content.evaluate.data import ScoredResponse, ScoredResponses
from pipeline.content.rouge import Terms, inverse_document_frequency
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.grade import LENGTH, argument_features, content_features, language_features
from pipeline.grouping import grouped
from pipeline.measures import (
    bootstrap_interval,
    cross_validated,
    linear_fit,
    partial_correlation,
    pearson,
    prediction_kappa,
    undefined,
)
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.sentences import split

Measures = dict[str, Vector]


@dataclass(frozen=True)
class StudiedResponse:
    """A response whose score is to be predicted, and the references of its prompt."""

    response: ScoredResponse
    references: tuple[str, ...]


def cases(table: ScoredResponses, references: int, draw: int | None = None) -> list[StudiedResponse]:
    """Every response with up to so many references: those given, then the best-scored responses to the prompt.

    The better half of a prompt's responses may serve as references. A response that serves as one is not a case itself.
    With a `draw`, references are drawn at random from all that may serve.
    """
    random = np.random.default_rng(draw)
    studied = []
    for prompt, responses in grouped((response.prompt, response) for response in table.responses).items():
        given = table.references.get(prompt, ())
        best = sorted(responses, key=lambda response: -response.score)
        may_serve = best[: len(responses) // 2]
        if draw is None:
            texts = given[:references]
            serving = may_serve[: references - len(texts)]
        else:
            drawn = random.permutation(len(given) + len(may_serve))[:references]
            texts = tuple(given[index] for index in drawn if index < len(given))
            serving = [may_serve[index - len(given)] for index in drawn if index >= len(given)]
        wanted = (*texts, *(response.text for response in serving))
        served = {id(response) for response in serving}
        studied += [StudiedResponse(response, wanted) for response in best if wanted and id(response) not in served]
    if not studied:
        raise RostrumError("no references: give a column 'reference', or two responses or more to a prompt")
    return studied


def scores_of(studied: Sequence[StudiedResponse]) -> Vector:
    return np.array([case.response.score for case in studied])


def prompts_of(studied: Sequence[StudiedResponse]) -> list[str]:
    return [case.response.prompt for case in studied]


def idf_of(table: ScoredResponses, terms: Terms) -> Callable[[str], float]:
    """Weights of terms, from every response and reference."""
    return inverse_document_frequency([terms.terms_in(text) for text in documents(table)])


def documents(table: ScoredResponses) -> list[str]:
    """Every text of the table: references, then responses."""
    given = [text for texts in table.references.values() for text in texts]
    return [*given, *(response.text for response in table.responses)]


def lengths(studied: Sequence[StudiedResponse], texts: Sequence[str]) -> Vector:
    """The length of each response: the table's own, else its number of words."""
    return np.array(
        [
            float(len(text.split())) if case.response.length is None else case.response.length
            for case, text in zip(studied, texts, strict=True)
        ]
    )


def content_measures(
    studied: Sequence[StudiedResponse],
    texts: Sequence[str],
    terms: Terms,
    idf: Callable[[str], float],
    references: int,
    encoder: Encoder | None = None,
) -> Measures:
    """The measures of content of each case's text, compared with its first `references` references."""
    if encoder:  # all at once: an encoder is fastest on many sentences
        wanted = {text for case in studied for text in case.references[:references]}
        encoder.encode([sentence for text in (*wanted, *texts) for sentence in split(text)])
    return _columns(
        [
            content_features(text, case.references[:references], terms, idf, encoder)
            for case, text in zip(studied, texts, strict=True)
        ]
    )


def language_measures(texts: Sequence[str]) -> Measures:
    """How each text uses language, but for its length."""
    measures = _columns([language_features(text) for text in texts])
    return {name: values for name, values in measures.items() if name != LENGTH}


def argument_measures(texts: Sequence[str]) -> Measures:
    """What is argued in each text."""
    return _columns([argument_features(text) for text in texts])


def delivery_measures(studied: Sequence[StudiedResponse]) -> Measures:
    """The table's features of how the responses were said, which all responses have."""
    return _columns([case.response.delivery for case in studied])


def _columns(rows: Sequence[Mapping[str, float]]) -> Measures:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def stacked(measures: Mapping[str, Vector], names: Sequence[str]) -> Matrix:
    return np.column_stack([measures[name] for name in names])


# The measured responses of a table in one kind of transcript, and the figures of each measure.


@dataclass(frozen=True)
class Sample:
    """Responses, their human scores, and what is measured of them."""

    studied: Sequence[StudiedResponse]
    scores: Vector
    content: Measures
    language: Measures
    delivery: Measures
    others: Measures

    @property
    def measures(self) -> Measures:
        return self.content | self.language | self.delivery | self.others

    def grouped(self, values: Vector) -> list[tuple[Vector, Vector]]:
        """(values, scores), prompt by prompt."""
        _, index = np.unique(prompts_of(self.studied), return_inverse=True)
        return [(values[index == prompt], self.scores[index == prompt]) for prompt in range(index.max() + 1)]

    def methods(self) -> dict[str, list[str]]:
        """The measures of each row."""
        content, language, delivery = list(self.content), list(self.language), list(self.delivery)
        rows = {name: [name] for name in ("random", "length", *content)}
        rows |= {"all content measures": content, "all content measures and length": [*content, "length"]}
        rows["language use"] = language
        if delivery:
            rows |= {"delivery": delivery, "delivery and language use": [*delivery, *language]}
            rows |= {f"{name} and delivery": [name, *delivery] for name in content}
            rows |= {f"{name}, delivery and language use": [name, *delivery, *language] for name in content}
        rows["all measures"] = [*content, *language, *delivery, "length"]
        return rows


def figures(sample: Sample, values: Vector | None, predictions: Vector | None, seed: int) -> Row:
    """The figures of a row: of a measure's values, and of predictions of the scores. A note says why one is missing."""
    row: Row = {"pearson": None, "pearson_low": None, "pearson_high": None, "partial": None}
    row |= {"predicted": None, "kappa": None}
    row["responses"] = len(sample.scores)
    if values is None or predictions is None:
        row["note"] = "one prompt only: nothing to fit a prediction on"
    if values is not None:
        row["pearson"] = pearson(values, sample.scores)
        row["partial"] = partial_correlation(values, sample.scores, sample.others["length"])
        if reason := undefined(values, sample.scores):
            row["note"] = reason
        else:
            row["pearson_low"], row["pearson_high"] = bootstrap_interval(
                sample.grouped(values), _pooled_pearson, seed=seed
            )
    if predictions is not None:
        row["predicted"] = pearson(predictions, sample.scores)
        row["kappa"] = prediction_kappa(predictions, sample.scores)
    return row


def predicted(sample: Sample, train: Sample | None, names: Sequence[str]) -> Vector | None:
    """Scores predicted from these measures: fitted on `train`, else on the other prompts; None if there are none."""
    features = stacked(sample.measures, names)
    if train is None:
        return cross_validated(features, sample.scores, prompts_of(sample.studied))
    return linear_fit(stacked(train.measures, names), train.scores)(features)


def _pooled_pearson(groups: Sequence[tuple[Vector, Vector]]) -> float:
    value = pearson(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    return float("nan") if value is None else value
