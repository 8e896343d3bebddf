"""The page that searches all transcripts, and the texts of the transcripts, in parts of fifty speeches each."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pipeline.output.annotation.speech import annotated_speech
from pipeline.output.formatting import side
from pipeline.output.report.site import Site, fingerprint
from pipeline.output.report.templating import render, script
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts

PART = 50


def write_search(site: Site, data: ReportData) -> None:
    """Write the page and its texts, if they have changed."""
    spoken = [each for each in data.facts if each.words]
    parts = [spoken[first : first + PART] for first in range(0, len(spoken), PART)]
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
    found = annotated_speech(data.run, speech)
    motion = data.motions.get(speech.motion or "")
    return {
        "href": link.href,
        "audio": link.audio,
        "label": link.label,
        "stance": speech.stance,
        "side": side(speech.stance) if speech.stance else "",
        "motion": motion.text if motion else "",
        "sentences": [[round(e.start, 2), round(e.end, 2), e.text] for e in found.sentences] if found else [],
    }
