"""The pages of a study: forms for workers, progress for the organiser, and the figures of what was collected."""

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, Value
from pipeline.report.formatting import counted
from pipeline.studies.study import MEDIA, Sheet, Study, StudyFolder, all_given, last_given

STATIC = {"form.js": "text/javascript", "form.css": "text/css"}
_STYLESHEET = '<link rel="stylesheet" href="../../static/form.css">'

# Forms: one page for the server, and one per worker that needs no server and hands back a file.


def form_page(folder: StudyFolder, sheet: dict[str, Any] | None = None) -> str:
    """The page of a form. With a sheet, all of it is in the page, also the style and the program."""
    data: dict[str, Any] = {
        "title": folder.study.title,
        "guidelines": as_html(folder.guidelines),
        "consent": as_html(folder.consent),
    }
    head, foot = _STYLESHEET, '<script src="../../static/form.js"></script>'
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
    for index, name in enumerate(sheet.items):
        item = study.by_id[name]
        known = {"known": item.known} if index < sheet.training else {}
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


def _page(title: str, style: str, body: str) -> str:
    """A page for the organiser."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,">{style}</head>'
        f'<body><main class="prose">{body}</main></body></html>'
    )


# How many answers each worker has given so far.


class WorkerProgress(NamedTuple):
    """One worker's answers so far, of those on the sheet; when the last one came, in seconds since 1970."""

    worker: str
    answered: int
    items: int
    last: float | None


def progress(folder: StudyFolder) -> list[WorkerProgress]:
    """The progress of each worker."""
    given = last_given(list(all_given(folder)))
    counts = Counter(one.worker for one in given)
    last = {one.worker: one.at for one in given}
    return [
        WorkerProgress(sheet.worker, counts[sheet.worker], len(sheet.items), last.get(sheet.worker))
        for sheet in folder.study.sheets
    ]


def _ago(at: float | None) -> str:
    """How long ago a moment was, in words."""
    if at is None:
        return "none yet"
    minutes = int(max(time.time() - at, 0.0) // 60)
    hours, days = minutes // 60, minutes // 1440
    return counted(days, "day") + " ago" if days else f"{hours} h ago" if hours else f"{minutes} min ago"


def progress_page(folder: StudyFolder) -> str:
    """The organiser's page. It has links with the workers' secrets, relative to this page."""
    rows = progress(folder)
    answered, items = sum(row.answered for row in rows), sum(row.items for row in rows)
    lines = "".join(
        f'<tr><th scope="row"><a href="../../w/{escape(folder.tokens[row.worker])}/">{escape(row.worker)}</a></th>'
        f'<td>{row.answered} of {row.items}</td><td><progress max="{row.items}" value="{row.answered}" '
        f'aria-label="{escape(row.worker)}"></progress></td><td>{_ago(row.last)}</td></tr>'
        for row in rows
    )
    title = escape(folder.study.title)
    body = (
        f"<h1>{title}</h1><p>{answered:,} of {items:,} answers. Each worker's name is the link for that worker: give "
        "it to one person only.</p><table><thead><tr><th>worker</th><th>answers</th><th>done</th><th>last answer</th>"
        f"</tr></thead><tbody>{lines}</tbody></table>"
    )
    return _page(f"{title}: progress", _STYLESHEET, body)


# The figures of a collected study.

_HEADINGS = {
    "cohen_kappa": "Cohen's kappa",
    "free_marginal_kappa": "free-marginal kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "tests": "test answers right",
    "competence": "competence (MACE)",
    "left_out": "left out because",
}
_STYLE = (
    "main { max-width: 72rem } .wide { overflow-x: auto } "
    "td, th { white-space: nowrap } td.text { white-space: normal; min-width: 22rem }"
)


def write_page(path: Path, folder: StudyFolder, evaluation: Evaluation) -> None:
    """Write the figures as an offline page."""
    title = escape(folder.study.title)
    tables = "".join(f"<h2>{escape(name.capitalize())}</h2>{_table(rows)}" for name, rows in evaluation.tables)
    left_out = evaluation.signature["workers_left_out"]
    lead = (
        f"{evaluation.signature['answers']:,} answers to {evaluation.signature['items']:,} items and the tests; "
        f"{counted(left_out, 'worker') if left_out else 'no worker'} left out of the labels and of agreement."
    )
    style = f"<style>{static_text('form.css')}{_STYLE}</style>"
    path.write_text(_page(title, style, f"<h1>{title}</h1><p>{lead}</p>{tables}"), encoding="utf-8")


def _table(rows: tuple[Row, ...]) -> str:
    """The rows as a table. An interval stands behind its figure."""
    columns = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if not name.endswith(("_low", "_high")) and any(row.get(name) not in (None, "", 0) for row in rows)
    ]
    columns.sort(key=lambda name: name not in ("worker", "left_out"))  # what a person looks for stands first
    head = "".join(f'<th scope="col">{escape(_HEADINGS.get(name, name.replace("_", " ")))}</th>' for name in columns)
    body = "".join("<tr>" + "".join(_cell(row, name) for name in columns) + "</tr>" for row in rows)
    return f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(row: Row, name: str) -> str:
    value, low, high = row.get(name), row.get(f"{name}_low"), row.get(f"{name}_high")
    kind = ' class="text"' if isinstance(value, str) and len(value) > 40 else ""
    interval = f" ({_shown(low)} to {_shown(high)})" if low is not None and high is not None else ""
    return f"<td{kind}>{escape(_shown(value) + interval)}</td>"


def _shown(value: Value) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
