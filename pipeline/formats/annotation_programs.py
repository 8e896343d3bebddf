"""Transcripts of annotation programs: ELAN's `.eaf`, Praat's `.TextGrid`, EXMARaLDA's `.exb` and Transcriber's `.trs`.

A tier `words` (or `NAME - words`, as forced aligners write it) has words, a tier `speakers` the names of who speaks.
Without a tier of words, each tier of sentences is what one speaker says; the tier's participant or name is the speaker.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, seconds, transcript_of, turns_of, with_times, xml_root
from pipeline.records import Turn, Word
from pipeline.system.files import read_text

# What the names of tiers that rostrum and forced aligners write say of their content.
_WORDS, _SENTENCES = frozenset({"words", "word"}), frozenset({"sentences", "utterances"})
_SPEAKERS, _NOT_SAID = "speakers", frozenset({"mentions", "phones", "phonemes"})
# The name in the tier of speakers where only speech was detected.
_NOBODY = "speech"
# A word at most so many seconds outside of a turn belongs to it: two programs may put its edge differently.
_NEAR = 1.0


@dataclass(frozen=True)
class _Tier:
    name: str
    speaker: str | None
    intervals: tuple[tuple[float, float, str], ...]
    is_part: bool = False

    @property
    def kind(self) -> str:
        return self.name.rpartition(" - ")[2].strip().lower()

    @property
    def owner(self) -> str | None:
        """Whose tier it is: its participant, or the name before its kind."""
        return self.speaker or self.name.rpartition(" - ")[0].strip() or None


def read_eaf(path: Path) -> TimedTranscript:
    """The transcript in an ELAN file."""
    root = xml_root(path, "ELAN")
    order = [(slot.get("TIME_SLOT_ID"), slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT")]
    known = [None if value is None else seconds(value, path) / 1000 for _, value in order]
    filled = with_times(known, 0.0, max((time for time in known if time is not None), default=0.0))
    times = {slot: time for (slot, _), time in zip(order, filled, strict=True)}
    tiers = []
    for element in root.iter("TIER"):
        intervals = []
        for annotation in element.iter("ALIGNABLE_ANNOTATION"):
            try:
                start, end = (times[annotation.get(name)] for name in ("TIME_SLOT_REF1", "TIME_SLOT_REF2"))
            except KeyError as error:
                raise RostrumError(f"{path}: an annotation has the time slot {error}, which is not in it") from error
            intervals.append((start, max(start, end), _clean(annotation.findtext("ANNOTATION_VALUE") or "")))
        name, participant = _clean(element.get("TIER_ID") or ""), _clean(element.get("PARTICIPANT") or "")
        tiers.append(_Tier(name, participant or None, tuple(intervals), "PARENT_REF" in element.attrib))
    return _transcript(tiers)


def read_exb(path: Path) -> TimedTranscript:
    """The transcript in a basic transcription of EXMARaLDA: the transcription tiers (type t) of its speakers."""
    root = xml_root(path, "EXMARaLDA")
    order = [(item.get("id"), item.get("time")) for item in root.iter("tli")]
    known = [None if value is None else seconds(value, path) for _, value in order]
    filled = with_times(known, 0.0, max((time for time in known if time is not None), default=0.0))
    times = {id: time for (id, _), time in zip(order, filled, strict=True)}
    names = {each.get("id"): _clean(each.findtext("abbreviation") or "") for each in root.iter("speaker")}
    stretches = []
    for tier in root.iter("tier"):
        if tier.get("type") != "t":
            continue
        speaker = names.get(tier.get("speaker")) or None
        for event in tier.iter("event"):
            try:
                start, end = (times[event.get(name)] for name in ("start", "end"))
            except KeyError as error:
                raise RostrumError(f"{path}: an event has the time {error}, which is not in its timeline") from error
            if text := _clean(event.text or ""):
                stretches.append(Stretch(start, max(start, end), speaker, text))
    return transcript_of(sorted(stretches, key=lambda stretch: (stretch.start, stretch.end)))


def read_textgrid(path: Path) -> TimedTranscript:
    """The transcript in a TextGrid, in its long or short text form."""
    # What is in quotes is text; a quote in a text is doubled. Between texts there are numbers and their names.
    parts = without_controls(read_text(path)).split('"')
    tokens = _tokens(parts)
    try:
        if (next(tokens), next(tokens)) != ("ooTextFile", "TextGrid"):
            raise StopIteration
        list(zip(range(2), tokens, strict=False))
        return _transcript([_grid_tier(tokens, path) for _ in range(int(seconds(next(tokens), path)))])
    except StopIteration:
        raise RostrumError(f"{path}: not a complete TextGrid; save it in Praat as text") from None


def _tokens(parts: Sequence[str]) -> Iterator[str | float]:
    """The texts and free-standing numbers. (Those in brackets, as in `intervals [1]`, only count.)"""
    text: str | None = None
    for place, part in enumerate(parts):
        if place % 2:
            text = part if text is None else f'{text}"{part}'
        elif part or text is None or place == len(parts) - 1:
            if text is not None:
                yield text
                text = None
            yield from (number for token in part.split() if (number := _number(token)) is not None)
    if text is not None:
        yield text


def _number(token: str) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None


def _grid_tier(tokens: Iterator[str | float], path: Path) -> _Tier:
    kind, name = str(next(tokens)), _clean(str(next(tokens)))
    next(tokens), next(tokens)
    count = int(seconds(next(tokens), path))
    intervals = []
    for _ in range(count):
        start = seconds(next(tokens), path)
        end = seconds(next(tokens), path) if kind == "IntervalTier" else start
        intervals.append((start, max(start, end), _clean(str(next(tokens)))))
    return _Tier(name, None, tuple(intervals) if kind == "IntervalTier" else ())


def _clean(text: str) -> str:
    return " ".join(without_controls(text).split())


def _transcript(tiers: Sequence[_Tier]) -> TimedTranscript:
    """The transcript that the tiers make together."""
    turns = [
        Turn(start=start, end=end, speaker=None if name == _NOBODY else name)
        for tier in tiers
        if tier.kind == _SPEAKERS
        for start, end, name in sorted(tier.intervals)
        if name
    ]
    for kinds in (_WORDS, _SENTENCES):
        if chosen := [tier for tier in tiers if tier.kind in kinds]:
            break
    else:
        chosen = [tier for tier in tiers if not tier.is_part and tier.kind not in {*_NOT_SAID, _SPEAKERS}]
        several = len(chosen) > 1
        chosen = [_Tier(each.name, each.speaker or (each.name if several else None), each.intervals) for each in chosen]
    stretches = [Stretch(*each[:2], tier.owner, each[2]) for tier in chosen for each in tier.intervals if each[2]]
    stretches.sort(key=lambda stretch: (stretch.start, stretch.end))
    if turns:
        starts = [turn.start for turn in turns]
        stretches = [
            Stretch(each.start, each.end, each.speaker or _speaker_at(each, turns, starts), each.text)
            for each in stretches
        ]
    made = transcript_of(stretches)
    if kinds is _WORDS and chosen and chosen[0].kind in _WORDS:  # a word may be written with a space
        words = tuple(Word(text=each.text, start=each.start, end=each.end, speaker=each.speaker) for each in stretches)
        return TimedTranscript(words, tuple(turns) or turns_of(words), (" ".join(made.lines),) if words else ())
    return TimedTranscript(made.words, tuple(turns) or made.turns, made.lines)


def _speaker_at(stretch: Stretch, turns: Sequence[Turn], starts: Sequence[float]) -> str | None:
    """Who speaks in the middle of the stretch; between two turns, who speaks nearest to it."""
    middle = (stretch.start + stretch.end) / 2
    place = bisect_right(starts, middle)
    around = turns[max(place - 1, 0) : place + 1]
    nearest = min(around, key=lambda turn: max(turn.start - middle, middle - turn.end))
    return nearest.speaker if max(nearest.start - middle, middle - nearest.end) <= _NEAR else None


# Transcriber: what a person transcribed, with marks for fillers, repairs and spelled letters.


_SAID_MEANT = re.compile(r"\{([^{}/]*)/([^{}]*)\}")
_SPELLED = re.compile(r"\b[a-z](?:_[a-z])+(?=\b|')", re.IGNORECASE)
_FILLER = re.compile(r"%(\w+)")


def read_transcriber(path: Path) -> tuple[Stretch, ...]:
    """The stretches of a `.trs` file, in order. The XML declares its encoding, which is ISO-8859-1 as a rule."""
    root = xml_root(path, "Transcriber")
    names = {
        speaker.get("id"): (name := speaker.get("name")) and without_controls(name) for speaker in root.iter("Speaker")
    }
    return tuple(stretch for turn in root.iter("Turn") for stretch in _turn_stretches(turn, names, path))


def _turn_stretches(turn: Element, names: dict[str | None, str | None], path: Path) -> list[Stretch]:
    start, end = (seconds(turn.get(name, "0"), path) for name in ("startTime", "endTime"))
    speaker = names.get(turn.get("speaker"))
    parts_from: list[tuple[float, list[str]]] = [(start, [turn.text or ""])]
    for element in turn:
        if element.tag == "Sync":
            parts_from.append((seconds(element.get("time", "0"), path), []))
        parts_from[-1][1].append(element.tail or "")
    ends = [*(time for time, _ in parts_from[1:]), end]
    return [
        Stretch(begin, until, speaker, text)
        for (begin, parts), until in zip(parts_from, ends, strict=True)
        if (text := " ".join(without_controls(" ".join(parts)).split()))
    ]


def spoken_text(text: str) -> str:
    """What was said, word for word: the 'said' side of `{said/meant}`, cut-off words, fillers and repairs kept."""
    text = _SAID_MEANT.sub(lambda match: match[1].replace("--", ""), text)
    return _plain(_FILLER.sub(lambda match: "uh" if match[1] == "hes" else "", text))


def meant_text(text: str) -> str:
    """What the speaker meant: the 'meant' side of `{said/meant}`, without cut-off words and fillers."""
    text = _FILLER.sub("", _SAID_MEANT.sub(r"\2", text))
    text = re.sub(r"(?<!\S)\S*\w-(?=\s|$)", "", text)
    return _plain(re.sub(r"(?<!\S)(?:uh|um)(?!\S)", "", text))


def _plain(text: str) -> str:
    """Spelled letters joined (`u_s` is `us`), punctuation set against its word, spaces single."""
    text = _SPELLED.sub(lambda match: match[0].replace("_", "").upper(), text)
    return re.sub(r" ([.,?!;:])", r"\1", " ".join(text.split()))
