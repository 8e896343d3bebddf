"""A score for a spoken answer, learned from answers that people have scored, and what it rests on."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pipeline import models
from pipeline.content import Terms, content_vector, overlap, similarities, smoothed_idf, soft_recall
from pipeline.counter import attributes, emphasises, turns_against
from pipeline.errors import RostrumError
from pipeline.grade.stage import Grade, GradeReason
from pipeline.models.stored import FeatureWeight, StoredModel
from pipeline.prosody import Prosody
from pipeline.text import sentences
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder
from pipeline.text.readability import LANGUAGE_USE, language_use
from pipeline.text.terms import stems

# Features of an answer: its content compared with references, its language, and its delivery.

Features = dict[str, float]
CONTENT = ("base ROUGE-1", "base ROUGE-2", "new ROUGE-1", "best ROUGE-1", "CVA")
SOFT_RECALL = "soft recall"
LENGTH = "length"
# Features of prosody by what they are called here; each is the mean over an answer's sentences.
_DELIVERY = {
    "speech rate": "speech_rate",
    "articulation rate": "articulation_rate",
    "pause share": "pause_share",
    "longest pause": "pause_longest",
    "hesitations": "filled_pauses",
    "pitch range": "f0_range",
    "intensity range": "intensity_range",
    "emphasis peak": "emphasis_peak",
}
DELIVERY = tuple(_DELIVERY)


def content_features(
    text: str, references: Sequence[str], terms: Terms, idf: Callable[[str], float], encoder: Encoder | None = None
) -> Features:
    """Each measure of content; one that is not defined, as of an empty answer, is 0."""
    said = terms.terms_in(text)
    expected = [terms.terms_in(reference) for reference in references]
    recalls = [overlap(said, [reference]).recall or 0.0 for reference in expected]
    bigrams = [overlap(said, [reference], 2).recall or 0.0 for reference in expected]
    features = {
        "base ROUGE-1": fmean(recalls) if recalls else 0.0,
        "base ROUGE-2": fmean(bigrams) if bigrams else 0.0,
        "new ROUGE-1": overlap(said, expected, types=True).recall or 0.0,
        "best ROUGE-1": max(recalls, default=0.0),
        "CVA": content_vector(said, expected, idf) or 0.0,
    }
    if encoder:
        spoken = sentences.split(text)
        wanted = [sentence for reference in references for sentence in sentences.split(reference)]
        recall = soft_recall(similarities(wanted, spoken, encoder)) if spoken else None
        features[SOFT_RECALL] = recall or 0.0
    return features


def language_features(text: str) -> Features:
    """How the answer uses language, and its length in words."""
    return {LENGTH: float(len(text.split())), **language_use(text)}


def delivery_features(prosody: Prosody) -> Features:
    """How the answer sounds; a feature that is defined in no sentence is left out."""
    features = {}
    for name, feature in _DELIVERY.items():
        values = [value for sentence in prosody.sentences if (value := sentence.values.get(feature)) is not None]
        if values:
            features[name] = fmean(values)
    return features


def kind_of(feature: str) -> str:
    """Whether a feature is one of content, argument, language or delivery."""
    if feature in ARGUMENT:
        return "argument"
    if feature in (*CONTENT, SOFT_RECALL):
        return "content"
    return "language" if feature in (LENGTH, *LANGUAGE_USE) else "delivery"


# How a speech argues: its points, reasons, evidence and answers to others, their order and cohesion.
#
# They need no model and no other stage, so that any table of speeches and scores has them. All are shares of sentences,
# but for the order and the cohesion, which go from 0 to 1.

_REASON = re.compile(r"\b(?:because|since|therefore|thus|hence|so that|which means|as a result|that is why)\b", re.I)
_EVIDENCE = re.compile(
    r"\d|\b(?:for example|for instance|such as|according to|stud(?:y|ies)|research|report(?:s|ed)?|statistics|evidence|"
    r"data|percent|survey|experts?|history shows|in (?:the )?\w+ of \d{4})\b",
    re.IGNORECASE,
)
_PLACES = (
    re.compile(r"\b(?:first(?:ly)?|to begin with|to start with|one reason|begin by)\b", re.I),
    re.compile(r"\b(?:second(?:ly)?|next|another (?:reason|point)|moreover|furthermore|also)\b", re.I),
    re.compile(r"\b(?:third(?:ly)?|finally|last(?:ly)?|in the end)\b", re.I),
    re.compile(r"\b(?:in conclusion|to conclude|to sum up|in sum|for (?:all )?th[eo]se reasons|overall)\b", re.I),
)


def _points(said: Sequence[str]) -> float:
    return _share(lambda sentence: emphasises(sentence) or bool(_PLACES[0].search(sentence)), said)


def _reasons(said: Sequence[str]) -> float:
    return _share(lambda sentence: bool(_REASON.search(sentence)), said)


def _evidence(said: Sequence[str]) -> float:
    return _share(lambda sentence: bool(_EVIDENCE.search(sentence)), said)


def _answers(said: Sequence[str]) -> float:
    """The share of sentences that report the other side, or turn against what was just said."""
    return _share(lambda sentence: attributes(sentence) or turns_against(sentence), said)


def _order(said: Sequence[str]) -> float:
    """How many kinds of place are announced in their order: a first, a next, a last, a conclusion.

    >>> _order(["First, it helps.", "Next, it is cheap.", "In conclusion, do it."]), _order(["It helps."])
    (0.75, 0.0)
    """
    kinds = [kind for sentence in said for kind, place in enumerate(_PLACES) if place.search(sentence)]
    rising: list[int] = []
    for kind in kinds:
        if not rising or kind > rising[-1]:
            rising.append(kind)
    return len(rising) / len(_PLACES)


def _cohesion(said: Sequence[str]) -> float:
    """The mean share of content words that a sentence has in common with the one before."""
    words = [set(stems(sentence, without_stop_words=True)) for sentence in said]
    shares = [len(one & other) / min(len(one), len(other)) for one, other in pairwise(words) if one and other]
    return fmean(shares) if shares else 0.0


_FEATURES: dict[str, Callable[[Sequence[str]], float]] = {
    "points announced": _points,
    "reasons given": _reasons,
    "evidence": _evidence,
    "answers to others": _answers,
    "order announced": _order,
    "cohesion": _cohesion,
}
ARGUMENT = tuple(_FEATURES)


def argument_features(text: str) -> dict[str, float]:
    """Each feature by its name; all 0 for a text without sentences.

    >>> found = argument_features("First, buses are clean because they run on power. They say that buses are slow.")
    >>> found["points announced"], found["reasons given"], found["answers to others"]
    (0.5, 0.5, 0.5)
    """
    said = sentences.split(text)
    return {name: feature(said) if said else 0.0 for name, feature in _FEATURES.items()}


def _share(holds: Callable[[str], bool], said: Sequence[str]) -> float:
    return sum(map(holds, said)) / len(said)


# A scoring model: a weighted sum of features in a small JSON file that a person can read.


class HumanAgreement(BaseModel):
    """How far scores agree with people's on prompts left out, and how far a second person agrees with the first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    responses: int
    prompts: int
    kappa: float | None
    pearson: float | None
    second_person_kappa: float | None = None


