"""A finished run, to read from: the corpus's facts, the results of each speech and motion, with pseudonyms if asked."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from pipeline.diarize import Turns
from pipeline.errors import RostrumError, StorageError
from pipeline.records.corpus import Argument, Motion, Speech
from pipeline.records.speech import Record, Sentence
from pipeline.run.index import load_known
from pipeline.run.scopes import scopes_of_speeches
from pipeline.run.store import Artifact, Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary
from pipeline.segment import Sentences
from pipeline.speakers import Speakers, key_of, speeches_of
from pipeline.stage import STAGES, makers, stage_named
from pipeline.text.terms import stop_words

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R", bound=Record)
Subject = TypeVar("Subject", Speech, Motion)
# Fields with what was said or written. A word in them that equals a speech's id is still a word.
_PROSE = frozenset({"text", "title", "reference", "hypothesis"})
# The source of a given transcript: the rest names the file that the words were read from.
_GIVEN = re.compile(r"^given: .*")


class FinishedRun:
    """The results of a run. `speech` and `motion` read the records of one, each once; a record that is missing is None.

    An artifact that was not up to date at the end of the run counts as missing: it was made from another recording, or
    with other settings.

    With `anonymise`, the names of speakers and the ids of speeches are replaced in everything that is read. With
    `skip_damaged`, an artifact that cannot be read counts as missing, and `damaged` says why. Without it, such an
    artifact is an error.
    """

    def __init__(self, store: Store | str | Path, *, anonymise: bool = False, skip_damaged: bool = False) -> None:
        self.skip_damaged = skip_damaged
        self.damaged: dict[tuple[str, str], str] = {}
        """What is wrong with each artifact that could not be read, by scope and stage."""
        self.store = store if isinstance(store, Store) else Store(store)
        self.summary: RunSummary = load_known(self.store)
        self.pseudonyms: Pseudonyms | None = None
        if anonymise:
            known = self.summary.known.speeches
            self.pseudonyms = Pseudonyms.of(known, _names_found(FinishedRun(self.store, skip_damaged=skip_damaged)))

    @cached_property
    def known(self) -> CorpusFacts:
        """The speeches, motions, arguments and labels of the corpus."""
        known = self.summary.known
        return self.pseudonyms.applied(known) if self.pseudonyms else known

    @property
    def corpus_path(self) -> Path:
        """Where the corpus was, or the single recording: it may be gone."""
        return Path(self.summary.corpus_path or self.summary.corpus)

    @property
    def recordings(self) -> tuple[Speech, ...]:
        """Every recording, as the corpus lists it: a speech, or several."""
        return self.known.speeches

    @cached_property
    def speeches(self) -> tuple[Speech, ...]:
        """Every speech. A recording of several people has one for each debater."""
        return tuple(speech for each in self.recordings for speech in self.speeches_in(self.speech(each.id)))

    def speeches_in(self, recording: "Results[Speech]") -> tuple[Speech, ...]:
        """The speeches of a recording: itself, if it is one speech, else what each debater says."""
        return speeches_of(recording.subject, recording.get(Speakers))

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The motions that somebody speaks on."""
        used = {speech.motion for speech in self.recordings}
        return tuple(motion for motion in self.known.motions if motion.id in used)

    def arguments_on(self, motion: str) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.known.arguments if argument.motion == motion)

    def scope_of(self, speech: str) -> str:
        """The folder of a speech's artifacts."""
        return self._scopes[self.pseudonyms.original(speech) if self.pseudonyms else speech]

    def scope_of_motion(self, motion: str) -> str:
        """The folder of a motion's artifacts."""
        return self._motion_scopes[motion]

    def file_name_of_motion(self, motion: str) -> str:
        """The name of a motion's exported file, without a suffix. No other motion has the same."""
        return self.scope_of_motion(motion).rpartition("/")[2]

    @cached_property
    def file_names(self) -> dict[str, str]:
        """For each speech the name of its exported file, without a suffix. No other speech has the same."""
        return scopes_of_speeches(speech.id for speech in self.recordings)

    @cached_property
    def _scopes(self) -> dict[str, str]:
        return {item.id: item.scope for item in self.summary.items if not item.is_motion}

    @cached_property
    def _motion_scopes(self) -> dict[str, str]:
        return {item.id: item.scope for item in self.summary.items if item.is_motion}

    @cached_property
    def _by_id(self) -> dict[str, Speech]:
        return {speech.id: speech for speech in self.recordings}

    @cached_property
    def _parts_by_id(self) -> dict[str, Speech]:
        return {speech.id: speech for speech in self.speeches if speech.recording}

    @cached_property
    def _motions_by_id(self) -> dict[str, Motion]:
        return {motion.id: motion for motion in self.motions}

    @cached_property
    def _items(self) -> dict[str, ItemSummary]:
        return {item.scope: item for item in self.summary.items}

    def speech(self, id: str) -> "Results[Speech]":
        """The results of a speech. Keep them for as long as a page or a table needs them."""
        subject = self._by_id.get(id) or self._parts_by_id[id]
        return Results(self, subject, self.scope_of(subject.recording or id))

    def subject(self, id: str) -> Speech | None:
        """The recording or speech of this id; None if it is not known, as when who speaks in it cannot be read."""
        return self._by_id.get(id) or self._parts_by_id.get(id)

    def motion(self, id: str) -> "Results[Motion]":
        """The results of a motion that somebody speaks on."""
        return Results(self, self._motions_by_id[id], self.scope_of_motion(id))

    def of_speech(self, kind: type[R], speech: str) -> R | None:
        """The speech's record of this kind, read now; None also for a speech that the run does not have."""
        known = speech in self._by_id or speech in self._parts_by_id
        return self.speech(speech).get(kind) if known else None

    def sentences_of(self, speech: str) -> tuple[Sentence, ...]:
        """The sentences of a speech: of one person, if it is a part of a recording. None of an unknown speech."""
        if speech not in self._by_id and speech not in self._parts_by_id:
            return ()
        results = self.speech(speech)
        if not results.subject.recording:
            return record.sentences if (record := results.get(Sentences)) else ()
        recording = self.speech(results.subject.recording)
        record, people, key = recording.get(Sentences), recording.get(Speakers), key_of(results.subject)
        return people.said_by(key, record.sentences) if people and record else ()

    def of_motion(self, kind: type[R], motion: str) -> R | None:
        """The motion's record of this kind, read now; None also for a motion that nobody speaks on."""
        return self.motion(motion).get(kind) if motion in self._motions_by_id else None

    def read(self, scope: str, stage: str) -> "StageResult":
        """Read the result of a stage. What is not up to date counts as missing."""
        item = self._items.get(scope)
        if item is None or not item.is_up_to_date(stage):
            return StageResult()
        artifact = None
        try:
            artifact = self.store.artifact(scope, stage)
            if artifact is None or artifact.skipped is not None:
                return StageResult(artifact)
            record = self.store.record(stage_named(stage).output, scope, artifact)
        except StorageError:
            raise
        except RostrumError as error:
            if not self.skip_damaged:
                raise
            self.damaged[scope, stage] = str(error)
            return StageResult(_without_data(artifact), damage=str(error))
        if isinstance(record, Turns):  # personal data: nobody who reads a run, to show or export it, gets them
            record = record.model_copy(update={"voices": ()})
        return StageResult(_without_data(artifact), self.pseudonyms.applied(record) if self.pseudonyms else record)


