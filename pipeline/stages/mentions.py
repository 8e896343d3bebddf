"""A speech's sentences and the known arguments on its motion become Mentions."""

from typing import TYPE_CHECKING

from pipeline.records import Arguments, Mentions, Motion, Sentences, Speech
from pipeline.settings.mentions import MentionsSettings
from pipeline.stages import Skip, stage

if TYPE_CHECKING:
    from pipeline.argue.mentions.finding import Finder
    from pipeline.llm.large_model import LargeModel


def _models(settings: MentionsSettings) -> dict[str, str]:
    from pipeline import models
    from pipeline.argue.mentions.detector import find_detector
    from pipeline.text.sentences.punkt import punkt_digest

    encoder = models.find(settings.encoder)
    label, detector = find_detector(settings.detector, settings.encoder, encoder.digest)
    named = {settings.encoder: encoder.digest, f"detector {label}": detector.digest, "punkt": punkt_digest()}
    if detector.matcher:
        from pipeline.argue.keypoints.matcher import matcher_digests

        named |= matcher_digests(detector.matcher)
    if settings.asked_llm:
        from pipeline.argue.mentions.llm_opinion import HEAR
        from pipeline.llm.large_model import model_digests

        named |= model_digests(settings.asked_llm, [HEAR])
    elif settings.cross_encoder:
        named[settings.cross_encoder] = models.find(settings.cross_encoder).digest
    return named


@stage(version=2, model=_models, pace=0.003)
def mentions(
    motion: Motion, arguments: Arguments, speech: Speech, sentences: Sentences, *, settings: MentionsSettings
) -> Mentions:
    """Say of every known argument on the motion how probable it is that people hear it in the speech, and where."""
    from pipeline.llm.large_model import LargeModel

    if not arguments.items:
        raise Skip("no arguments")
    if not sentences.sentences:
        raise Skip("the speech has no sentences")
    asked = LargeModel(settings.asked_llm) if settings.asked_llm else None
    finder, detector = _finder(settings, asked)
    return Mentions(
        motion=motion.id,
        mentions=finder.find(motion, arguments.items, speech.stance, sentences.sentences),
        encoder=finder.encoder.name,
        detector=detector,
        trained_on=finder.detector.trained_on,
        threshold=finder.threshold,
        llm=asked.use() if asked else None,
    )


def _finder(settings: MentionsSettings, asked: "LargeModel | None") -> "tuple[Finder, str]":
    """The finder of these settings, and what its detector is called."""
    from pipeline.argue.keypoints.matcher import load_matcher
    from pipeline.argue.mentions.detector import find_detector
    from pipeline.argue.mentions.finding import Finder, Reader
    from pipeline.argue.mentions.llm_opinion import LlmOpinion
    from pipeline.text.encoders.cross_encoder import load_cross_encoder
    from pipeline.text.encoders.sentence_encoder import load_encoder

    encoder = load_encoder(settings.encoder)
    label, detector = find_detector(settings.detector, encoder.name, encoder.digest)
    reader: Reader | None = LlmOpinion(asked) if asked else None
    if settings.cross_encoder and not asked:
        reader = load_cross_encoder(settings.cross_encoder)
    finder = Finder(
        encoder,
        detector,
        matcher=load_matcher(detector.matcher) if detector.matcher else None,
        threshold=settings.threshold,
        carriers=settings.carriers,
        cross_encoder=reader,
        candidates=settings.candidates,
    )
    return finder, label
