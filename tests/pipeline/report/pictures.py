"""Takes the pictures of a report for the docs: of a run of the samples, in Chromium.

    python -m tests.pipeline.report.pictures runs/audio_samples [--only front]

Of `report-map-fifty.png`, of a made-up run, there is no program.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline.report.build import write_report
from pipeline.report.editing import Editing
from pipeline.report.server import editing_application
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from tests.pipeline.conftest import ARGUMENTS, CHROMIUM
from tests.pipeline.report.conftest import TOKEN
from tests.pipeline.report.test_server import served_by

IMAGES = Path(__file__).parents[3] / "docs" / "images"
SPEECH = "speeches/schools_con_ruth.html"


def _as_it_is(page: Any) -> None:
    """The page, as it opens."""


def _correcting(page: Any) -> None:
    page.get_by_role("button", name="Correct this speech").press("Enter")
    page.wait_for_selector("#draft .word")
    word = page.locator("#draft .word").nth(62)
    word.scroll_into_view_if_needed()
    word.click()


def _searching(page: Any) -> None:
    page.get_by_role("searchbox").last.fill("the bully")
    page.locator("mark").first.wait_for()


def _zooming(page: Any) -> None:
    page.locator("#audio").evaluate("audio => { audio.currentTime = 7; }")
    for _ in range(5):
        page.locator("#zoom-in").click()
    page.locator("#tracks").evaluate("tracks => window.scrollTo(0, tracks.offsetTop - 60)")


def _playing(page: Any) -> None:
    button = page.locator(".hear-all").first
    button.scroll_into_view_if_needed()
    button.click()


class Picture(NamedTuple):
    """A picture of the docs: a page of the report, its size, and what is done there before it is taken."""

    name: str
    page: str
    size: tuple[int, int]
    prepare: Callable[[Any], None] = _as_it_is
    scheme: str = "light"
    media: str = "screen"
    corrects: bool = False


PICTURES = (
    Picture("front", "index.html", (1100, 820)),
    Picture("motion", "motions/week.html", (1000, 1100)),
    Picture("debate", "speeches/debate_week.html", (1000, 1500)),
    Picture("speech", SPEECH, (1100, 1000)),
    Picture("flow", "flows/week.html", (1200, 1150)),
    Picture("dark", SPEECH, (1200, 950), scheme="dark"),
    Picture("phone", SPEECH, (390, 844)),
    Picture("print", SPEECH, (760, 1000), media="print"),
    Picture("zoom", SPEECH, (1200, 700), _zooming),
    Picture("search", "search.html", (1200, 700), _searching),
    Picture("passages", "motions/week.html", (1200, 700), _playing),
    Picture("edit", "speeches/schools_exchange.html", (1200, 950), _correcting, corrects=True),
    Picture("queue", "queue.html", (1000, 700), corrects=True),
)


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True))
@click.option("--only", multiple=True, help="Names of pictures.")
def main(run: Path, only: tuple[str, ...]) -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        wanted = [each for each in PICTURES if not only or each.name in only]
        _take_all(browser, Store(str(run)), Path(place, "report"), wanted)
        browser.close()


def _take_all(browser: Any, store: Store, report: Path, pictures: list[Picture]) -> None:
    write_report(store, report)
    for picture in (each for each in pictures if not each.corrects):
        take(browser, (report / picture.page).as_uri(), picture)
    if corrected := [each for each in pictures if each.corrects]:
        with served_by(editing_application(report, Editing.of_run(FinishedRun(store)), TOKEN)) as port:
            for picture in corrected:
                take(browser, f"http://127.0.0.1:{port}/{TOKEN}/{picture.page}", picture)


def take(browser: Any, address: str, picture: Picture) -> None:
    """Take a picture of the page at an address, once nothing is loaded any more."""
    width, height = picture.size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=picture.scheme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.emulate_media(media=picture.media, color_scheme=picture.scheme)
    page.goto(address, wait_until="load")
    page.wait_for_timeout(1000)  # drawings
    picture.prepare(page)
    page.wait_for_timeout(1000)
    path = IMAGES / f"report-{picture.name}.png"
    page.screenshot(path=path)
    click.echo(path)
    context.close()


if __name__ == "__main__":
    main()
