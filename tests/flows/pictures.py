"""Takes the pictures of docs/prefect.md: a real server, a run of samples on a motion with a broken file, Chromium.

    python -m tests.flows.pictures [--all FOLDER] [--fifty] [--set transcribe.model=tiny.en]

With --all, every kind of page is also taken in both UIs, dark and light, 1,280 px wide, into FOLDER. With --fifty,
fifty clips are run for their picture, too.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
import httpx

from tests.flows.servers import PATIENCE, OwnServer, until
from tests.pipeline.conftest import ARGUMENTS, CHROMIUM
from tests.sounds import SAMPLES, write_speech

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
WIDTH = 1280
MOTION, SPEECH = "schools", "schools_pro_anna"


class Picture(NamedTuple):
    """A picture of the docs: the page it shows, in the new UI in light or in the old one in dark, and its height."""

    name: str
    page: str
    height: int = 660
    is_old: bool = False


# What is pictured, in the order of docs/prefect.md. A page is a name of `Site.pages`.
PICTURES = (
    Picture("run", "run", 540),
    Picture("run-old", "run", 540, is_old=True),
    Picture("speech-run", "run of a speech", 540),
    Picture("run-50", "run of 50", 540),
    Picture("run-page", "run page", 960),
    Picture("speech", "speech"),
    Picture("motion", "motion"),
    Picture("broken-file", "ingest of the broken file"),
    Picture("turns-old", "diarize", is_old=True),
    Picture("transcript", "transcribe"),
    Picture("wer", "score"),
    Picture("counter", "counter"),
    Picture("form", "form", 1060),
)


@click.command()
@click.option("--all", "everything", type=click.Path(path_type=Path), help="A folder for pictures of every page.")
@click.option("--fifty", is_flag=True, help="Run fifty clips, too.")
@click.option("--set", "assignments", multiple=True, help="Settings, as of `rostrum run`.")
def main(everything: Path | None, fifty: bool, assignments: tuple[str, ...]) -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    place = Path(tempfile.mkdtemp(prefix="rostrum-"))
    try:
        with _server(place) as server, sync_playwright() as playwright:
            if fifty:
                _run_fifty(server, place)
            site = Site(server, _process(server, place, assignments))
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
            for picture in (each for each in PICTURES if each.page in site.pages):
                take(
                    browser, site.address(picture.page, picture.is_old), IMAGES / f"prefect-{picture.name}.png", picture
                )
            for name in site.pages if everything else ():
                for is_old in (False, True):
                    for scheme in ("light", "dark"):
                        file = f"{name.replace(' ', '-')}-{'old' if is_old else 'new'}-{scheme}.png"
                        assert everything
                        everything.mkdir(parents=True, exist_ok=True)
                        shown = Picture(name, name, 2400, is_old)
                        take(browser, site.address(name, is_old), everything / file, shown, scheme)
            browser.close()
    finally:
        shutil.rmtree(place)


def take(browser: Any, address: str, path: Path, picture: Picture, scheme: str | None = None) -> None:
    """Take a picture of the page at an address, once nothing is loaded any more."""
    size = {"width": WIDTH, "height": picture.height}
    context = browser.new_context(viewport=size, color_scheme=scheme or ("dark" if picture.is_old else "light"))
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(address)
    page.locator("canvas, h1, table, form").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(2500)  # the graph moves to its place
    page.screenshot(path=path)
    click.echo(path)
    context.close()


@contextmanager
def _server(place: Path) -> Iterator[OwnServer]:
    # Words that were recognised before would have taken no time.
    own = {"PREFECT_HOME": str(place / "prefect"), "ROSTRUM_LOCKS": str(place / "locks"), "ROSTRUM_TRANSCRIPTS": "off"}
    server = OwnServer({**os.environ, **own}, "flows", "server", "--port")
    try:
        yield server
    finally:
        server.stop()


def _environment(server: OwnServer) -> dict[str, str]:
    return {**server.environment, "PREFECT_API_URL": server.url, "PYTHONPATH": str(ROOT)}


def _run_fifty(server: OwnServer, place: Path) -> None:
    for number in range(50):
        write_speech(place / "2026" / "50 clips" / f"clip{number:02d}.wav", seconds=1.0)
    command = [
        sys.executable,
        "-m",
        "flows",
        "run",
        str(place / "2026" / "50 clips"),
        "--out",
        str(place / "runs" / "50"),
    ]
    few = ["--stages", "diarize", "--set", "diarize.mode=vad", "--no-report"]
    subprocess.run([*command, *few], env=_environment(server), check=True, cwd=place)


def _process(server: OwnServer, place: Path, assignments: tuple[str, ...]) -> str:
    """Serve samples on a motion, and a broken file, until their run has ended. Returns the deployment's id."""
    folder = place / "2026" / "debates"
    folder.mkdir(parents=True)
    for path in SAMPLES.glob(f"{MOTION}_*"):
        shutil.copy(path, folder)
    for name in ("motions.csv", "speeches.csv", "arguments.csv"):
        head, *rows = (SAMPLES / name).read_text().splitlines()
        (folder / name).write_text("\n".join([head, *(row for row in rows if row.startswith(MOTION))]) + "\n")
    (folder / "schools_pro_zoe.wav").write_bytes(b"no sound")
    with (folder / "speeches.csv").open("a") as manifest:
        manifest.write("schools_pro_zoe,schools_pro_zoe.wav,schools,pro,Zoe,,,\n")
    settings = [part for each in assignments for part in ("--set", each)]
    serving = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "flows",
            "serve",
            str(folder),
            "--out",
            str(place / "runs" / "debates"),
            "--every",
            "1d",
            *settings,
        ],
        env=_environment(server),
        cwd=place,
    )
    try:
        until(lambda: "Failed" in server.flow_runs(), server.history, 3600.0)
    finally:
        serving.terminate()
        serving.wait()
    return str(_ask(server, "/deployments/filter")[0]["id"])


