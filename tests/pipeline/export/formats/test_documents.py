"""Documents to read: paragraphs, plain text, Markdown and Word."""

import io
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.export.formats.documents import Paragraph, docx, md, paragraphs, txt
from tests.pipeline.report.speeches import speech

MAIN = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DEBATE = replace(speech("We agree & <hope>.", "1. No!", speakers=("Anna", "Ben")), facts=("We should ban phones.",))
_texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=20)


def test_plain_text() -> None:
    assert txt(DEBATE) == "Anna: We agree & <hope>.\n\nBen: 1. No!\n"
    assert txt(speech("One.", "Two.")) == "One. Two.\n"


def test_markdown() -> None:
    assert md(speech("One.")) == "# debate one/anna\n\n(0:00) One.\n"
    assert md(DEBATE).splitlines()[4] == "**Anna** (0:00) We agree &amp; &lt;hope&gt;."


@given((_texts | st.text("_a*1.# -&lt;")).filter(str.split))
def test_a_markdown_reader_sees_what_was_said(text: str) -> None:
    markdown = pytest.importorskip("markdown_it")
    title, *others = [
        each.children
        for each in markdown.MarkdownIt().parse(md(speech(" ".join(text.split()))))
        if each.type == "inline"
    ]
    assert "".join(each.content for each in title) == "debate one/anna"
    assert "".join(child.content for each in others for child in each) == f"(0:00) {' '.join(text.split())}"


def paragraphs_of(document: bytes) -> list[tuple[str, str]]:
    """The style and text of each paragraph, as the standard has them."""
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        assert archive.testzip() is None
        root = ElementTree.fromstring(archive.read("word/document.xml"))
    return [
        (
            next(paragraph.iter(f"{MAIN}pStyle")).attrib[f"{MAIN}val"],
            "".join(each.text or "" for each in paragraph.iter(f"{MAIN}t")),
        )
        for paragraph in root.iter(f"{MAIN}p")
    ]


def test_word() -> None:
    assert paragraphs_of(docx(DEBATE)) == [
        ("Title", "debate one/anna"),
        ("Subtitle", "We should ban phones."),
        ("Normal", "Anna 0:00 We agree & <hope>."),
        ("Normal", "Ben 0:01 1. No!"),
    ]


@given(st.text(min_size=1, max_size=20).filter(str.split))
def test_any_text_makes_a_document(text: str) -> None:
    assert docx(speech(text)) == docx(speech(text))
    paragraphs_of(docx(speech(text)))


def test_every_part_of_the_archive_has_a_type_and_every_relationship_a_part() -> None:
    with zipfile.ZipFile(io.BytesIO(docx(DEBATE))) as archive:
        names = set(archive.namelist())
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
        listed = {each.attrib["PartName"].lstrip("/") for each in types if "PartName" in each.attrib}
        assert {name for name in names if not name.endswith(".rels")} == listed | {"[Content_Types].xml"}
        for name, folder in (("_rels/.rels", ""), ("word/_rels/document.xml.rels", "word/")):
            targets = {each.attrib["Target"] for each in ElementTree.fromstring(archive.read(name))}
            assert {folder + target for target in targets} <= names


def test_python_docx_reads_it() -> None:
    library = pytest.importorskip("docx")
    document = library.Document(io.BytesIO(docx(DEBATE)))
    assert [each.style.name for each in document.paragraphs] == ["Title", "Subtitle", "Normal", "Normal"]
    assert document.paragraphs[2].text == "Anna 0:00 We agree & <hope>."
    assert document.core_properties.title == "debate one/anna"


def test_libreoffice_reads_it(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed: apt-get install libreoffice-writer-nogui")
    (tmp_path / "debate.docx").write_bytes(docx(DEBATE))
    home = f"-env:UserInstallation=file://{tmp_path}/office"
    command = [office, home, "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir", tmp_path]
    subprocess.run([*command, tmp_path / "debate.docx"], check=True, capture_output=True, timeout=120)
    text = (tmp_path / "debate.txt").read_text("utf-8-sig")
    assert text.splitlines()[0] == "debate one/anna"
    assert "Anna 0:00 We agree & <hope>." in text


def test_one_speaker_is_not_named_and_several_are() -> None:
    assert paragraphs(speech("One two.", "Three.")) == [Paragraph(0.0, "", "One two. Three.")]
    found = paragraphs(speech("One two.", "Three.", "Four.", speakers=("Anna", None, None)))
    assert found == [Paragraph(0.0, "Anna", "One two."), Paragraph(0.8, "unknown", "Three. Four.")]


def test_a_long_turn_is_cut_at_its_longest_pause() -> None:
    twelve = " ".join(["word"] * 12)
    made = speech(*[twelve] * 12)
    later = [each.model_copy(update={"start": each.start + 1.0, "end": each.end + 1.0}) for each in made.sentences[5:]]
    found = paragraphs(type(made)(**{**vars(made), "sentences": (*made.sentences[:5], *later)}))
    assert [len(each.text.split()) for each in found] == [60, 84]


def test_a_silence_begins_a_paragraph() -> None:
    made = speech("One.", "Two.")
    second = made.sentences[1].model_copy(update={"start": 4.0, "end": 5.0})
    found = paragraphs(type(made)(**{**vars(made), "sentences": (made.sentences[0], second)}))
    assert [each.text for each in found] == ["One.", "Two."]


@given(st.lists(st.tuples(st.integers(1, 150), st.sampled_from(["Anna", "Ben", None])), min_size=1, max_size=30))
def test_every_sentence_is_in_one_paragraph_in_order(spoken: list[tuple[int, str | None]]) -> None:
    made = speech(*[" ".join(["w"] * length) for length, _ in spoken], speakers=tuple(who for _, who in spoken))
    found = paragraphs(made)
    assert " ".join(each.text for each in found) == " ".join(each.text for each in made.sentences)
    assert all(len(each.text.split()) <= 120 or len(each.text.split()) in dict(spoken) for each in found)


def test_six_thousand_silences_each_shorter_than_the_one_before() -> None:
    made = speech(*["One."] * 6_000)
    at, sentences = 0.0, []
    for number, sentence in enumerate(made.sentences):
        sentences.append(sentence.model_copy(update={"start": at, "end": at + 1.0}))
        at += 1.0 + 3.0 + (6_000 - number) / 100
    found = paragraphs(type(made)(**{**vars(made), "sentences": tuple(sentences)}))
    assert [each.text for each in found] == ["One."] * 6_000
