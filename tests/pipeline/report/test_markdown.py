"""Text of others in Markdown stays text: whatever it holds, it is no link, no image, no HTML and no other cell."""

import re
from html import unescape
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.report.markdown import bullets, escaped, headline, table, with_commands
from pipeline.run.index import load
from pipeline.run.store import Store
from pipeline.stage import all_stages

# What GitHub's Markdown, and so the Prefect UI, makes a link of without any mark.
BARE_ADDRESS = re.compile(r"(https?|ftp)://|www\.|\w@\w", re.IGNORECASE)


def html(text: str) -> str:
    """As a browser would get it."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def seen(text: str) -> str:
    """The text that a reader sees of a piece of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())


HOSTILE = [
    "[x](javascript:alert(1))",
    "![i](http://evil.example/i.png)",
    "[a][b]\n\n[b]: http://evil.example",
    "<img src=x onerror=alert(1)>",
    "<http://evil.example>",
    "http://evil.example/page",
    "www.evil.example",
    "somebody@evil.example",
    "`[x](http://evil.example)`",
    "a | b",
    "&lt;b&gt; &#91;x&#93;",
    "\\[x](http://evil.example)",
    "**bold** __bold__ ~~gone~~",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "| a | b |",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", ["cell", "heading", "bullet", "paragraph", "cell of a header"])
def test_text_of_others_stays_text(text: str, place: str) -> None:
    made = {
        "cell": lambda: table(("a",), [(text,)]),
        "cell of a header": lambda: table((text,), [("x",)]),
        "heading": lambda: f"## {escaped(text)}",
        "bullet": lambda: bullets([text]),
        "paragraph": lambda: escaped(text),
    }[place]()
    shown = html(made)
    assert not re.search(r"<(a|img|script|em|strong|s|code|blockquote|h1|ol)\b", shown), shown
    assert not BARE_ADDRESS.search(made)
    assert seen(text_of(shown, place)) == " ".join(text.split())


def text_of(shown: str, place: str) -> str:
    """The part of the page in which the text stands."""
    pattern = {"cell": r"<td.*?</td>", "cell of a header": r"<th\b.*?</th>"}.get(place, r".*")
    found = re.search(pattern, shown, re.S)
    assert found
    return found[0]


@given(st.text(max_size=40))
def test_any_text_stays_text(text: str) -> None:
    made = table(("a",), [(text,)])
    shown = html(made)
    assert not BARE_ADDRESS.search(made)
    assert shown.count("<td") == 1
    assert not re.search(r"<(a|img|em|strong|s|code)\b", shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_commands_are_code_and_nothing_else_is_a_mark(text: str) -> None:
    shown = html(with_commands(f"{text}; run `rostrum models fetch *`"))
    assert "<code>rostrum models fetch *</code>" in shown
    assert not re.search(r"<(a|img|script|em|strong|s|blockquote|h1|ol|ul)\b", shown), shown


@given(st.text("`a\\_*<[ ", max_size=20))
def test_any_text_with_commands_makes_code_only(text: str) -> None:
    assert not re.search(r"<(a|em|strong|ul|h1)\b", html(with_commands(text)))


def test_control_characters_are_spelled_out() -> None:
    assert escaped("a\x1b[2Jb\u202ec") == r"a\\x1b\[2Jb\\u202ec"
    assert escaped("two\nlines") == "two lines"


def test_ordinary_text_is_left_as_it_is() -> None:
    for text in ("schools_pro_anna", "We should ban it: now (or never), don't we?", "12 %", "0:15", "–", "C# 3-4"):
        assert escaped(text) == text


# What a stage made, in a few words: the message of its state in the Prefect UI, and a line of the log.


def test_every_stage_s_records_have_a_headline_of_one_line(run: Store) -> None:
    summary = load(run)
    assert summary is not None
    said: dict[str, str] = {}
    for stage in all_stages():
        for item in summary.items:
            artifact = run.artifact(item.scope, stage.name)
            if artifact is not None and artifact.data is not None:
                said[stage.name] = headline(stage.name, run.record(stage.output, item.scope, artifact))
    assert {"transcribe", "counter", "keypoints", "mentions", "convincing"} <= set(said)
    assert all(line and len(line) < 120 and "\n" not in line and "\xa0" not in line for line in said.values()), said


@pytest.mark.parametrize("stage", [stage.name for stage in all_stages()])
def test_every_stage_has_a_headline(stage: str) -> None:
    assert callable(import_module(f"pipeline.{stage}.show").headline)
