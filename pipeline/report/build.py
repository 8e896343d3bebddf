"""Builds the report: reads every speech, then writes the pages that have changed."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any

from markupsafe import Markup

from pipeline.export.speech import annotated_speech
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import Motion
from pipeline.report.audio import Spectrogram, tiles, write_opus
from pipeline.report.figures import files, inline
from pipeline.report.flow import svg
from pipeline.report.formatting import side
from pipeline.report.page import render, script
from pipeline.report.player import player_data
from pipeline.report.run_data import ReportData
from pipeline.report.site import FRONT, Site, fingerprint, opened
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.store import Store
from pipeline.system.environment import usable_cores

# The share of the work that is reading, and the share that is writing the speeches' pages and audio.
_READING, _WRITING = 0.2, 0.75
# The share of a recording's files that is its audio. The rest is its spectrogram.
_AUDIO = 0.5
# The texts for the search are in files of so many speeches.
_PART = 50


def write_report(store: Store, to: Path, progress: Progress = no_progress) -> Path:
    """Write the report of a run, or bring it up to date, and return its front page.

    `progress` is called with the share that is done and what is being done.
    """
    return write_pages(ReportData.read(store, lambda share, what: progress(_READING * share, what)), to, progress)


def write_pages(data: ReportData, to: Path, progress: Progress) -> Path:
    """Write the report of a run that has been read; see `write_report`."""
    with opened(to) as site:
        write_static(site)
        writing = _Writing(data, progress)
        longest_first = sorted(data.facts, key=lambda facts: -(facts.duration or 0.0))
        with ThreadPoolExecutor(usable_cores()) as pool:
            for _ in pool.map(partial(_write_speech, site, data, writing), longest_first):
                pass
        for motion in data.run.motions:
            _write_motion(site, data, motion)
        _write_search(site, data)
        _write_front(site, data)
    progress(1.0, "written")
    return to / FRONT


class _Writing:
    """Progress of what is written of all speeches, at the same time. A speech counts by the length of its recording."""

    def __init__(self, data: ReportData, progress: Progress) -> None:
        self._progress, self._lock = progress, Lock()
        self._lengths = {facts.speech.id: 1.0 + (facts.duration or 0.0) for facts in data.facts}
        self._total, self._done = sum(self._lengths.values()), 0.0
        self._shares: dict[str, float] = {}

    def of(self, speech: str, share: float, what: str = "") -> None:
        """Note that this share of a speech's page and audio is written."""
        with self._lock:
            self._done += self._lengths[speech] * (share - self._shares.get(speech, 0.0))
            self._shares[speech] = share
            self._progress(_READING + _WRITING * self._done / self._total, speech)


def write_static(site: Site) -> None:
    """Write the styles and scripts of all pages."""
    for file in resources.files("pipeline.report").joinpath("static").iterdir():
        content = file.read_text(encoding="utf-8")
        site.write([f"static/{file.name}"], fingerprint(content), partial(list, [content]))


def _write_speech(site: Site, data: ReportData, writing: _Writing, facts: SpeechFacts) -> None:
    """Write a speech's page, its data and its audio."""
    speech, link = facts.speech, data.links[facts.speech.id]
    motion = data.motions.get(speech.motion or "")
    names = [link.href]
    if link.audio:
        names.append(link.data)
        _write_recording(site, data, facts, partial(writing.of, speech.id))
    page = data.speech_page(facts)
    downloads = page["downloads"]
    names += [download.href for download in downloads]

    def make() -> Iterator[str | bytes]:
        yield render("speech", root="../", page=page, facts=facts, link=link, motion=motion, **data.on_every_page)
        if link.audio:
            yield player_data(data, speech.id, page["transcript"])
        annotated = annotated_speech(data.speech_results(speech.id))
        for each in downloads:
            assert annotated
            yield each.format.content(annotated)

    state = data.states[motion.id] if motion else facts.state
    site.write(names, fingerprint(data.on_every_page, state), make)
    writing.of(speech.id, 1.0)


