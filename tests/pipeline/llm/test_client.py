"""One question to a server, and what a person is told when it goes wrong."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event, Thread

import pytest

from pipeline.errors import RostrumError
from pipeline.llm.client import Client, Reply
from pipeline.settings import LlmSettings
from tests.llm_server import ANSWERED, MODEL, SENT, Response, Server, in_turn, serving

SCHEMA = {"type": "object"}
MESSAGES = [{"role": "user", "content": "What?"}]
KEY = "sk-secret-1234"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSTRUM_LLM_KEY", raising=False)


@contextmanager
def client(*responses: Response) -> Iterator[tuple[Client, Server, list[float]]]:
    """A client of a server that answers so, the server, and how long the client waited."""
    waits: list[float] = []
    with serving(in_turn(*responses)) as server:
        yield Client(server.settings, waits.append), server, waits


def test_the_answer_comes_with_what_it_took() -> None:
    with client(Response("Because.")) as (asked, server, _):
        assert asked.complete(MESSAGES, SCHEMA) == Reply("Because.", SENT, ANSWERED)
        (body,) = server.asked
    assert (body["model"], body["messages"], body["temperature"]) == (MODEL, MESSAGES, 0.0)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA


def test_what_a_server_does_not_know_can_be_left_out() -> None:
    with serving(in_turn(Response(), Response())) as server:
        plain = server.settings.model_copy(update={"structured": False, "temperature": None})
        Client(plain).complete(MESSAGES, SCHEMA)
        Client(plain.model_copy(update={"max_tokens": 7})).complete(MESSAGES, SCHEMA)
        body = {"model": MODEL, "messages": MESSAGES}
        assert server.asked == [body, {**body, "max_tokens": 7}]


def test_the_key_is_sent_and_told_to_nobody(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    caplog.set_level("DEBUG")
    refusal = Response(status=400, body=f'{{"error": {{"message": "bad {KEY}"}}}}')
    with client(Response(), refusal) as (asked, server, _):
        asked.complete(MESSAGES, SCHEMA)
        with pytest.raises(RostrumError) as error:
            asked.complete(MESSAGES, SCHEMA)
        assert server.keys == [f"Bearer {KEY}"] * 2
    assert "answers with an error (400): bad (the key)" in str(error.value)
    assert KEY not in caplog.text
    assert KEY not in repr(asked.__dict__["_settings"])


def test_without_a_key_none_is_sent() -> None:
    with client(Response()) as (asked, server, _):
        asked.complete(MESSAGES, SCHEMA)
        assert server.keys == [None]


def test_a_busy_server_is_waited_for_as_long_as_it_asks() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)
    busy = [Response(status=429, headers={"Retry-After": "7"}), Response(status=429, headers={"Retry-After": later})]
    with client(*busy, Response(status=503), Response("now")) as (asked, _, waits):
        assert asked.complete(MESSAGES, SCHEMA).text == "now"
    assert waits[0] == 7
    assert 45 < waits[1] <= 50
    assert waits[2] == 4  # the third try: 1, 2, 4, ... where the server does not say


def test_who_asks_to_wait_for_long_is_not_waited_for() -> None:
    with client(Response(status=429, headers={"Retry-After": "3600"})) as (asked, _, waits):
        with pytest.raises(RostrumError, match="asks to wait 3600 seconds; run again after that"):
            asked.complete(MESSAGES, SCHEMA)
        assert waits == []


def test_a_server_that_stays_broken_is_given_up() -> None:
    broken = Response(status=500, body='{"error": "out of\\nmemory"}')
    with client(*[broken] * 5) as (asked, server, waits):
        with pytest.raises(RostrumError, match=r"answers with an error \(500\): out of memory"):
            asked.complete(MESSAGES, SCHEMA)
        assert (len(server.asked), waits) == (5, [1, 2, 4, 8])


def test_a_refused_key_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with client(Response(status=401)) as (asked, _, waits):
        with pytest.raises(RostrumError, match="it wants a key; put it into ROSTRUM_LLM_KEY"):
            asked.complete(MESSAGES, SCHEMA)
        assert waits == []
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    with client(Response(status=401)) as (asked, _, _), pytest.raises(RostrumError, match="ROSTRUM_LLM_KEY is refused"):
        asked.complete(MESSAGES, SCHEMA)


def test_a_page_of_another_kind_is_said_to_be_one() -> None:
    with (
        client(Response(body="<html>")) as (asked, _, _),
        pytest.raises(RostrumError, match="is not a chat completion; check llm.url"),
    ):
        asked.complete(MESSAGES, SCHEMA)


def test_an_answer_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.llm.client._LARGEST", 1_000_000)
    flood = Response(endless=b" " * 100_000)
    with client(flood) as (asked, server, _), pytest.raises(RostrumError, match="sends more than 1,000,000 bytes"):
        asked.complete(MESSAGES, SCHEMA)
    with serving(in_turn(*[Response(endless=b" ", pause=0.01)] * 5)) as server:  # never silent for as long as a timeout
        slow = Client(server.settings.model_copy(update={"timeout": 0.1}), lambda _: None)
        with pytest.raises(RostrumError, match="no answer in time"):
            slow.complete(MESSAGES, SCHEMA)


@contextmanager
def dripping(beginning: bytes) -> Iterator[str]:
    """The address of a server that sends this, and then a byte now and then, for as long as somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(beginning)
                while not over.wait(0.02):
                    connection.sendall(b"x")

        def accept() -> None:
            with suppress(OSError):
                while True:
                    Thread(target=drip, args=(listening.accept()[0],), daemon=True).start()

        over = Event()
        Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        over.set()


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 OK\r\nX-Name: ", b"HTTP/1.1 2", b""])
def test_headers_that_never_end(beginning: bytes) -> None:
    """Never silent for as long as a timeout: the whole response must come within it."""
    with dripping(beginning) as url:
        settings = LlmSettings(url=url, model=MODEL, timeout=0.3)
        began = time.monotonic()
        with pytest.raises(RostrumError, match="no answer in time; raise llm.timeout"):
            Client(settings, lambda _: None).complete(MESSAGES, SCHEMA)
    assert time.monotonic() - began < 5.0, "five tries of 0.3 seconds"


