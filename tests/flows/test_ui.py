"""What a person does in the Prefect UI, in both of its versions: finds a failure, and follows links down and up."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.flows.servers import PATIENCE, OwnServer, until
from tests.sounds import write_speech

UIS = pytest.mark.parametrize(("prefix", "scheme"), [("", "dark"), ("/v2", "light")], ids=["old", "new"])


class Served(NamedTuple):
    """A folder with a broken file whose run has ended, and its server."""

    server: OwnServer
    deployment: str
    out: Path

    def ask(self, path: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = httpx.post(f"{self.server.url}{path}", json=wanted, timeout=PATIENCE).json()
        return found

    @property
    def address(self) -> str:
        return self.server.url.removesuffix("/api")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("night")
    write_speech(folder / "debates" / "anna.wav")
    write_speech(folder / "debates" / "bob.wav", start=4.0)
    (folder / "debates" / "broken.wav").write_bytes(b"no sound")
    (folder / "debates" / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    rows = "".join(f"{name},{name}.wav,zoos,{name}\n" for name in ("anna", "bob", "broken"))
    (folder / "debates" / "speeches.csv").write_text(f"id,file,motion,speaker\n{rows}")
    server = OwnServer({**os.environ, "PREFECT_HOME": str(folder / "home")}, "flows", "server", "--port")
    out = folder / "run"
    command = [sys.executable, "-m", "flows", "serve", str(folder / "debates"), "--out", str(out), "--every", "1d"]
    process = subprocess.Popen(
        [*command, "--stages", "diarize", "--set", "diarize.mode=vad"],
        env={**server.environment, "PREFECT_API_URL": server.url},
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: "Failed" in server.flow_runs(), server.history)
        found = httpx.post(f"{server.url}/deployments/filter", json={}, timeout=PATIENCE).json()
        yield Served(server, found[0]["id"], out)
    finally:
        process.terminate()
        process.wait()
        server.stop()


def test_every_link_of_every_page_opens(served: Served) -> None:
    pages = served.ask("/artifacts/filter", {"artifacts": {"type": {"any_": ["markdown"]}}})
    ids = {page["id"] for page in pages}
    links = [link for page in pages for link in re.findall(r"\]\((.*?)\)", page["data"])]
    below = {link.removeprefix("../artifact/") for link in links if link.startswith("../")}
    assert below
    assert below <= ids
    reports = {link.removeprefix("http://127.0.0.1:8420/") for link in links if link.startswith("http")}
    assert {"index.html", "motions/zoos.html", "speeches/anna.html"} <= reports
    assert [page for page in reports if not (served.out / "_report" / page).is_file()] == []


@UIS
def test_a_failure_is_found_in_two_clicks(served: Served, browser: Any, prefix: str, scheme: str) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme).new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{served.address}{prefix}/deployments/deployment/{served.deployment}")
    page.get_by_role("link", name="debates: 3 new").first.click()
    page.get_by_text(re.compile("broken: ingest: .*cannot be decoded as audio")).first.wait_for()
    page.get_by_text("Subflow Runs", exact=True).first.click()
    page.get_by_role("link", name="broken", exact=True).first.click()
    page.get_by_text(re.compile("cannot be decoded as audio")).first.wait_for()
    assert wrong == []
    page.context.close()


@UIS
def test_links_lead_down_and_up(served: Served, browser: Any, prefix: str, scheme: str) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme).new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    (run,) = [each for each in served.ask("/artifacts/filter", {}) if re.search("^debates-run-", each["key"] or "")]
    page.goto(f"{served.address}{prefix}/artifacts/artifact/{run['id']}")
    for link, heading in (
        ("We should ban zoos", "We should ban zoos"),
        ("anna", "anna"),
        ("diarize", "diarize: anna"),
        ("ingest of anna", "ingest: anna"),
        ("the motion", "We should ban zoos"),
        ("the run", "night0/debates"),
        ("ingest", "ingest failed: broken"),
    ):
        # the old UI opens links of a page in a new tab
        page.goto(page.get_by_role("link", name=link, exact=True).first.evaluate("link => link.href"))
        page.get_by_role("heading", name=heading, exact=True).first.wait_for()
    assert wrong == []
    page.context.close()


@UIS
def test_tables_are_as_wide_as_their_page(served: Served, browser: Any, prefix: str, scheme: str) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme).new_page()
    page.set_default_timeout(1000 * PATIENCE)
    (run,) = [each for each in served.ask("/artifacts/filter", {}) if re.search("^debates-run-", each["key"] or "")]
    page.goto(f"{served.address}{prefix}/artifacts/artifact/{run['id']}")
    page.locator("table").last.wait_for()
    ends = "table => [table.getBoundingClientRect().right, table.parentElement.getBoundingClientRect().right]"
    for table in page.locator("table").all():
        right, room = table.evaluate(ends)
        assert right <= room + 1
    page.context.close()
