"""A speech and its expected texts become Coverage."""

from pipeline.records import Arguments, Coverage, ExpectedTexts, Sentences, Speech
from pipeline.settings.content import ContentSettings
from pipeline.stages import Skip, stage


def _models(settings: ContentSettings) -> dict[str, str]:
    from pipeline import models

    return {settings.encoder: models.find(settings.encoder).digest} if settings.encoder else {}


@stage(version=2, model=_models, one_of=("references", "arguments"), pace=0.007)
def content(
    speech: Speech,
    sentences: Sentences,
    references: ExpectedTexts | None,
    arguments: Arguments | None,
    *,
    settings: ContentSettings,
) -> Coverage:
    """Find what the speech covers of given references or of its side's arguments, where, and what it leaves out."""
    from pipeline.argue.expectations import coverage, from_arguments, from_references

    if references is not None and settings.references != "arguments":
        parts = from_references(references, settings.max_references)
        return coverage("references", parts, sentences, settings)
    if settings.references == "given":
        raise Skip("no references")
    parts = from_arguments(arguments, speech.stance)
    if not parts:
        raise Skip("no references, and no arguments of the speech's side")
    return coverage("arguments", parts, sentences, settings)
