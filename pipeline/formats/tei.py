"""TEI of spoken language: ISO 24624 with its timeline, ParlaMint and other records of parliaments without times."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, even_pace, seconds, spread, turns_of, with_times, xml_root
from pipeline.records import Word

# What is in an utterance and is not said in it.
_NOT_SAID = frozenset(("note", "desc", "head", "gap", "pause", "vocal", "kinesic", "incident", "pb", "spanGrp", "time"))
_TOKENS, _LINES = frozenset(("w", "pc")), frozenset(("seg", "p", "ab"))
_ID, _LANG = "{http://www.w3.org/XML/1998/namespace}id", "{http://www.w3.org/XML/1998/namespace}lang"
_UNITS = {"s": 1.0, "ms": 0.001, "min": 60.0, "h": 3600.0}


# Signs that stand before a word, not after it.
_OPENING = frozenset("([{„“«‹¿¡")


@dataclass
class _Stretch:
    """What is said between two times, and the confidence of each of its words. A time that is not known is None."""

    speaker: str | None
    start: float | None
    end: float | None = None
    words: list[str] = field(default_factory=list)
    sure: list[float | None] = field(default_factory=list)


def read_tei(path: Path) -> TimedTranscript:
    """The utterances of a TEI document. If they have no times, words go at an even pace, and turns are not known."""
    root = xml_root(path, "TEI")
    if _name(root) not in ("TEI", "teiCorpus", "TEI.2"):
        raise RostrumError(f"{path}: not a TEI file: its first element is {_name(root)}, not TEI")
    names, times = _names(root), _times(root, path)
    reading = _Reading(times, path, has_joins=any("join" in each.attrib for each in root.iter()))
    for block in root.iter():
        for utterance in block:
            if _name(utterance) == "u":
                who = _pointer(utterance.get("who") or block.get("who"))
                reading.begin(names.get(who, who) or None, utterance.get("start") or block.get("start"))
                reading.add(utterance)
                reading.end(utterance.get("end") or block.get("end"))
    return _transcript(reading, _language(root))


def _transcript(reading: "_Reading", language: str | None) -> TimedTranscript:
    """The transcript of what was read. Times that are missing are put between those that are known."""
    stretches, lines = reading.stretches, tuple(line for line in map(" ".join, reading.lines) if line)
    times = [time for each in stretches for time in (each.start, each.end)]
    last = max((time for time in times if time is not None), default=None)
    if last is None:  # as of a text that nobody recorded, words follow one another at an even pace
        said = ((word, each.speaker) for each in stretches for word in each.words)
        return TimedTranscript(tuple(even_pace(said)), (), lines, language)
    filled = with_times(times, 0.0, last)
    timed = [
        Stretch(start, max(start, end), each.speaker, " ".join(each.words))
        for each, start, end in zip(stretches, filled[::2], filled[1::2], strict=True)
    ]
    words = [word for each, stretch in zip(stretches, timed, strict=True) for word in _words(each, stretch)]
    return TimedTranscript(tuple(words), turns_of(timed), lines, language)


def _words(read: _Stretch, stretch: Stretch) -> Iterator[Word]:
    for word, sure in zip(spread(stretch), read.sure, strict=True):
        yield word if sure is None else word.model_copy(update={"probability": sure})


def _language(root: Element) -> str | None:
    """The language of the text, else of the document, without its region."""
    texts = (each.get(_LANG) for each in root.iter() if _name(each) == "text")
    language = next(filter(None, texts), None) or root.get(_LANG) or "und"
    return None if language == "und" else language.partition("-")[0].lower()


def _name(element: Element) -> str:
    """The name of an element without its namespace; comments and instructions have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _pointer(text: str | None) -> str:
    """The id that a pointer leads to: the first one, with or without the sign before it."""
    return (text or "").partition(" ")[0].rpartition("#")[2]


def _plain(text: str) -> str:
    return " ".join(without_controls(text).split())


def _names(root: Element) -> dict[str, str]:
    """The names of people by their ids: the first name of each, in its parts' order."""
    names = {}
    for person in root.iter():
        if _name(person) in ("person", "personGrp") and (id := person.get(_ID)):
            name = next((each for each in person if _name(each) == "persName"), None)
            written = _plain(" ".join(name.itertext())) if name is not None else ""
            names[id] = written or _plain(person.get("n") or id)
    return names


