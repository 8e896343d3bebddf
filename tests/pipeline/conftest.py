"""A report of a made-up run, and a browser to look at it with."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.records import Argument, Motion, Speech
from pipeline.report.build import write_report
from pipeline.run.storage import LocalStorage
from pipeline.run.store import Store
from tests.synthetic_run import MadeUp, debate, write_run

CHROMIUM = Path("/usr/bin/chromium")
# No sandbox in a container; and nothing that a browser does on the side.
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SCRIPT = "<script>window.hacked=1</script></script><img src=x onerror=window.hacked=2>"
QUOTES = 'She said "it\'s" & left; ${1+1} {{ 7*7 }} {% raw %} $x^2$'
RIGHT_TO_LEFT = "نحن ندعو إلى حظر الهواتف"
EMOJI = "🗣️ 👩🏽‍🚀 𝔘𝔫𝔦"
LONG = "Longname" * 37 + "Last"


def hostile() -> MadeUp:
    """Names and titles of the worst kind."""
    motions = (Motion(id="m<1>", text=f"{SCRIPT} {QUOTES}"), Motion(id=RIGHT_TO_LEFT, text=f"{RIGHT_TO_LEFT} {LONG}"))
    speeches = (
        Speech(id=f"<b>{EMOJI}</b>", motion="m<1>", stance="pro", speakers=(f"{SCRIPT}{QUOTES}",)),
        Speech(id=RIGHT_TO_LEFT, motion="m<1>", stance="con", speakers=(LONG,)),
        Speech(id="a'b\"c", motion=RIGHT_TO_LEFT, stance="pro", speakers=(EMOJI, RIGHT_TO_LEFT)),
    )
    arguments = [Argument(id="<a>", motion="m<1>", stance="pro", title=SCRIPT, text=QUOTES)]
    return MadeUp(motions, speeches, arguments, seconds=6.0)


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(tmp_path_factory.mktemp("run"), debate())


@pytest.fixture(scope="session")
def report(run: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(run, tmp_path_factory.mktemp("report") / "new").parent


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = write_run(tmp_path_factory.mktemp("hostile"), hostile())
    return write_report(store, Path(store.root, "_report")).parent


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium. It ends with the module: while it runs, its thread has an event loop, and others cannot start one."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails the test when something goes wrong in it, or when it asks for more than this machine has."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(f"{request.url}: {request.failure}"))
    page.on("request", lambda request: wrong.append(request.url) if not is_local(request.url) else None)
    yield page
    context.close()
    # A player that is left while it loads breaks off its request.
    assert [each for each in wrong if "ERR_ABORTED" not in each] == []


def is_local(url: str) -> bool:
    return url.startswith(("file://", "data:", "blob:", "http://127.0.0.1:"))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file of a run is read while a test runs, by name."""
    counts: Counter[str] = Counter()
    read = LocalStorage.read

    def counted(storage: LocalStorage, name: str) -> bytes | None:
        counts[name] += 1
        return read(storage, name)

    monkeypatch.setattr(LocalStorage, "read", counted)
    return counts
