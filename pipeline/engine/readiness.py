"""Which inputs a corpus lacks for each stage, found before anything runs."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pipeline.corpus import Corpus, Entry, how_to_give
from pipeline.errors import RostrumError
from pipeline.records import Motion, Record, Sentences
from pipeline.stages import Stage, all_stages, makers, spelled


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


def readiness(corpus: Corpus) -> list[Readiness]:
    """For each stage, in order, how many speeches or motions of this corpus it can work on.

    Transcripts and other files of the corpus are read; recordings are not.
    """
    found = []
    of_speeches: dict[str, _Records] = {entry.speech.id: {} for entry in corpus.entries}
    motions = [motion for motion in corpus.motions.values() if corpus.speeches_on(motion.id)]
    for stage in all_stages():
        if stage.scope == "speech":
            lacks = {}
            for entry in corpus.entries:
                records = of_speeches[entry.speech.id]
                records[stage.output] = lacks[entry.speech.id] = _of_speech(stage, entry, corpus, records)
        else:
            lacks = {motion.id: _of_motion(stage, motion, corpus, of_speeches) for motion in motions}
        found.append(_summed(stage, lacks, corpus))
    return found


def _of_speech(stage: Stage[..., Any], entry: Entry, corpus: Corpus, records: _Records) -> Lack | None:
    """What the stage lacks for a speech. `records` says which records the stages before it can make."""
    lacks: dict[str, Lack | None] = {}
    for each in stage.inputs:
        is_made = each.kind in makers()
        lack = lacks[each.name] = records[each.kind] if is_made else _of_corpus(each.kind, entry, corpus)
        # A file that exists but cannot be read stops the stage, even if the input is optional.
        if lack and (not each.optional or not (is_made or lack.remedy)):
            return lack
    if stage.one_of and all(lacks[name] for name in stage.one_of):
        what = " and ".join(f"no {each.spelled}" for each in stage.inputs if each.name in stage.one_of)
        remedies = (lack.remedy for name in stage.one_of if (lack := lacks[name]))
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
    speeches = [entry.speech for entry in corpus.speeches_on(motion.id)]
    heard = [speech for speech in speeches if not of_speeches[speech.id][Sentences]]
    if not heard:
        return next(lack for speech in speeches if (lack := of_speeches[speech.id][Sentences]))
    sides = {speech.stance for speech in heard}
    if stage.both_sides and not sides >= {"pro", "con"}:
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
