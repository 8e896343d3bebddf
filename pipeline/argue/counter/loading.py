"""Loads what the settings ask for: how sentences are compared, the ranker and its methods."""

from collections.abc import Sequence
from pathlib import Path

from pipeline import models
from pipeline.argue.counter.comparison.opposition import InferredOpposition, Relations
from pipeline.argue.counter.comparison.similarity import EncodedSimilarity, SentenceSimilarity, SharedWordSimilarity
from pipeline.argue.counter.judge import Judge
from pipeline.argue.counter.method import METHODS, Given, build, members
from pipeline.argue.counter.ranker import Ranker
from pipeline.argue.counter.texts.speech_text import SpeechText
from pipeline.argue.counter.word_movers.similarity import MoverSimilarity
from pipeline.records import file_digest
from pipeline.settings.counter import CounterSettings
from pipeline.text.encoders.cross_encoder import load_cross_encoder
from pipeline.text.encoders.sentence_encoder import load_encoder

_TRAINED = "counter-ranker.json"
_WITHOUT_FILE = {"tf-idf": Ranker.by_tf_idf, "equal": Ranker.untrained}


def judge(settings: CounterSettings, speeches: Sequence[SpeechText]) -> Judge:
    """The judge of a motion with these speeches."""
    path = ranker_file(settings)
    ranker = Ranker.load(path) if path else _WITHOUT_FILE[settings.ranker]()
    if settings.answered is not None:
        ranker = ranker.for_share(settings.answered)
    relations = sentence_relations(settings.encoder, settings.inference)
    movers = word_movers(settings.vectors) if ranker.configuration else None
    given = Given(relations, speeches=speeches, movers=movers, configuration=ranker.configuration)
    return Judge(build(members(METHODS), given), ranker, relations, settings)


def models_used(settings: CounterSettings) -> dict[str, str]:
    """The names and digests of the models that a judge uses."""
    path = ranker_file(settings)
    names = [settings.encoder, settings.inference]
    if path and Ranker.load(path).configuration:
        names.append(settings.vectors)
    used = {name: models.find(name).digest for name in names if name}
    return used | {"ranker": file_digest(path)} if path else used


def ranker_file(settings: CounterSettings) -> Path | None:
    """The file of a ranker that was trained; None for one that needs no training."""
    if settings.ranker in _WITHOUT_FILE:
        return None
    return trained_ranker_file() if settings.ranker == "trained" else Path(settings.ranker).expanduser()


def trained_ranker_file() -> Path:
    """Where training leaves its ranker by default."""
    return models.cache_folder() / _TRAINED


def sentence_relations(encoder: str | None, inference: str | None, *, allow_hub: bool = False) -> Relations:
    """How sentences are compared: by an encoder or shared words; for contradiction, by a model or cue words."""
    similarity: SentenceSimilarity = SharedWordSimilarity()
    if encoder:
        similarity = EncodedSimilarity(load_encoder(encoder))
    if not inference:
        return Relations(similarity)
    path = models.find(inference, allow_hub=allow_hub).path
    return Relations(similarity, InferredOpposition(load_cross_encoder(str(path), "contradiction"), similarity))


def word_movers(vectors: str | None) -> MoverSimilarity | None:
    """Word Mover's similarity over word vectors, by name or path; None without any."""
    if not vectors:
        return None
    from pipeline.text.encoders.word_vectors import load_vectors

    return MoverSimilarity(load_vectors(vectors))