def _times(root: Element, path: Path) -> dict[str, float]:
    """The seconds of every time of the timelines. One without a value is put between its neighbours."""
    times: dict[str, float] = {}
    for timeline in root.iter():
        if _name(timeline) != "timeline":
            continue
        unit = _UNITS.get(timeline.get("unit") or "s", 1.0)
        found: list[tuple[str, float | None]] = []
        known: dict[str, float] = {}
        for when in (each for each in timeline if _name(each) == "when"):
            id, since = when.get(_ID) or "", known.get(_pointer(when.get("since")), 0.0)
            at = _time(when, unit, since, path) if found else _time(when, unit, since, path) or 0.0
            found.append((id, at))
            if at is not None:
                known[id] = at
        last = max(known.values(), default=0.0)
        filled = with_times([at for _, at in found], 0.0, last)
        times |= {id: at for (id, _), at in zip(found, filled, strict=True)}
    return times


def _time(when: Element, unit: float, since: float, path: Path) -> float | None:
    if (interval := when.get("interval")) and interval not in ("unknown", "-1"):
        return round(since + seconds(interval, path) * _UNITS.get(when.get("unit") or "", unit), 6)
    if absolute := when.get("absolute"):
        parts = [seconds(part, path) for part in absolute.rpartition("T")[2].split(":")[:3]]
        return float(sum(part * 60**place for place, part in enumerate(reversed(parts))))
    return None


class _Reading:
    """Collects what utterances say: in stretches between two times, and in lines, one for each segment."""

    def __init__(self, times: Mapping[str, float], path: Path, has_joins: bool) -> None:
        self.stretches: list[_Stretch] = []
        self.lines: list[list[str]] = []
        self._times, self._path, self._has_joins = times, path, has_joins
        self._is_joined = False

    def begin(self, speaker: str | None, start: str | None) -> None:
        self._now = _Stretch(speaker, self._times.get(_pointer(start)))
        self.lines.append([])
        self._is_joined = False

    def end(self, end: str | None) -> None:
        self._anchor(self._times.get(_pointer(end)))

    def add(self, utterance: Element) -> None:
        """Everything that an element says, in order. (Elements may be nested to any depth.)"""
        pending: list[Element | str] = [utterance]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                for word in without_controls(part).split():
                    self._add_word(word, None)
            elif (name := _name(part)) == "anchor":
                if (at := self._times.get(_pointer(part.get("synch")))) is not None:
                    self._anchor(at)
            elif name in _TOKENS:
                self._add_token(part)
            elif name and name not in _NOT_SAID:
                if name in _LINES and self.lines[-1]:
                    self.lines.append([])
                inside = [part.text or "", *(each for child in part for each in (child, child.tail or ""))]
                pending += reversed(inside)

    def _anchor(self, at: float | None) -> None:
        """What was said until here ends, and the next words begin, at this time."""
        if self._now.words:
            self._now.end = at
            self.stretches.append(self._now)
        self._now = _Stretch(self._now.speaker, at)

    def _add_token(self, token: Element) -> None:
        """A word or a sign. One that is joined with the token before is a part of its word."""
        join = token.get("join", "")
        text = "".join(without_controls("".join(token.itertext())).split())
        is_sign = _name(token) == "pc" and not self._has_joins
        opens = is_sign and text[:1] in _OPENING
        is_joined = self._is_joined or join in ("left", "both") or (is_sign and not opens)
        self._is_joined = join in ("right", "both") or opens
        before = self._now if self._now.words else self.stretches[-1] if self.stretches else None
        if text and is_joined and before and self.lines[-1]:
            before.words[-1] += text
            self.lines[-1][-1] += text
        elif text:
            self._add_word(text, token.get("cert"))

    def _add_word(self, word: str, sure: str | None) -> None:
        self._now.words.append(word)
        self._now.sure.append(_share(sure))
        self.lines[-1].append(word)


def _share(text: str | None) -> float | None:
    """A confidence as a number; None for the words high, medium, low, unknown."""
    try:
        number = float(text) if text else math.nan
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
