"""A GGUF model on this machine, run in a program of its own: no server, no address, the same answers every time."""

import functools
import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.llm.client import Completion, Message, Reply
from pipeline.settings import LlmSettings
from pipeline.system import interrupt
from pipeline.system.environment import usable_cores

# The model of the catalogue that is used where the settings name none.
WRITER = "writer"
_LIBRARY = "xllamacpp"
# Tokens of a question with its answer, about 6,000 words. They take 230 MB; with the writer, the program has 2.1 GB.
CONTEXT = 8192
_ANSWER_TOKENS = 1024
_LIKELIEST = 20


class _Token(BaseModel):
    token: str
    logprob: float


class _Place(BaseModel):
    top_logprobs: list[_Token]


class _Places(BaseModel):
    content: list[_Place] = Field(min_length=1)


class _Likely(BaseModel):
    logprobs: _Places


class _Answered(BaseModel):
    choices: list[_Likely] = Field(min_length=1)


def is_local(settings: LlmSettings) -> bool:
    """Whether the settings mean a model on this machine: they name no address."""
    return settings.url is None


def can_write(settings: LlmSettings) -> bool:
    """Whether the settings mean a model on this machine that is there, and what runs it is installed."""
    if not is_local(settings) or find_spec(_LIBRARY) is None:
        return False
    if settings.model is not None:  # a missing file is an error, not a reason to do without
        return True
    files = (file for model in models.CATALOGUE if model.name == WRITER for file in model.files)
    return all((models.cache_folder() / WRITER / file.path).is_file() for file in files)


class LocalModel:
    """Answers questions as a `Client` does, with a model of the catalogue or a file of the user's.

    Its answers are always those of temperature 0. Threads may share it; it answers one question at a time.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self.model = settings.model or WRITER
        try:
            weights = models.find(self.model)
        except RostrumError as error:
            raise RostrumError(f"{error}; or set llm.url to the address of a server") from error
        if not weights.path.is_file() or weights.path.suffix.lower() != ".gguf":
            raise RostrumError(f"llm.model {self.model}: not a GGUF file; without llm.url, it must be one")
        self.path, self.digest = weights.path, weights.digest

    @property
    def decisive(self) -> list[Any]:
        """What decides the answers."""
        return ["local", self.digest, _version(), self._settings.max_tokens]

    def check(self) -> None:
        """Raise an error if the model cannot be run on this machine."""
        _version()

    def complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Reply:
        """The model's answer to the last message. With a schema, it can only be of that form."""
        body: dict[str, Any] = {
            "messages": list(messages),
            "max_tokens": self._settings.max_tokens or _ANSWER_TOKENS,
        }
        if schema and self._settings.structured:
            form = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        completion = self._asked(body, Completion)
        usage = completion.usage
        text = completion.choices[0].message.content or ""
        return Reply(text, usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0)

    def probability_of_yes(self, question: str) -> float:
        """How probable the answer yes is, of yes and no, to two digits less than what machines agree on."""
        body = {
            "messages": [{"role": "user", "content": question}],
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": _LIKELIEST,
        }
        likely = self._asked(body, _Answered).choices[0].logprobs.content[0].top_logprobs
        yes, no = (_probability(likely, word) for word in ("yes", "no"))
        return round(yes / (yes + no), 3) if yes + no > 0 else 0.5

    def _asked(self, body: Mapping[str, Any], form: type[Any]) -> Any:
        program = _program(self.path, self._settings.threads or usable_cores())
        reply = program.reply({**body, "temperature": 0, "cache_prompt": False})
        try:
            return form.model_validate(reply)
        except ValidationError as error:
            raise RostrumError(f"llm.model {self.model}: it gave no answer: {_complaint(reply)}") from error


def _probability(likely: Sequence[_Token], word: str) -> float:
    return sum(math.exp(token.logprob) for token in likely if token.token.strip().lower() == word)


def _complaint(reply: Any) -> str:
    """What the library says is wrong, on one line."""
    error = reply.get("error") if isinstance(reply, dict) else None
    text = str(error.get("message", error)) if isinstance(error, dict) else str(error or "it does not say why")
    return " ".join(text.split())[:200]


@functools.cache
def _version() -> str:
    """The version of the library that runs the model."""
    try:
        return f"{_LIBRARY} {metadata.version(_LIBRARY)}"
    except metadata.PackageNotFoundError:
        raise RostrumError(
            "a language model on this machine needs xllamacpp, which is not installed: pip install 'rostrum[writer]'"
        ) from None


@functools.cache
def _program(path: Path, threads: int) -> "_Program":
    """The program that runs this model; all stages of a process share it."""
    return _Program(path, threads)


class _Program:
    """Starts `worker.py` when it is asked something, and again if it has ended because nobody asked for a while."""

    def __init__(self, path: Path, threads: int) -> None:
        self._path, self._threads = path, threads
        self._process: subprocess.Popen[bytes] | None = None
        self._busy = Lock()

    def reply(self, body: Mapping[str, Any]) -> Any:
        """The reply to one question."""
        _version()
        with self._busy:
            process = self._running()
            try:
                return self._exchanged(process, body)
            except (OSError, EOFError):
                process.kill()
                code = process.wait()
                raise RostrumError(
                    f"llm.model {self._path}: its program ended in the middle of an answer (code {code}); "
                    "it needs 1 GB of memory more than the size of its file"
                ) from None

    def _running(self) -> "subprocess.Popen[bytes]":
        """The process that holds the model. It is started if there is none."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        arguments = [str(self._path), str(self._threads), str(CONTEXT)]
        process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("worker.py")), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        interrupt.started(process)
        self._process = process
        try:
            ready = json.loads(_line(process))
        except EOFError:
            ready = {}
        if "ready" not in ready:
            process.kill()
            raise RostrumError(f"llm.model {self._path}: cannot be loaded: {_complaint(ready)}; is it a GGUF model?")
        return process

    @staticmethod
    def _exchanged(process: "subprocess.Popen[bytes]", body: Mapping[str, Any]) -> Any:
        assert process.stdin is not None
        process.stdin.write(json.dumps(body).encode() + b"\n")
        process.stdin.flush()
        return json.loads(_line(process))


def _line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise EOFError
    return line
