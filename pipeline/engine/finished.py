"""A finished run, to read from: its corpus's facts, and the records that its stages made."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pipeline.engine.pseudonyms import Pseudonyms
from pipeline.engine.scopes import scopes_of_motions, scopes_of_speeches
from pipeline.engine.store import Artifact, Store
from pipeline.engine.summary import CorpusFacts, ItemSummary, RunSummary, load_known
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Argument, Motion, Record, Speech
from pipeline.stages import makers

R = TypeVar("R", bound=Record)


class FinishedRun:
    """The results of a run. A record is read when it is used; a record that is missing is None.

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
        self.pseudonyms = Pseudonyms.of(self.summary.known.speeches) if anonymise else None

    @cached_property
    def known(self) -> CorpusFacts:
        """The speeches, motions, arguments and labels of the corpus."""
        known = self.summary.known
        return self.pseudonyms.applied(known) if self.pseudonyms else known

    @property
    def speeches(self) -> tuple[Speech, ...]:
        return self.known.speeches

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """The motions that somebody speaks on."""
        used = {speech.motion for speech in self.speeches}
        return tuple(motion for motion in self.known.motions if motion.id in used)

    def arguments_on(self, motion: str) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.known.arguments if argument.motion == motion)

    def scope_of(self, speech: str) -> str:
        """The folder of a speech's artifacts."""
        return self._scopes[self.pseudonyms.original(speech) if self.pseudonyms else speech]

    def scope_of_motion(self, motion: str) -> str:
        """The folder of a motion's artifacts."""
        return self._motion_scopes[motion]

    @cached_property
    def file_names(self) -> dict[str, str]:
        """For each speech the name of its exported file, without a suffix. No other speech has the same."""
        return scopes_of_speeches(speech.id for speech in self.speeches)

    @cached_property
    def _scopes(self) -> dict[str, str]:
        return scopes_of_speeches(speech.id for speech in self.summary.known.speeches)

    @cached_property
    def _motion_scopes(self) -> dict[str, str]:
        return scopes_of_motions(motion.id for motion in self.motions)

    @cached_property
    def _items(self) -> dict[str, ItemSummary]:
        return {item.scope: item for item in self.summary.items}

    def of_speech(self, kind: type[R], speech: str) -> R | None:
        """The speech's record of this kind; None also for a speech that the run does not have."""
        name = self.pseudonyms.original(speech) if self.pseudonyms else speech
        return self._record(kind, self._scopes[name]) if name in self._scopes else None

    def of_motion(self, kind: type[R], motion: str) -> R | None:
        """The motion's record of this kind; None also for a motion that the corpus does not describe."""
        return self._record(kind, self._motion_scopes[motion]) if motion in self._motion_scopes else None

    def artifact(self, scope: str, stage: str) -> Artifact | None:
        """The artifact as stored; None if it is missing or not up to date."""
        item = self._items.get(scope)
        if item is None or not item.is_up_to_date(stage):
            return None
        with self._reading(scope, stage):
            return self.store.artifact(scope, stage)
        return None

    def _record(self, kind: type[R], scope: str) -> R | None:
        stage = makers().get(kind)
        artifact = self.artifact(scope, stage) if stage else None
        if stage is None or artifact is None or artifact.skipped is not None:
            return None
        with self._reading(scope, stage):
            record = self.store.record(kind, scope, artifact)
            return self.pseudonyms.applied(record) if self.pseudonyms else record
        return None

    @contextmanager
    def _reading(self, scope: str, stage: str) -> Iterator[None]:
        """Note what is wrong with a damaged artifact, if those are skipped. An error of the storage is raised."""
        try:
            yield
        except StorageError:
            raise
        except RostrumError as error:
            if not self.skip_damaged:
                raise
            self.damaged[scope, stage] = str(error)
