"""A speech's sentences and the known arguments on its motion become Mentions."""

from pipeline.records import Arguments, Mentions, Motion, Sentences, Speech
from pipeline.settings.mentions import MentionsSettings
from pipeline.stages import Skip, stage


def _models(settings: MentionsSettings) -> dict[str, str]:
    from pipeline import models
    from pipeline.argue.mentions.detector import find_detector
    from pipeline.text.sentences.punkt import punkt_digest

    encoder = models.find(settings.encoder)
    label, detector = find_detector(settings.detector, settings.encoder, encoder.digest)
    named = {settings.encoder: encoder.digest, f"detector {label}": detector.digest, "punkt": punkt_digest()}
    if settings.cross_encoder:
        named[settings.cross_encoder] = models.find(settings.cross_encoder).digest
    return named


@stage(version=1, model=_models, pace=0.003)
def mentions(
    motion: Motion, arguments: Arguments, speech: Speech, sentences: Sentences, *, settings: MentionsSettings
) -> Mentions:
    """Say of every known argument on the motion how probable it is that people hear it in the speech, and where."""
    from pipeline.argue.mentions.detector import find_detector
    from pipeline.argue.mentions.finding import Finder
    from pipeline.text.encoders.cross_encoder import load_cross_encoder
    from pipeline.text.encoders.sentence_encoder import load_encoder

    if not arguments.items:
        raise Skip("no arguments")
    if not sentences.sentences:
        raise Skip("the speech has no sentences")
    encoder = load_encoder(settings.encoder)
    label, detector = find_detector(settings.detector, encoder.name, encoder.digest)
    finder = Finder(
        encoder,
        detector,
        threshold=settings.threshold,
        carriers=settings.carriers,
        cross_encoder=load_cross_encoder(settings.cross_encoder) if settings.cross_encoder else None,
        candidates=settings.candidates,
    )
    return Mentions(
        motion=motion.id,
        mentions=finder.find(motion, arguments.items, speech.stance, sentences.sentences),
        encoder=encoder.name,
        detector=label,
        trained_on=detector.trained_on,
        threshold=finder.threshold,
    )
