"""How often the passage that is shown for an argument is the right one: one of its sentences carries the claim.

A passage is a sentence or a window of up to four sentences, as in the stage. A chooser scores all passages of a speech.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.evaluation.result import Row
from pipeline.matching.passages import word_recalls
from pipeline.measures.decisions import area_under_curve
from pipeline.measures.intervals import bootstrap_interval, mean
from pipeline.mentions.evaluate.data import Pair
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, inverse_document_frequencies
from pipeline.mentions.evaluate.heard_sentences import TRANSCRIPT, ClaimsFrom, HeardSentences
from pipeline.mentions.evaluate.lists import Resources
from pipeline.mentions.evaluate.methods.cross_encoders import CANDIDATES
from pipeline.mentions.similarity import passages, speech_vectors
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import stem, stop_words, tokens

Span = tuple[int, int]
# The score of each passage for a title, sentences first.
Chooser = Callable[[HeardSentences, Sequence[Span]], Vector]


def carrier_rows(heard: Sequence[HeardSentences], claims: ClaimsFrom, resources: Resources) -> Iterator[Row]:
    """One row per way of choosing a passage."""
    carried = [each for each in heard if any(each.heard.values())]
    base: Row = {"claims": claims, "transcript": TRANSCRIPT, "pairs": len(carried)}
    chance = [mean(_right(each, passages(len(each.sentences))).tolist()) for each in carried]
    yield {**base, "method": "random", "config": "passage", **_share_right(chance, resources.seed)}
    for method, chooser in choosers(heard, resources).items():
        yield {**base, "method": method, "config": "passage", **_figures(heard, chooser, resources.seed)}


def _share_right(right: Sequence[float], seed: int) -> Row:
    low, high = bootstrap_interval(right, seed=seed)
    return {"carrier": mean(right), "carrier_low": low, "carrier_high": high}


def _figures(heard: Sequence[HeardSentences], chooser: Chooser, seed: int) -> Row:
    """How often the best passage and the best sentence are right, and how well labelled sentences are told apart."""
    shown, sentences, values = [], [], []
    labels: list[bool] = []
    for each in heard:
        spans = passages(len(each.sentences))
        scores = chooser(each, spans)
        values += [scores[place] for place in each.heard]
        labels += each.heard.values()
        if any(each.heard.values()):
            shown.append(bool(_right(each, spans)[scores.argmax()]))
            sentences.append(each.heard.get(int(scores[: len(each.sentences)].argmax()), False))
    return {
        **_share_right(shown, seed),
        "carrier_sentence": mean(sentences),
        "auc": area_under_curve(np.array(values), np.array(labels)),
    }


def _right(each: HeardSentences, spans: Sequence[Span]) -> Mask:
    """Whether each passage has a sentence that carries the claim."""
    return np.array([any(each.heard.get(place, False) for place in range(*span)) for span in spans])


def choosers(heard: Sequence[HeardSentences], resources: Resources) -> dict[str, Chooser]:
    """Every way of choosing a passage: words in common, word means, each encoder, and each cross-encoder."""
    sentences = [sentence for each in heard for sentence in each.sentences]
    frequencies = inverse_document_frequencies(sentences)
    found: dict[str, Chooser] = {"words in common": _words_in_common(frequencies)}
    found["w2v"] = _most_similar(WordMeanEncoder(resources.words, frequencies))
    found |= {name: _most_similar(encoder) for name, encoder in resources.encoders.items()}
    first = found[next(iter(resources.encoders))]
    found |= {f"cross-encoder {each.name}": _read_together(each, first) for each in resources.cross_encoders}
    return found


def _most_similar(encoder: Encoder) -> Chooser:
    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        units = speech_vectors(encoder, each.sentences).units
        return np.asarray(units @ encoder.encode([each.title])[0], dtype=np.float64)

    return choose


def _words_in_common(frequencies: Mapping[str, float]) -> Chooser:
    """The share of the title's words that a passage has, rare ones weighing more; of equal ones the shortest."""

    def stems(text: str) -> list[str]:
        return [stem(word) for word in tokens(text) if word not in stop_words()]

    weights = {stem(word): weight for word, weight in frequencies.items()}

    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        said = [stems(" ".join(each.sentences[slice(*span)])) for span in spans]
        recalls = word_recalls([stems(each.title)], said, lambda term: weights.get(term, 1.0))[0]
        return np.asarray(recalls - 1e-6 * np.array([last - first for first, last in spans]))

    return choose


def _read_together(model: CrossEncoder, first: Chooser) -> Chooser:
    """The cross-encoder's probability for the passages that the first encoder holds most similar."""

    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        scores = first(each, spans) - 2.0  # below every probability
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        read = [" ".join(each.sentences[slice(*spans[place])]) for place in best]
        scores[best] = model.probabilities([(passage, each.title) for passage in read])
        return scores

    return choose


# How often a detector is wrong, by the share of people who heard the argument in the speech.

_STEPS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def error_rows(method: str, transcript: str, pairs: Sequence[Pair], right: Mask) -> Iterator[Row]:
    """One row per step of the share; a pair without votes is in none."""
    voted = [(pair.share, is_right) for pair, is_right in zip(pairs, right, strict=True) if pair.share is not None]
    if not voted:
        return
    shares, decided = np.array(voted).T
    steps = np.digitize(shares, _STEPS[1:-1])
    for step in np.unique(steps):
        of_step = decided[steps == step]
        yield {
            "method": method,
            "config": "errors",
            "transcript": transcript,
            "heard_from": _STEPS[step],
            "heard_to": _STEPS[step + 1],
            "wrong": 1 - float(of_step.mean()),
            "pairs": len(of_step),
        }
