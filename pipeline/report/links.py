"""The addresses of pages and recordings, relative to the report's folder."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.records import Motion
from pipeline.report.speech_facts import SpeechFacts
from pipeline.speakers import key_of

_LONGEST_NAME = 60
# Of more speakers than these, a label names only the first ones.
_MOST_NAMES, _SHOWN_NAMES = 4, 2
# Names that look as if they had a digest, and names that Windows reserves.
_NOT_PLAIN = re.compile(r".*-[0-9a-f]{6}|con|prn|aux|nul|com\d|lpt\d")


@dataclass(frozen=True)
class SpeechLink:
    """The addresses of a speech's page, data and recording. `audio` is None if there is no recording.

    `speakers` are the names by which a reader knows the speech. It is empty if nobody is named, or if another speech on
    the motion has the same speakers.
    """

    id: str
    href: str = ""
    data: str = ""
    audio: str | None = None
    speakers: str = ""

    def tile(self, number: int) -> str:
        """The address of the image of that number of the spectrogram."""
        return f"{(self.audio or '').removesuffix('.ogg')}.{number:03d}.webp"

    def file(self, suffix: str) -> str:
        """The address of a file to download, with this suffix."""
        return f"files/{self.href.rpartition('/')[2].removesuffix('.html')}{suffix}"

    @property
    def label(self) -> str:
        """The name of the speech for a reader: its speakers, or its id."""
        return self.speakers or self.id


@dataclass(frozen=True)
class MotionLink:
    """The address of a motion's page."""

    id: str
    text: str
    href: str

    @property
    def flow(self) -> str:
        """The address of the page with the motion's flow."""
        return self.href.replace("motions/", "flows/", 1)


def speech_links(facts: Iterable[SpeechFacts]) -> dict[str, SpeechLink]:
    """The link of every speech, by its id."""
    by_id = {each.speech.id: each for each in facts}
    spoken = Counter((each.speech.motion, _speakers(each)) for each in by_id.values())
    return {
        id: _speech_link(each, name, _speakers(each) if spoken[each.speech.motion, _speakers(each)] == 1 else "")
        for id, name in page_names(by_id).items()
        for each in [by_id[id]]
    }


class SpeechLinks(dict[str, SpeechLink]):
    """The link of every speech, by its id. What is said by somebody of whom nothing can be read has its recording's."""

    def __missing__(self, id: str) -> SpeechLink:
        recording, _, key = id.rpartition("/")
        return replace(self[recording], id=id, speakers=key) if recording in self else SpeechLink(id)


def part_links(links: Mapping[str, SpeechLink], parts: Sequence[SpeechFacts]) -> dict[str, SpeechLink]:
    """The links of speeches that are part of a recording: the recording's page and sound.

    Who makes speeches on a motion in several recordings is named with the recording.
    """
    names = {part.speech.id: _speakers(part) or key_of(part.speech).upper() for part in parts}
    spoken = Counter((part.speech.motion, names[part.speech.id]) for part in parts)
    named = {}
    for part in parts:
        name, recording = names[part.speech.id], links[part.speech.recording or ""]
        if spoken[part.speech.motion, name] > 1:
            name = f"{name} ({recording.id})"
        named[part.speech.id] = replace(recording, id=part.speech.id, speakers=name)
    return named


def _speakers(facts: SpeechFacts) -> str:
    """The names of a few speakers; of many, the first ones and how many more there are."""
    names = facts.speech.speakers
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN_NAMES])} and {len(names) - _SHOWN_NAMES} more"


def motion_links(motions: Iterable[Motion]) -> dict[str, MotionLink]:
    """The link of every motion, by its id."""
    by_id = {motion.id: motion for motion in motions}
    return {id: MotionLink(id, by_id[id].text, f"motions/{name}.html") for id, name in page_names(by_id).items()}


def page_names(ids: Iterable[str]) -> dict[str, str]:
    """A file name for every id. No two are equal, even if the file system ignores case.

    >>> page_names(["anna", "Anna"])
    {'anna': 'anna', 'Anna': 'anna-bf4fcc'}
    """
    names = {id: _page_name(id) for id in ids}
    uses = Counter(names.values())
    return {id: name if uses[name] == 1 else f"{name}-{_digest(id)}" for id, name in names.items()}


def _page_name(id: str) -> str:
    """The id in lower-case letters, digits and dashes. If that changes the id, a digest is added."""
    plain = re.sub(r"[^a-z0-9_]+", "-", id.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "page"
    return plain if plain == id and not _NOT_PLAIN.fullmatch(id) else f"{plain}-{_digest(id)[:6]}"


def _digest(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()


def _speech_link(facts: SpeechFacts, page: str, speakers: str) -> SpeechLink:
    ingest = facts.stages.get("ingest")
    # The name contains a digest, so that a browser never plays the recording of an earlier run.
    audio = f"audio/{page}.{ingest.digest[:8]}.ogg" if ingest and facts.duration is not None else None
    return SpeechLink(facts.speech.id, f"speeches/{page}.html", f"data/{page}.js", audio, speakers)
