"""Chat completions over HTTP: one question, one answer, and what to do when the server is busy, slow or not there."""

import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from pipeline.errors import RostrumError, printable
from pipeline.settings import LlmSettings

if TYPE_CHECKING:
    import httpx


KEY = "ROSTRUM_LLM_KEY"
# How often a request is sent at most, and how long to wait for a server that is busy or was not reached.
_TRIES = 5
_LONGEST_WAIT = 120.0
_CHECK_SECONDS = 10.0
_SHOWN = 200
# A response of more bytes is not read to its end.
_LARGEST = 50_000_000
# No request has more tokens. A server that counts more is not believed.
_MOST_TOKENS = 100_000_000

Message = Mapping[str, str]


class Reply(NamedTuple):
    """What the model answered, and how many tokens it took; 0 where the server does not say."""

    text: str
    sent_tokens: int
    answered_tokens: int


# The fields of a server's response that are used. Others are ignored.


class _Text(BaseModel):
    content: str | None


class _Choice(BaseModel):
    message: _Text


def _believable(count: object) -> int:
    """A number of tokens; 0 for what cannot be one."""
    return count if type(count) is int and 0 <= count <= _MOST_TOKENS else 0


_Tokens = Annotated[int, BeforeValidator(_believable)]


class _Usage(BaseModel):
    prompt_tokens: _Tokens = 0
    completion_tokens: _Tokens = 0


class Completion(BaseModel):
    """The answer to a question, and how many tokens it took."""

    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage | None, BeforeValidator(lambda sent: sent if isinstance(sent, dict) else None)] = None


class _Named(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Named]


