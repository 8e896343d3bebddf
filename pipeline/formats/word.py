"""Word's documents: the text of their paragraphs. Those that rostrum wrote have speakers and times, too."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pipeline.errors import RostrumError, without_controls
from pipeline.formats.timed import Stretch, TimedTranscript, transcript_of
from pipeline.system.files import LARGEST_TEXT

_WORDML = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT = "word/document.xml"
_SPACES = frozenset(f"{_WORDML}{name}" for name in ("tab", "br", "cr"))
# The styles of what rostrum writes beside what was said.
_HEADINGS = frozenset({"Title", "Subtitle"})
_SPEAKER, _TIME = "Speaker", "Time"
_UNKNOWN = "unknown"
# Seconds for each word of the last paragraph, after which no time follows.
_WORD_SECONDS = 0.4


def read_docx(path: Path) -> str:
    """The text of a Word document, one line per paragraph. Headers, footers and comments are left out.

    Of a transcript that rostrum wrote, this is what was said, without title, names and times.
    """
    root = _document(path)
    stretches = _stretches(root)
    lines = [stretch.text for stretch in stretches] if stretches else map(_text, root.iter(f"{_WORDML}p"))
    return without_controls("\n".join(line for line in lines if line))


def read_docx_transcript(path: Path) -> TimedTranscript:
    """The paragraphs of a transcript that rostrum wrote, with their speakers and times."""
    stretches = _stretches(_document(path))
    if not stretches:
        raise RostrumError(f"{path}: no times in it; only documents that rostrum wrote have them, in the style Time")
    return transcript_of(stretches)


def _document(path: Path) -> Element:
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            if archive.getinfo(_DOCUMENT).file_size > LARGEST_TEXT:
                raise RostrumError(f"{path}: its text has more than {LARGEST_TEXT:,} bytes, which are not read")
            root: Element = fromstring(archive.read(_DOCUMENT))
    except OSError as error:
        raise RostrumError(f"{path}: cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise RostrumError(f"{path}: not a Word document; save it as .docx, or as text") from error
    except (DefusedXmlException, ParseError, LookupError, ValueError) as error:
        raise RostrumError(f"{path}: a damaged Word document; open it in Word and save it again") from error
    return root


def _stretches(root: Element) -> list[Stretch]:
    """The paragraphs with their speakers and times; none if no run of the document has the style Time.

    A paragraph without a time, as one that was split by hand, belongs to the one before.
    """
    found: list[tuple[float, str | None, list[str]]] = []
    for paragraph in root.iter(f"{_WORDML}p"):
        if _style(paragraph, "pPr", "pStyle") in _HEADINGS:
            continue
        parts: dict[str, str] = {_SPEAKER: "", _TIME: "", "": ""}
        for run in paragraph.iter(f"{_WORDML}r"):
            style = _style(run, "rPr", "rStyle")
            parts[style if style in parts else ""] += _raw(run)
        speaker, text = (" ".join(without_controls(parts[name]).split()) for name in (_SPEAKER, ""))
        time = _seconds(parts[_TIME])
        if time is not None:
            found.append((time, None if speaker == _UNKNOWN else speaker or None, [text]))
        elif found:
            found[-1][2].append(text)
    if not found:
        return []
    texts = [" ".join(filter(None, texts)) for *_, texts in found]
    last = found[-1][0] + _WORD_SECONDS * len(texts[-1].split())
    ends = [*(start for start, *_ in found[1:]), last]
    return [
        Stretch(start, max(start, end), speaker, text)
        for (start, speaker, _), end, text in zip(found, ends, texts, strict=True)
    ]


def _style(element: Element, properties: str, style: str) -> str:
    found = element.find(f"{_WORDML}{properties}/{_WORDML}{style}")
    return "" if found is None else found.get(f"{_WORDML}val", "")


def _seconds(text: str) -> float | None:
    """The time of a player, such as 1:15 or 1:02:03, in seconds; None if it is none."""
    parts = text.strip().split(":")
    if not 2 <= len(parts) <= 3 or not all(part.isascii() and part.isdigit() and len(part) < 7 for part in parts):
        return None
    return float(sum(int(part) * 60**place for place, part in enumerate(reversed(parts))))


def _text(paragraph: Element) -> str:
    return " ".join(_raw(paragraph).split())


def _raw(element: Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: Element) -> Iterator[str]:
    for each in element.iter():
        if each.tag == f"{_WORDML}t":
            yield each.text or ""
        elif each.tag in _SPACES:
            yield " "
