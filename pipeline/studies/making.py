"""Makes a study: draws items from a source, assigns them, and writes the study's folder."""

import shutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pipeline.counter import CounterScores
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.grouping import grouped
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mentions
from pipeline.progress import Progress, no_progress
from pipeline.report.judging import doubt_of
from pipeline.run.finished import FinishedRun
from pipeline.studies.items import Answer, Answers, Item, Question
from pipeline.studies.source import Source, nothing_to_ask
from pipeline.studies.study import Sheet, Study, StudyFolder, refuse_used_folder, write_study
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
    if "by" in module.OPTIONS and options.get("other_runs") and options.get("by") != "uncertainty":
        raise RostrumError("--other-run says on which items runs differ; add --by uncertainty")
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
        rest = most_doubtful(task, rest, source.runs(options.other_runs))
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


# Which items are asked, and who gets which: as often as wanted, no worker twice, evenly, by a seed.


T = TypeVar("T")


def spread(items: Sequence[T], groups: Sequence[str], most: int | None) -> list[T]:
    """At most so many of the items, drawn round-robin over the groups."""
    if most is None or most >= len(items):
        return list(items)
    queues = [list(members) for members in grouped(zip(groups, items, strict=True)).values()]
    taken: list[T] = []
    while len(taken) < most:
        taken += [queue.pop(0) for queue in queues if queue][: most - len(taken)]
    return taken


def shuffled(items: Sequence[T], random: np.random.Generator) -> list[T]:
    """The items in random order."""
    return [items[index] for index in random.permutation(len(items))]


def choose_known(
    items: Sequence[Item], training: int, tests: int, random: np.random.Generator
) -> tuple[list[Item], list[Item]]:
    """(items for training, items for tests), at random among those with known answers. No two have one subject.

    They are of the first mode, if there are several.
    """
    candidates = [item for item in items if item.known and item.mode == items[0].mode]
    known = {item.subject: item for item in shuffled(candidates, random)}
    if len(known) < training + tests:
        raise RostrumError(
            f"{training + tests} items with known answers are wanted for training and tests, and there are "
            f"{len(known)}; lower --training and --tests, or give known answers with --known"
        )
    chosen = list(known.values())
    return chosen[:training], chosen[training : training + tests]


def sheets(
    items: Sequence[Item],
    workers: Sequence[str],
    per_item: int,
    random: np.random.Generator,
    *,
    training: Sequence[Item] = (),
    tests: Sequence[Item] = (),
) -> tuple[Sheet, ...]:
    """The sheet of each worker: training, then the own items in random order, with the tests among them.

    Items of one subject go to different workers. The numbers of items of any two workers differ by one at most.
    """
    own = assigned(items, workers, per_item, random)
    drawn = []
    for worker in workers:
        order = _mixed(shuffled(own[worker], random), shuffled([test.id for test in tests], random), random)
        drawn.append(Sheet(worker=worker, items=(*(item.id for item in training), *order), training=len(training)))
    return tuple(drawn)


def assigned(
    items: Iterable[Item], workers: Sequence[str], per_item: int, random: np.random.Generator
) -> Mapping[str, list[str]]:
    """The items of each worker. Those with the fewest so far get the next ones; chance decides between equals."""
    by_subject = grouped((item.subject, item) for item in items)
    most = max((len(members) for members in by_subject.values()), default=0) * per_item
    if most > len(workers):
        raise RostrumError(
            f"{most} workers are needed, and there are {len(workers)}: nobody gets the same twice; "
            "give more --workers or fewer --answers"
        )
    own: dict[str, list[str]] = {worker: [] for worker in workers}
    for members in shuffled(list(by_subject.values()), random):
        free = sorted(shuffled(workers, random), key=lambda worker: len(own[worker]))
        chosen = shuffled(free[: len(members) * per_item], random)
        for index, item in enumerate(members):
            for worker in chosen[index * per_item : (index + 1) * per_item]:
                own[worker].append(item.id)
    return own