def _names_found(run: FinishedRun) -> set[str]:
    """The names of all people that the stage `speakers` found."""
    records = (run.of_speech(Speakers, recording.id) for recording in run.recordings)
    return {person.name for record in records if record for person in record.people if person.name}


@dataclass(frozen=True)
class StageResult:
    """What a stage made of a speech or a motion: its artifact without the data, and its record.

    A record that is missing is None. `damage` says why a stored one cannot be read.
    """

    artifact: Artifact | None = None
    record: Record | None = None
    damage: str | None = None


def _without_data(artifact: Artifact | None) -> Artifact | None:
    return artifact.model_copy(update={"data": None}) if artifact else None


class Results(Generic[Subject]):
    """The results of one speech or motion of a run. Each is read once, when it is first asked for, and kept."""

    def __init__(self, run: "FinishedRun", subject: Subject, scope: str) -> None:
        self.run, self.scope = run, scope
        self.subject: Subject = subject
        self._stages: dict[str, StageResult] = {}
        self._reading = RLock()

    def get(self, kind: type[R]) -> R | None:
        """The record of this kind; None if it is missing or damaged."""
        stage = makers().get(kind)
        record = self.stage(stage).record if stage else None
        if not isinstance(record, kind):
            return None
        if isinstance(self.subject, Speech) and self.subject.recording:
            return record.of_speaker(key_of(self.subject))
        return record

    def stage(self, name: str) -> StageResult:
        """The result of a stage."""
        with self._reading:
            if name not in self._stages:
                self._stages[name] = self._named(self.run.read(self.scope, name))
            return self._stages[name]

    def _named(self, result: StageResult) -> StageResult:
        """The result with names in place of the labels of voices: stages number voices, and do not read names."""
        record = result.record
        if not isinstance(self.subject, Speech) or not record or not (voices := voices_in(record)):
            return result
        return replace(result, record=named(record, self._names(self.subject, voices)))

    def _names(self, speech: Speech, voices: frozenset[str]) -> dict[str, str]:
        """The name of each of these voices, as far as it is known. An only name is not given to several voices."""
        sole = None if speech.recording else speech.sole_speaker
        if sole and len(voices - {_NO_LABEL}) < 2:
            return dict.fromkeys(voices, sole)
        people = self.stage("speakers").record
        return {one.voice: one.name for one in people.people if one.name} if isinstance(people, Speakers) else {}

    @property
    def stages(self) -> dict[str, StageResult]:
        """The result of every stage that has an artifact. This reads all of them."""
        results = {name: self.stage(name) for name in STAGES}
        return {name: result for name, result in results.items() if result.artifact or result.damage}

    @property
    def damaged(self) -> tuple[str, ...]:
        """What is wrong with each result that cannot be read. This reads all of them."""
        return tuple(result.damage for _, result in sorted(self.stages.items()) if result.damage)

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of all records that have some; see `Record.figures`."""
        kinds = (kind for kind in makers() if kind.figures is not Record.figures)
        records = (self.get(kind) for kind in kinds)
        return {name: value for record in records if record for name, value in record.figures().items()}


# Stands for voices without a label.
_NO_LABEL = ""


def voices_in(record: Record) -> frozenset[str]:
    """The labels of the voices in the turns, words or sentences of a record; `_NO_LABEL` for those without one."""
    return frozenset(each.speaker or _NO_LABEL for _, values in _timed(record) for each in values)


def named(record: R, names: Mapping[str, str]) -> R:
    """The record with people's names in place of the labels of their voices."""
    if not names:
        return record
    update: dict[str, Any] = {
        field: tuple(
            each.model_copy(update={"speaker": names.get(each.speaker or _NO_LABEL, each.speaker)}) for each in values
        )
        for field, values in _timed(record)
    }
    if isinstance(record, Turns):
        voices = record.speakers or ((_NO_LABEL,) if _NO_LABEL in names else ())
        update["speakers"] = tuple(dict.fromkeys(names.get(voice, voice) for voice in voices))
    return record.model_copy(update=update)


