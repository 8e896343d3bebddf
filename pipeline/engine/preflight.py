"""Checks before a run begins: missing models, stages that have nothing to do, settings that change nothing."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pipeline import models
from pipeline.configuration import Settings
from pipeline.corpus import Corpus
from pipeline.corpus.files import no_recordings
from pipeline.engine.plan import chosen_stages
from pipeline.engine.readiness import Readiness, readiness
from pipeline.errors import RostrumError
from pipeline.settings.diarize import DiarizeSettings
from pipeline.settings.llm import LLM
from pipeline.stages import stage_named

# The digest of a model that a stage may do without.
MISSING = "missing"


def preflight(
    corpus: Corpus, stages: Sequence[str] | None, settings: Settings, origins: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """What a person should know before these stages run, one line each.

    `origins` says where each setting came from. A missing model is an error if a stage that has something to do needs
    it.
    """
    chosen = {stage.name for stage in chosen_stages(stages)}
    looked_at = [each for each in readiness(corpus) if each.stage in chosen]
    idle = [each for each in looked_at if not each.ready]
    busy = [each.stage for each in looked_at if each.ready]
    if missing := missing_models(corpus, busy, settings):
        raise RostrumError("; ".join(missing))
    # Nobody expects a single recording to be a debate.
    expected = idle if stages or not corpus.recording else []
    with_llm = [LLM] if any(own.asked_llm for each in busy if (own := settings.of(each))) else []
    return [*_problems(corpus), *_idle_stages(expected), *_unused_settings(origins, [*busy, *with_llm])]


def refuse_empty(corpus: Corpus) -> None:
    """Raise an error if the corpus has no recordings. A corpus with problems reports those instead."""
    if not corpus.entries and not corpus.problems:
        raise RostrumError(no_recordings(corpus.folder))


def missing_models(corpus: Corpus, stages: Iterable[str], settings: Settings) -> list[str]:
    """What is wrong with the models that these stages need for a corpus, and what mends it; one line per model.

    The server of a large language model is asked whether it has the model.
    """
    wrong: dict[str, None] = {}  # a dict keeps the order, and each line once
    for name in stages:
        try:
            check_models(name, settings, unless=lambda: not _finds_speakers(corpus, settings))
            _check_llm(name, settings)
        except RostrumError as error:
            wrong[str(error)] = None
    return list(wrong)


def check_models(name: str, settings: Settings, unless: Callable[[], bool] = lambda: False) -> None:
    """Raise an error if a model of the stage is missing, unless `unless` says that the stage does not need it here."""
    stage = stage_named(name)
    found = stage.model(settings.of(name)) if stage.model else {}
    absent = [model for model, digest in found.items() if digest == MISSING]
    if absent and not unless():
        models.find(absent[0])


def _check_llm(name: str, settings: Settings) -> None:
    """Raise an error if the stage asks a large language model that does not answer."""
    own = settings.of(name)
    if own and own.asked_llm:
        from pipeline.llm.client import Client

        Client(own.asked_llm).check()


def _finds_speakers(corpus: Corpus, settings: Settings) -> bool:
    """Whether `diarize` has to find out who speaks when in at least one recording of the corpus."""
    own = settings.of("diarize")
    assert isinstance(own, DiarizeSettings)
    left = [each.speech for each in corpus.entries if not (each.turns and own.use_given)]
    if own.mode == "auto":
        left = [speech for speech in left if speech.sole_speaker is None]
    return own.mode in ("auto", "full") and bool(left)


def _problems(corpus: Corpus) -> Iterator[str]:
    """One line with the first problem of the corpus, and how many others there are; nothing if there is none."""
    if corpus.problems:
        others = len(corpus.problems) - 1
        more = f", and {others} more; `rostrum check {corpus.path}` lists them" if others else ""
        yield f"{corpus.problems[0]}{more}"


def _idle_stages(idle: Sequence[Readiness]) -> Iterator[str]:
    """One line for all stages that have nothing to do because they lack the same thing."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for each in idle:
        for lack in list(each.lacks)[:1]:
            lacking[f"{lack.what}{'; ' if lack.remedy else ''}{lack.remedy}"].append(each.stage)
    for reason, names in lacking.items():
        yield f"{', '.join(names)} {'have' if len(names) > 1 else 'has'} nothing to do: {reason}"


def _unused_settings(origins: Mapping[str, str], busy: Sequence[str]) -> Iterator[str]:
    """One line per setting of the command line that no stage of this run uses.

    Settings of files and of the environment are meant for many runs, so nothing is said about them.
    """
    for name, origin in origins.items():
        stage = name.partition(".")[0]
        if origin.startswith("--set") and stage not in busy:
            why = (
                "is asked by no stage of this run" if stage == LLM else "is not part of this run, or has nothing to do"
            )
            yield f"{origin} changes nothing: {stage} {why}"
