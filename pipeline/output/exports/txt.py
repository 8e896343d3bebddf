"""Plain text in paragraphs; several speakers are named."""

from pipeline.output.annotation.paragraphs import paragraphs
from pipeline.output.annotation.speech import AnnotatedSpeech
from pipeline.output.exports import SpeechFormat


def txt(speech: AnnotatedSpeech) -> str:
    """The words of the speech, in paragraphs with an empty line between them."""
    blocks = (f"{each.speaker}: {each.text}" if each.speaker else each.text for each in paragraphs(speech))
    return "\n\n".join(blocks) + "\n"


FORMAT = SpeechFormat(".txt", txt)