@pytest.mark.parametrize("tokens", ["-7", "9" * 4_000, "1e3", "null", "true", '"many"', "[]"])
def test_a_number_of_tokens_that_cannot_be_is_not_believed(tokens: str) -> None:
    body = f'{{"choices": [{{"message": {{"content": "yes"}}}}], "usage": {{"prompt_tokens": {tokens}}}}}'
    with client(Response(body=body)) as (asked, _, _):
        assert asked.complete(MESSAGES, SCHEMA) == Reply("yes", 0, 0)


@pytest.mark.parametrize("usage", ["[]", "7", '"none"', "null"])
def test_a_usage_of_another_form_is_left_out(usage: str) -> None:
    body = f'{{"choices": [{{"message": {{"content": "yes"}}}}], "usage": {usage}}}'
    with client(Response(body=body)) as (asked, _, _):
        assert asked.complete(MESSAGES, SCHEMA) == Reply("yes", 0, 0)


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"choices": ' + "[" * 100_000, "{}", "null", "\x1b[2J", '{"choices": []}']
)
@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_that_makes_no_sense(body: str, status: int) -> None:
    with client(Response(status=status, body=body)) as (asked, _, _), pytest.raises(RostrumError) as error:
        asked.complete(MESSAGES, SCHEMA)
    assert len(str(error.value)) < 500
    assert str(error.value).isprintable()


