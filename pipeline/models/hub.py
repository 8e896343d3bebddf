"""Models that no package registry has. They come from HuggingFace's hub, if the user names them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.system.cores import HUB_ON_REQUEST


@dataclass(frozen=True)
class HubModel:
    """A model on the hub. `size` is the approximate download in bytes. Its files have no fixed digests."""

    name: str
    hub_id: str
    purpose: str
    licence: str
    size: int


_SPEECH = "speech recognition"

HUB_MODELS = (
    HubModel("distil-small.en", "Systran/faster-distil-whisper-small.en", _SPEECH, "MIT", 335_000_000),
    HubModel("distil-medium.en", "Systran/faster-distil-whisper-medium.en", _SPEECH, "MIT", 790_000_000),
    HubModel("distil-large-v2", "Systran/faster-distil-whisper-large-v2", _SPEECH, "MIT", 1_510_000_000),
    HubModel("distil-large-v3", "Systran/faster-distil-whisper-large-v3", _SPEECH, "MIT", 1_510_000_000),
    HubModel("distil-large-v3.5", "distil-whisper/distil-large-v3.5-ct2", _SPEECH, "MIT", 1_510_000_000),
    HubModel("bert-base-uncased", "google-bert/bert-base-uncased", "next sentences", "Apache-2.0", 440_000_000),
    HubModel(
        "nli-MiniLM2-L6-H768", "cross-encoder/nli-MiniLM2-L6-H768", "language inference", "Apache-2.0", 330_000_000
    ),
)


def hub_model(name: str) -> HubModel | None:
    """The model of this name (in upper or lower case) or hub id; None if there is none.

    >>> hub_model("BERT-base-uncased").hub_id
    'google-bert/bert-base-uncased'
    """
    wanted = name.casefold()
    return next((each for each in HUB_MODELS if wanted in (each.name.casefold(), each.hub_id.casefold())), None)


def snapshot(
    hub_id: str,
    *,
    local_files_only: bool = False,
    allow_patterns: list[str] | None = None,
    ignore_patterns: list[str] | None = None,
) -> Path:
    """The folder of a repository of the hub. It is downloaded if it is missing and `local_files_only` is false."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        with nullcontext() if local_files_only else hub_reachable():
            forbidden = constants.HF_HUB_OFFLINE
            return Path(
                snapshot_download(
                    hub_id,
                    local_files_only=local_files_only,
                    allow_patterns=allow_patterns,
                    ignore_patterns=ignore_patterns,
                )
            )
    except LocalEntryNotFoundError as error:
        if local_files_only:
            raise
        why = "HF_HUB_OFFLINE is set, so the hub is not asked" if forbidden else "the hub cannot be reached"
        raise RostrumError(f"{hub_id}: {why}, and it is not in HuggingFace's cache") from error
    except Exception as error:  # the hub's client lets through whatever its HTTP library raises
        why = str(error).splitlines()[0]
        account = "; set HF_TOKEN to a token of an account that may have it" if "401" in why or "403" in why else ""
        raise RostrumError(f"{hub_id}: could not be fetched from the hub: {why}{account}") from error


@contextmanager
def hub_reachable() -> Iterator[None]:
    """While this context is open, the hub may be used, unless the user's own environment forbids it."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before and not os.environ.get(HUB_ON_REQUEST)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
