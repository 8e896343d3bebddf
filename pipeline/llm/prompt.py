"""Prompts: text files of this package with places for what is asked about, and the form of their answers."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

FOLDER = Path(__file__).with_name("prompts")


class Answer(BaseModel):
    """The base of every answer's form."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Prompt(Generic[A]):
    """A question of `prompts/NAME.txt`, and the form of its answer."""

    name: str
    answer: type[A]

    @cached_property
    def _text(self) -> str:
        return (FOLDER / f"{self.name}.txt").read_text(encoding="utf-8")

    @property
    def schema(self) -> dict[str, Any]:
        """The answer's form as a JSON schema."""
        return self.answer.model_json_schema()

    @property
    def digest(self) -> str:
        """sha256 of the text and the form: both decide the answers."""
        return hashlib.sha256(json.dumps([self._text, self.schema]).encode()).hexdigest()

    def filled(self, fields: Mapping[str, str]) -> str:
        """The question with these texts in its places."""
        return Template(self._text).substitute(fields)


def numbered(texts: Iterable[str]) -> str:
    """One text per line, each with its number.

    >>> print(numbered(["Phones distract.", "They cost \\n too much."]))
    1. Phones distract.
    2. They cost too much.
    """
    return "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1))
