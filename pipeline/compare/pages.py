"""Writes a comparison as pages that open from disk: its tables, and each speech with the words of every run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline.compare.compare import Comparison, lines
from pipeline.compare.heard import Column, ComparedSpeech
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.report.audio import write_opus
from pipeline.report.build import write_static
from pipeline.report.links import page_names
from pipeline.report.page import render
from pipeline.report.site import FRONT, Site, fingerprint, opened
from pipeline.run.finished import FinishedRun
from pipeline.run.summary import Row

# Columns whose values are shown as percentages.
_SHARES = ("wer", "wer_macro", "difference", "share", "cpwer", "tcpwer")
_HEADINGS = {"wer": "WER", "wer_macro": "mean of the speeches", "cpwer": "cpWER", "tcpwer": "tcpWER"}
# A line of an aligned transcript ends at the first right word after so many.
_LINE = 14


@dataclass(frozen=True)
class SpeechPage:
    """A speech's place among the pages. `audio` is None if there is no recording."""

    compared: ComparedSpeech
    href: str
    audio: str | None

    @property
    def passages(self) -> list[Sequence[Column]]:
        """The columns in passages of some words each. A passage begins where all runs are right."""
        passages: list[list[Column]] = [[]]
        for column in self.compared.columns:
            if len(passages[-1]) >= _LINE and column.is_right:
                passages.append([])
            passages[-1].append(column)
        return [passage for passage in passages if passage]


def write_comparison(
    runs: Sequence[FinishedRun], comparison: Comparison, to: Path, progress: Progress = no_progress
) -> Path:
    """Write the pages of a comparison, or bring them up to date, and return the front page."""
    pages = list(_pages(runs[0], comparison))
    frame = {
        "run_name": " and ".join(comparison.names),
        "started": runs[-1].summary.started[:16].replace("T", " ") + " UTC",
    }
    with opened(to) as site:
        write_static(site)
        for done, page in enumerate(pages, 1):
            _write_speech(site, runs[0], comparison, page, frame)
            progress(done / (len(pages) + 1), page.compared.speech.id)
        _write_front(site, comparison, pages, frame)
    progress(1.0, "written")
    return to / FRONT


def _write_front(site: Site, comparison: Comparison, pages: Sequence[SpeechPage], frame: dict[str, str]) -> None:
    links = {page.compared.speech.id: page.href for page in pages}
    notes = list(lines(comparison))
    context = {
        "comparison": comparison,
        "tables": {name: _columns(rows, comparison.names) for name, rows in comparison.tables.items()},
        "pages": pages,
        "links": links,
        "notes": notes,
    }

    def make() -> Iterator[str]:
        yield render("compare", root="", page=(), **context, **frame)

    site.write([FRONT], fingerprint(frame, comparison.tables, notes, links), make)


def _pages(run: FinishedRun, comparison: Comparison) -> Iterator[SpeechPage]:
    names = page_names(compared.speech.id for compared in comparison.speeches)
    for compared in comparison.speeches:
        name, recording = names[compared.speech.id], run.of_speech(Recording, compared.speech.id)
        audio = f"audio/{name}.{recording.audio.sha256[:8]}.ogg" if recording else None
        yield SpeechPage(compared, f"speeches/{name}.html", audio)


def _write_speech(
    site: Site, run: FinishedRun, comparison: Comparison, page: SpeechPage, frame: dict[str, str]
) -> None:
    recording = run.of_speech(Recording, page.compared.speech.id)
    if page.audio and recording:
        site.produce(page.audio, partial(write_opus, recording))

    def make() -> Iterator[str]:
        yield render("compare-speech", root="../", page=(), speech=page, names=comparison.names, **frame)

    of = [errors.digest() for errors in page.compared.errors]
    site.write([page.href], fingerprint(frame, of, page.compared.speech.model_dump()), make)


@dataclass(frozen=True)
class TableColumn:
    """A column of a table, and how its values are shown. With `has_interval`, rows also have the interval's ends."""

    name: str
    heading: str
    is_share: bool
    is_number: bool
    has_interval: bool


def _columns(rows: Sequence[Row], runs: Sequence[str]) -> list[TableColumn]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [
        TableColumn(
            name,
            _HEADINGS.get(name, name if name in runs else name.replace("_", " ")),
            name in _SHARES or (name in runs and any(isinstance(row.get(name), float) for row in rows)),
            any(isinstance(row.get(name), int | float) for row in rows),
            f"{name}_low" in names,
        )
        for name in names
        if not name.endswith(("_low", "_high"))
    ]
