"""SubRip subtitles."""

from pipeline.export.cues import cues, timestamp
from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech


def srt(speech: AnnotatedSpeech) -> str:
    """The speech as subtitles. With several speakers, each cue begins with the speaker's name."""
    names = len(speech.speakers) > 1
    blocks = []
    for number, cue in enumerate(cues(speech), start=1):
        prefix = f"{cue.speaker}: " if names and cue.speaker else ""
        text = prefix + "\n".join(cue.lines)
        blocks.append(f"{number}\n{timestamp(cue.start, ',')} --> {timestamp(cue.end, ',')}\n{text}\n")
    return "\n".join(blocks)


FORMAT = SpeechFormat(".srt", srt)
