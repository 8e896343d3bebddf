"""The pages of runs, motions, speeches and stages in the Prefect UI: Prefect's artifacts, with links between them."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.corpus.contents import Corpus
from pipeline.errors import RostrumError, quoted
from pipeline.progress import Progress
from pipeline.records import Motion
from pipeline.report import REPORT_PORT, default_folder
from pipeline.report.build import write_pages
from pipeline.report.formatting import counted
from pipeline.report.links import page_names
from pipeline.report.markdown import escaped, with_commands
from pipeline.report.run_data import ReportData
from pipeline.report.site import FRONT
from pipeline.run.job import Item, Job
from pipeline.run.plan import RunPlan
from pipeline.run.scopes import MOTIONS
from pipeline.run.store import Store
from pipeline.run.summary import ItemSummary, Row, RunSummary, speech_rows
from pipeline.stage import STAGES

MOST_CHARACTERS = 200
# How many speeches the page of a run lists. Its table has all of them.
MOST_LISTED = 200
# How many pages of earlier runs are looked for on the server when a run begins. Others are not linked.
MOST_LOOKED_UP = 2000
# The UI shows so many columns of a table beside its own panels.
COLUMNS = ("speech", "duration", "words", "WER %", "seconds", "x realtime", "status")


class Page(NamedTuple):
    """A page as an artifact of Prefect."""

    key: str
    data: Any
    description: str
    type: str = "markdown"


@dataclass
class Pages:
    """The pages of one folder's runs, and the links between them.

    `corpus` is the folder's name, `label` has its parent as well, and `root` is where its artifacts are stored.
    `addresses` are the pages of speeches and motions in the report, `ids` the artifacts of the server, by key.

    >>> Pages("Debates 2026", "/data/runs/debates").key("transcribe", "anna")
    'debates-2026-transcribe-anna-501c499b'
    """

    corpus: str
    root: str
    label: str = ""
    addresses: Mapping[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: RunPlan, *, report: bool = True) -> "Pages":
        """The pages of a run. Without a `report`, they have no links to it."""
        corpus, store = plan.corpus, plan.store
        path = corpus.path.resolve()
        root = str(Path(store.root).resolve()) if store.is_local else store.root
        addresses = dict(_addresses(plan.items)) if report and store.is_local else {}
        return cls(path.stem if corpus.recording else path.name, root, label_of(corpus), addresses)

    def key(self, kind: str, scope: str = "") -> str:
        """The key of a page on a speech or motion. It is the same in every run of the folder.

        It consists of lower-case letters, digits and dashes, which is what Prefect allows. It ends in a digest of the
        folder, the kind and the speech, so that no two of them share a key.
        """
        mark = hashlib.sha256("\0".join((self.root, kind, scope)).encode()).hexdigest()[:8]
        words = " ".join((self.corpus, kind, _name_of(scope))).lower()
        return re.sub(r"[^a-z0-9]+", "-", words)[:MOST_CHARACTERS].strip("-") + f"-{mark}"

    def link(self, text: str, kind: str, scope: str = "") -> str:
        """A Markdown link to another page, in either UI. Only the text if the server has no such page."""
        artifact = self.ids.get(self.key(kind, scope))
        return f"[{escaped(text)}](../artifact/{artifact})" if artifact else escaped(text)

    def linked_keys(self, plan: RunPlan) -> list[str]:
        """The keys of the pages of earlier runs that the pages of this run have links to."""
        planned = {job.item.scope for job in plan.jobs}
        others = [item for item in plan.items if item.scope not in planned][:MOST_LISTED]
        keys = [self.key("speech", item.scope) for item in others if not item.is_motion]
        done = (self.key(outcome.stage, outcome.scope) for outcome in plan.done.values() if outcome.scope in planned)
        keys += [self.key("motion", motion) for motion in dict.fromkeys(item.motion for item in plan.items) if motion]
        return [*dict.fromkeys((*keys, *done))][:MOST_LOOKED_UP]

    # The pages.

    def stage_page(self, job: Job, body: str) -> Page:
        """The page of the record that a stage made; `body` is the record as Markdown."""
        name, item = job.stage.name, job.item
        text = f"# {name}: {escaped(item.id)}\n\n{self._leads(item)}\n\n{body}\n\n{self._sources(job)}"
        return Page(self.key(name, item.scope), text, _described(job))

    def failure_page(self, job: Job, reason: str) -> Page:
        """The page of a stage that failed: the error, and what to do."""
        name, item = job.stage.name, job.item
        text = (
            f"# {name} failed: {escaped(item.id)}\n\n{with_commands(reason)}\n\n{self._leads(item)}\n\n"
            "Nothing was stored by this stage. Once the cause is mended, the next run does it again. "
            f"{self._sources(job)}"
        )
        return Page(self.key(name, item.scope), text, _described(job) + ": failed")

    def speech_page(self, item: Item, rows: Iterable[tuple[str, str, str, float]], *, is_ended: bool) -> Page:
        """The page of a speech: a table with one row per stage."""
        cells = [
            f"| {self.link(stage, stage, item.scope)} | {escaped(state)} | {seconds:.1f} | "
            f"{escaped(_without_file(made, item, stage))} |"
            for stage, state, made, seconds in sorted(rows, key=lambda row: _rank(row[0]))
        ]
        # The old UI does not break the lines of a table: long texts come last.
        lines = ["| stage | state | seconds | what was made |", "| --- | --- | --- | --- |", *cells]
        note = "" if is_ended else "The run goes on.\n\n"
        text = f"# {escaped(item.id)}\n\n{self._leads(item, 'speech')}\n\n{note}" + "\n".join(lines)
        about = escaped(f"The stages of {item.id}, in the last run that did any")
        return Page(self.key("speech", item.scope), text, about)

    def motion_page(self, motion: Motion, items: Iterable[Item], glance: str = "") -> Page:
        """The page of a motion: links to its speeches and stages, and the debate at a glance."""
        own = [item for item in items if item.motion == motion.id]
        scope = next(item.scope for item in own if item.is_motion)
        speeches = [self.link(item.id, "speech", item.scope) for item in own if not item.is_motion]
        stages = [self.link(name, name, scope) for name in STAGES if self.key(name, scope) in self.ids]
        parts = [
            f"# {escaped(motion.text)}",
            _joined(self.link("the run", "run"), self._in_report(scope)),
            _listed("Speeches", speeches),
            _listed("Stages", stages),
            glance or "The run goes on.",
        ]
        about = escaped(f"The debate on {motion.text} at a glance")
        return Page(self.key("motion", motion.id), "\n\n".join(filter(None, parts)), about)

    def run_page(self, plan: RunPlan, summary: RunSummary | None = None, glance: str = "", report: str = "") -> Page:
        """The page of a run: links to its motions and speeches, and the run at a glance.

        Without a `summary`, the run goes on. `report` is the sentence on where the report is.
        """
        used = {item.motion for item in plan.items}
        motions = [motion for motion in plan.corpus.motions.values() if motion.id in used]
        links = [self.link(motion.text, "motion", motion.id) for motion in motions[:MOST_LISTED]]
        more = [f"and {len(motions) - MOST_LISTED} more"] if len(motions) > MOST_LISTED else []
        parts = [
            f"# {escaped(self.label or self.corpus)}",
            _leading_to(FRONT, report) if report else "",
            "" if summary else "The run goes on.",
            _removed(plan),
            _listed("Motions", [*links, *more]),
            glance,
            self._speeches(summary) if summary else "",
        ]
        text = "\n\n".join(filter(None, parts))
        return Page(self.key("run"), text, escaped(f"The last run over {plan.corpus.path} at a glance"))

    def _speeches(self, summary: RunSummary) -> str:
        """The speeches with links to their pages, those that failed first."""
        items = [item for item in summary.items if not item.is_motion]
        rows = dict(zip((item.scope for item in items), speech_rows(summary), strict=True))
        ranked = sorted(items, key=lambda item: item.failure is None)
        header = ("speech", "motion", "length", "words", "WER %", "status")
        lines = [f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
        lines += [self._speech_row(item, rows[item.scope]) for item in ranked[:MOST_LISTED]]
        more = len(items) - MOST_LISTED
        note = [f"\n{more} more are in {self.link('the table of speeches', 'speeches')}."] if more > 0 else []
        return "## Speeches\n\n" + "\n".join([*lines, *note])

    def _speech_row(self, item: ItemSummary, row: Row) -> str:
        failure = item.failure
        status = f"failed: {self.link(failure.stage, failure.stage, item.scope)}" if failure else escaped(row["status"])
        cells = [escaped(item.motion), *(escaped(row[name]) for name in ("duration", "words", "WER %"))]
        return " | ".join([f"| {self.link(item.id, 'speech', item.scope)}", *cells, status]) + " |"

    def speeches_page(self, summary: RunSummary) -> Page:
        """The table that `rostrum run` prints, with as many columns as the UI shows."""
        # the UI shows a cell of text as Markdown
        rows = [{name: _cell(row.get(name)) for name in COLUMNS} for row in speech_rows(summary)]
        about = escaped(f"{summary.corpus}: artifacts in {self.root}")
        return Page(self.key("speeches"), rows, about, "table")

    def progress_page(self, percent: float) -> Page:
        """The share of the work that is done, as a bar."""
        return Page(self.key("progress"), percent, escaped(f"{self.label}: share of the work that is done"), "progress")

    def _leads(self, item: Item, kind: str = "stage") -> str:
        """Links to the pages of the speech, the motion and the run that a page of this kind belongs to."""
        links = [] if item.is_motion or kind == "speech" else [self.link("the speech", "speech", item.scope)]
        if item.motion:
            links.append(self.link("the motion", "motion", item.motion))
        return _joined(*links, self.link("the run", "run"), self._in_report(item.scope))

    def _in_report(self, scope: str) -> str:
        """A link to the page in the report, where a speech can be heard; empty if there is no report."""
        address = self.addresses.get(scope)
        if address is None:
            return ""
        what = "in the report" if scope.startswith(f"{MOTIONS}/") else "in the report, with the sound"
        return f"[{what}](http://127.0.0.1:{REPORT_PORT}/{address}) (`rostrum report {self.root} --serve`)"

    def _sources(self, job: Job) -> str:
        """A sentence on where the artifact is, with links to the pages of what it was made from."""
        makers = {(place.stage, place.scope) for places in job.stored.values() for place in places.values()}
        links = [self.link(f"{stage} of {_name_of(scope)}", stage, scope) for stage, scope in sorted(makers)]
        made_from = f"Made from {', '.join(links)}. " if links else ""
        return f"{made_from}Artifact: `{self.root}/{job.item.scope}/{job.stage.name}.json`"


def _removed(plan: RunPlan) -> str:
    gone = removed(plan)
    listed = ", ".join(map(escaped, gone[:MOST_LISTED]))
    return f"**Removed since the last run**: {listed}{', …' if len(gone) > MOST_LISTED else ''}" if gone else ""


def _addresses(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """(scope, address in the report) of every speech and motion."""
    for folder, of_kind in (("speeches", False), ("motions", True)):
        scopes = {item.id: item.scope for item in items if item.is_motion == of_kind}
        for id, name in page_names(scopes).items():
            yield scopes[id], f"{folder}/{name}.html"


def _rank(stage: str) -> int:
    names = [*STAGES]
    return names.index(stage) if stage in names else len(names)


def _joined(*links: str) -> str:
    return " · ".join(filter(None, links))


def _listed(what: str, links: list[str]) -> str:
    return f"**{what}**: {' · '.join(links)}" if links else ""


def _without_file(made: str, item: Item, stage: str) -> str:
    """What a stage made, without the path of its artifact, which the page of the stage has."""
    text, _, last = made.rpartition(", ")
    return text if last.endswith(f"/{item.scope}/{stage}.json") else made


def _name_of(scope: str) -> str:
    return scope.removeprefix(f"{MOTIONS}/")


def _described(job: Job) -> str:
    """The description of a page: stage, speech, motion and model."""
    item = job.item
    on = f" on {item.motion}" if item.motion and item.motion != item.id else ""
    try:
        models = ", ".join(job.model)
    except RostrumError:  # a model that is missing is why the stage failed, and its page says so
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
    """Log an error inside of this context as a warning, and go on. A page that is missing never fails a run."""
    try:
        yield
    except Exception as error:  # the artifact itself is stored in any case
        logger.warning("%s could not be published: %s", what, error)


# Writes the report at the end of a run. An error here is only a warning; the run has not failed.


class Shown(NamedTuple):
    """What the end of a run shows: the run's data, if it can be read, and the sentence on where the report is."""

    data: ReportData | None
    report_line: str


