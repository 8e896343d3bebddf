"""The transcript, subtitles and data of the speech as files."""

from dataclasses import dataclass
from functools import cache

from pipeline.output.exports import FORMATS, SpeechFormat
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts

# The export formats that a page offers, and their names for readers.
_NAMES = {
    "txt": "text",
    "docx": "Word",
    "srt": "SRT subtitles",
    "vtt": "WebVTT subtitles",
    "textgrid": "Praat",
    "eaf": "ELAN",
    "tsv": "sentences (TSV)",
}


@dataclass(frozen=True)
class Download:
    """A file to download: its format, its name, and its address."""

    format: SpeechFormat
    name: str
    summary: str
    href: str


def _view(data: ReportData, facts: SpeechFacts) -> tuple[Download, ...]:
    if facts.words is None:
        return ()
    link = data.links[facts.speech.id]
    return tuple(Download(form, name, summary, link.file(form.suffix)) for form, name, summary in _offered())


@cache
def _offered() -> list[tuple[SpeechFormat, str, str]]:
    """(format, name, summary) of every file, found once for all speeches."""
    summaries = FORMATS.summaries()
    return [(FORMATS.load(each).FORMAT, name, summaries[each]) for each, name in _NAMES.items()]


PANEL = Panel(place=35, view=_view)
