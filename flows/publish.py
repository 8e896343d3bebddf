"""Publishes pages of stages, speeches, motions and runs as artifacts in the Prefect UI.

If publishing fails, that is a warning. It never fails a run.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.corpus.contents import Corpus
from pipeline.progress import Progress
from pipeline.records import Record
from pipeline.report import REPORT_PORT, default_folder
from pipeline.report.build import write_pages
from pipeline.report.markdown import escaped, page, with_commands
from pipeline.report.run_data import ReportData
from pipeline.report.site import FRONT
from pipeline.run.job import Item, Job
from pipeline.run.scopes import MOTIONS
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary, speech_rows

MOST_CHARACTERS = 200


@dataclass(frozen=True)
class Pages:
    """The pages of one folder's runs. `corpus` is the folder's name, `root` where its artifacts are stored.

    >>> Pages("Debates 2026", "/data/runs/debates").key("transcribe", "anna")
    'debates-2026-transcribe-anna-501c499b'
    """

    corpus: str
    root: str

    @classmethod
    def of(cls, corpus: Corpus, store: Store) -> "Pages":
        root = str(Path(store.root).resolve()) if store.is_local else store.root
        return cls(corpus.path.resolve().stem if corpus.recording else corpus.path.resolve().name, root)

    def key(self, kind: str, scope: str = "") -> str:
        """The key of a page on a speech or motion. It is the same in every run of the folder.

        It consists of lower-case letters, digits and dashes, which is what Prefect allows. It ends in a digest of the
        folder, the kind and the speech, so that no two of them share a key.
        """
        mark = hashlib.sha256("\0".join((self.root, kind, scope)).encode()).hexdigest()[:8]
        words = " ".join((self.corpus, kind, _name_of(scope))).lower()
        return re.sub(r"[^a-z0-9]+", "-", words)[:MOST_CHARACTERS].strip("-") + f"-{mark}"

    def link(self, text: str, kind: str, scope: str = "") -> str:
        """A Markdown link to another page. It works in the old and in the new UI."""
        return f"[{escaped(text)}](../key/{self.key(kind, scope)})"

    def publish_stage(self, job: Job, record: Record) -> None:
        """Publish the page of the record that a stage made."""
        name, item = job.stage.name, job.item
        text = f"# {name}: {escaped(item.id)}\n\n{self._leads(item)}\n\n{page(name, record)}\n\n{self._sources(job)}"
        create(self.key(name, item.scope), text, _described(job))

    def publish_failure(self, job: Job, reason: str) -> None:
        """Publish the page of a stage that failed: the error, and what to do."""
        name, item = job.stage.name, job.item
        text = (
            f"# {name} failed: {escaped(item.id)}\n\n{with_commands(reason)}\n\n{self._leads(item)}\n\n"
            "Nothing was stored by this stage. Once the cause is mended, the next run does it again. "
            f"{self._sources(job)}"
        )
        create(self.key(name, item.scope), text, _described(job) + ": failed")

    def speech_page(self, item: Item, rows: Iterable[tuple[str, str, str, float]]) -> dict[str, str]:
        """The page of a speech as an artifact: a table with one row per stage."""
        cells = [
            f"| {self.link(stage, stage, item.scope)} | {escaped(state)} | {escaped(made)} | {seconds:.1f} |"
            for stage, state, made, seconds in rows
        ]
        lines = ["| stage | state | what was made | seconds |", "| --- | --- | --- | --- |", *cells]
        text = f"# {escaped(item.id)}\n\n{self._leads(item, 'speech')}\n\n" + "\n".join(lines)
        about = escaped(f"The stages of {item.id}, in the last run that did any")
        return {"key": self.key("speech", item.scope), "data": text, "description": about}

    def publish_speeches(self, summary: RunSummary) -> None:
        """Publish the table that `rostrum run` prints."""
        from prefect.artifacts import create_table_artifact

        create_table_artifact(
            # the UI shows a cell of text as Markdown
            table=[{name: _cell(value) for name, value in row.items()} for row in speech_rows(summary)],
            key=self.key("speeches"),
            description=escaped(f"{summary.corpus}: artifacts in {self.root}"),
        )

    def publish_run(self, data: ReportData, report: str, logger: Any) -> None:
        """Publish the page of the run, and those of the motions on which the run has done something.

        `report` is the sentence on where the report is.
        """
        summary = data.run.summary
        with warning("the page of the run", logger):
            text = f"# {escaped(self.corpus)}\n\n{_leading_to(FRONT, report)}\n\n{data.front_page.markdown}"
            create(self.key("run"), text, escaped(f"The last run over {summary.corpus} at a glance"))
        for motion in data.run.motions:
            own = (outcome for item in summary.items if item.motion == motion.id for outcome in item.outcomes)
            if any(outcome.state == "run" for outcome in own):
                with warning(f"the page of {motion.id}", logger):
                    link = _leading_to(data.motions[motion.id].href, report)
                    text = f"# {escaped(motion.text)}\n\n{link}\n\n{data.motion_page(motion).markdown}"
                    create(self.key("motion", motion.id), text, escaped(f"The debate on {motion.text} at a glance"))

    def _leads(self, item: Item, kind: str = "stage") -> str:
        """Links to the pages of the speech, the motion and the run that a page of this kind belongs to."""
        links = [] if item.is_motion or kind == "speech" else [self.link("the speech", "speech", item.scope)]
        if item.motion:
            links.append(self.link("the motion", "motion", item.motion))
        return " · ".join([*links, self.link("the run", "run")])

    def _sources(self, job: Job) -> str:
        """A sentence on where the artifact is, with links to the pages of what it was made from."""
        makers = {(place.stage, place.scope) for places in job.stored.values() for place in places.values()}
        links = [self.link(f"{stage} of {_name_of(scope)}", stage, scope) for stage, scope in sorted(makers)]
        made_from = f"Made from {', '.join(links)}. " if links else ""
        return f"{made_from}Artifact: `{self.root}/{job.item.scope}/{job.stage.name}.json`"


def _name_of(scope: str) -> str:
    return scope.removeprefix(f"{MOTIONS}/")


def _described(job: Job) -> str:
    """The description of a page: stage, speech, motion and model."""
    item = job.item
    on = f" on {item.motion}" if item.motion and item.motion != item.id else ""
    try:
        models = ", ".join(job.model)
    except Exception:  # a model that is missing is why the stage failed, and its page says so
        models = ""
    return escaped(f"{job.stage.name} of {item.id}{on}" + (f", by {models}" if models else ""))


def _leading_to(page: str, report: str) -> str:
    """The sentence on the report, and a link that opens the page once the report is served."""
    link = f"[this page of it](http://127.0.0.1:{REPORT_PORT}/{page})"
    return f"{with_commands(report[0].upper() + report[1:])}\n\nOnce it is served: {link}"


def _cell(value: Any) -> Any:
    return escaped(value) if isinstance(value, str) else value


@contextmanager
def warning(what: str, logger: Any) -> Iterator[None]:
    """Log an error inside of this context as a warning, and go on."""
    try:
        yield
    except Exception as error:  # the artifact itself is stored in any case
        logger.warning("%s could not be published: %s", what, error)


def create(key: str, markdown: str, description: str) -> None:
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(markdown=markdown, key=key, description=description)


# Writes the report at the end of a run. An error here is only a warning; the run has not failed.


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
