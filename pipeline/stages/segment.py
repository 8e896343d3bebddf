"""Words become Sentences."""

import logging

from pipeline.records import Sentences, Transcript
from pipeline.settings.segment import SegmentSettings
from pipeline.stages import stage

_LOG = logging.getLogger(__name__)


def _models(settings: SegmentSettings) -> dict[str, str]:
    """Digests of the models that may cut. The transcript decides later which one does."""
    from pipeline.text.sentences.configured_tagger import tagger_digest
    from pipeline.text.sentences.punkt import punkt_digest

    found = {}
    if settings.method in ("auto", "punkt"):
        found["punkt"] = punkt_digest()
    if settings.method in ("auto", "tagger"):
        found["segmenter"] = tagger_digest(settings.tagger) or "not trained"
    return found


@stage(version=2, model=_models)
def segment(transcript: Transcript, *, settings: SegmentSettings) -> Sentences:
    """Cut the words into sentences: at punctuation; where there is none, by a trained tagger or at pauses."""
    from pipeline.text.sentences.configured_tagger import load_tagger, tagger_digest
    from pipeline.text.sentences.cutting import cut, cut_at_pauses, cut_at_punctuation, sentences

    words, method = transcript.words, settings.method
    if transcript.sentence_ends is not None:
        return Sentences(sentences=sentences(words, transcript.sentence_ends), method="corrected")
    if method == "punkt" or (method == "auto" and transcript.punctuated):
        return Sentences(sentences=sentences(words, cut(words, cut_at_punctuation)), method="punkt")
    if method == "tagger" or (method == "auto" and tagger_digest(settings.tagger)):
        tags = load_tagger(settings.tagger).tag(words)
        return Sentences(sentences=sentences(words, tags.ends, tags.written(words)), method="tagger")
    ends = cut(words, lambda run: cut_at_pauses(run, settings.pause))
    name = f"pauses of {settings.pause:g} s"
    if method == "auto":
        name += ", for lack of a trained tagger"
        _LOG.warning("no punctuation and no trained tagger: cut at %s; rostrum train segmenter makes one", name)
    return Sentences(sentences=sentences(words, ends), method=name)