def show(store: Store, report: bool, progress: Progress) -> Shown:
    """Read the run for its pages, and write the report."""
    try:
        data = ReportData.read(store)
    except Exception as error:  # the results of the stages are stored all the same
        return Shown(None, _warning(error))
    return Shown(data, _write(data, progress) if report else f"no report: `rostrum report {store.root}` writes it")


def report_later(store: Store) -> str:
    """The line of a shard, which writes no report: the others may be at work."""
    return f"report: `rostrum report {quoted(store.root)}` writes it, of all shards"


def bring_up_to_date(store: Store, progress: Progress) -> str:
    """Write the pages of the report that have changed, and return the line that says where it is."""
    return show(store, True, progress).report_line


def _write(data: ReportData, progress: Progress) -> str:
    """Write the report, and return the line that says where it is and how to open it, or why there is none."""
    store = data.run.store
    if not store.is_local:
        return f"report: `rostrum report {quoted(store.root)} --to FOLDER --serve` writes it to this machine"
    try:
        front = write_pages(data, default_folder(store), progress)
    except Exception as error:
        return _warning(error)
    return f"report: {front} (`rostrum report {quoted(store.root)} --serve`)"


def _warning(error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"warning: the report could not be written: {reason}"


# What a run is called in the UI: its folder, and what it is about to do.


def label_of(corpus: Corpus) -> str:
    """The last two parts of the corpus's path, which tell it from another folder of the same name."""
    return "/".join(part for part in corpus.path.resolve().parts[-2:] if part != "/")


def removed(plan: RunPlan) -> list[str]:
    """The speeches of the last run that are not in the corpus any more."""
    scopes = {item.scope for item in plan.items}
    return [
        item.id for item in (plan.last.items if plan.last else ()) if item.scope not in scopes and not item.is_motion
    ]


def what_changes(plan: RunPlan) -> str:
    """What a run is about to do: `12 new, 3 changed, 1 removed`."""
    known = {item.scope for item in plan.last.items} if plan.last else set()
    items = {job.item for job in plan.jobs}
    speeches = [item for item in items if not item.is_motion]
    new = sum(item.scope not in known for item in speeches)
    counts = ((new, "new"), (len(speeches) - new, "changed"), (len(removed(plan)), "removed"))
    parts = [f"{count} {what}" for count, what in counts if count]
    if items and not parts:
        parts = [counted(len(items), "motion")]
    return ", ".join(parts) or "nothing to do"


def title(plan: RunPlan) -> str:
    """The name of a run in the UI: the folder, the shard, and what the run is about to do."""
    shard = "" if plan.shard.is_all else f" {plan.shard}"
    return f"{label_of(plan.corpus)}{shard}: {what_changes(plan)}"
