"""Building the report: read every speech, then write the pages that have changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import resources
from pathlib import Path
from typing import Any

from pipeline.finished import FinishedRun
from pipeline.machine import usable_cores
from pipeline.records import Motion, Recording
from pipeline.report.audio import write_opus
from pipeline.report.facts import Facts, Header, facts_of, headers_of
from pipeline.report.figure import Plot, files, inline
from pipeline.report.figures import figures
from pipeline.report.front_page import front_page
from pipeline.report.links import MotionLink, SpeechLink, motion_link, speech_links
from pipeline.report.motion_page import motion_page
from pipeline.report.site import FRONT, Site, fingerprint
from pipeline.report.speech_page import speech_data, speech_page
from pipeline.report.templating import render
from pipeline.store import Store, scope_of_motion

Progress = Callable[[float, str], None]
# What of the work is reading, and what is writing the speeches' pages and audio.
_READING, _WRITING = 0.2, 0.75


def write_report(store: Store, to: Path, progress: Progress = lambda share, what: None) -> Path:
    """Write the report of a run, or bring it up to date, and return its front page.

    `progress` is called with the share that is done and a word on it.
    """
    run, site = FinishedRun(store), Site(to)
    _write_static(site)
    count = max(len(run.speeches), 1)
    with ThreadPoolExecutor(usable_cores()) as pool:
        facts: list[Facts] = []
        for each in pool.map(partial(_read, run), run.speeches):
            facts.append(each)
            progress(_READING * len(facts) / count, "reading")
        debate = _Debate(run, facts)
        for done, speech in enumerate(pool.map(partial(_write_speech, site, debate), facts), 1):
            progress(_READING + _WRITING * done / count, speech)
    for motion in run.motions:
        _write_motion(site, debate, motion)
    _write_front(site, debate)
    site.finish()
    progress(1.0, "written")
    return to / FRONT


def _read(run: FinishedRun, speech: Any) -> Facts:
    scope = run.scope_of(speech.id)
    item = next((item for item in run.summary.items if item.scope == scope), None)
    return facts_of(run, speech, item)


@dataclass
class _Debate:
    """All that a page may show of other pages' speeches."""

    run: FinishedRun
    facts: list[Facts]

    @cached_property
    def links(self) -> Mapping[str, SpeechLink]:
        return speech_links(self.facts)

    @cached_property
    def motions(self) -> Mapping[str, MotionLink]:
        return {motion.id: motion_link(motion) for motion in self.run.motions}

    @cached_property
    def motion_headers(self) -> Mapping[str, Mapping[str, Header]]:
        return {motion.id: headers_of(self.run, scope_of_motion(motion.id)) for motion in self.run.motions}

    @cached_property
    def frame(self) -> Mapping[str, str]:
        """What stands on every page."""
        started = self.run.summary.started.replace("T", " ").removesuffix("+00:00")
        return {"run_name": Path(self.run.summary.corpus).name, "started": f"{started} UTC"}

    @cached_property
    def mentioned_in(self) -> Mapping[str, Sequence[SpeechLink]]:
        """By argument: the speeches that mention it."""
        found: dict[str, list[SpeechLink]] = {}
        for each in self.facts:
            for argument in each.mentioned:
                found.setdefault(argument, []).append(self.links[each.speech.id])
        return found

    def facts_on(self, motion: str) -> list[Facts]:
        return [each for each in self.facts if each.speech.motion == motion]

    @cached_property
    def states(self) -> Mapping[str, str]:
        """By motion: what its page shows, and what the pages of its speeches show of one another."""
        return {
            motion.id: fingerprint(
                motion.model_dump(),
                [each.state for each in self.facts_on(motion.id)],
                [argument.model_dump() for argument in self.run.arguments_on(motion.id)],
                [header.state for header in self.motion_headers[motion.id].values()],
            )
            for motion in self.run.motions
        }


def _write_static(site: Site) -> None:
    for file in resources.files("pipeline.report").joinpath("static").iterdir():
        content = file.read_text(encoding="utf-8")
        site.write([f"static/{file.name}"], fingerprint(content), partial(list, [content]))


def _write_speech(site: Site, debate: _Debate, facts: Facts) -> str:
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


def _write_motion(site: Site, debate: _Debate, motion: Motion) -> None:
    def make() -> Iterator[str]:
        page = motion_page(debate.run, motion, debate.facts_on(motion.id), debate.links)
        yield render("motion", root="../", page=page, motion=motion, **debate.frame)

    of = fingerprint(_code(), debate.frame, debate.states[motion.id])
    site.write([debate.motions[motion.id].href], of, make)


def _write_front(site: Site, debate: _Debate) -> None:
    summary = debate.run.summary
    of = fingerprint(
        *(_code(), debate.frame, debate.states, [each.state for each in debate.facts]),
        *(summary.failures, summary.seconds, [label.model_dump() for label in debate.run.known.labels]),
    )
    drawn = list(_write_plots(site, debate, of))

    def make() -> Iterator[str]:
        page = front_page(debate.run, debate.facts, debate.motion_headers, debate.links, [*debate.motions.values()])
        page.plots = drawn
        yield render("front", root="", front=page, **debate.frame)

    site.write([FRONT], of, make)


def _write_plots(site: Site, debate: _Debate, of: str) -> Iterator[Plot]:
    for figure in figures(debate.facts, debate.run.known):
        names = [f"plots/{figure.name}.{suffix}" for suffix in ("svg", "png")]
        site.write(names, of, partial(files, figure))
        yield inline(figure, (site.folder / names[0]).read_text(encoding="utf-8"))


@cache
def _code() -> str:
    """A digest of the code and templates that make the pages: a new version writes them anew."""
    package = resources.files("pipeline.report")
    sources = [*package.iterdir(), *package.joinpath("templates").iterdir()]
    return fingerprint([file.read_text() for file in sorted(sources, key=str) if file.is_file()])
