"""A scoring model for spoken answers."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Matrix, Vector
from pipeline.content import Terms
from pipeline.content.evaluate.data import ScoredResponses, read_responses
from pipeline.content.evaluate.study import (
    Measures,
    StudiedResponse,
    argument_measures,
    cases,
    content_measures,
    delivery_measures,
    documents,
    idf_of,
    language_measures,
    prompts_of,
    scores_of,
    stacked,
)
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.grade.model import DELIVERY, LENGTH, HumanAgreement, ScoringModel, kind_of, trained_path
from pipeline.measures import cross_validated, pearson, prediction_kappa
from pipeline.models.stored import feature_weights, six_decimals
from pipeline.progress import Progress
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

_PENALTIES = (1.0, 10.0, 100.0, 1000.0)
# The share of answers whose error stays within the interval.
_COVERED = 0.9


@click.command()
@result.out_file
@click.option(
    "--references",
    default=4,
    show_default=True,
    type=click.IntRange(1),
    help="How many reference texts of an answer are used.",
)
@result.compares_meanings
@click.option("--stop-words/--no-stop-words", default=True, show_default=True, help="Whether stop words count.")
@click.option(
    "--content/--no-content",
    default=True,
    show_default=True,
    help="Whether what is said is compared with references. Without, speeches need none to be scored.",
)
@click.option(
    "--argument/--no-argument",
    default=None,
    help="Whether it counts what is argued: points, reasons, evidence, answers to others, order. Default: with "
    "--no-content only.",
)
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    references: int,
    encoder: str,
    stop_words: bool,
    content: bool,
    argument: bool | None,
) -> Trained:
    """Learn to score spoken answers or speeches; the stage `grade` then scores every speech.

    DIR has one table of responses with human scores (prompt, response, score; see the docs), or is the folder of a run
    whose speeches have scores: then how they were delivered counts, too.
    """
    progress(0.0, "measuring")
    model = train_scoring_model(
        data,
        encoder=result.or_none(encoder) if content else None,
        references=references,
        terms=Terms("stems", stop_words),
        content=content,
        argument=argument,
    )
    path = out or trained_path()
    model.write(path)
    agreement = model.agreement
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.3f}"
    people = "" if agreement.second_person_kappa is None else f" (a second person: {agreement.second_person_kappa:.3f})"
    return Trained(
        path,
        (
            f"{agreement.responses} responses to {agreement.prompts} prompts; on prompts left out: quadratic weighted "
            f"kappa {kappa}{people}, 9 of 10 errors below {model.half_width:.2f}",
        ),
    )


def train_scoring_model(
    folder: Path,
    *,
    encoder: str | None,
    references: int,
    terms: Terms,
    content: bool = True,
    argument: bool | None = None,
) -> ScoringModel:
    """A model of all the responses, with its agreement with people on prompts left out.

    `content` and `argument` say whether these kinds of features are learned from; what is argued is by default only
    where nothing is compared with references, as in speeches.
    """
    assert terms.unit != "lemmas"
    table = read_responses(folder)
    studied = cases(table, references)
    scores, prompts = scores_of(studied), prompts_of(studied)
    if np.ptp(scores) == 0:
        raise RostrumError(f"{folder}: all responses have the same score: nothing to learn")
    known = load_encoder(encoder) if encoder else None
    measures = _measures(table, studied, terms, references, known)
    is_in = {"content": content, "argument": not content if argument is None else argument}
    left_out = {kind for kind, wanted in is_in.items() if not wanted}
    measures = {name: values for name, values in measures.items() if kind_of(name) not in left_out}
    features = stacked(measures, list(measures))
    penalty, predictions = _best_penalty(features, scores, prompts)
    scaler, ridge = _ridge(penalty).fit(features, scores)
    counts = Counter(term for text in documents(table) for term in set(terms.terms_in(text)))
    return ScoringModel(
        trained_on=f"{folder.resolve().name}: {len(studied)} responses to {len(set(prompts))} prompts",
        unit=terms.unit,
        stop_words=terms.stop_words,
        references=references,
        encoder=known.name if known else None,
        encoder_digest=known.digest if known else None,
        weights=feature_weights(list(measures), scaler, ridge.coef_),
        bias=six_decimals(ridge.intercept_),
        lowest=float(scores.min()),
        highest=float(scores.max()),
        half_width=six_decimals(np.quantile(np.abs(predictions - scores), _COVERED)),
        agreement=_agreement(table, predictions, scores, prompts),
        documents=len(documents(table)),
        frequencies=dict(sorted(counts.items())),
    )


def _measures(
    table: ScoredResponses, studied: Sequence[StudiedResponse], terms: Terms, references: int, encoder: Encoder | None
) -> Measures:
    """Everything that is measured of the responses, in recognised transcripts if there are any: a run scores those."""
    texts = [case.response.text if case.response.asr is None else case.response.asr for case in studied]
    measures = content_measures(studied, texts, terms, idf_of(table, terms), references, encoder)
    measures |= {LENGTH: np.array([float(len(text.split())) for text in texts]), **language_measures(texts)}
    measures |= argument_measures(texts)
    return measures | {name: values for name, values in delivery_measures(studied).items() if name in DELIVERY}


def _best_penalty(features: Matrix, scores: Vector, prompts: list[str]) -> tuple[float, Vector]:
    """(the penalty that has the smallest error on prompts left out, the predictions of these)."""
    tried = {penalty: _on_prompts_left_out(features, scores, prompts, penalty) for penalty in _PENALTIES}
    best = min(tried, key=lambda penalty: float(np.mean((tried[penalty] - scores) ** 2)))
    return best, np.clip(tried[best], scores.min(), scores.max())


def _on_prompts_left_out(features: Matrix, scores: Vector, prompts: list[str], penalty: float) -> Vector:
    ridge = _ridge(penalty)
    predictions = cross_validated(features, scores, prompts, fit=lambda seen, known: ridge.fit(seen, known).predict)
    if predictions is None:
        raise RostrumError("responses to one prompt only; give two prompts or more, to judge the model on new ones")
    return predictions


def _ridge(penalty: float) -> Any:
    """Ridge regression over standardised features."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), Ridge(penalty))


def _agreement(table: ScoredResponses, predictions: Vector, scores: Vector, prompts: list[str]) -> HumanAgreement:
    raters = np.array([response.raters for response in table.responses if response.raters]).reshape(-1, 2)
    return HumanAgreement(
        responses=len(scores),
        prompts=len(set(prompts)),
        kappa=prediction_kappa(predictions, scores),
        pearson=pearson(predictions, scores),
        second_person_kappa=prediction_kappa(raters[:, 1], raters[:, 0]) if len(raters) else None,
    )
