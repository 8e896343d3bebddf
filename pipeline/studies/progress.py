"""How far a study is: how many answers each worker has given, and each item has."""

import time
from collections import Counter
from html import escape
from typing import NamedTuple

from pipeline.report.formatting import counted
from pipeline.studies.answers import all_given, last_given
from pipeline.studies.study import StudyFolder


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
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(folder.study.title)}: progress</title><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="../../static/form.css"></head><body><main class="prose">'
        f"<h1>{escape(folder.study.title)}</h1><p>{answered:,} of {items:,} answers. Each worker's name is the link "
        f"for that worker: give it to one person only.</p><table><thead><tr><th>worker</th><th>answers</th>"
        f"<th>done</th><th>last answer</th></tr></thead><tbody>{lines}</tbody></table></main></body></html>"
    )
