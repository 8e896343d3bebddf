"""Models that no package registry carries: they come from HuggingFace's hub, when they are asked for by name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HubModel:
    """A model on the hub. `size` is about what is downloaded, in bytes; its files are not pinned."""

    name: str
    hub_id: str
    purpose: str
    licence: str
    size: int


HUB_MODELS = (
    HubModel("bert-base-uncased", "google-bert/bert-base-uncased", "next sentences", "Apache-2.0", 440_000_000),
    HubModel(
        "nli-MiniLM2-L6-H768", "cross-encoder/nli-MiniLM2-L6-H768", "language inference", "Apache-2.0", 330_000_000
    ),
)


def hub_model(name: str) -> HubModel | None:
    """The model of this name (in any case) or hub id; None where the name means something else.

    >>> hub_model("BERT-base-uncased").hub_id
    'google-bert/bert-base-uncased'
    """
    wanted = name.casefold()
    return next((each for each in HUB_MODELS if wanted in (each.name.casefold(), each.hub_id.casefold())), None)
