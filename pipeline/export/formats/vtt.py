"""WebVTT subtitles with speakers."""

import html

from pipeline.export.cues import Cue, cues, timestamp
from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech


def vtt(speech: AnnotatedSpeech, *, word_times: bool = False) -> str:
    """The speech as WebVTT. With `word_times`, a player can show each word as it is spoken."""
    text_of = _timed if word_times else _plain
    blocks = [
        f"{timestamp(cue.start, '.')} --> {timestamp(cue.end, '.')}\n{_voice(cue)}{text_of(cue)}\n"
        for cue in cues(speech)
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def _voice(cue: Cue) -> str:
    return f"<v {_escaped(cue.speaker)}>" if cue.speaker else ""


def _plain(cue: Cue) -> str:
    return "\n".join(_escaped(line) for line in cue.lines)


def _timed(cue: Cue) -> str:
    """The words, each after its time. Times must increase; a word that begins no later than the one before has none."""
    parts, shown = [], round(cue.start * 1000)
    for word in cue.words:
        at = round(word.start * 1000)
        if shown < at < round(cue.end * 1000):
            parts.append(f"<{timestamp(word.start, '.')}>")
            shown = at
        parts.append(f"<c>{_escaped(word.text)}</c> ")
    return "".join(parts).rstrip()


def _escaped(text: str) -> str:
    return html.escape(" ".join(text.split()), quote=False)


FORMAT = SpeechFormat(".vtt", vtt)
