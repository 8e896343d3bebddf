"""Which models made an artifact. A stage names all models that it may use; the speech decides which it did use."""

from collections.abc import Callable, Mapping
from typing import Any

from pipeline.engine.store import Artifact

Models = dict[str, str]


def models_used(artifact: Artifact) -> Models:
    """Name and digest of the models that were used; empty if the stage was skipped."""
    if artifact.skipped is not None or artifact.data is None:
        return {}
    chosen = _CHOSEN.get(artifact.stage)
    return {name: digest for name, digest in artifact.model.items() if chosen is None or chosen(name, artifact.data)}


def _found_turns(name: str, data: Mapping[str, Any]) -> bool:
    if data["method"] in ("given", "off"):
        return False
    return bool((name == "silero-vad") == (data["method"] == "voice activity"))


def _recognised(_: str, data: Mapping[str, Any]) -> bool:
    return bool(data["device"] != "none")


def _cut_sentences(name: str, data: Mapping[str, Any]) -> bool:
    return bool({"punkt": "punkt", "segmenter": "tagger"}.get(name) == data["method"])


# By stage: a function that says whether a model of that name was used, by the artifact's data.
_CHOSEN: dict[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "diarize": _found_turns,
    "transcribe": _recognised,
    "segment": _cut_sentences,
}
