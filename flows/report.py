"""Writes the report at the end of a run. An error here is only a warning; the run has not failed."""

from typing import Any

from flows.publish import Pages
from pipeline.engine.store import Store
from pipeline.output.report import default_folder, write_pages
from pipeline.output.views.run_data import ReportData
from pipeline.progress import Progress


def show(store: Store, pages: Pages, report: bool, progress: Progress, logger: Any) -> str:
    """Write the report, publish the pages of the run, and return the line that says where the report is."""
    try:
        data = ReportData.read(store)
    except Exception as error:  # the results of the stages are stored all the same
        return _warning(error)
    line = _write(data, progress) if report else f"no report: `rostrum report {store.root}` writes it"
    pages.publish_run(data, line, logger)
    return line


def bring_up_to_date(store: Store, progress: Progress) -> str:
    """Write the pages of the report that have changed, and return the line that says where it is."""
    try:
        return _write(ReportData.read(store), progress)
    except Exception as error:
        return _warning(error)


def _write(data: ReportData, progress: Progress) -> str:
    """Write the report, and return the line that says where it is and how to open it, or why there is none."""
    store = data.run.store
    if not store.is_local:
        return f"report: `rostrum report {store.root} --to FOLDER --serve` writes it to this machine"
    try:
        front = write_pages(data, default_folder(store), progress)
    except Exception as error:
        return _warning(error)
    return f"report: {front} (`rostrum report {store.root} --serve`)"


def _warning(error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"warning: the report could not be written: {reason}"
