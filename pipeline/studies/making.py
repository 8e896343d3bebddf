"""Makes a study: draws items from a source, assigns them, and writes the study's folder."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.grouping import grouped
from pipeline.progress import Progress, no_progress
from pipeline.studies.drawing import choose_known, most_doubtful, sheets, spread
from pipeline.studies.items import Answer, Answers, Item, Question
from pipeline.studies.source import Source, nothing_to_ask
from pipeline.studies.study import Study, StudyFolder, refuse_used_folder, write_study
from pipeline.studies.tasks import TASKS, Options, guidelines_of

KNOWN_COLUMNS = ("subject", "question", "row", "answer")


@dataclass(frozen=True)
class Plan:
    """How many workers answer what: every item so many times, and how many items are tests or training."""

    workers: int
    per_item: int = 3
    tests: int = 0
    training: int = 0
    seed: int = 0
    limit: float | None = None
    title: str = ""
    consent: bool = True
    known: Path | None = None


def make_study(
    task: str, source: Path, out: Path, plan: Plan, options: Mapping[str, Any], progress: Progress = no_progress
) -> StudyFolder:
    """Make a study of a task in a new folder. `options` are those of `Options` that were given."""
    refuse_used_folder(out)
    module = TASKS.load(task)
    if unused := sorted(options.keys() - {*module.OPTIONS, "most"}):
        names = ", ".join(f"--{name.replace('_', '-')}" for name in unused)
        raise RostrumError(f"the task {task} has no option {names}; leave it out")
    random = np.random.default_rng(plan.seed)
    out.mkdir(parents=True, exist_ok=True)
    try:
        study = _drawn(module, task, Source(source, out), plan, Options(random=random, **options), progress)
        consent = _CONSENT.format(items=max(len(sheet.items) for sheet in study.sheets))
        return write_study(out, study, guidelines_of(task), consent if plan.consent else "")
    except BaseException:
        shutil.rmtree(out)  # it was empty, and half a study is none
        raise


def _drawn(module: Any, task: str, source: Source, plan: Plan, options: Options, progress: Progress) -> Study:
    """The study with its items drawn and assigned."""
    items = module.draw(source, options)
    if not items:
        what = module.NOTHING.format(medium="transcripts" if options.medium == "text" else "recordings")
        raise nothing_to_ask(source.path, what)
    if plan.known:
        items = with_known(items, plan.known)
    training, tests = choose_known(items, plan.training, plan.tests, options.random)
    aside = {item.id for item in (*training, *tests)}
    # Who is tested on a subject is not asked about it as well.
    subjects = {item.subject for item in (*training, *tests)}
    rest = [item for item in items if item.id not in aside and item.subject not in subjects]
    if options.by == "uncertainty":
        rest = most_doubtful(task, rest, source.run)
    rest = spread(rest, [item.group for item in rest], options.most)
    if not rest:
        what = "all items would be tests or training, or have a known answer"
        raise RostrumError(f"{source.path}: {what}; lower --tests and --training")
    workers = [f"w{number:0{len(str(plan.workers))}d}" for number in range(1, plan.workers + 1)]
    names = {item.id: f"i{number:04d}" for number, item in enumerate((*training, *tests, *rest), 1)}
    training, tests, rest = (
        [item.model_copy(update={"id": names[item.id]}) for item in part] for part in (training, tests, rest)
    )
    assigned_sheets = sheets(rest, workers, plan.per_item, options.random, training=training, tests=tests)
    chosen = source.with_recordings([*training, *tests, *rest], progress)
    return Study(
        task=task,
        title=plan.title or module.TITLE,
        source=str(source.path.resolve()),
        seed=plan.seed,
        answers_per_item=plan.per_item,
        items=tuple(chosen),
        sheets=assigned_sheets,
        tests=tuple(item.id for item in tests),
        training=tuple(item.id for item in training),
        limit=plan.limit,
        rostrum=version("rostrum"),
    )


def with_known(items: Sequence[Item], file: Path) -> list[Item]:
    """The items with the known answers of a CSV file, which has the columns of what `collect` writes as labels.csv."""
    rows = [row for _, row in read_rows(file, KNOWN_COLUMNS, ("mode",))]
    by_item = grouped(((row["mode"], row["subject"]), row) for row in rows)
    known: list[Item] = []
    for item in items:
        of_item = by_item.get((item.mode, item.subject), by_item.get(("", item.subject), ()))
        known.append(item.model_copy(update={"known": item.known | _known(item, of_item, file)}))
    if rows and not any(item.known for item in known):
        raise RostrumError(f"{file}: none of its answers is to an item of this study; compare the column subject")
    return known


def _known(item: Item, rows: Sequence[Mapping[str, str]], file: Path) -> Answers:
    """The answers to an item that the rows have, by its letters."""
    letters = {name: letter for letter, name in item.about.items()}
    answers: dict[str, Answer] = {}
    for question in item.questions:
        own = [row for row in rows if row["question"] == question.id and row["answer"]]
        values = {letters.get(row["row"], row["row"]): letters.get(row["answer"], row["answer"]) for row in own}
        if values:
            answers[question.id] = _answer(question, values, file)
    return answers


def _answer(question: Question, values: Mapping[str, str], file: Path) -> Answer:
    allowed = {"0", "1"} if question.kind == "several" else {option.value for option in question.options}
    if wrong := sorted(set(values.values()) - allowed):
        raise RostrumError(
            f"{file}: {wrong[0]!r} is no answer to {question.id}; it can be {', '.join(sorted(allowed))}"
        )
    if question.kind == "several":
        return [letter for letter, value in values.items() if value == "1"]
    return dict(values) if question.kind == "rows" else next(iter(values.values()))


_CONSENT = """# Taking part

You are asked to answer {items} questions or sets of questions about recorded speeches or arguments. There are no right
opinions: we want to know what you hear and think.

- Taking part is voluntary. You can stop at any time by closing the page, without giving a reason.
- Your answers and the time you take are stored under a number, not under your name.
- The answers may be published, under these numbers, as part of a data set.
- Questions: ask the person who gave you the link.
"""
