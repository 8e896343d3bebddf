"""The register of voices of a corpus: `voices.json` has what the people sound like whose voices were named.

A voice is personal data: the file stays in the folder of the corpus, and no report or export has it.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.errors import RostrumError, StorageError, hint, without_controls
from pipeline.speakers import KnownVoice, KnownVoices
from pipeline.system.files import read_file, write_file

FILE = "voices.json"
_LARGEST = 100_000_000


class VoiceSample(BaseModel):
    """What a person sounds like in one recording. `voice` is the label there; `source` is the recording or a file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    source: str
    voice: str
    embedding: str
    vector: tuple[float, ...]


class Register(BaseModel):
    """All samples of all people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    samples: tuple[VoiceSample, ...] = ()

    @property
    def names(self) -> list[str]:
        """Everybody in it, in alphabetical order."""
        return sorted({sample.name for sample in self.samples})

    def with_samples(self, samples: Iterable[VoiceSample]) -> "Register":
        """This register with more samples. One of the same voice of the same recording is replaced."""
        both = {(sample.source, sample.voice): sample for sample in (*self.samples, *samples)}
        return Register(samples=tuple(both.values()))

    def renamed(self, name: str, new: str) -> "Register":
        """This register with another name for a person. Two people who get one name become one."""
        self._check(name)
        new = checked_name(new)
        changed = (one.model_copy(update={"name": new}) if one.name == name else one for one in self.samples)
        return Register(samples=tuple(changed))

    def without(self, name: str) -> "Register":
        """This register without a person."""
        self._check(name)
        return Register(samples=tuple(sample for sample in self.samples if sample.name != name))

    def known_beside(self, source: str) -> KnownVoices | None:
        """The voices to compare those of a recording with: samples from other recordings. None if there are none."""
        items = tuple(
            KnownVoice(name=sample.name, vector=sample.vector, embedding=sample.embedding)
            for sample in sorted(self.samples, key=lambda sample: (sample.name, sample.source, sample.voice))
            if sample.source != source
        )
        return KnownVoices(items=items) if items else None

    def _check(self, name: str) -> None:
        if name not in self.names:
            remedy = hint(name, self.names, "`rostrum speakers list FOLDER` lists all")
            raise RostrumError(f"{FILE}: has no voice of {name!r}; {remedy}")


def checked_name(name: str) -> str:
    """The name of a person, without spaces around it; an error if it is empty."""
    name = name.strip()
    if not name or name != without_controls(name):
        raise RostrumError(f"{name!r}: is not a name; give one that can be printed")
    return name


def read_register(folder: Path) -> Register:
    """The register of a corpus; an empty one if it has none."""
    path = folder / FILE
    if not path.is_file():
        return Register()
    try:
        return Register.model_validate(json.loads(read_file(path, _LARGEST)))
    except (ValidationError, ValueError) as error:
        raise RostrumError(f"{path}: is not a register of voices; move it away, and name the voices again") from error


def write_register(folder: Path, register: Register) -> None:
    """Write the register of a corpus, for its owner alone. Without any voices, the file is removed."""
    path = folder / FILE
    try:
        if not register.samples:
            path.unlink(missing_ok=True)
            return
        lines = ",\n".join(sample.model_dump_json() for sample in register.samples)
        write_file(path, f'{{"samples": [\n{lines}\n]}}\n'.encode(), replace=True)
        path.chmod(0o600)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
