"""Building the report: read every speech, then write the pages that have changed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib import resources
from pathlib import Path

from pipeline.engine.finished import FinishedRun
from pipeline.engine.store import Store
from pipeline.machine import usable_cores
from pipeline.output.report.audio import write_opus
from pipeline.output.report.debate import Debate, Progress
from pipeline.output.report.facts import Facts
from pipeline.output.report.figure import Plot, files, inline
from pipeline.output.report.figures import figures
from pipeline.output.report.front_page import front_page
from pipeline.output.report.motion_page import motion_page
from pipeline.output.report.site import FRONT, Site, fingerprint
from pipeline.output.report.speech_page import speech_data, speech_page
from pipeline.output.report.templating import render
from pipeline.records import Motion, Recording

# What of the work is reading, and what is writing the speeches' pages and audio.
_READING, _WRITING = 0.2, 0.75


def write_report(store: Store, to: Path, progress: Progress = lambda share, what: None) -> Path:
    """Write the report of a run, or bring it up to date, and return its front page.

    `progress` is called with the share that is done and a word on it.
    """
    return write_pages(Debate.read(store, lambda share, what: progress(_READING * share, what)), to, progress)


def write_pages(debate: Debate, to: Path, progress: Progress = lambda share, what: None) -> Path:
    """The same of a run that has been read."""
    site = Site(to)
    _write_static(site)
    with ThreadPoolExecutor(usable_cores()) as pool:
        for done, speech in enumerate(pool.map(partial(_write_speech, site, debate), debate.facts), 1):
            progress(_READING + _WRITING * done / len(debate.facts), speech)
    for motion in debate.run.motions:
        _write_motion(site, debate, motion)
    _write_front(site, debate)
    site.finish()
    progress(1.0, "written")
    return to / FRONT


def _write_static(site: Site) -> None:
    for file in resources.files("pipeline.output.report").joinpath("static").iterdir():
        content = file.read_text(encoding="utf-8")
        site.write([f"static/{file.name}"], fingerprint(content), partial(list, [content]))


def _write_speech(site: Site, debate: Debate, facts: Facts) -> str:
    """Write a speech's page, its data and its audio; returns its id."""
    run, speech, link = debate.run, facts.speech, debate.links[facts.speech.id]
    motion = debate.motions.get(speech.motion or "")
    names = [link.href]
    if link.audio:
        names.append(link.data)
        site.produce(link.audio, partial(_write_audio, run, speech.id))

    def make() -> Iterator[str]:
        page = speech_page(run, facts, debate.links, debate.mentioned_in)
        yield render("speech", root="../", page=page, speech=speech, motion=motion, **debate.frame)
        if link.audio:
            yield speech_data(run, page)

    state = debate.states[motion.id] if motion else facts.state
    site.write(names, fingerprint(_code(), debate.frame, state), make)
    return speech.id


def _write_audio(run: FinishedRun, speech: str, path: Path) -> None:
    recording = run.of_speech(Recording, speech)
    assert recording is not None
    write_opus(recording, path)


def _write_motion(site: Site, debate: Debate, motion: Motion) -> None:
    def make() -> Iterator[str]:
        page = motion_page(debate.run, motion, debate.facts_on(motion.id), debate.links)
        yield render("motion", root="../", page=page, motion=motion, **debate.frame)

    of = fingerprint(_code(), debate.frame, debate.states[motion.id])
    site.write([debate.motions[motion.id].href], of, make)


def _write_front(site: Site, debate: Debate) -> None:
    """Write the front page and its figures; what they are made of is the same, and takes a while to draw."""
    summary = debate.run.summary
    of = fingerprint(
        *(_code(), debate.frame, debate.states, [each.state for each in debate.facts]),
        *(summary.failures, summary.seconds, [label.model_dump() for label in debate.run.known.labels]),
    )
    if site.keep(of):
        return
    drawn = list(_write_plots(site, debate, of))

    def make() -> Iterator[str]:
        page = front_page(debate.run, debate.facts, debate.motion_headers, debate.links, [*debate.motions.values()])
        page.plots = drawn
        yield render("front", root="", front=page, **debate.frame)

    site.write([FRONT], of, make)


def _write_plots(site: Site, debate: Debate, of: str) -> Iterator[Plot]:
    for figure in figures(debate.facts, debate.run.known):
        names = [f"plots/{figure.name}.{suffix}" for suffix in ("svg", "png")]
        site.write(names, of, partial(files, figure))
        yield inline(figure, (site.folder / names[0]).read_text(encoding="utf-8"))


@cache
def _code() -> str:
    """A digest of the code and templates that make the pages: a new version writes them anew."""
    package = resources.files("pipeline.output.report")
    sources = [*package.iterdir(), *package.joinpath("templates").iterdir()]
    return fingerprint([file.read_text() for file in sorted(sources, key=str) if file.is_file()])
