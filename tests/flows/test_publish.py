"""The keys of pages in the Prefect UI. What is on the pages, `test_process.py` asks a server."""

import pytest

from flows.publish import MOST_CHARACTERS, Pages
from pipeline.run.job import Item

PAGES = Pages("My Debates", "/runs/debates")


@pytest.mark.parametrize(
    ("scope", "key"),
    [
        ("plain-1", "my-debates-ingest-plain-1-"),
        ("_motions/zoos", "my-debates-ingest-zoos-"),
        ("Two Words", "my-debates-ingest-two-words-"),
        ("日本", "my-debates-ingest-"),
        ("x" * 300, "my-debates-ingest-xxx"),
    ],
)
def test_keys_are_what_prefect_takes(scope: str, key: str) -> None:
    found = PAGES.key("ingest", scope)
    assert found.startswith(key)
    assert set(found) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(found) <= MOST_CHARACTERS + len("-12345678")


def test_keys_of_different_speeches_and_folders_differ() -> None:
    folders = (PAGES, Pages("My Debates", "/runs/others"))
    scopes = ("a b", "a-b", "a/b", "A-b", "a_b", "日", "本")
    assert len({pages.key("ingest", scope) for pages in folders for scope in scopes}) == 14


def test_long_texts_come_last_on_the_page_of_a_speech() -> None:
    """The old UI cuts a table at the right. The path of an artifact is on the page of its stage."""
    made = "249 words, 4.7x real time, tiny.en, /runs/debates/anna/transcribe.json"
    rows = [("grade", "skipped", "skipped: no scoring model", 0.0), ("transcribe", "run", made, 2.04)]
    page = PAGES.speech_page(Item("anna", "anna", None), rows, is_ended=True)
    assert page.data.splitlines()[-4:] == [
        "| stage | state | seconds | what was made |",
        "| --- | --- | --- | --- |",
        "| transcribe | run | 2.0 | 249 words, 4.7x real time, tiny.en |",
        "| grade | skipped | 0.0 | skipped: no scoring model |",
    ]