def _mixed(own: Sequence[str], tests: Sequence[str], random: np.random.Generator) -> list[str]:
    """The own items with the tests at random positions."""
    order = list(own)
    for test in tests:
        order.insert(int(random.integers(len(order) + 1)), test)
    return order


# What to ask next: items on which runs differ or one is least sure come first. What is known is not asked again.


class _View(NamedTuple):
    """How a run sees an item: how unsure it is, from 0 to 1, and what it decided, by what the decision is about."""

    doubt: float = 0.0
    decided: Mapping[str, Hashable] = {}


def most_doubtful(task: str, items: Sequence[Item], runs: Sequence[FinishedRun]) -> list[Item]:
    """The items without known answers: those first on which most runs differ, then the least certain ones.

    The order of equals stays. (Query by committee, and uncertainty sampling.)
    """
    if task not in _VIEWS:
        raise RostrumError(f"the task {task} has no order by uncertainty; there is one for {', '.join(_VIEWS)}")
    if not runs:
        raise RostrumError("--by uncertainty needs to know what a run decided; give a run as SOURCE")

    def order(item: Item) -> tuple[float, float]:
        views = [_VIEWS[task](run, item) for run in runs]
        return -_difference([view.decided for view in views]), -fmean(view.doubt for view in views)

    return sorted((item for item in items if not item.known), key=order)


def _difference(decided: Sequence[Mapping[str, Hashable]]) -> float:
    """The mean share of the runs that decide otherwise than most others; 0 if there is one run only."""
    by_name = grouped((name, value) for views in decided for name, value in views.items())
    return fmean([1.0 - max(map(own.count, own)) / len(own) for own in by_name.values()] or [0.0])


def _of_listening(run: FinishedRun, item: Item) -> _View:
    """The mean doubt about the arguments of a speech, and which of them it mentions."""
    record = run.of_speech(Mentions, item.subject)
    asked = set(item.about.values())
    own = [mention for mention in record.mentions if mention.argument in asked] if record else []
    if not record or not own:
        return _View()
    doubt = fmean(doubt_of(mention.probability, record.threshold) for mention in own)
    return _View(doubt, {mention.argument: mention.mentioned for mention in own})


def _of_counter(run: FinishedRun, item: Item) -> _View:
    """How near the second candidate's score is to the first's, in the spread of the motion's scores, and the first."""
    record = run.of_motion(CounterScores, item.group)
    pairs = record.pairs if record else ()
    candidates = set(item.about.values())
    own = [pair for pair in pairs if pair.supporting == item.subject and pair.opposing in candidates]
    own.sort(key=lambda pair: -pair.score)
    spread = max((pair.score for pair in pairs), default=0.0) - min((pair.score for pair in pairs), default=0.0)
    doubt = 1.0 - (own[0].score - own[1].score) / spread if len(own) > 1 and spread else 0.0
    return _View(doubt, {"answer": own[0].opposing} if own else {})


def _of_keypoints(run: FinishedRun, item: Item) -> _View:
    """How near the best score of a sentence is to the threshold for a match, and whether there is a match."""
    text = item.shown[0].text
    records = [
        record
        for motion in run.motions
        if motion.text == item.group and (record := run.of_motion(KeyPoints, motion.id))
    ]
    scores = [
        (match.score, record.threshold)
        for record in records
        for point in record.points
        for match in point.matches
        if match.said.text == text
    ]
    if not scores:
        return _View(decided={"match": False} if records else {})
    score, threshold = max(scores)
    return _View(max(0.0, 1.0 - (score - threshold) / max(1 - threshold, 0.001)), {"match": True})


_VIEWS: dict[str, Callable[[FinishedRun, Item], _View]] = {
    "listening": _of_listening,
    "counter": _of_counter,
    "keypoints": _of_keypoints,
}
