"""Checks before a run begins: what a corpus lacks for each stage, missing models, settings that have no effect."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pipeline import models
from pipeline.corpus import how_to_give
from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.files import no_recordings
from pipeline.diarize import DiarizeSettings
from pipeline.errors import RostrumError, quoted
from pipeline.records import Motion, Record
from pipeline.run.configuration import Settings
from pipeline.run.plan import chosen_stages
from pipeline.segment import Sentences
from pipeline.settings import LLM
from pipeline.stage import Stage, all_stages, makers, spelled, stage_named
from pipeline.transcribe import TranscribeSettings

# Which inputs a corpus lacks for each stage, found before anything runs.


class Lack(NamedTuple):
    """An input that a stage needs and a speech or motion does not have, and how to provide it."""

    what: str
    remedy: str


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
                records[stage.output] = lacks[entry.speech.id] = _of_speech(stage, entry, corpus, records, settings)
        else:
            lacks = {motion.id: _of_motion(stage, motion, corpus, of_speeches) for motion in motions}
        rows.append(_summed(stage, lacks, corpus))
    return rows


def _of_speech(
    stage: Stage[..., Any], entry: Entry, corpus: Corpus, records: _Records, settings: Settings
) -> Lack | None:
    """What the stage lacks for a speech. `records` says which records the stages before it can make."""
    lacks: dict[str, Lack | None] = {}
    own = settings.of(stage.name)
    for parameter in stage.inputs:
        if not stage.wants(parameter.name, own):
            continue
        is_made = parameter.kind in makers()
        lack = lacks[parameter.name] = records[parameter.kind] if is_made else _of_corpus(parameter.kind, entry, corpus)
        # A file that exists but cannot be read stops the stage, even if the input is optional.
        if lack and (not parameter.optional or not (is_made or lack.remedy)):
            return lack
    one_of = [name for name in stage.one_of if stage.wants(name, own)]
    if one_of and all(lacks[name] for name in one_of):
        what = " and ".join(f"no {parameter.spelled}" for parameter in stage.inputs if parameter.name in one_of)
        remedies = (lack.remedy for name in one_of if (lack := lacks[name]))
        return Lack(what, ", or ".join(dict.fromkeys(remedies)))
    return None


def _of_corpus(kind: type[Record], of: Entry | Motion, corpus: Corpus) -> Lack | None:
    """Why the corpus cannot give such a record: it has none, or its file cannot be read. None if it can."""
    try:
        record = corpus.given(kind, of)
    except RostrumError as error:
        return Lack(str(error), "")
    return None if record else Lack(f"no {spelled(kind)}", how_to_give(kind))


def _of_motion(
    stage: Stage[..., Any], motion: Motion, corpus: Corpus, of_speeches: Mapping[str, _Records]
) -> Lack | None:
    """What the stage lacks for a motion."""
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


def _summed(stage: Stage[..., Any], lacks: Mapping[str, Lack | None], corpus: Corpus) -> Readiness:
    ids: dict[Lack, list[str]] = defaultdict(list)
    for id, lack in lacks.items():
        if lack:
            ids[lack].append(id)
    if not lacks and corpus.entries:
        ids[Lack(f"no {spelled(Motion)}", how_to_give(Motion))] = []
    ready = sum(lack is None for lack in lacks.values())
    return Readiness(stage.name, stage.scope, ready, len(lacks), {lack: tuple(these) for lack, these in ids.items()})


# Checks before a run begins: missing models, stages that have nothing to do, settings that change nothing.

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
    looked_at = [row for row in readiness(corpus, settings) if row.stage in chosen]
    idle = [row for row in looked_at if not row.ready]
    busy = [row.stage for row in looked_at if row.ready]
    if missing := missing_models(corpus, busy, settings):
        raise RostrumError("; ".join(missing))
    # Nobody expects a single recording to be a debate.
    expected = idle if stages or not corpus.recording else []
    with_llm = [LLM] if any(own.asked_llm for each in busy if (own := settings.of(each))) else []
    return [*_problems(corpus), *_idle_stages(expected), *_unused_settings(origins, [*busy, *with_llm])]


def refuse_empty(corpus: Corpus, settings: Settings) -> None:
    """Raise an error if the corpus has nothing that can become a transcript.

    A corpus with problems reports those instead.
    """
    if not corpus.entries and not corpus.problems:
        raise RostrumError(no_recordings(corpus.folder))
    own = settings.of("transcribe")
    assert isinstance(own, TranscribeSettings)
    only_texts = not any(entry.audio or entry.transcript or entry.correction for entry in corpus.entries)
    if corpus.entries and only_texts and own.text != "reference":
        raise RostrumError(
            f"{corpus.folder}: no recordings in it; if its texts are speeches, add --set transcribe.text=reference"
        )


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
    own = settings.of("diarize")
    assert isinstance(own, DiarizeSettings)
    left = [entry.speech for entry in corpus.entries if not (entry.turns and own.use_given)]
    if own.mode == "auto":
        left = [speech for speech in left if speech.sole_speaker is None]
    return own.mode in ("auto", "full") and bool(left)


def _problems(corpus: Corpus) -> Iterator[str]:
    """One line with the first problem of the corpus, and how many others there are; nothing if there is none."""
    if corpus.problems:
        others = len(corpus.problems) - 1
        more = f", and {others} more; `rostrum check {quoted(corpus.path)}` lists them" if others else ""
        yield f"{corpus.problems[0]}{more}"


def _idle_stages(idle: Sequence[Readiness]) -> Iterator[str]:
    """One line for all stages that have nothing to do because they lack the same thing."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for row in idle:
        for lack in list(row.lacks)[:1]:
            lacking[f"{lack.what}{'; ' if lack.remedy else ''}{lack.remedy}"].append(row.stage)
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
