"""Documents to read: the speech as paragraphs of one speaker each, long ones cut at pauses."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise

from pipeline.export.formats import SpeechFormat, xml_text
from pipeline.export.speech import UNKNOWN, AnnotatedSpeech
from pipeline.records import TRANSLATED, Sentence
from pipeline.report.formatting import clock
from pipeline.report.markdown import escaped

MEMBERS = {
    "txt": "Plain text in paragraphs; several speakers are named.",
    "md": "Markdown: a title, and paragraphs with their times and speakers.",
    "docx": "Word: a title, and paragraphs with their times and speakers.",
}

# A paragraph with more words is cut at its longest pause. So is one with a silence of at least so many seconds.
_MOST_WORDS = 120
_SILENCE = 3.0


@dataclass(frozen=True)
class Paragraph:
    """Sentences that belong together. `speaker` is empty if the whole speech has one speaker.

    `translation` is what a model says of them in English, with a mark; empty if they are not translated.
    """

    start: float
    speaker: str
    text: str
    translation: str = ""


def paragraphs(speech: AnnotatedSpeech) -> list[Paragraph]:
    """The speech as paragraphs. A new one begins with each speaker, after a silence, and when one would be too long."""
    several = len({sentence.speaker for sentence in speech.sentences}) > 1
    written = []
    for speaker, turn in groupby(speech.sentences, key=lambda sentence: sentence.speaker):
        name = (speaker or UNKNOWN) if several else ""
        for piece in _paragraph_pieces(list(turn)):
            text = " ".join(sentence.text for sentence in piece)
            translated = [sentence.translation for sentence in piece if sentence.translation]
            translation = " ".join([TRANSLATED, *translated]) if translated else ""
            written.append(Paragraph(piece[0].start, name, text, translation))
    return written


def _paragraph_pieces(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """The sentences in pieces, cut at silences, and at their longest pause for as long as a piece is too long."""
    silences = [index for index, pause in enumerate(_pauses(sentences), 1) if pause >= _SILENCE]
    for first, last in pairwise([0, *silences, len(sentences)]):
        pending = [sentences[first:last]]
        while pending:
            piece = pending.pop()
            if len(piece) == 1 or sum(sentence.last - sentence.first for sentence in piece) <= _MOST_WORDS:
                yield piece
            else:
                cut = _longest_pause(piece)
                pending += [piece[cut:], piece[:cut]]


def _longest_pause(sentences: Sequence[Sentence]) -> int:
    """The index of the sentence after the longest pause. Of equal pauses, the nearest to the middle."""
    middle = len(sentences) / 2
    pauses = enumerate(_pauses(sentences), 1)
    return max(pauses, key=lambda pause: (pause[1], -abs(pause[0] - middle)))[0]


def _pauses(sentences: Sequence[Sentence]) -> list[float]:
    return [round(after.start - before.end, 2) for before, after in pairwise(sentences)]


def txt(speech: AnnotatedSpeech) -> str:
    """The words of the speech, in paragraphs with an empty line between them. A doubtful transcript begins with why."""
    blocks = [f"[{speech.doubt}]"] if speech.doubt else []
    for paragraph in paragraphs(speech):
        said = f"{paragraph.speaker}: {paragraph.text}" if paragraph.speaker else paragraph.text
        blocks.append("\n".join(filter(None, [said, paragraph.translation])))
    return "\n\n".join(blocks) + "\n"


def md(speech: AnnotatedSpeech) -> str:
    """The speech as a Markdown document."""
    facts = [escaped(note) for note in speech.notes]
    return "\n\n".join([f"# {escaped(speech.id)}", *facts, *map(_markdown_paragraph, paragraphs(speech))]) + "\n"


def _markdown_paragraph(paragraph: Paragraph) -> str:
    speaker = f"**{escaped(paragraph.speaker)}** " if paragraph.speaker else ""
    translation = f"\n\n> {escaped(paragraph.translation)}" if paragraph.translation else ""
    return f"{speaker}({clock(paragraph.start)}) {escaped(paragraph.text)}{translation}"


_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# The time of all files in the archive: always the earliest possible one, so that the same speech gives the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)

_CONTENT_TYPES = f"""{_HEAD}<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/>
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
</Types>"""
_RELATIONSHIPS = f"""{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>
<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>
</Relationships>"""
_DOCUMENT_RELATIONSHIPS = f"""{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_OFFICE}/styles" Target="styles.xml"/>
</Relationships>"""
_STYLES = f"""{_HEAD}<w:styles xmlns:w="{_MAIN}">
<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="22"/>
</w:rPr></w:rPrDefault>
<w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:rPr><w:b/>
<w:sz w:val="36"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Subtitle"><w:name w:val="Subtitle"/><w:basedOn w:val="Normal"/><w:rPr>
<w:color w:val="595959"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Speaker"><w:name w:val="Speaker"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Time"><w:name w:val="Time"/><w:rPr><w:color w:val="595959"/></w:rPr></w:style>
</w:styles>"""


def docx(speech: AnnotatedSpeech) -> bytes:
    """The speech as a Word document."""
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _RELATIONSHIPS,
        "docProps/core.xml": _properties(speech),
        "word/_rels/document.xml.rels": _DOCUMENT_RELATIONSHIPS,
        "word/document.xml": _document(speech),
        "word/styles.xml": _STYLES,
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _document(speech: AnnotatedSpeech) -> str:
    blocks = [
        _block(_run(speech.id), "Title"),
        *(_block(_run(fact), "Subtitle") for fact in speech.notes),
        *map(_word_paragraph, paragraphs(speech)),
    ]
    return f'{_HEAD}<w:document xmlns:w="{_MAIN}"><w:body>{"".join(blocks)}</w:body></w:document>'


def _word_paragraph(paragraph: Paragraph) -> str:
    speaker = _run(f"{paragraph.speaker} ", "Speaker") if paragraph.speaker else ""
    translation = _block(_run(paragraph.translation), "Subtitle") if paragraph.translation else ""
    return _block(speaker + _run(f"{clock(paragraph.start)} ", "Time") + _run(paragraph.text)) + translation


def _block(runs: str, style: str = "Normal") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{runs}</w:p>'


def _run(text: str, style: str = "") -> str:
    properties = f'<w:rPr><w:rStyle w:val="{style}"/></w:rPr>' if style else ""
    return f'<w:r>{properties}<w:t xml:space="preserve">{escape(xml_text(text), quote=False)}</w:t></w:r>'


def _properties(speech: AnnotatedSpeech) -> str:
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(xml_text(speech.id), quote=False)}</dc:title>'
        "<dc:creator>rostrum</dc:creator></cp:coreProperties>"
    )


FORMATS = {"txt": SpeechFormat(".txt", txt), "md": SpeechFormat(".md", md), "docx": SpeechFormat(".docx", docx)}
