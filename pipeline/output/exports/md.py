"""Markdown: a title, and paragraphs with their times and speakers."""

import re

from pipeline.output.annotation.paragraphs import Paragraph, paragraphs
from pipeline.output.annotation.speech import AnnotatedSpeech
from pipeline.output.exports import SpeechFormat
from pipeline.output.formatting import clock

# What Markdown would take for markup, wherever it stands or at the beginning of a line.
_MARKUP = re.compile(r"([\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w]))|^(\s*)([#+-]|\d+[.)])", re.MULTILINE)


def md(speech: AnnotatedSpeech) -> str:
    """The speech as a Markdown document."""
    facts = [_escaped(fact) for fact in speech.facts]
    return "\n\n".join([f"# {_escaped(speech.id)}", *facts, *map(_paragraph, paragraphs(speech))]) + "\n"


def _paragraph(paragraph: Paragraph) -> str:
    speaker = f"**{_escaped(paragraph.speaker)}** " if paragraph.speaker else ""
    return f"{speaker}({clock(paragraph.start)}) {_escaped(paragraph.text)}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}{_escaped_mark(found[3])}", text)


def _escaped_mark(mark: str) -> str:
    """A list's number or a heading's sign, so that it stays what it is: '1\\.'"""
    return f"{mark[:-1]}\\{mark[-1]}"


FORMAT = SpeechFormat(".md", md)
