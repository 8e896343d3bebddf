"""What a stage gets of a speech or motion, and what it lacks, of inputs and of models: before a run and in it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pipeline import models
from pipeline.corpus import how_to_give
from pipeline.corpus.contents import Corpus, Entry
from pipeline.diarize import DiarizeSettings
from pipeline.errors import RostrumError
from pipeline.records import Motion, Record
from pipeline.run.configuration import Settings
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.stage import Stage, all_stages, makers, spelled, stage_named

AnyStage = Stage[..., Any]


class Lack(NamedTuple):
    """An input that a stage needs and a speech or motion does not have, and how to provide it."""

    what: str
    remedy: str = ""


def given(
    stage: AnyStage, settings: StageSettings | None, corpus: Corpus, of: Entry | Motion
) -> dict[str, Record | None]:
    """What the stage reads of the corpus's records for a speech or motion, by parameter; None for one that is missing.

    Raises RostrumError where a file cannot be read. What is not wanted is not opened.
    """
    records: dict[str, Record | None] = {}
    for one in stage.inputs:
        if one.kind not in makers():
            record = corpus.given(one.kind, of) if stage.wants(one.name, settings) else None
            records[one.name] = stage.part_read(one.name, record, settings) if record else None
    return records


def lack_of(stage: AnyStage, settings: StageSettings | None, lacks: Mapping[str, Lack | None]) -> Lack | None:
    """Why the stage is skipped, where `lacks` says what is wrong with each of its inputs; None if it can work."""
    for one in stage.inputs:
        if (lack := lacks[one.name]) and not one.optional:
            return lack
    one_of = {one.name: one for one in stage.inputs if one.name in stage.one_of and stage.wants(one.name, settings)}
    if one_of and all(lacks[name] for name in one_of):
        remedies = (lack.remedy for name in one_of if (lack := lacks[name]) and lack.remedy)
        return Lack(" and ".join(f"no {one.spelled}" for one in one_of.values()), ", or ".join(dict.fromkeys(remedies)))
    return None


# What a corpus lacks for each stage, found before anything runs.

# For each kind of record: None if the speech will have it, else why it will not.
_Records = dict[type[Record], Lack | None]


@dataclass(frozen=True)
class Readiness:
    """How many speeches (or motions) of a corpus a stage can work on. `lacks` has the ids of the others, by reason."""

    stage: str
    scope: Literal["speech", "motion"]
    ready: int
    total: int
    lacks: Mapping[Lack, tuple[str, ...]]


def readiness(corpus: Corpus, settings: Settings | None = None) -> list[Readiness]:
    """For each stage, in order, how many speeches or motions of this corpus it can work on with these settings.

    Transcripts and other files of the corpus are read; recordings are not.
    """
    settings = settings or Settings()
    rows = []
    of_speeches: dict[str, _Records] = {entry.speech.id: {} for entry in corpus.entries}
    motions = [motion for motion in corpus.motions.values() if corpus.speeches_on(motion.id)]
    for stage in all_stages():
        if stage.scope == "speech":
            lacks = {}
            for entry in corpus.entries:
                records = of_speeches[entry.speech.id]
                lack = _lack_of_speech(stage, settings.of(stage.name), corpus, entry, records)
                records[stage.output] = lacks[entry.speech.id] = lack
        else:
            lacks = {motion.id: _lack_of_motion(stage, motion, corpus, of_speeches) for motion in motions}
        rows.append(_summed(stage, lacks, corpus))
    return rows


def _lack_of_speech(
    stage: AnyStage, settings: StageSettings | None, corpus: Corpus, entry: Entry, made: _Records
) -> Lack | None:
    """What the stage will lack for a speech. `made` says which records the stages before it can make."""
    try:
        records = given(stage, settings, corpus, entry)
    except RostrumError as error:  # it exists, so it stops the stage even if it is optional
        return Lack(str(error))
    return lack_of(
        stage,
        settings,
        {
            one.name: made[one.kind] if one.name not in records else _unless(records[one.name], one.kind)
            for one in stage.inputs
        },
    )


def _unless(record: Record | None, kind: type[Record]) -> Lack | None:
    return None if record else Lack(f"no {spelled(kind)}", how_to_give(kind))


def _lack_of_motion(
    stage: AnyStage, motion: Motion, corpus: Corpus, of_speeches: Mapping[str, _Records]
) -> Lack | None:
    """What the stage will lack for a motion."""
    speeches = [entry.speech for entry in corpus.speeches_on(motion.id)]
    # The speeches of other shards are looked at there.
    lacks = {speech.id: of_speeches[speech.id][Sentences] for speech in speeches if speech.id in of_speeches}
    heard = [speech for speech in speeches if not lacks.get(speech.id)]
    if not heard:
        return next(lack for lack in lacks.values() if lack)
    sides = {speech.stance for speech in heard}
    # Of a recording without a side, the stage speakers finds out who is on which.
    if stage.both_sides and None not in sides and not sides >= {"pro", "con"}:
        missing = "for" if "pro" not in sides else "against"
        return Lack(f"no speech {missing} the motion", "fill in the column stance of speeches.csv with pro or con")
    return None


def _summed(stage: AnyStage, lacks: Mapping[str, Lack | None], corpus: Corpus) -> Readiness:
    ids: dict[Lack, list[str]] = defaultdict(list)
    for id, lack in lacks.items():
        if lack:
            ids[lack].append(id)
    if not lacks and corpus.entries:
        ids[Lack(f"no {spelled(Motion)}", how_to_give(Motion))] = []
    ready = sum(lack is None for lack in lacks.values())
    return Readiness(stage.name, stage.scope, ready, len(lacks), {lack: tuple(these) for lack, these in ids.items()})


# Models that stages need and this machine does not have.

# The digest of a model that a stage may do without.
MISSING = "missing"


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
    digests = stage.model(settings.of(name)) if stage.model else {}
    absent = [model for model, digest in digests.items() if digest == MISSING]
    if absent and not unless():
        models.find(absent[0])


def _check_llm(name: str, settings: Settings) -> None:
    """Raise an error if the stage asks a large language model that is missing or does not answer."""
    own = settings.of(name)
    if own and own.asked_llm:
        from pipeline.llm.large_model import client_of

        client_of(own.asked_llm).check()


def _finds_speakers(corpus: Corpus, settings: Settings) -> bool:
    """Whether `diarize` has to find out who speaks when in at least one recording of the corpus."""
    own = settings.own(DiarizeSettings)
    left = [entry.speech for entry in corpus.entries if not (entry.turns and own.use_given)]
    if own.mode == "auto":
        left = [speech for speech in left if speech.sole_speaker is None]
    return own.mode in ("auto", "full") and bool(left)
