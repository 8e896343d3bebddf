"""The page of a collected study: its figures as tables that a person reads."""

from html import escape
from pathlib import Path

from pipeline.evaluation.result import Evaluation, Row, Value
from pipeline.report.formatting import counted
from pipeline.studies.forms import static_text
from pipeline.studies.study import StudyFolder

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
    """Write the figures as a page that opens from disk."""
    title = escape(folder.study.title)
    tables = "".join(f"<h2>{escape(name.capitalize())}</h2>{_table(rows)}" for name, rows in evaluation.tables)
    left_out = evaluation.signature["workers_left_out"]
    lead = (
        f"{evaluation.signature['answers']:,} answers to {evaluation.signature['items']:,} items and the tests; "
        f"{counted(left_out, 'worker') if left_out else 'no worker'} left out of the labels and of agreement."
    )
    path.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,"><style>{static_text("form.css")}{_STYLE}</style></head>'
        f'<body><main class="prose"><h1>{title}</h1><p>{lead}</p>{tables}</main></body></html>',
        encoding="utf-8",
    )


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
