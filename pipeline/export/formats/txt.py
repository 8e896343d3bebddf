"""Plain text in paragraphs; several speakers are named."""

from pipeline.export.cues import paragraphs
from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech


def txt(speech: AnnotatedSpeech) -> str:
    """The words of the speech, in paragraphs with an empty line between them."""
    blocks = (f"{each.speaker}: {each.text}" if each.speaker else each.text for each in paragraphs(speech))
    return "\n\n".join(blocks) + "\n"


FORMAT = SpeechFormat(".txt", txt)
