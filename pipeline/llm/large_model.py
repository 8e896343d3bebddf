"""Prompts: text files of this package with places for what is asked about, and the form of their answers."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template
from threading import Lock
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.llm.client import Client, Message, Reply
from pipeline.llm.local import LocalModel, is_local
from pipeline.records import LlmUse
from pipeline.settings import LlmSettings
from pipeline.system.digest_cache import DigestCache

FOLDER = Path(__file__).with_name("prompts")


class Answer(BaseModel):
    """The base of every answer's form."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Question:
    """A question of `prompts/NAME.txt`."""

    name: str

    @cached_property
    def text(self) -> str:
        """The question with places for what is asked about."""
        return (FOLDER / f"{self.name}.txt").read_text(encoding="utf-8")

    @property
    def digest(self) -> str:
        """sha256 of what decides the answers: the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def filled(self, fields: Mapping[str, str]) -> str:
        """The question with these texts in its places."""
        return Template(self.text).substitute(fields)


@dataclass(frozen=True)
class YesOrNo(Question):
    """A question that is answered by yes or no."""


@dataclass(frozen=True)
class Prompt(Question, Generic[A]):
    """A question, and the form of its answer."""

    answer: type[A]

    @property
    def schema(self) -> dict[str, Any]:
        """The answer's form as a JSON schema."""
        return self.answer.model_json_schema()

    @property
    def digest(self) -> str:
        """sha256 of what decides the answers: the text and the form."""
        return hashlib.sha256(json.dumps([self.text, self.schema]).encode()).hexdigest()


def numbered(texts: Iterable[str]) -> str:
    """One text per line, each with its number.

    >>> print(numbered(["Phones distract.", "They cost \\n too much."]))
    1. Phones distract.
    2. They cost too much.
    """
    return "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1))


# Asking a large language model: answers are checked, cached on this machine, and counted.

# Returns what is wrong with an answer of the right form; empty if nothing is.
Check = Callable[[A], str]


class LargeModel:
    """The model that the settings name, for one piece of work: at an address, or on this machine. It counts the cost.

    Answers are cached, under the digest of the model and the question. A cached answer counts as well, so that the same
    work always has the same cost on record.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self.settings = settings
        self.client = client_of(settings)
        self._kept = DigestCache(models.cache_folder() / "llm" / "answers.sqlite", "answers")
        self._used: list[Reply] = []
        self._counting = Lock()

    @property
    def batch(self) -> int:
        """How many things to ask about in one request."""
        return self.settings.batch

    def ask(self, prompt: Prompt[A], questions: Sequence[Mapping[str, str]], checks: Sequence[Check[A]]) -> list[A]:
        """The answer to each question, `llm.parallel` of them at once. `checks` has a function for each question."""
        with ThreadPoolExecutor(self.settings.parallel) as pool:
            return list(pool.map(lambda question, wrong: self._answer(prompt, question, wrong), questions, checks))

    @property
    def is_local(self) -> bool:
        """Whether the model runs on this machine. Only such a one says how probable its answers are."""
        return isinstance(self.client, LocalModel)

    def agreements(self, prompt: YesOrNo, questions: Sequence[Mapping[str, str]]) -> list[float]:
        """How probable the answer yes is to each question, by a model on this machine."""
        return [self._agreement(prompt, question) for question in questions]

    def _agreement(self, prompt: YesOrNo, question: Mapping[str, str]) -> float:
        assert isinstance(self.client, LocalModel)
        text = prompt.filled(question)
        key = json.dumps([*_decisive(self.settings), "yes or no", text])
        if kept := self._kept.get([key]).get(key):
            return float(json.loads(kept))
        probability = self.client.probability_of_yes(text)
        self._kept.put({key: json.dumps(probability).encode()})
        return probability

    def use(self) -> LlmUse:
        """The tokens of all answers so far, and their cost if prices are set."""
        sent = sum(reply.sent_tokens for reply in self._used)
        answered = sum(reply.answered_tokens for reply in self._used)
        prices = (self.settings.input_price, self.settings.output_price)
        known = [
            price * count / 1e6 for price, count in zip(prices, (sent, answered), strict=True) if price is not None
        ]
        return LlmUse(
            model=self.client.model,
            answers=len(self._used),
            sent_tokens=sent,
            answered_tokens=answered,
            cost=round(sum(known), 6) if known else None,
        )

    def _answer(self, prompt: Prompt[A], question: Mapping[str, str], check: Check[A]) -> A:
        messages = [{"role": "user", "content": prompt.filled(question)}]
        key = json.dumps([*_decisive(self.settings), prompt.digest, messages])
        if kept := self._kept.get([key]).get(key):
            reply = Reply(*json.loads(kept))
            answer, wrong = _parsed(prompt, reply.text, check)
            if answer is not None:
                self._count(reply)
                return answer
        answer, reply = self._asked(prompt, messages, check)
        self._kept.put({key: json.dumps(reply).encode()})
        self._count(reply)
        return answer

    def _asked(self, prompt: Prompt[A], messages: Sequence[Message], check: Check[A]) -> tuple[A, Reply]:
        """The answer. One that cannot be used is sent back once, with what is wrong with it."""
        first = self.client.complete(messages, prompt.schema)
        answer, wrong = _parsed(prompt, first.text, check)
        if answer is not None:
            return answer, first
        again = [
            *messages,
            {"role": "assistant", "content": first.text},
            {"role": "user", "content": f"This answer cannot be used: {wrong}. Answer again, with the JSON alone."},
        ]
        second = self.client.complete(again, prompt.schema)
        answer, wrong = _parsed(prompt, second.text, check)
        if answer is None:
            raise RostrumError(
                f"llm.model {self.client.model}: its answers to the prompt {prompt.name} cannot be used ({wrong}); "
                "use a larger model, or a smaller llm.batch"
            )
        return answer, Reply(
            second.text, first.sent_tokens + second.sent_tokens, first.answered_tokens + second.answered_tokens
        )

    def _count(self, reply: Reply) -> None:
        with self._counting:
            self._used.append(reply)


def client_of(settings: LlmSettings) -> Client | LocalModel:
    """What answers questions with these settings: a server if there is an address, else a model on this machine."""
    return LocalModel(settings) if is_local(settings) else Client(settings)


def model_digests(settings: LlmSettings, prompts: Iterable[Question]) -> dict[str, str]:
    """The name of a model, and the digest of what decides its answers: the model, how it is asked, and the prompts.

    A model on this machine has its own digest as well.
    """
    client = client_of(settings)  # raises an error if the model or its address is missing
    content = json.dumps([*_decisive(settings), settings.batch, *(prompt.digest for prompt in prompts)])
    asked = {f"llm {client.model}": hashlib.sha256(content.encode()).hexdigest()}
    return asked | {client.model: client.digest} if isinstance(client, LocalModel) else asked


def _decisive(settings: LlmSettings) -> list[Any]:
    if is_local(settings):
        return LocalModel(settings).decisive
    return [settings.model, settings.temperature, settings.max_tokens, settings.structured]


def _parsed(prompt: Prompt[A], text: str, check: Check[A]) -> tuple[A | None, str]:
    """(the answer, ''), or (None, what is wrong with it)."""
    try:
        answer = prompt.answer.model_validate_json(_json_of(text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return None, f"{where}: {first['msg']}" if where else "it is not the JSON that was asked for"
    wrong = check(answer)
    return (None, wrong) if wrong else (answer, "")


def _json_of(text: str) -> str:
    """The JSON object in an answer: models put it into a code block, or think aloud before it."""
    text = re.sub(r"(?s)^.*</think>", "", text)
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
