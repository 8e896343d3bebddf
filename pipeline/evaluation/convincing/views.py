"""The texts as the project's own methods see them: surface features and the encoder's vectors."""

from pipeline.argue.convincing.representation import ENCODER, View, described
from pipeline.arrays import Floats
from pipeline.evaluation.convincing.judging import Pool, Resources


def seen(pool: Pool, view: View) -> Floats:
    """The rows of all texts in this view."""
    from pipeline.text.encoders.sentence_encoder import load_encoder

    return pool.once(f"view {view.name}", lambda: described(pool.texts, pool.topic_of, view, load_encoder(ENCODER)))


def encoder_of_views(_: Resources) -> dict[str, str]:
    """The encoder with its digest, for a method's `needs`."""
    from pipeline.text.encoders.sentence_encoder import load_encoder

    return {"encoder": f"{ENCODER} {load_encoder(ENCODER).digest[:12]}"}
