"""Cuts the words of a transcript into sentences."""

import logging
from typing import Literal

from pydantic import Field

from pipeline.segment.record import Sentences
from pipeline.settings import StageSettings
from pipeline.stage import stage
from pipeline.transcribe import Transcript


class SegmentSettings(StageSettings):
    """How words are cut into sentences."""

    method: Literal["auto", "punkt", "tagger", "pauses"] = Field(
        "auto",
        description="How to cut. punkt: at punctuation. tagger: by words and their timing (`rostrum train "
        "segmenter`). pauses: at silences. auto: punkt if the recogniser wrote punctuation, else the tagger if one "
        "was trained, else pauses.",
    )
    tagger: str | None = Field(None, description="The file of a trained tagger. Empty: the one in the model cache.")
    pause: float = Field(0.25, gt=0, description="pauses: a silence of this many seconds ends a sentence.")


_LOG = logging.getLogger(__name__)


def _models(settings: SegmentSettings) -> dict[str, str]:
    """Digests of the models that may cut. The transcript decides later which one does."""
    from pipeline.segment.boundary_tagger import tagger_digest
    from pipeline.text.sentences import punkt_digest

    digests = {}
    if settings.method in ("auto", "punkt"):
        digests["punkt"] = punkt_digest()
    if settings.method in ("auto", "tagger"):
        digests["segmenter"] = tagger_digest(settings.tagger) or "not trained"
    return digests


@stage(version=2, model=_models)
def segment(transcript: Transcript, *, settings: SegmentSettings) -> Sentences:
    """Cut the words into sentences: at punctuation; where there is none, by a trained tagger or at pauses."""
    from pipeline.segment.boundary_tagger import load_tagger, tagger_digest
    from pipeline.text.sentences import cut, cut_at_pauses, cut_at_punctuation, sentences

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
