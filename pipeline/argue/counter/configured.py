"""What the settings ask for: how sentences are compared, the ranker and its methods, and which weights these use."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.argue.counter.analysis import Judge
from pipeline.argue.counter.dissimilarity import Configuration, MoverSimilarity
from pipeline.argue.counter.fitting import Resources, ranked_methods
from pipeline.argue.counter.ranker import Ranker
from pipeline.argue.counter.similarity import EncodedSimilarity, SentenceSimilarity, SharedWordSimilarity
from pipeline.argue.counter.speech_text import SpeechText
from pipeline.settings import CounterSettings

_TRAINED = "counter-ranker.json"


def judge(settings: CounterSettings, speeches: Sequence[SpeechText]) -> Judge:
    """What judges a motion with these speeches."""
    path = ranker_file(settings)
    ranker = Ranker.load(path) if path else Ranker()
    sd_e = Configuration.of(ranker.configuration) if ranker.configuration else None
    resources = Resources(sentence_similarity(settings.encoder), word_movers(settings.vectors) if sd_e else None)
    return Judge(ranked_methods(resources, speeches, sd_e), ranker, resources.similarity, settings)


def models_used(settings: CounterSettings) -> dict[str, str]:
    """The weights behind a judge, by name and digest."""
    from pipeline import models
    from pipeline.records import file_digest

    used = {settings.encoder: models.find(settings.encoder).digest} if settings.encoder else {}
    path = ranker_file(settings)
    if path is None:
        return used
    used["ranker"] = file_digest(path)
    if Ranker.load(path).configuration:
        used[settings.vectors] = models.find(settings.vectors).digest
    return used


def ranker_file(settings: CounterSettings) -> Path | None:
    """The file of a ranker that was trained; None for equal weights."""
    if settings.ranker == "equal":
        return None
    return trained_ranker_file() if settings.ranker == "trained" else Path(settings.ranker).expanduser()


def trained_ranker_file() -> Path:
    """Where training leaves its ranker unless told otherwise."""
    from pipeline import models

    return models.cache_folder() / _TRAINED


def sentence_similarity(encoder: str | None) -> SentenceSimilarity:
    """By an encoder, or by the words that sentences share."""
    if not encoder:
        return SharedWordSimilarity()
    from pipeline.text.encoder import load_encoder

    return EncodedSimilarity(load_encoder(encoder))


def word_movers(vectors: str | None) -> MoverSimilarity | None:
    """Word Mover's similarity over word vectors, by name or path; None without any."""
    if not vectors:
        return None
    from pipeline.text.vectors import load_vectors

    return MoverSimilarity(load_vectors(vectors))