@pytest.mark.parametrize("where", ["file:///etc/passwd", "http://127.0.0.1:9/v1/chat/completions"])
def test_a_redirection_is_not_followed(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take the question, and the key, to an address that no setting names."""
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    away = Response(status=307, headers={"Location": where}, body="")
    with client(away) as (asked, _, _), pytest.raises(RostrumError, match=r"sends to another address \(307\)"):
        asked.complete(MESSAGES, SCHEMA)


@pytest.mark.parametrize("asks", ["²", "Mon, 01 Jan 99999999999999 00:00:00 GMT", "nan", "-1", "", "soon"])
def test_a_time_to_wait_that_makes_no_sense(asks: str) -> None:
    with client(Response(status=429, headers={"Retry-After": asks}), Response("now")) as (asked, _, waits):
        assert asked.complete(MESSAGES, SCHEMA).text == "now"
    assert waits == [1]


@pytest.mark.parametrize("key", ["sk-ключ", "sk-1\nX-Other: 2", "sk 1"])
def test_a_key_that_no_request_can_have(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_LLM_KEY", key)
    with pytest.raises(RostrumError, match="ROSTRUM_LLM_KEY: not a key") as error:
        Client(nobody())
    assert key not in str(error.value)


def test_a_key_that_the_server_tells_back_is_in_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are kept in artifacts, which people hand on."""
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    with client(Response(f"You are {KEY}.")) as (asked, _, _):
        assert asked.complete(MESSAGES, SCHEMA).text == "You are (the key)."


ESCAPED = "".join(f"\\u{ord(sign):04X}" for sign in KEY)
ENCODED = "".join(f"%{ord(sign):02x}" for sign in KEY)


@pytest.mark.parametrize("told", [KEY, ESCAPED, ESCAPED.replace("\\", "\\\\"), ENCODED, f"sk{ESCAPED[12:]}"])
@pytest.mark.parametrize(
    "body", ["bad {}", '{{"error": {{"message": "bad {}"}}}}', '{{"error": ["bad", {{"x": "{}"}}]}}', "[[[ {}"]
)
def test_a_key_in_another_spelling_is_in_no_error(told: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    refusal = Response(status=400, body=body.format(told))
    with client(refusal) as (asked, _, _), pytest.raises(RostrumError, match=r"\(the key\)"):
        asked.complete(MESSAGES, SCHEMA)


def test_a_key_in_another_spelling_is_in_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer is JSON: its escapes become letters where it is read."""
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    with client(Response(f'{{"text": "It is {ESCAPED}."}}')) as (asked, _, _):
        assert asked.complete(MESSAGES, SCHEMA).text == '{"text": "It is (the key)."}'


def test_names_of_models_are_shown_shortened_and_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTRUM_LLM_KEY", KEY)
    names = ("x" * 3_000_000, KEY, "a\x1b[2Jb")
    with serving(in_turn(), models=names) as server, pytest.raises(RostrumError, match="no such model") as error:
        Client(server.settings).check()
    told = str(error.value)
    assert len(told) < 500
    assert KEY not in told
    assert "(the key)" in told
    assert "\x1b" not in told


def nobody() -> LlmSettings:
    """Settings with an address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return LlmSettings(url=f"http://127.0.0.1:{port}/v1", model=MODEL)


def test_an_address_where_nobody_is_named_in_one_line() -> None:
    settings = nobody()
    for call in (lambda: Client(settings).check(), lambda: Client(settings, lambda _: None).complete(MESSAGES, SCHEMA)):
        with pytest.raises(RostrumError) as error:
            call()
        assert str(error.value) == (
            f"llm.model small at {settings.url}: cannot be reached; start the server there, or change llm.url"
        )


def test_a_model_that_the_server_lacks_is_named_before_anything_is_asked() -> None:
    told = "there is no such model; there are large, medium"
    with serving(in_turn(), models=("large", "medium")) as server, pytest.raises(RostrumError, match=told):
        Client(server.settings).check()
    with serving(in_turn(), models=("large", MODEL)) as server:
        Client(server.settings).check()
    with serving(in_turn(), models=()) as server:  # a server that does not list its models
        Client(server.settings).check()


@pytest.mark.parametrize(("lacks", "given"), [("llm.url", {"model": MODEL}), ("llm.model", {"url": "http://a/v1"})])
def test_what_is_lacking_is_said(lacks: str, given: dict[str, str]) -> None:
    with pytest.raises(RostrumError, match=f"{lacks} is empty"):
        Client(LlmSettings(**given))


def test_addresses() -> None:
    assert LlmSettings(url="http://a:8080/v1/chat/completions").url == "http://a:8080/v1"
    for wrong in ("a:8080/v1", "ftp://a/v1", "http://", f"https://me:{KEY}@a/v1", f"https://a/v1?key={KEY}"):
        with pytest.raises(ValueError, match="it must"):
            LlmSettings(url=wrong)