class Client:
    """Sends questions to the model that the settings name. Threads may share it.

    The key comes from the environment; it is in no message, log or artifact.
    """

    def __init__(self, settings: LlmSettings, sleep: Callable[[float], object] = time.sleep) -> None:
        if not settings.url or not settings.model:
            lacks = "llm.model" if settings.url else "llm.url"
            raise RostrumError(
                f"{lacks} is empty: a large language model needs both; "
                "such as --set llm.url=http://127.0.0.1:11434/v1 --set llm.model=NAME"
            )
        self.url, self.model = settings.url, settings.model
        self._settings = settings
        self._sleep = sleep
        self._key = os.environ.get(KEY, "").strip()
        if not re.fullmatch("[!-~]*", self._key):
            raise RostrumError(f"{KEY}: not a key; a key has ASCII letters, digits and signs, and no spaces")

    def complete(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> Reply:
        """The model's answer to the last message. With `llm.structured`, the server is told its form."""
        body: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        if self._settings.temperature is not None:
            body["temperature"] = self._settings.temperature
        if self._settings.max_tokens is not None:
            body["max_tokens"] = self._settings.max_tokens
        if self._settings.structured:
            form = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        response = self._sent(body)
        try:
            completion = Completion.model_validate_json(response.content)
        except ValidationError as error:
            raise RostrumError(f"{self._who}: its response is not a chat completion; check llm.url") from error
        usage = completion.usage or _Usage()
        text = self._without_key(completion.choices[0].message.content or "")
        return Reply(text, usage.prompt_tokens, usage.completion_tokens)

    def check(self) -> None:
        """Raise an error if nobody answers at the address, if the key is refused, or if the model is not there."""
        import httpx

        try:
            response = self._response("GET", "models", _CHECK_SECONDS)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._unreachable(error) from error
        if response.status_code in (401, 403):
            raise self._refused(response)
        try:
            known = [model.id for model in _Models.model_validate_json(response.content).data]
        except ValidationError:  # not every server lists its models
            return
        if known and self.model not in known:
            names = ", ".join(self._shown(name) for name in sorted(known)[:10])
            raise RostrumError(f"{self._who}: there is no such model; there are {names}")

    @property
    def _who(self) -> str:
        return f"llm.model {self.model} at {self.url}"

    @cached_property
    def _http(self) -> "httpx.Client":
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # A new connection for each request: only of a new one it is known which to close when time is up.
        return httpx.Client(headers=headers, limits=httpx.Limits(max_keepalive_connections=0))

    def _response(self, method: str, path: str, seconds: float, **body: Any) -> "httpx.Response":
        """The server's response within so many seconds. A redirection is not followed: it would get the key, too."""
        import httpx

        content = bytearray()
        options: dict[str, Any] = {"timeout": seconds, "follow_redirects": False, **body}
        with (
            _closed_after(seconds) as trace,
            self._http.stream(method, f"{self.url}/{path}", extensions={"trace": trace}, **options) as sent,
        ):
            for part in sent.iter_bytes():
                content += part
                if len(content) > _LARGEST:
                    raise RostrumError(f"{self._who}: sends more than {_LARGEST:,} bytes; check llm.url")
        headers = [header for header in sent.headers.raw if header[0].lower() == b"retry-after"]
        return httpx.Response(sent.status_code, headers=headers, content=bytes(content))

    def _sent(self, body: Mapping[str, Any]) -> "httpx.Response":
        """The server's response. Tries again where that may help."""
        import httpx

        for number in range(1, _TRIES + 1):
            try:
                response = self._response("POST", "chat/completions", self._settings.timeout, json=body)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if number == _TRIES:
                    raise self._unreachable(error) from error
                wait = 2.0 ** (number - 1)
            else:
                if response.is_success:
                    return response
                if not (response.status_code in (408, 429) or response.status_code >= 500) or number == _TRIES:
                    raise self._refused(response)
                wait = _asked_to_wait(response.headers.get("retry-after"), otherwise=2.0 ** (number - 1))
                if wait > _LONGEST_WAIT:
                    raise RostrumError(
                        f"{self._who}: asks to wait {wait:.0f} seconds; run again after that: answers so far are kept"
                    )
            self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _unreachable(self, error: Exception) -> RostrumError:
        import httpx

        if isinstance(error, httpx.TimeoutException):
            return RostrumError(f"{self._who}: no answer in time; raise llm.timeout if the server is slow")
        return RostrumError(f"{self._who}: cannot be reached; start the server there, or change llm.url")

    def _refused(self, response: "httpx.Response") -> RostrumError:
        if response.status_code in (401, 403):
            does = f"the key in {KEY} is refused" if self._key else f"it wants a key; put it into {KEY}"
            return RostrumError(f"{self._who}: {does}")
        if response.is_redirect:
            return RostrumError(f"{self._who}: sends to another address ({response.status_code}); check llm.url")
        return RostrumError(f"{self._who}: answers with an error ({response.status_code}): {self._told(response)}")

    def _told(self, response: "httpx.Response") -> str:
        """The server's own words on what is wrong, shortened, without the key."""
        try:
            content = response.json()
            error = content.get("error", content) if isinstance(content, dict) else content
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, RecursionError):
            text = response.text
        return self._shown(text) or "it does not say why"

    def _shown(self, text: str) -> str:
        """A server's words as an error may show them: shortened, on one line, without the key."""
        return printable(" ".join(self._without_key(text).split())[:_SHOWN])

    def _without_key(self, text: str) -> str:
        """The text without the key: a server may repeat the key, and the text is stored in an artifact."""
        return self._key_pattern.sub("(the key)", text) if self._key else text

    @cached_property
    def _key_pattern(self) -> re.Pattern[str]:
        r"""Finds the key, also where some of its characters are written as in JSON (\u0073) or in an address (%73)."""
        spellings = (rf"(?:{re.escape(sign)}|\\+(?i:u00{ord(sign):02x})|%(?i:{ord(sign):02x}))" for sign in self._key)
        return re.compile("".join(spellings))


@contextmanager
def _closed_after(seconds: float) -> Iterator[Callable[[str, Mapping[str, Any]], None]]:
    """Closes the connection of a request when time is up, whatever the server is sending. That is a ReadTimeout.

    What it yields is to be told of every step of the request. The timeouts of httpx begin again with every byte.
    """
    import httpx

    sockets: list[socket.socket] = []
    is_over = False

    def close() -> None:
        nonlocal is_over
        is_over = True
        for connected in sockets:
            with suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    def trace(step: str, facts: Mapping[str, Any]) -> None:
        if step.endswith("connect_tcp.complete"):
            sockets.append(facts["return_value"].get_extra_info("socket"))
            if is_over:
                close()

    timer = Timer(seconds, close)
    timer.daemon = True
    timer.start()
    try:
        yield trace
    except httpx.HTTPError as error:
        if not is_over:
            raise
        raise httpx.ReadTimeout("") from error
    finally:
        timer.cancel()
    if is_over:  # a closed connection is also the end of a response that names no length
        raise httpx.ReadTimeout("")


def _asked_to_wait(header: str | None, otherwise: float) -> float:
    """The seconds that a server asks to wait, by a number or a date.

    >>> _asked_to_wait("7", otherwise=1.0), _asked_to_wait(None, otherwise=1.0), _asked_to_wait("soon", otherwise=1.0)
    (7.0, 1.0, 1.0)
    """
    if header is None:
        return otherwise
    if header.strip().isdecimal():
        return float(header)
    try:
        when = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return otherwise
    return max((when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)
