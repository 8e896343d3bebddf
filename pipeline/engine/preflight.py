"""What can be said of a run before it begins: models that are missing, stages and settings that will do nothing."""

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
    """What a person should know before these stages run, a line each.

    `origins` say where settings came from. A model that is missing is an error, if a stage needs it that has something
    to do.
    """
    chosen = {stage.name for stage in chosen_stages(stages)}
    looked_at = [each for each in readiness(corpus) if each.stage in chosen]
    idle = [each for each in looked_at if not each.ready]
    busy = [each.stage for each in looked_at if each.ready]
    if missing := missing_models(corpus, busy, settings):
        raise RostrumError("; ".join(missing))
    # Of a single recording nobody expects a debate.
    expected = idle if stages or not corpus.recording else []
    asking = [LLM] if any(own.asked for each in busy if (own := settings.of(each))) else []
    return [*_problems(corpus), *_idle_stages(expected), *_unread_settings(origins, [*busy, *asking])]


def refuse_empty(corpus: Corpus) -> None:
    """Raise an error if there is nothing in the corpus to work on, and nothing wrong with it either."""
    if not corpus.entries and not corpus.problems:
        raise RostrumError(no_recordings(corpus.folder))


def missing_models(corpus: Corpus, stages: Iterable[str], settings: Settings) -> list[str]:
    """What is wrong with the models that these stages need for a corpus, and what mends it; each model once.

    A large language model is asked whether it is there.
    """
    wrong: dict[str, None] = {}
    for name in stages:
        try:
            check_models(name, settings, unless=lambda: not _tells_speakers_apart(corpus, settings))
            _check_asked(name, settings)
        except RostrumError as error:
            wrong[str(error)] = None
    return list(wrong)


def check_models(name: str, settings: Settings, unless: Callable[[], bool] = lambda: False) -> None:
    """Raise an error if a model of the stage is missing. `unless` says whether it will do without those it may."""
    stage = stage_named(name)
    found = stage.model(settings.of(name)) if stage.model else {}
    absent = [model for model, digest in found.items() if digest == MISSING]
    if absent and not unless():
        models.find(absent[0])


def _check_asked(name: str, settings: Settings) -> None:
    """Raise an error if the stage asks a large language model that does not answer."""
    own = settings.of(name)
    if own and own.asked:
        from pipeline.llm.client import Client

        Client(own.asked).check()


def _tells_speakers_apart(corpus: Corpus, settings: Settings) -> bool:
    """Whether turns are looked for in a recording of which no single speaker is known."""
    own = settings.of("diarize")
    assert isinstance(own, DiarizeSettings)
    left = [each.speech for each in corpus.entries if not (each.turns and own.use_given)]
    if own.mode == "auto":
        left = [speech for speech in left if speech.sole_speaker is None]
    return own.mode in ("auto", "full") and bool(left)


def _problems(corpus: Corpus) -> Iterator[str]:
    """That something is wrong with the corpus, and what it is first of all."""
    if corpus.problems:
        others = len(corpus.problems) - 1
        more = f", and {others} more; `rostrum check {corpus.path}` lists them" if others else ""
        yield f"{corpus.problems[0]}{more}"


def _idle_stages(idle: Sequence[Readiness]) -> Iterator[str]:
    """The stages that have nothing to do, together where the same is lacking."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for each in idle:
        for lack in list(each.lacks)[:1]:
            lacking[f"{lack.what}{'; ' if lack.remedy else ''}{lack.remedy}"].append(each.stage)
    for told, names in lacking.items():
        yield f"{', '.join(names)} {'have' if len(names) > 1 else 'has'} nothing to do: {told}"


def _unread_settings(origins: Mapping[str, str], busy: Sequence[str]) -> Iterator[str]:
    """Settings of the command line that no stage of this run reads. Those of files are meant for many runs."""
    for name, origin in origins.items():
        stage = name.partition(".")[0]
        if origin.startswith("--set") and stage not in busy:
            why = (
                "is asked by no stage of this run" if stage == LLM else "is not part of this run, or has nothing to do"
            )
            yield f"{origin} changes nothing: {stage} {why}"
