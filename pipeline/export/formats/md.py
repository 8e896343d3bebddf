"""Markdown: a title, and paragraphs with their times and speakers."""

from pipeline.export.cues import Paragraph, paragraphs
from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech
from pipeline.report.formatting import clock
from pipeline.report.markdown import escaped


def md(speech: AnnotatedSpeech) -> str:
    """The speech as a Markdown document."""
    facts = [escaped(fact) for fact in speech.facts]
    return "\n\n".join([f"# {escaped(speech.id)}", *facts, *map(_paragraph, paragraphs(speech))]) + "\n"


def _paragraph(paragraph: Paragraph) -> str:
    speaker = f"**{escaped(paragraph.speaker)}** " if paragraph.speaker else ""
    return f"{speaker}({clock(paragraph.start)}) {escaped(paragraph.text)}"


FORMAT = SpeechFormat(".md", md)
