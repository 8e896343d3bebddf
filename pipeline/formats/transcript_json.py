"""Transcripts as JSON: of Whisper and whisperX, of rostrum itself, and SegLST."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, seconds, spread, turns_of, with_times
from pipeline.records import Word
from pipeline.system.files import read_text

Item = Mapping[str, Any]


def read_json_transcript(path: Path) -> TimedTranscript:
    """The transcript in a JSON file: words with their times where it has them, else segments."""
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise RostrumError(f"{path}: not JSON: {error}") from error
    try:
        if isinstance(content, list):  # SegLST
            return _of_segments([_segment(each, path, "start_time", "end_time", "words") for each in content], None)
        language = content.get("language")
        if "segments" not in content:
            words = tuple(_word(each, each["text"], path) for each in content["words"])
            lines = tuple(without_controls(str(each["text"])) for each in content["sentences"])
            return TimedTranscript(words, turns_of(words), lines, language)
        return _of_segments([_segment(each, path) for each in content["segments"]], language)
    except (KeyError, TypeError, AttributeError) as error:
        raise RostrumError(
            f"{path}: no transcript of Whisper, whisperX or rostrum, and no SegLST: it lacks {error}"
        ) from error


def _of_segments(segments: Sequence[tuple[Stretch, tuple[Word, ...]]], language: object) -> TimedTranscript:
    return TimedTranscript(
        words=tuple(word for _, words in segments for word in words),
        turns=turns_of(stretch for stretch, _ in segments),
        lines=tuple(stretch.text for stretch, _ in segments if stretch.text),
        language=language if isinstance(language, str) and language else None,
    )


def _segment(
    item: Item, path: Path, start: str = "start", end: str = "end", text: str = "text"
) -> tuple[Stretch, tuple[Word, ...]]:
    """A segment and its words. Words without times share that of the segment."""
    first, last = seconds(item[start], path), seconds(item[end], path)
    speaker = _speaker(item)
    stretch = Stretch(first, max(first, last), speaker, " ".join(without_controls(str(item[text])).split()))
    timed = item.get("words") if text != "words" else None
    return stretch, _timed(timed, stretch, path) if timed else tuple(spread(stretch))


def _timed(items: Sequence[Item], stretch: Stretch, path: Path) -> tuple[Word, ...]:
    """The words of a segment. Whisper writes the space before a word; what has none continues the word before."""
    spaced = any(str(item["word"]).startswith(" ") for item in items)
    times = [
        None if item.get(name) is None else seconds(item[name], path) for item in items for name in ("start", "end")
    ]
    filled = with_times(times, stretch.start, stretch.end)
    words: list[Word] = []
    for place, item in enumerate(items):
        start, end = filled[2 * place], max(filled[2 * place : 2 * place + 2])
        written = without_controls(str(item["word"]))
        text = " ".join(written.split())
        if not text:
            continue
        if words and spaced and not written.startswith(" "):
            words[-1] = words[-1].model_copy(update={"text": words[-1].text + text, "end": max(words[-1].end, end)})
            continue
        words.append(
            Word(
                text=text,
                start=start,
                end=end,
                probability=_share(item.get("probability", item.get("score")), path),
                speaker=_speaker(item) or stretch.speaker,
            )
        )
    return tuple(words)


def _word(item: Item, text: object, path: Path) -> Word:
    start, end = seconds(item["start"], path), seconds(item["end"], path)
    probability = _share(item.get("probability"), path)
    return Word(
        text=without_controls(str(text)),
        start=start,
        end=max(start, end),
        probability=probability,
        speaker=_speaker(item),
    )


def _share(value: object, path: Path) -> float | None:
    return None if value is None else seconds(value, path)


def _speaker(item: Item) -> str | None:
    name = item.get("speaker")
    return without_controls(str(name)) if name and name != "unknown" else None
