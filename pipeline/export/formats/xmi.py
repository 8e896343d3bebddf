"""UIMA CAS XMI for INCEpTION: tokens, sentences, who speaks when, and the mentioned arguments as spans."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from pipeline.export.formats import FolderFormat, write, xml_document, xml_text
from pipeline.export.speech import AnnotatedSpeech, annotated_speeches
from pipeline.records import Sentence
from pipeline.run.finished import FinishedRun

_SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
# The types of annotations and their features. `custom` is where INCEpTION keeps the layers of a project.
_TYPES = {
    f"{_SEGMENTATION}.Sentence": (),
    f"{_SEGMENTATION}.Token": (),
    "custom.Turn": (("speaker", "String"), ("start", "Double"), ("stop", "Double")),
    "custom.Argument": (("title", "String"),),
}
_XMI, _CAS, _TCAS = "http://www.omg.org/XMI", "http:///uima/cas.ecore", "http:///uima/tcas.ecore"


def _files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """One .xmi per speech, and the type system, which INCEpTION imports as layers."""
    written = [write(folder / f"{run.file_names[speech.id]}.xmi", xmi(speech)) for speech in annotated_speeches(run)]
    yield from written
    if written:
        yield write(folder / "TypeSystem.xml", type_system())


def xmi(speech: AnnotatedSpeech) -> str:
    """The speech as a CAS: one sentence per line. Offsets count UTF-16 units, as Java does."""
    document = _Document(speech)
    root = Element(
        "xmi:XMI",
        {
            "xmlns:xmi": _XMI,
            "xmlns:cas": _CAS,
            "xmlns:tcas": _TCAS,
            "xmlns:type": _namespace(_SEGMENTATION),
            "xmlns:custom": _namespace("custom"),
            "xmi:version": "2.0",
        },
    )
    SubElement(root, "cas:NULL", {"xmi:id": "0"})
    extent = {"begin": "0", "end": str(document.length), "language": speech.language or "x-unspecified"}
    annotations = [("tcas:DocumentAnnotation", extent), *document.annotations()]
    for number, (name, features) in enumerate(annotations, start=2):
        SubElement(root, name, {"xmi:id": str(number), "sofa": "1", **features})
    text = {"sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text", "sofaString": document.text}
    SubElement(root, "cas:Sofa", {"xmi:id": "1", **text})
    members = " ".join(str(number) for number in range(2, len(annotations) + 2))
    SubElement(root, "cas:View", {"sofa": "1", "members": members})
    return xml_document(root, indented=False)


def _namespace(package: str) -> str:
    return f"http:///{package.replace('.', '/')}.ecore"


class _Document:
    """The text of a speech, one line per sentence, and where its sentences and words are in it."""

    def __init__(self, speech: AnnotatedSpeech) -> None:
        self._speech = speech
        self._lines = [self._words(sentence) for sentence in speech.sentences]
        self.text = "\n".join(" ".join(words) for words in self._lines)
        self.length = _units(self.text)
        lengths = (_units(" ".join(words)) + 1 for words in self._lines)
        self._begins = list(accumulate(lengths, initial=0))

    def _words(self, sentence: Sentence) -> list[str]:
        words = self._speech.words[sentence.first : sentence.last]
        return [" ".join(xml_text(word.text).split()) or "?" for word in words]

    def annotations(self) -> Iterator[tuple[str, dict[str, str]]]:
        for index, words in enumerate(self._lines):
            yield "type:Sentence", self._span(index, index)
            at = self._begins[index]
            for word in words:
                yield "type:Token", {"begin": str(at), "end": str(at + _units(word))}
                at += _units(word) + 1
        for speaker, own in groupby(enumerate(self._speech.sentences), key=lambda each: each[1].speaker):
            places, sentences = zip(*own, strict=True)
            times = {"start": f"{sentences[0].start:.3f}", "stop": f"{sentences[-1].end:.3f}"}
            who = {"speaker": xml_text(speaker)} if speaker is not None else {}
            yield "custom:Turn", {**self._span(places[0], places[-1]), **who, **times}
        for mention in self._speech.mentions:
            inside = [
                index
                for index, each in enumerate(self._speech.sentences)
                if each.start < mention.end and mention.start < each.end
            ]
            if inside:
                yield "custom:Argument", {**self._span(inside[0], inside[-1]), "title": xml_text(mention.text)}

    def _span(self, first: int, last: int) -> dict[str, str]:
        return {"begin": str(self._begins[first]), "end": str(self._begins[last + 1] - 1)}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def type_system() -> str:
    """The description of the types, in UIMA's own XML."""
    root = Element("typeSystemDescription", xmlns="http://uima.apache.org/resourceSpecifier")
    types = SubElement(root, "types")
    for name, features in _TYPES.items():
        described = SubElement(types, "typeDescription")
        _texts(described, [("name", name), ("description", ""), ("supertypeName", "uima.tcas.Annotation")])
        listed = SubElement(described, "features")
        for feature, kind in features:
            about = [("name", feature), ("description", ""), ("rangeTypeName", f"uima.cas.{kind}")]
            _texts(SubElement(listed, "featureDescription"), about)
    return xml_document(root, indented=False)


def _texts(parent: Element, texts: Sequence[tuple[str, str]]) -> None:
    for name, text in texts:
        SubElement(parent, name).text = text


FORMAT = FolderFormat(_files)
