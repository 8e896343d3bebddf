"""The matchers by name: what a setting or an option may say, and where their weights come from."""

import functools
import hashlib
from pathlib import Path
from typing import Any

from pipeline.argue.keypoints.matching import BiEncoder, CrossEncoder, Ensemble, Matcher, TfIdf, TokenOverlap
from pipeline.argue.keypoints.weights import facts_of, load
from pipeline.errors import RostrumError
from pipeline.text.encoders.sentence_encoder import load_changed_encoder, load_encoder

ENSEMBLE = "ensemble"
PACKAGED = "tuned"
TRAINED = "trained"
PACKAGED_FILE = Path(__file__).with_name("argkp.safetensors")
_CROSS = "cross-encoder:"
_SUFFIX = ".safetensors"
# Where unchanged encoders tell matches from the rest best, on the training part of ArgKP.
_PLAIN_THRESHOLD = 0.6
# The other member of the ensemble, and where the mean of both tells best, on dev of ArgKP.
SECOND_ENCODER = "bge-small-en-v1.5-int8"
_ENSEMBLE_THRESHOLD = 0.6


def trained_file() -> Path:
    """Where `rostrum train keypoints` leaves what it learnt."""
    from pipeline import models

    return models.cache_folder() / "keypoints" / "matcher.safetensors"


def load_matcher(name: str) -> Matcher:
    """A matcher by name: `token overlap`, `tf-idf`, `tuned` (comes with rostrum), `ensemble` (of it and a second
    encoder), `trained` (by `rostrum train keypoints`), the path of such weights, an encoder's name or path, or
    `cross-encoder:` and a name or path.
    """
    if name == "token overlap":
        return TokenOverlap()
    if name == "tf-idf":
        return TfIdf()
    if name == ENSEMBLE:
        return with_second(load_matcher(PACKAGED), name)
    if name.startswith(_CROSS):
        return _cross_encoder(name)
    if file := _weights_file(name):
        return load_weights(file, name)
    return BiEncoder(name, load_encoder(name), _PLAIN_THRESHOLD, topical=False)


def with_second(tuned: Matcher, name: str) -> Matcher:
    """The ensemble of a fine-tuned encoder and a second one as it is."""
    return Ensemble((tuned, load_matcher(SECOND_ENCODER)), name, _ENSEMBLE_THRESHOLD)


def matcher_digests(name: str) -> dict[str, str]:
    """The names and digests of the weights that a matcher uses; none of them is loaded."""
    from pipeline import models

    if name in ("token overlap", "tf-idf"):
        return {}
    if name == ENSEMBLE:
        return matcher_digests(PACKAGED) | matcher_digests(SECOND_ENCODER)
    if file := _weights_file(name):
        facts = facts_of(file)
        return {facts.base: facts.base_digest, name: models.find(file).digest}
    encoder = name.removeprefix(_CROSS)
    return {encoder: models.find(encoder).digest}


@functools.cache
def load_weights(file: Path, name: str) -> Matcher:
    """A matcher of trained weights: the encoder that they were trained on, changed by them."""
    from pipeline import models

    facts = facts_of(file)
    if models.find(facts.base).digest != facts.base_digest:
        raise RostrumError(f"{file}: trained on another {facts.base} than the one on this machine; train anew")

    def change(encoder: Any) -> None:
        from pipeline.argue.keypoints.low_rank import merge

        merge(encoder, load(file))

    digest = hashlib.sha256(f"{facts.base_digest} {models.find(file).digest}".encode()).hexdigest()
    return BiEncoder(name, load_changed_encoder(facts.base, digest, change), facts.threshold)


def _weights_file(name: str) -> Path | None:
    """The file of trained weights that a name means, or None where it means something else."""
    if name == PACKAGED:
        return PACKAGED_FILE
    if name == TRAINED:
        if not trained_file().exists():
            raise RostrumError(f"{trained_file()}: not there; make it with: rostrum train keypoints --data DIR")
        return trained_file()
    return Path(name).expanduser() if name.endswith(_SUFFIX) else None


@functools.cache
def _cross_encoder(name: str) -> Matcher:
    from pipeline import models
    from pipeline.torchaudio import import_torchaudio

    found = models.find(name.removeprefix(_CROSS))
    import_torchaudio()
    from sentence_transformers import CrossEncoder as Model

    return CrossEncoder(name, found.digest, Model(str(found.path), device="cpu"))
