"""Text from outside takes time in proportion to its length, whatever it consists of.

Each reader gets the worst kinds: no spaces, a million commas, nested quotes and brackets, one phrase again and again. A
result or one line of error comes within seconds of processor time. Where time grew with the square, a megabyte would
take hours.
"""

import ast
import functools
import importlib
import json
import operator
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from pipeline.convincing.representation import surface
from pipeline.corpus import open_corpus
from pipeline.corpus.corrections import last_correction
from pipeline.corpus.datasets import Topic
from pipeline.corpus.files import motion_text
from pipeline.corpus.manifest import MANIFESTS
from pipeline.counter import reported_speech
from pipeline.errors import RostrumError, printable
from pipeline.evaluation.data import read_rows, read_tab_separated
from pipeline.formats import (
    read_argument_map,
    read_lines,
    read_reference,
    read_rttm,
    read_spoken,
    read_turns,
    read_words,
)
from pipeline.graph import read_annotated_pairs, read_votes
from pipeline.keypoints.candidates import candidates, claims, topic_subject
from pipeline.keypoints.clauses import clauses, conceded, is_argued, trimmed, without_concession
from pipeline.llm.large_model import _json_of
from pipeline.records import Word
from pipeline.report.markdown import escaped, with_commands
from pipeline.score.stage import normaliser
from pipeline.segment.human_marks import written_words
from pipeline.system.files import LARGEST_TEXT, read_text
from pipeline.text import sentences, terms
from pipeline.text.readability import language_use, readability
from pipeline.text.syllables import syllables
from pipeline.text.terms import stems, tokens

LONGEST_MESSAGE = 2_500
PIECES = ["a", ",", '"', "'", "[", "(", "{", "{a/", "a[", "[1,", "<a>", "1", "9,", ".", "-", "_a", " ", "\n"]
PIECES += ["a ", "a\n", "a. ", "A.", "the the ", "and ", "um, ", "you know ", "although a ", "first point ", "<TOPIC> "]
Reader = Callable[[str], object]
# Also the smaller size takes most of what grows with the square several times as long.
sizes = pytest.mark.parametrize(
    ("size", "seconds"), [(30_000, 2.0), pytest.param(500_000, 25.0, marks=pytest.mark.slow)]
)


ROOT = Path(__file__).parents[2]
# Expressions of these modules see names of files and settings, or what this project wrote itself.
SHORT_TEXTS = {
    "flows/server/automations.py": "the duration after an option",
    "pipeline/corpus/datasets.py": "names of files; its templates of claims are among the texts below",
    "pipeline/report/links.py": "ids, which have a longest length",
    "pipeline/run/clean.py": "names of files",
    "pipeline/run/scopes.py": "names of files",
    "pipeline/run/store.py": "the address of a store",
    "pipeline/text/encoders/onnx_encoder.py": "names of layers",
}


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """An error in what takes this process longer. (A regular expression looks for signals while it searches.)"""

    def fail(_: int, __: FrameType | None) -> NoReturn:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def of_file(name: str, read: Callable[[Path], object], before: str = "", after: str = "") -> Callable[[Path], Reader]:
    """Reads a text as a file of that name, between a beginning and an end."""

    def reader(folder: Path) -> Reader:
        def read_it(text: str) -> object:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(before + text + after)
            return read(path)

        return read_it

    return reader