def _timed(record: Record) -> list[tuple[str, tuple[Any, ...]]]:
    """The fields of a record that have voices, and their values."""
    return [(field, value) for field, value in record if isinstance(value, tuple) and _has_speakers(value)]


def _has_speakers(values: tuple[Any, ...]) -> bool:
    return bool(values) and all(isinstance(each, BaseModel) and "speaker" in type(each).model_fields for each in values)


class Pseudonyms:
    """`speaker-01` for a speaker, `speech-001` for a speech. They are numbered by digest, so a number reveals nothing.

    A speaker's name, and each part of it, is also replaced in what was said and written, in upper or lower case. A part
    in lower case that is a common word ("will", "may") stays. A name that was misheard is not found.
    """

    def __init__(self, speeches: Iterable[str], speakers: Iterable[str]) -> None:
        self.speeches = _numbered(speeches, "speech", 3)
        self.speakers = _numbered(speakers, "speaker", 2)
        self._originals = {name: speech for speech, name in self.speeches.items()}

    @classmethod
    def of(cls, speeches: Iterable[Speech], others: Iterable[str] = ()) -> "Pseudonyms":
        """Those of these speeches, of their speakers, and of other people."""
        known = tuple(speeches)
        return cls((each.id for each in known), (*(name for each in known for name in each.speakers), *others))

    def original(self, speech: str) -> str:
        return self._originals[speech]

    def applied(self, model: M) -> M:
        """A copy of the record with the names replaced. Its attachments are the same files."""
        replaced = type(model).model_validate(self._replaced(model.model_dump(), is_prose=False))
        if isinstance(model, Record) and isinstance(replaced, Record):
            for before, after in zip(model.attachments(), replaced.attachments(), strict=True):
                after.set_path(before.path)
        return replaced

    def _replaced(self, value: Any, is_prose: bool) -> Any:
        if isinstance(value, str):
            if not is_prose and value in self.speeches:
                return self.speeches[value]
            recording, _, key = value.rpartition("/")
            if not is_prose and recording in self.speeches:
                return f"{self.speeches[recording]}/{self._replaced(key, False)}"
            text = _GIVEN.sub("given", value)
            return self._pattern.sub(lambda match: self._forms[match[0]], text) if self._forms else text
        if isinstance(value, Mapping):
            return {self._replaced(key, False): self._replaced(each, key in _PROSE) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._replaced(each, is_prose) for each in value]
        return value

    @cached_property
    def _forms(self) -> dict[str, str]:
        """Every way in which a name may be written, and its pseudonym."""
        parts = {part: name for speaker, name in self.speakers.items() for part in speaker.split() if len(part) > 1}
        spelled = {**parts, **self.speakers}
        lower = {part.lower(): name for part, name in spelled.items() if part.lower() not in stop_words()}
        return {**lower, **{part.upper(): name for part, name in spelled.items()}, **spelled}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self._forms, key=len, reverse=True)
        return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")


def _numbered(names: Iterable[str], prefix: str, digits: int) -> dict[str, str]:
    ordered = sorted(set(names), key=lambda name: hashlib.sha256(name.encode()).digest())
    return {name: f"{prefix}-{number:0{digits}d}" for number, name in enumerate(ordered, 1)}
