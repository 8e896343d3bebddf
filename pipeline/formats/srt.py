"""SubRip subtitles (.srt)."""

from pipeline.formats.annotation import AnnotatedSpeech
from pipeline.formats.subtitles import clock, cues


def srt(speech: AnnotatedSpeech) -> str:
    """The speech as subtitles; where several people speak, each cue begins with who does."""
    names = len(speech.speakers) > 1
    blocks = []
    for number, cue in enumerate(cues(speech), start=1):
        prefix = f"{cue.speaker}: " if names and cue.speaker else ""
        text = prefix + "\n".join(cue.lines)
        blocks.append(f"{number}\n{clock(cue.start, ',')} --> {clock(cue.end, ',')}\n{text}\n")
    return "\n".join(blocks)