def _ask(server: OwnServer, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while page := httpx.post(f"{server.url}{path}", json={"offset": len(found)}, timeout=PATIENCE).json():
        found += page
    return found


@dataclass
class Site:
    """The addresses of the pages that are pictured."""

    server: OwnServer
    deployment: str

    def __post_init__(self) -> None:
        artifacts = {each["key"]: each["id"] for each in _ask(self.server, "/artifacts/filter") if each["key"]}
        runs = {each["name"]: each["id"] for each in _ask(self.server, "/flow_runs/filter")}
        name = SPEECH.replace("_", "-")

        def page(pattern: str) -> str:
            (key,) = [key for key in artifacts if re.fullmatch(rf"debates-{pattern}-[0-9a-f]{{8}}", key)]
            return f"/artifacts/artifact/{artifacts[key]}"

        def run(start: str) -> str:
            return "/runs/flow-run/" + next(id for each, id in runs.items() if each.startswith(start))

        stages = [re.fullmatch(rf"debates-([a-z]+)-{name}-[0-9a-f]{{8}}", key) for key in artifacts]
        on_motion = [re.fullmatch(r"debates-([a-z]+)-schools-[0-9a-f]{8}", key) for key in artifacts]
        self.pages = {
            "run": run("2026/debates: "),
            "run of a speech": run(SPEECH),
            "run page": page("run"),
            "speeches": page("speeches"),
            "ingest of the broken file": page("ingest-schools-pro-zoe"),
            "form": f"/deployments/deployment/{self.deployment}/run",
            "deployment": f"/deployments/deployment/{self.deployment}",
            **{each[1]: page(f"{each[1]}-{name}") for each in stages if each},
            **{each[1]: page(f"{each[1]}-schools") for each in on_motion if each},
        }

        if fifty := [each for each in runs if each.startswith("2026/50 clips: ")]:
            self.pages["run of 50"] = run(fifty[0])

    def address(self, name: str, is_old: bool) -> str:
        return self.server.url.removesuffix("/api") + ("" if is_old else "/v2") + self.pages[name]


if __name__ == "__main__":
    main()
