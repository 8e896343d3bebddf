"""Pseudonyms for speakers and speeches, the same in all that is read from a run."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from pipeline.records import Record, Speech
from pipeline.text.terms import stop_words

M = TypeVar("M", bound=BaseModel)
# Fields with what was said or written. A word in them that equals a speech's id is still a word.
_PROSE = frozenset({"text", "title", "reference", "hypothesis"})
# The source of a given transcript: the rest names the file that the words were read from.
_GIVEN = re.compile(r"^given: .*")


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
    def of(cls, speeches: Iterable[Speech]) -> "Pseudonyms":
        known = tuple(speeches)
        return cls((each.id for each in known), (name for each in known for name in each.speakers))

    def original(self, speech: str) -> str:
        return self._originals[speech]

    def applied(self, model: M) -> M:
        """A copy of the record with the names replaced. Its attachments are the same files."""
        replaced = type(model).model_validate(self._replaced(model.model_dump(), is_prose=False))
        if isinstance(model, Record) and isinstance(replaced, Record):
            for before, after in zip(model.attachments(), replaced.attachments(), strict=True):
                after.located(before.path)
        return replaced

    def _replaced(self, value: Any, is_prose: bool) -> Any:
        if isinstance(value, str):
            if not is_prose and value in self.speeches:
                return self.speeches[value]
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
