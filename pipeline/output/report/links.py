"""Where each speech and motion has its page, and each recording its file; all relative to the report's folder."""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.output.report.facts import Facts
from pipeline.output.report.site import page_name
from pipeline.records import Motion


@dataclass(frozen=True)
class SpeechLink:
    """A speech as something to follow and to hear; `audio` is None where there is no recording."""

    id: str
    href: str
    data: str
    audio: str | None


@dataclass(frozen=True)
class MotionLink:
    """A motion as something to follow."""

    id: str
    text: str
    href: str


def speech_links(facts: Iterable[Facts]) -> dict[str, SpeechLink]:
    """The link of every speech."""
    return {each.speech.id: _speech_link(each) for each in facts}


def _speech_link(facts: Facts) -> SpeechLink:
    page = page_name(facts.speech.id)
    ingest = facts.headers.get("ingest")
    # Named for its content too: a browser never plays the recording of an earlier run.
    audio = f"audio/{page}.{ingest.digest[:8]}.ogg" if ingest and ingest.skipped is None else None
    return SpeechLink(facts.speech.id, f"speeches/{page}.html", f"data/{page}.js", audio)


def motion_link(motion: Motion) -> MotionLink:
    page = page_name(motion.id)
    return MotionLink(motion.id, motion.text, f"motions/{page}.html")
