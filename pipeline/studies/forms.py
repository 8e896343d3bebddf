"""The pages of forms: one for the server, and one per worker that needs no server and hands back a file."""

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.studies.study import MEDIA, Sheet, Study, StudyFolder

STATIC = {"form.js": "text/javascript", "form.css": "text/css"}


def form_page(folder: StudyFolder, sheet: dict[str, Any] | None = None) -> str:
    """The page of a form. With a sheet, all of it is in the page, also the style and the program."""
    data: dict[str, Any] = {
        "title": folder.study.title,
        "guidelines": as_html(folder.guidelines),
        "consent": as_html(folder.consent),
    }
    head, foot = '<link rel="stylesheet" href="../../static/form.css">', '<script src="../../static/form.js"></script>'
    if sheet is not None:
        data |= {"study": folder.path.resolve().name, "sheet": sheet}
        head, foot = f"<style>{static_text('form.css')}</style>", f"<script>{static_text('form.js')}</script>"
    page = _read("templates/form.html")
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    for mark, text in (("HEAD", head), ("FOOT", foot), ("DATA", written)):
        page = page.replace(f"<!--{mark}-->", text)
    return page


def write_static_forms(folder: StudyFolder, to: Path) -> Iterator[Path]:
    """Write one page per worker, and the recordings beside them. Returns the pages."""
    if to.exists() and any(to.iterdir()):
        raise RostrumError(f"{to}: not an empty folder; name another one")
    to.mkdir(parents=True, exist_ok=True)
    if (folder.path / MEDIA).is_dir():
        shutil.copytree(folder.path / MEDIA, to / MEDIA)
    for sheet in folder.study.sheets:
        page = to / f"{sheet.worker}.html"
        page.write_text(form_page(folder, _whole_sheet(folder.study, sheet)), encoding="utf-8")
        yield page


def _whole_sheet(study: Study, sheet: Sheet) -> dict[str, Any]:
    """The sheet as JSON. Only items for training have their known answers, which are shown as feedback."""
    items = []
    for place, name in enumerate(sheet.items):
        item = study.by_id[name]
        known = {"known": item.known} if place < sheet.training else {}
        items.append(item.for_worker(sheet.worker, study.seed) | known)
    return {"worker": sheet.worker, "training": sheet.training, "limit": study.limit, "items": items}


def as_html(text: str) -> str:
    """Markdown as HTML. HTML in it is shown as text."""
    from markdown_it import MarkdownIt

    written: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return written


def static_text(name: str) -> str:
    """A file of the forms' style or program."""
    return _read(f"static/{name}")


def _read(name: str) -> str:
    return (files("pipeline.studies") / name).read_text(encoding="utf-8")