class ScoringModel(StoredModel):
    """Scores by features. `half_width` is the error that nine of ten answers to prompts left out stay below."""

    noun = "a model of `rostrum train grade`"

    format: Literal["rostrum scoring model 1"] = "rostrum scoring model 1"
    trained_on: str
    unit: Literal["words", "stems"]
    stop_words: bool
    references: int
    encoder: str | None
    encoder_digest: str | None
    weights: dict[str, FeatureWeight]
    bias: float
    lowest: float
    highest: float
    half_width: float
    agreement: HumanAgreement
    documents: int
    frequencies: dict[str, int]

    @property
    def terms(self) -> Terms:
        return Terms(self.unit, self.stop_words)

    def idf(self, term: str) -> float:
        """Smoothed inverse document frequency over the answers it was trained on."""
        return smoothed_idf(self.frequencies.get(term, 0), self.documents)

    def contributions(self, features: Features) -> dict[str, float]:
        """What each feature adds to the average score."""
        return {name: weight.contribution(features[name]) for name, weight in self.weights.items()}

    def score(self, contributions: Mapping[str, float]) -> float:
        """The score, within the range of the scores that people gave."""
        return min(max(self.bias + sum(contributions.values()), self.lowest), self.highest)


def trained_path() -> Path:
    """Where `rostrum train grade` leaves its model."""
    return models.cache_folder() / "score.json"


def find_model(name_or_path: str) -> ScoringModel | None:
    """The model of a path; for 'trained', the one that was trained on this machine, None if none was."""
    if name_or_path != "trained":
        return ScoringModel.read(Path(name_or_path).expanduser())
    return ScoringModel.read(trained_path()) if trained_path().exists() else None


# The score of one speech by a scoring model, and what it rests on.


def lacking(model: ScoringModel, references: Sequence[str], prosody: Prosody | None) -> str | None:
    """Why the model cannot score the speech: an input that it needs is missing. None if all are there."""
    kinds = {kind_of(name) for name in model.weights}
    if "content" in kinds and not references:
        return "no references, which the scoring model compares with"
    if "delivery" in kinds and prosody is None:
        return "no prosody, which the scoring model was trained with"
    return None


def graded(text: str, references: Sequence[str], prosody: Prosody | None, model: ScoringModel) -> Grade:
    """The score with the range that holds nine of ten scores of people; what counts most comes first."""
    features = _features(text, references, prosody, model)
    contributions = model.contributions(features)
    score = model.score(contributions)
    total = sum(map(abs, contributions.values()))
    ordered = sorted(contributions.items(), key=lambda item: (-abs(item[1]), item[0]))
    return Grade(
        score=_rounded(score),
        low=_rounded(max(score - model.half_width, model.lowest)),
        high=_rounded(min(score + model.half_width, model.highest)),
        lowest=model.lowest,
        highest=model.highest,
        average=_rounded(model.bias),
        reasons=tuple(
            GradeReason(
                name=name,
                kind=kind_of(name),
                value=_rounded(features[name]),
                points=_rounded(points),
                share=_rounded(abs(points) / total) if total else 0.0,
            )
            for name, points in ordered
        ),
        trained_on=model.trained_on,
        responses=model.agreement.responses,
        kappa=model.agreement.kappa,
        second_person_kappa=model.agreement.second_person_kappa,
    )


def _features(text: str, references: Sequence[str], prosody: Prosody | None, model: ScoringModel) -> Features:
    """The features that the model weighs; one of delivery that is not defined counts as average."""
    encoder = load_encoder(model.encoder) if model.encoder else None
    if encoder and encoder.digest != model.encoder_digest:
        raise RostrumError(
            f"the scoring model was trained with other weights of {model.encoder}; train it again: rostrum train grade"
        )
    known = language_features(text) | argument_features(text) | (delivery_features(prosody) if prosody else {})
    known |= content_features(text, references[: model.references], model.terms, model.idf, encoder)
    return {name: known.get(name, weight.mean) for name, weight in model.weights.items()}


def _rounded(value: float) -> float:
    return round(float(value), 4)
