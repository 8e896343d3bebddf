"""The report of a large run: how long it takes to write, the size of its pages, and how soon a browser shows them.

    PYTHONPATH=. python benchmarks/report.py --to DIR [--speeches 500] [--seconds 240]

The run is made up (tests/synthetic_run.py): 25 motions, four minutes per speech. Loading is measured in Chromium, from
disk, with a cold cache each time: from navigation until content is first painted, and until everything is loaded.
"""

import statistics
import time
from pathlib import Path
from typing import Any

import click

from pipeline.cli.console import print_rows
from pipeline.records import Argument, Motion, Speech
from pipeline.report.build import write_report
from pipeline.run.store import Store
from tests.pipeline.conftest import ARGUMENTS, CHROMIUM
from tests.synthetic_run import MadeUp, write_run

_REPEATS = 5
_TIMINGS = """() => ({
    first: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    loaded: performance.getEntriesByType("navigation")[0].loadEventEnd,
})"""


def made_up(speeches: int, seconds: float, motions: int = 25) -> MadeUp:
    """Speeches evenly over motions, sides and speakers."""
    named = tuple(Motion(id=f"motion-{number:02d}", text=f"We should do thing {number}.") for number in range(motions))
    return MadeUp(
        motions=named,
        speeches=[
            Speech(
                id=f"{named[number % motions].id}/speech_{number:03d}",
                motion=named[number % motions].id,
                stance="pro" if number // motions % 2 else "con",
                speakers=(f"Speaker {number % 60}",),
            )
            for number in range(speeches)
        ],
        arguments=[
            Argument(id=f"{motion.id}-{number}", motion=motion.id, stance=stance, title=f"Reason {number}, {stance}.")
            for motion in named
            for number in range(5)
            for stance in ("pro", "con")
        ],
        seconds=seconds,
    )


@click.command()
@click.option("--to", "folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="A new folder.")
@click.option("--speeches", default=500, show_default=True, help="How many speeches.")
@click.option("--seconds", default=240.0, show_default=True, help="How long each is.")
def main(folder: Path, speeches: int, seconds: float) -> None:
    """Write a made-up run and its report below a folder, and measure the report."""
    run = folder / "run"
    store = Store(run) if (run / "run.json").exists() else write_run(run, made_up(speeches, seconds))
    report = folder / "report"
    rows = [
        {"what": what, "seconds": round(_timed(lambda: write_report(store, report)), 1)}
        for what in ("first report", "again, nothing changed")
    ]
    print_rows(f"{speeches} speeches of {seconds:g} s", rows)
    print_rows("Weight", list(_weights(report)))
    print_rows("Loading, milliseconds", list(_loading(report)))


def _timed(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _weights(report: Path) -> Any:
    for pattern in (
        "index.html",
        "motions/*.html",
        "speeches/*.html",
        "data/*.js",
        "audio/*.ogg",
        "plots/*",
        "static/*",
    ):
        sizes = [path.stat().st_size / 1000 for path in report.glob(pattern)]
        yield {"files": pattern, "count": len(sizes), "largest kB": max(sizes), "together MB": sum(sizes) / 1000}


def _loading(report: Path) -> Any:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        for name in ("index.html", "motions", "speeches"):
            path = report / name if name.endswith("html") else sorted((report / name).glob("*.html"))[0]
            timings = [_load(browser, path) for _ in range(_REPEATS)]
            row = {f"{key}, median": statistics.median(each[key] for each in timings) for key in timings[0]}
            yield {"page": name, **row, "worst": max(each["loaded"] for each in timings)}
        browser.close()


def _load(browser: Any, path: Path) -> dict[str, float]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="load")
    page.wait_for_timeout(200)  # the paint is reported a little after it happened
    timings: dict[str, float] = page.evaluate(_TIMINGS)
    context.close()
    return timings


if __name__ == "__main__":
    main()