def texts(size: int) -> Iterator[str]:
    return (piece * (size // len(piece)) + "x" for piece in PIECES)


def corpus(path: Path) -> object:
    return open_corpus(path.parent)


TRS = ('<?xml version="1.0"?><Trans><Turn startTime="0" endTime="1">', "</Turn></Trans>")
EAF = (
    '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="1"/></TIME_ORDER><TIER TIER_ID="words">'
    '<ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="a" TIME_SLOT_REF2="a"><ANNOTATION_VALUE>',
    "</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>",
)
EXB = (
    '<basic-transcription><tli id="a" time="1"/><tier type="t"><event start="a" end="a">',
    "</event></tier></basic-transcription>",
)
TEXTGRID = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "words" 0 1 1 0 1 "'
MANIFEST_ROWS = {
    name: ",".join(column.name for column in columns if column.required) + "\n" for name, columns in MANIFESTS.items()
}
CORRECTION = "corrections/s-043a7187/0001.json"
FILES: dict[str, Callable[[Path], Reader]] = {
    "asr": of_file("a.asr", read_words),
    "ctm": of_file("a.ctm", read_words),
    "ctm, after a word": of_file("a.ctm", read_words, "a 1 0.1 0.2 "),
    "stm": of_file("a.stm", read_words),
    "stm, after a name": of_file("a.stm", read_words, "a 1 b 0.1 0.2 "),
    "tsv": of_file("a.tsv", read_turns),
    "tsv, in a text": of_file("a.tsv", read_turns, "start\tend\ttext\n0\t1\t"),
    "rttm": of_file("a.rttm", read_rttm),
    "rttm, in a turn": of_file("a.rttm", read_rttm, "SPEAKER a 1 0.1 0.2 <NA> <NA> "),
    "trs": of_file("a.trs", read_spoken),
    "trs, in a turn": of_file("a.trs", read_spoken, *TRS),
    "txt": of_file("a.txt", read_lines),
    "txt, a name": of_file("a.txt", read_reference, "Ann: a\nAnn: "),
    "txt, before a colon": of_file("a.txt", read_reference, "Ann ", ": a"),
    "srt": of_file("a.srt", read_turns),
    "srt, in a cue": of_file("a.srt", read_turns, "1\n00:00:01,000 --> 00:00:02,000\n"),
    "srt, in a time": of_file("a.srt", read_turns, "1\n00:00:01,000 --> "),
    "vtt, in a cue": of_file("a.vtt", read_turns, "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>"),
    "vtt, in a tag": of_file("a.vtt", read_turns, "WEBVTT\n\n00:01.000 --> 00:02.000\n<v "),
    "TextGrid": of_file("a.TextGrid", read_turns),
    "TextGrid, in a text": of_file("a.TextGrid", read_turns, TEXTGRID),
    "eaf, in an annotation": of_file("a.eaf", read_turns, *EAF),
    "TEI, in an utterance": of_file("a.xml", read_lines, "<TEI><u>", "</u></TEI>"),
    "TEI, in a word": of_file("a.xml", read_lines, "<TEI><u><w>", "</w></u></TEI>"),
    "exb, in an event": of_file("a.exb", read_turns, *EXB),
    "json": of_file("a.json", read_turns),
    "json, in a segment": of_file("a.json", read_turns, '{"segments": [{"start": 0, "end": 1, "text": "', '"}]}'),
    "argument map": of_file("a.json", read_argument_map),
    "argument map, its nodes": of_file("a.json", read_argument_map, '{"nodes": ['),
    "argument map, a text": of_file(
        "a.json", read_argument_map, '{"edges": [], "nodes": [{"nodeID": 1, "type": "I", "text": "', '"}]}'
    ),
    **{f"{name}, its header": of_file(name, corpus) for name in MANIFEST_ROWS},
    **{f"{name}, its rows": of_file(name, corpus, header) for name, header in MANIFEST_ROWS.items()},
    "correction": of_file(CORRECTION, lambda path: last_correction(path.parents[2], "s")),
    "correction, its words": of_file(
        CORRECTION, lambda path: last_correction(path.parents[2], "s"), '{"speech": "s", "words": ['
    ),
    "votes": of_file("votes.csv", read_votes),
    "votes, its rows": of_file("votes.csv", read_votes, "argument1,argument2,worker,vote\n"),
    "votes as XML": of_file("a.xml", lambda path: list(read_annotated_pairs(path.parent))),
    "rows": of_file("a.csv", lambda path: list(read_rows(path, ["a"])), "a,b\n"),
    "rows with tabs": of_file("a.tsv", lambda path: list(read_tab_separated(path, ["a"])), "a\n"),
}
TEXTS: dict[str, Reader] = {
    "tokens": tokens,
    "stems": stems,
    "normalised plainly": normaliser("plain"),
    "readability": readability,
    "syllables": syllables,
    "German syllables": lambda text: syllables(text, "de"),
    "French syllables": lambda text: syllables(text, "fr"),
    "Spanish syllables": lambda text: syllables(text, "es"),
    "language use": language_use,
    "sentences": sentences.split,
    "sentences of words": lambda text: sentences.cut_at_punctuation(
        [Word(text=word, start=0.0, end=0.0) for word in text.split()]
    ),
    "human marks": lambda text: written_words(text.splitlines()),
    "questions": lambda text: sentences.asks(text.split()),
    "trimmed": trimmed,
    "argued": is_argued,
    "concessions left out": without_concession,
    "concessions": lambda text: list(conceded(text)),
    "clauses": lambda text: list(clauses(text)),
    "claims": claims,
    "written candidates": lambda text: candidates([text], "We should ban Zoos."),
    "topic": topic_subject,
    "reports": reported_speech.reported,
    "names": lambda text: reported_speech.attributes(text, reported_speech.names_spoken(["Anna Will"])),
    "emphasis": reported_speech.emphasises,
    "contradiction": reported_speech.turns_against,
    "negation": terms.is_negated,
    "surface": lambda text: surface([text]),
    "Markdown": escaped,
    "Markdown with commands": with_commands,
    "printed": printable,
    "answer of a large language model": _json_of,
    "motion": motion_text,
    "template of a claim": lambda text: Topic().learn(f"<TOPIC> {text}", text),
    "claim filled in": lambda text: Topic({"<TOPIC>": "zoos"}).filled(text),
}


def expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every regular expression that is written in the project's modules, by module and line."""
    for file in sorted([*ROOT.glob("pipeline/**/*.py"), *ROOT.glob("flows/**/*.py")]):
        name = file.relative_to(ROOT).as_posix()
        nodes = ast.walk(ast.parse(file.read_text("utf-8")))
        calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")]
        written = [call for call in calls if call.args]
        for call in written:
            named = [getattr(re, node.attr, None) for node in ast.walk(call) if isinstance(node, ast.Attribute)]
            flags = functools.reduce(operator.or_, (value for value in named if isinstance(value, re.RegexFlag)), 0)
            if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
                yield f"{name}:{call.lineno}", re.compile(call.args[0].value, flags)
        if not all(isinstance(call.args[0], ast.Constant) for call in written):  # put together from parts
            module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
            for attribute, value in vars(module).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    yield f"{name}:{attribute}", value


def test_every_regular_expression() -> None:
    """Also those in the middle of a text: what comes first must not be looked at again from each of its characters."""
    slow, seen = [], set()
    for name, expression in expressions():
        if name.partition(":")[0] in SHORT_TEXTS or expression in seen:
            continue
        seen.add(expression)
        for text in texts(30_000):
            try:
                with within(1.0):
                    expression.sub("", text)
            except TimeoutError:
                slow.append(f"{name}: {text[:12]!r}")
    assert slow == []


@sizes
@pytest.mark.parametrize("name", FILES)
def test_every_reader_of_files(tmp_path: Path, name: str, size: int, seconds: float) -> None:
    read = FILES[name](tmp_path)
    for text in texts(size):
        for given in (text, escape(text)) if name.startswith(("trs", "eaf", "TEI", "exb")) else (text,):
            with within(seconds):
                try:
                    read(given)
                except RostrumError as error:
                    message = str(error)
                else:
                    message = ""
            assert len(message) < LONGEST_MESSAGE


@sizes
@pytest.mark.parametrize("name", TEXTS)
def test_everything_that_looks_at_a_text(name: str, size: int, seconds: float) -> None:
    slow = []
    for text in texts(size):
        try:
            with within(seconds):
                TEXTS[name](text)
        except TimeoutError:
            slow.append(text[:12])
    assert slow == []


def test_files_have_a_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    with pytest.raises(RostrumError, match=r"a.txt: 100,000,001 bytes; more than 100,000,000 are not read"):
        read_text(path)


def test_a_message_is_not_as_long_as_what_it_is_about() -> None:
    message = str(RostrumError(f"speeches.csv: unknown column {'x' * 3_000_000}; correct it"))
    assert len(message) < LONGEST_MESSAGE
    assert message.startswith("speeches.csv: unknown column xxx")
    assert message.endswith("xxx; correct it")


def test_hints_for_many_unknown_names_take_no_longer_than_the_names(tmp_path: Path) -> None:
    """Ten thousand labels of unknown arguments, where there are ten thousand arguments."""
    (tmp_path / "motions.csv").write_text("id,text\nm,We should ban zoos.\n")
    header, rows = "id,motion,stance,title\n", "".join(f"argument-{n},m,pro,It is so.\n" for n in range(10_000))
    (tmp_path / "arguments.csv").write_text(header + rows)
    labels = "".join(f"s,argument{n},1\n" for n in range(10_000))
    (tmp_path / "labels.csv").write_text("speech,argument,mentioned\n" + labels)
    with within(10.0):
        problems = open_corpus(tmp_path).problems
    assert len(problems) == 20_000
    assert "did you mean argument-0?" in str(problems[1])


def test_speeches_that_answer_in_a_large_circle(tmp_path: Path) -> None:
    rows = "".join(f"s{n},,s{(n + 1) % 20_000}\n" for n in range(20_000))
    (tmp_path / "speeches.csv").write_text("id,file,answers\n" + rows)
    with within(10.0):
        assert len(open_corpus(tmp_path).problems) == 20_000


def test_schemes_that_link_everything_with_everything(tmp_path: Path) -> None:
    """Two thousand premises and two thousand conclusions of one scheme are four million links."""
    nodes = [{"nodeID": n, "type": "I", "text": "so"} for n in range(4_000)] + [{"nodeID": 4_000, "type": "RA"}]
    edges = [{"fromID": n, "toID": 4_000} if n < 2_000 else {"fromID": 4_000, "toID": n} for n in range(4_000)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"nodes": nodes, "edges": edges}))
    with within(10.0), pytest.raises(RostrumError, match="more than 1,000,000 pairs of nodes"):
        read_argument_map(path)
