"""The scoring study: how well measures of content predict what people thought of responses."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.argue.coverage import Terms, content_vector, inverse_document_frequency, overlap
from pipeline.argue.passages import similarities, soft_recall
from pipeline.arrays import Floats
from pipeline.errors import RostrumError
from pipeline.evaluation.content.data import ScoredResponse, ScoredResponses
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.sentences.punkt import split

Measures = dict[str, Floats]


@dataclass(frozen=True)
class StudiedResponse:
    """A response whose score is to be predicted, and the references of its prompt."""

    response: ScoredResponse
    references: tuple[str, ...]


def cases(table: ScoredResponses, references: int) -> list[StudiedResponse]:
    """Every response with up to so many references: those given, then the best-scored responses to the prompt.

    A response that serves as a reference is not a case; at most half of a prompt's responses serve.
    """
    by_prompt: defaultdict[str, list[ScoredResponse]] = defaultdict(list)
    for response in table.responses:
        by_prompt[response.prompt].append(response)
    found = []
    for prompt, responses in by_prompt.items():
        given = table.references.get(prompt, ())[:references]
        best = sorted(responses, key=lambda response: -response.score)
        serving = min(references - len(given), len(responses) // 2)
        texts = (*given, *(response.text for response in best[:serving]))
        found += [StudiedResponse(response, texts) for response in best[serving:] if texts]
    if not found:
        raise RostrumError("no references: give a column 'reference', or two responses or more to a prompt")
    return found


def scores_of(found: Sequence[StudiedResponse]) -> Floats:
    return np.array([case.response.score for case in found])


def prompts_of(found: Sequence[StudiedResponse]) -> list[str]:
    return [case.response.prompt for case in found]


def idf_of(table: ScoredResponses, terms: Terms) -> Callable[[str], float]:
    """Weights of terms, from every response and reference."""
    given = [text for texts in table.references.values() for text in texts]
    return inverse_document_frequency([terms.of(text) for text in (*given, *(each.text for each in table.responses))])


def lengths(found: Sequence[StudiedResponse], texts: Sequence[str]) -> Floats:
    """As the table has it, else in words."""
    return np.array(
        [
            float(len(text.split())) if case.response.length is None else case.response.length
            for case, text in zip(found, texts, strict=True)
        ]
    )


def content_measures(
    found: Sequence[StudiedResponse], texts: Sequence[str], terms: Terms, idf: Callable[[str], float], references: int
) -> Measures:
    """The n-gram measures of each case's text; one that is not defined, as of an empty response, is 0."""
    wanted = {text: terms.of(text) for case in found for text in case.references}
    columns: defaultdict[str, list[float]] = defaultdict(list)
    for case, text in zip(found, texts, strict=True):
        said = terms.of(text)
        expected = [wanted[reference] for reference in case.references[:references]]
        for name, value in {
            "base ROUGE-1": overlap(said, expected[:1]).recall,
            "base ROUGE-2": overlap(said, expected[:1], 2).recall,
            "new ROUGE-1": overlap(said, expected, types=True).recall,
            "best ROUGE-1": max(overlap(said, [each]).recall or 0.0 for each in expected),
            "CVA": content_vector(said, expected, idf),
        }.items():
            columns[name].append(value or 0.0)
    return {name: np.array(values) for name, values in columns.items()}


def soft_measure(found: Sequence[StudiedResponse], texts: Sequence[str], encoder: Encoder, references: int) -> Measures:
    """How well the references' sentences are met in meaning."""
    expected = {reference: split(reference) for case in found for reference in case.references[:references]}
    said = [split(text) for text in texts]
    encoder.encode([sentence for sentences in (*expected.values(), *said) for sentence in sentences])
    values = []
    for case, sentences in zip(found, said, strict=True):
        wanted = [sentence for reference in case.references[:references] for sentence in expected[reference]]
        values.append((soft_recall(similarities(wanted, sentences, encoder)) or 0.0) if sentences else 0.0)
    return {"soft recall": np.array(values)}


def delivery_measures(found: Sequence[StudiedResponse]) -> Measures:
    """How the responses were given: the columns that the table has, for all of them."""
    names = list(found[0].response.delivery)
    return {name: np.array([case.response.delivery[name] for case in found]) for name in names}


def stacked(measures: Mapping[str, Floats], names: Sequence[str]) -> Floats:
    return np.column_stack([measures[name] for name in names])