def _write_recording(site: Site, data: ReportData, facts: SpeechFacts, progress: Progress) -> None:
    """Write the recording and its spectrogram, unless they exist. Their names contain a digest of their content."""
    link = data.links[facts.speech.id]
    images = [link.tile(number) for number in range(tiles(facts.duration or 0.0))]
    if link.audio and not site.has([link.audio, *images]):
        recording = data.of_speech(Recording, facts.speech.id)
        if recording is None:  # it is damaged, which the front page reports
            return
        site.produce(
            link.audio, partial(write_opus, recording, progress=lambda share, what: progress(_AUDIO * share, what))
        )
        spectrogram = Spectrogram(recording)
        for number, name in enumerate(images):
            progress(_AUDIO + (1 - _AUDIO) * number / len(images), "spectrogram")
            site.produce(name, partial(spectrogram.write, number))


def _write_motion(site: Site, data: ReportData, motion: Motion) -> None:
    def make() -> Iterator[str]:
        page, flow = data.motion_page(motion), None
        if data.has_flow(motion) and data.flow(motion).rows:
            flow = link.flow
        yield render("motion", root="../", page=page, motion=motion, flow=flow, **data.on_every_page)

    def make_flow() -> Iterator[str]:
        flow = data.flow(motion)
        yield render("flow", root="../", page=data.flow_page(motion), motion=motion, **data.on_every_page)
        yield flow.csv()
        yield svg(flow, motion)

    link = data.motions[motion.id]
    of = fingerprint(data.on_every_page, data.states[motion.id])
    site.write([link.href], of, make)
    if data.has_flow(motion):
        names = [link.flow, *(link.flow.replace(".html", suffix) for suffix in (".csv", ".svg"))]
        site.write(names, of, make_flow)


def _write_search(site: Site, data: ReportData) -> None:
    """Write the page that searches all transcripts, and their texts in parts of fifty speeches each."""
    spoken = [facts for facts in data.facts if facts.words]
    parts = [spoken[first : first + _PART] for first in range(0, len(spoken), _PART)]
    for number, part in enumerate(parts):
        of = fingerprint([(each.state, data.links[each.speech.id].speakers) for each in part])
        site.write([f"data/search-{number}.js"], of, partial(_texts, data, part))

    def make() -> Iterator[str]:
        yield render("search", root="", page=(), shards=len(parts), **data.on_every_page)

    site.write(["search.html"], fingerprint(data.on_every_page, len(parts)), make)


def _texts(data: ReportData, part: Sequence[SpeechFacts]) -> Iterator[str]:
    yield script("search", [_text(data, each) for each in part])


def _text(data: ReportData, facts: SpeechFacts) -> dict[str, Any]:
    speech, link = facts.speech, data.links[facts.speech.id]
    annotated = annotated_speech(data.speech_results(speech.id))
    motion = data.motions.get(speech.motion or "")
    return {
        "href": link.href,
        "audio": link.audio,
        "label": link.label,
        "stance": speech.stance,
        "side": side(speech.stance) if speech.stance else "",
        "motion": motion.text if motion else "",
        "sentences": [[round(e.start, 2), round(e.end, 2), e.text] for e in annotated.sentences] if annotated else [],
    }


def _write_front(site: Site, data: ReportData) -> None:
    """Write the front page and its figures, which take a while to draw."""
    of = fingerprint(
        *(data.on_every_page, data.states, [facts.state for facts in data.facts]),
        *(data.failures, [label.model_dump() for label in data.run.known.labels]),
    )
    if site.keep(of):
        return
    drawn = _write_plots(site, data, of)

    def make() -> Iterator[str]:
        yield render("front", root="", page=data.front_page, data=data, drawn=drawn, **data.on_every_page)

    site.write([FRONT], of, make)


def _write_plots(site: Site, data: ReportData, of: str) -> Mapping[str, Markup]:
    """Draw the figures of the front page into files, and return them as parts of the page by name."""
    drawings = {}
    for figure in data.front_page["plots"]:
        names = [f"plots/{figure.name}.{suffix}" for suffix in ("svg", "png")]
        site.write(names, of, partial(files, figure))
        drawings[figure.name] = inline(figure, (site.folder / names[0]).read_text(encoding="utf-8"))
    return drawings
