"""Features of an answer: its content compared with references, its language, and its delivery."""

from collections.abc import Callable, Sequence
from statistics import fmean

from pipeline.argue.coverage import Terms, content_vector, overlap
from pipeline.argue.passages import similarities, soft_recall
from pipeline.records import Prosody
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.language_use import LANGUAGE_USE, language_use
from pipeline.text.sentences import punkt

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
    said = terms.of(text)
    expected = [terms.of(reference) for reference in references]
    recalls = [overlap(said, [each]).recall or 0.0 for each in expected]
    bigrams = [overlap(said, [each], 2).recall or 0.0 for each in expected]
    values = (
        fmean(recalls) if recalls else 0.0,
        fmean(bigrams) if bigrams else 0.0,
        overlap(said, expected, types=True).recall or 0.0,
        max(recalls, default=0.0),
        content_vector(said, expected, idf) or 0.0,
    )
    found = dict(zip(CONTENT, values, strict=True))
    if encoder:
        found[SOFT_RECALL] = _soft_recall(text, references, encoder)
    return found


def _soft_recall(text: str, references: Sequence[str], encoder: Encoder) -> float:
    sentences = punkt.split(text)
    wanted = [sentence for reference in references for sentence in punkt.split(reference)]
    return (soft_recall(similarities(wanted, sentences, encoder)) or 0.0) if sentences else 0.0


def language_features(text: str) -> Features:
    """How the answer uses language, and its length in words."""
    return {LENGTH: float(len(text.split())), **language_use(text)}


def delivery_features(prosody: Prosody) -> Features:
    """How the answer sounds; a feature that is defined in no sentence is left out."""
    found = {}
    for name, feature in _DELIVERY.items():
        values = [value for each in prosody.sentences if (value := each.values.get(feature)) is not None]
        if values:
            found[name] = fmean(values)
    return found


def kind_of(feature: str) -> str:
    """Whether a feature is one of content, language or delivery."""
    if feature in (*CONTENT, SOFT_RECALL):
        return "content"
    return "language" if feature in (LENGTH, *LANGUAGE_USE) else "delivery"
