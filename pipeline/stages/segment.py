"""Sentences."""

from pipeline.records import Sentences, Transcript
from pipeline.settings import SegmentSettings
from pipeline.stage import stage


def _models(settings: SegmentSettings) -> dict[str, str]:
    from pipeline.text.punkt import punkt_digest

    return {"punkt": punkt_digest()} if settings.method in ("auto", "punkt") else {}


@stage(version=1, model=_models)
def segment(transcript: Transcript, *, settings: SegmentSettings) -> Sentences:
    """Cut the words into sentences: at punctuation, and at pauses where the recogniser gave none."""
    from pipeline.text.sentences import cut, cut_at_pauses, cut_at_punctuation, sentences

    words = transcript.words
    if settings.method == "punkt" or (settings.method == "auto" and transcript.punctuated):
        return Sentences(sentences=sentences(words, cut(words, cut_at_punctuation)), method="punkt")
    ends = cut(words, lambda run: cut_at_pauses(run, settings.pause))
    return Sentences(sentences=sentences(words, ends), method=f"pauses of {settings.pause:g} s")
