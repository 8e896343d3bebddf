"""The temporary Prefect server: it answers only the run that started it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from flows.server.temporary import TemporaryServer
from pipeline.errors import RostrumError

pytestmark = pytest.mark.usefixtures("server")  # Prefect's settings are a home of the tests' own


@pytest.fixture(scope="module")
def temporary(server: str) -> Iterator[TemporaryServer]:
    running = TemporaryServer()
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.stop()


def asked(server: TemporaryServer, *, credential: str = "", **headers: str) -> int:
    name, _, password = credential.partition(":")
    auth = httpx.BasicAuth(name, password) if credential else None
    return httpx.post(f"{server.url}/flow_runs/filter", json={}, auth=auth, headers=headers, timeout=60).status_code


def test_it_answers_the_run_that_started_it(temporary: TemporaryServer) -> None:
    assert asked(temporary, credential=temporary.credential) == 200


@pytest.mark.parametrize("credential", ["", "rostrum:", "rostrum:guessed"])
def test_nobody_else_is_answered(temporary: TemporaryServer, credential: str) -> None:
    assert asked(temporary, credential=credential) == 401


def test_another_host_is_refused(temporary: TemporaryServer) -> None:
    """A page in a browser reaches loopback by a name of its own that is made to point there."""
    assert asked(temporary, credential=temporary.credential, host="attacker.example") == 400


def test_another_origin_is_not_allowed_to_read(temporary: TemporaryServer) -> None:
    ask = {"origin": "http://attacker.example", "access-control-request-method": "POST"}
    answer = httpx.options(f"{temporary.url}/flow_runs/filter", headers=ask, timeout=60)
    assert "access-control-allow-origin" not in answer.headers


def test_each_server_has_a_credential_and_a_log_of_its_own(temporary: TemporaryServer, tmp_path: Path) -> None:
    assert len(temporary.credential) > 30
    assert temporary.log.exists()


def test_a_full_disk_is_told_before_the_server_would_wait_for_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    free = {str(tmp_path): 3 * 2**20}
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free.get(str(folder), 10**9)))
    with pytest.raises(RostrumError, match=r"only 3 MB are free there, .* or set TMPDIR to a folder with room"):
        TemporaryServer()
