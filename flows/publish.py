"""Publishes results of stages and runs as artifacts in the Prefect UI. A failure here warns, and never fails a run."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.engine.job import Job
from pipeline.engine.scopes import MOTIONS
from pipeline.engine.store import Store
from pipeline.engine.summary import RunSummary, speech_rows
from pipeline.output import REPORT_PORT
from pipeline.output.markdown import page
from pipeline.output.markdown.front import front_markdown
from pipeline.output.markdown.motion import motion_markdown
from pipeline.output.markdown.text import escaped
from pipeline.output.report.site import FRONT
from pipeline.output.views.run_data import ReportData
from pipeline.records import Record

MOST_CHARACTERS = 200


def _name_of(scope: str) -> str:
    return scope.removeprefix(f"{MOTIONS}/")


def key_of(stage: str, scope: str) -> str:
    """`transcribe-<speech>` in lower-case letters, digits and dashes, which is all that Prefect takes.

    An underscore becomes a dash, and a dash two; ids with anything else in them get a mark, so that no two are alike.
    """
    name = _name_of(scope)
    plain = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name) and len(name) <= MOST_CHARACTERS
    if plain:
        return f"{stage}-" + name.replace("-", "--").replace("_", "-")
    mark = hashlib.sha256(scope.encode()).hexdigest()[:8]
    return f"{stage}-" + re.sub(r"[^a-z0-9]+", "-", name.lower())[:MOST_CHARACTERS].strip("-") + f"-{mark}"


def publish(job: Job, record: Record, logger: Any) -> None:
    """Publish the page of what a stage made."""
    name, scope = job.stage.name, job.item.scope
    with warning(f"the page of {name}", logger):
        text = f"# {name}: {escaped(_name_of(scope))}\n\n{page(name, record)}"
        create(key_of(name, scope), text, job.stage.summary)


def publish_run(data: ReportData, report: str, logger: Any) -> None:
    """Publish the page of the run, and those of the motions on which it has done something.

    `report` is the line that says where the report is.
    """
    summary = data.run.summary
    name = Path(summary.corpus).name
    with warning("the page of the run", logger):
        text = f"# {escaped(name)}\n\n{_leading_to(FRONT, report)}\n\n{front_markdown(data)}"
        create(key_of("run", name), text, escaped(f"The run over {summary.corpus} at a glance"))
    for motion in data.run.motions:
        own = (outcome for item in summary.items if item.motion == motion.id for outcome in item.outcomes)
        if any(outcome.state == "run" for outcome in own):
            with warning(f"the page of {motion.id}", logger):
                link = _leading_to(data.motions[motion.id].href, report)
                text = f"# {escaped(motion.text)}\n\n{link}\n\n{motion_markdown(data, motion)}"
                create(key_of("motion", motion.id), text, "The motion at a glance")


def _leading_to(page: str, report: str) -> str:
    """The line on the report, and a link to the page for when it is served."""
    return f"{escaped(report[0].upper() + report[1:])}\n\nOnce it is served: [this page of it](http://127.0.0.1:{REPORT_PORT}/{page})"


def publish_speeches(summary: RunSummary, store: Store, logger: Any) -> None:
    """Publish the table that `rostrum run` prints."""
    with warning("the table of speeches", logger):
        from prefect.artifacts import create_table_artifact

        create_table_artifact(
            # the UI shows a cell of text as Markdown
            table=[{name: _cell(value) for name, value in row.items()} for row in speech_rows(summary)],
            key=key_of("speeches", Path(summary.corpus).name),
            description=escaped(f"{summary.corpus}: artifacts in {store.root}"),
        )


def _cell(value: Any) -> Any:
    return escaped(value) if isinstance(value, str) else value


@contextmanager
def warning(what: str, logger: Any) -> Iterator[None]:
    """Publishing inside of this warns when it fails."""
    try:
        yield
    except Exception as error:  # whatever it is, the artifact itself is stored
        logger.warning("%s could not be published: %s", what, error)


def create(key: str, markdown: str, description: str) -> None:
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(markdown=markdown, key=key, description=description)
