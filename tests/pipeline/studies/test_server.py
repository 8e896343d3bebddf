"""The server of forms: who may do what, and what a kill in the middle leaves."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from pipeline.studies.server import StudyServer
from pipeline.studies.study import ANSWERS, ORGANISER, StudyFolder, journal, read_journal
from tests.pipeline.report.test_server import served_by
from tests.pipeline.studies.conftest import Make
from tests.pipeline.studies.people import Clock

GOOD = {"vote": "a1", "reason": "It names a study that anybody can check.", "stance": "none"}
LOCAL = ["127.0.0.1"]


def asked(port: int, path: str, sent: Any = None, host: str = "") -> tuple[int, Any]:
    """(status, JSON or text) of a request; with `sent`, of one that posts it."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        headers = {"Host": host} if host else {}
        body = None if sent is None else json.dumps(sent)
        connection.request("GET" if sent is None else "POST", path, body, headers)
        response = connection.getresponse()
        content = response.read().decode(errors="replace")
        is_json = "json" in (response.headers["Content-Type"] or "")
        return response.status, json.loads(content) if is_json else content
    finally:
        connection.close()


@pytest.fixture
def pairs(make: Make, arguments: Path) -> StudyFolder:
    return make("pairs", arguments, consent=False)


@pytest.fixture
def port(pairs: StudyFolder) -> Iterator[int]:
    with served_by(StudyServer(pairs, Clock()).application(LOCAL)) as port:
        yield port


def test_only_who_has_a_link_sees_anything(pairs: StudyFolder, port: int) -> None:
    token = pairs.tokens["w1"]
    assert asked(port, f"/w/{token}/")[0] == 200
    assert asked(port, f"/w/{token}/state")[1]["phase"] == "item"
    for path in ("/w/guess/", "/w/guess/state", f"/w/{pairs.tokens[ORGANISER]}/state", f"/organiser/{token}/"):
        assert asked(port, path)[0] == 404
    assert asked(port, "/study.json")[0] == 404
    assert asked(port, f"/w/{token}/media/..%2Flinks.csv")[0] == 404
    assert asked(port, f"/w/{token}/state", host="elsewhere.example")[0] == 400
    status, page = asked(port, f"/organiser/{pairs.tokens[ORGANISER]}/")
    assert (status, "0 of " in page) == (200, True)


def test_a_form_has_no_name_of_anything(make: Make) -> None:
    """Ids of speeches and arguments, known answers and predictions are in nothing that a worker gets."""
    folder = make("listening", consent=False, options={"most": 2})
    with served_by(StudyServer(folder, Clock()).application(LOCAL)) as port:
        token = folder.tokens["w1"]
        everything = asked(port, f"/w/{token}/")[1] + json.dumps(asked(port, f"/w/{token}/state")[1])
    for item in folder.study.items:
        assert item.subject not in everything
        assert not any(argument in everything for argument in item.about.values())
    assert "known" not in json.loads(everything[everything.index('{"title"') :].split("</script>")[0])


def test_what_is_no_answer_is_refused_in_words(pairs: StudyFolder, port: int) -> None:
    token = pairs.tokens["w1"]
    item = asked(port, f"/w/{token}/state")[1]["item"]["id"]
    for sent in ({"item": item, "answers": {**GOOD, "vote": "z"}, "number": "1"}, ["no"], {"answers": 3}):
        status, content = asked(port, f"/w/{token}/answer", sent)
        assert (status, bool(content["error"])) == (422, True)
    assert asked(port, f"/w/{token}/answer", {"item": "x" * 2_000_000})[0] == 413
    assert read_journal(journal(pairs, "w1")).given == ()


def test_a_disk_that_is_full_confirms_nothing(pairs: StudyFolder, port: int) -> None:
    token = pairs.tokens["w1"]
    item = asked(port, f"/w/{token}/state")[1]["item"]["id"]
    (pairs.path / ANSWERS).rename(pairs.path / "moved")
    sent = {"item": item, "answers": GOOD, "number": "1"}
    status, content = asked(port, f"/w/{token}/answer", sent)
    assert (status, "could not be stored" in content["error"]) == (507, True)
    (pairs.path / "moved").rename(pairs.path / ANSWERS)
    assert asked(port, f"/w/{token}/answer", sent)[1]["done"] == 1


class Hurried(threading.Thread):
    """A worker who answers a whole sheet, and sends again what was not confirmed."""

    def __init__(self, port: int, token: str, confirmed: set[str], failed: list[str]) -> None:
        super().__init__(daemon=True)
        self.port, self.token, self.confirmed, self.failed = port, token, confirmed, failed

    def ask(self, path: str, sent: Any = None) -> Any:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            try:
                status, content = asked(self.port, f"/w/{self.token}/{path}", sent)
            except (OSError, HTTPException, ValueError):
                time.sleep(0.2)
                continue
            if status == 200:
                return content
            self.failed.append(f"{path}: {status} {content}")
            return None
        self.failed.append(f"{path}: no answer")
        return None

    def run(self) -> None:
        while (state := self.ask("state")) and state["phase"] == "item":
            number = f"{self.token}-{state['done']}"
            sent = {"item": state["item"]["id"], "answers": GOOD, "number": number}
            if self.ask("answer", sent) is None:
                return
            self.confirmed.add(number)


@pytest.mark.slow
def test_a_hundred_workers_and_a_kill_in_the_middle(make: Make, arguments: Path) -> None:
    """Every answer that was confirmed is on disk once, and everybody comes to the end."""
    folder = make("pairs", arguments, workers=100, per_item=100, consent=False)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    rostrum = Path(sys.executable).with_name("rostrum")

    def begin() -> "subprocess.Popen[str]":
        command = [str(rostrum), "annotate", "serve", str(folder.path), "--port", str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout
        assert process.stdout.readline().startswith("organiser\t")
        return process

    confirmed: set[str] = set()
    failed: list[str] = []
    process = begin()
    workers = [Hurried(port, folder.tokens[sheet.worker], confirmed, failed) for sheet in folder.study.sheets]
    for worker in workers:
        worker.start()
    for share in (200, 450):
        while len(confirmed) < share and not failed:
            time.sleep(0.01)
        before = set(confirmed)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        stored = {
            given.number for sheet in folder.study.sheets for given in read_journal(journal(folder, sheet.worker)).given
        }
        assert before <= stored, "what was confirmed before the kill is on disk"
        process = begin()
    for worker in workers:
        worker.join(timeout=300)
    process.terminate()
    process.wait()
    assert failed == []
    for sheet in folder.study.sheets:
        given = read_journal(journal(folder, sheet.worker)).given
        assert [each.item for each in given] == list(sheet.items), "each item once, in the order of the sheet"
    assert len(confirmed) == 700
