"""A language model on this machine: a program of ours asks it, and ends when nobody needs it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.llm import local
from pipeline.llm.large_model import LargeModel, YesOrNo, client_of, model_digests
from pipeline.llm.local import LocalModel
from pipeline.settings import LlmSettings
from tests.models import needs

# What runs the model, for these tests: it repeats the question, sleeps over it, or dies of it.
_LIBRARY = """
import json, math, os, time
class _Anything:
    def __getattr__(self, name):
        self.__dict__[name] = _Anything()
        return self.__dict__[name]
CommonParams = _Anything
class Server:
    def __init__(self, params):
        if "broken" in params.model.path:
            raise RuntimeError("wrong magic number")
        self.params = params
    def handle_chat_completions(self, body):
        said = body["messages"][-1]["content"]
        if "sleep" in said:
            time.sleep(60)
        if "die" in said:
            os._exit(3)
        if "wrong" in said:
            return {"error": {"message": "the request exceeds the context"}}
        print("a library's chatter")
        words = [("Yes", .3), ("No", .1), (" no", .1), ("Maybe", .5)]
        top = [{"token": word, "logprob": math.log(share)} for word, share in words]
        text = json.dumps({"asked": body, "threads": self.params.cpuparams.n_threads})
        choice = {"message": {"content": text}, "logprobs": {"content": [{"top_logprobs": top}]}}
        return {"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two GGUF files and a library that pretends to run them."""
    (tmp_path / "xllamacpp.py").write_text(_LIBRARY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(local, "_version", lambda: "xllamacpp 1")
    for name in ("small.gguf", "broken.gguf"):
        (tmp_path / name).write_bytes(name.encode())
    local._program.cache_clear()
    yield tmp_path
    for number in children():
        os.kill(number, signal.SIGKILL)


def children(parent: int | None = None) -> list[int]:
    """The models that a process has started: this one, if none is named."""
    parent = os.getpid() if parent is None else parent
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(number) for number in found if "worker.py" in Path(f"/proc/{number}/cmdline").read_text()]


def settings(library: Path, name: str = "small.gguf", **others: object) -> LlmSettings:
    return LlmSettings(model=str(library / name), threads=1).model_copy(update=others)


def ask(model: LocalModel, text: str) -> str:
    return model.complete([{"role": "user", "content": text}], {"type": "object"}).text


def test_the_same_question_is_asked_the_same_way(library: Path) -> None:
    asked = json.loads(ask(LocalModel(settings(library)), "What?"))
    assert asked["threads"] == 1
    body = asked["asked"]
    assert (body["temperature"], body["cache_prompt"]) == (0, False)
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_yes_against_no(library: Path) -> None:
    assert LocalModel(settings(library)).probability_of_yes("Is it?") == 0.6


def test_answers_of_yes_or_no_are_kept(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = YesOrNo("argued")
    questions = [{"passage": "Zoos are cruel.", "claim": "animals suffer in zoos"}]
    assert LargeModel(settings(library)).agreements(prompt, questions) == [0.6]
    monkeypatch.setattr(LocalModel, "probability_of_yes", None)
    assert LargeModel(settings(library)).agreements(prompt, questions) == [0.6]


def test_its_digest_is_on_record_and_decides(library: Path) -> None:
    before = model_digests(settings(library), [])
    assert before[str(library / "small.gguf")] == LocalModel(settings(library)).digest
    (library / "small.gguf").write_bytes(b"other weights")
    after = model_digests(settings(library), [])
    assert all(before[name] != after[name] for name in before)


def test_one_program_serves_all_and_is_started_again_when_it_has_ended(library: Path) -> None:
    one, other = LocalModel(settings(library)), LocalModel(settings(library))
    ask(one, "first")
    ask(other, "second")
    (number,) = children()
    os.kill(number, signal.SIGKILL)
    time.sleep(0.2)
    assert "third" in ask(one, "third")


@pytest.mark.parametrize(
    ("name", "question", "message"),
    [
        ("small.gguf", "die", "ended in the middle of an answer"),
        ("small.gguf", "wrong", "it gave no answer: the request exceeds the context"),
        ("broken.gguf", "What?", "cannot be loaded: wrong magic number; is it a GGUF model?"),
    ],
)
def test_what_goes_wrong_is_told_in_one_line(library: Path, name: str, question: str, message: str) -> None:
    with pytest.raises(RostrumError, match=message) as error:
        ask(LocalModel(settings(library, name)), question)
    assert "\n" not in str(error.value)


def test_without_a_model_or_an_address_it_is_said_what_to_fetch(library: Path) -> None:
    with pytest.raises(RostrumError, match="rostrum models fetch writer.*or set llm.url"):
        client_of(LlmSettings())
    (library / "weights.bin").write_bytes(b"x")
    with pytest.raises(RostrumError, match="not a GGUF file"):
        client_of(settings(library, "weights.bin"))


_ASKS = """
import sys
from pipeline.llm.local import LocalModel
from pipeline.settings import LlmSettings
from pipeline.system.interrupt import interruptible
from pipeline.llm import local
local._version = lambda: "xllamacpp 1"
model = LocalModel(LlmSettings(model=sys.argv[1], threads=1))
model.complete([{"role": "user", "content": "begin"}], None)
print("asked", flush=True)
interruptible(lambda: model.complete([{"role": "user", "content": "sleep"}], None), "interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_ends_with_the_process_that_asked(library: Path, number: signal.Signals) -> None:
    asking = subprocess.Popen(
        [sys.executable, "-c", _ASKS, str(library / "small.gguf")], stdout=subprocess.PIPE, cwd=Path.cwd(),
        env={**os.environ, "PYTHONPATH": f"{library}:{Path.cwd()}"},
    )  # fmt: skip
    assert asking.stdout is not None
    assert asking.stdout.readline() == b"asked\n"
    (worker,) = children(asking.pid)
    time.sleep(0.2)
    begun = time.monotonic()
    asking.send_signal(number)
    asking.wait(timeout=10)
    while Path(f"/proc/{worker}").exists() and time.monotonic() - begun < 10:
        time.sleep(0.02)
    assert time.monotonic() - begun < 2 or "Z" in Path(f"/proc/{worker}/stat").read_text()


@needs("writer")
def test_the_writer_answers_and_twice_the_same() -> None:
    model = LocalModel(LlmSettings(threads=1))
    question = "Is this a reason to ban zoos? Zoos are cruel to animals. Answer Yes or No."
    first = model.probability_of_yes(question)
    assert first > 0.5
    assert model.probability_of_yes(question) == first
