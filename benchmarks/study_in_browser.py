"""A study of every task on the samples, answered by simulated workers in Chromium, collected, evaluated, learned from.

    PYTHONPATH=. python benchmarks/study_in_browser.py --to DIR --run RUN [--task NAME]... [--workers 50]

RUN is a run of audio_samples (`rostrum run audio_samples`); transcripts are asked of it. Workers know the truth and are
wrong in a tenth of their decisions. Some are careless by construction: they guess, answer always the first, copy their
reasons, or answer in no time. Each works in a browser context of its own, by keyboard, by mouse, or on a phone; the
first two really play their first recording. Everything between `make` and the last training is a command.

Needs krippendorff and crowd-kit, with which the coefficients and labels are computed once more.
"""

import csv
import re
import shlex
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.corpus import open_corpus
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.studies.collect import Collected, collect
from pipeline.studies.items import YES, Answers, Item
from pipeline.studies.labels import Decision, values_of
from pipeline.studies.quality import Rules
from pipeline.studies.study import Study, open_study
from pipeline.studies.tasks import TASKS
from tests.pipeline.conftest import ARGUMENTS, CHROMIUM
from tests.pipeline.studies.browsing import BrowserCrowd
from tests.pipeline.studies.conftest import SAMPLES, write_debates, write_task_files
from tests.pipeline.studies.people import Careless, Crowd, Person, Truth

NOISE = 0.1
DEBATES = ("debate_week", "schools_exchange")


@dataclass(frozen=True)
class Asked:
    """How a task is asked: what of, with which options of `make`, what is true, and who is careless.

    `read_by` are the commands that read what `collect` writes; {out} is its folder, {to} that of the benchmark.
    """

    source: Callable[[Path, Path], Path]
    make: tuple[str, ...]
    truth: Callable[[Study], Truth]
    careless: tuple[Careless, ...]
    read_by: tuple[str, ...]


def _known(_: Study) -> Truth:
    return lambda item: item.known


def _samples(to: Path, run: Path) -> Path:
    return SAMPLES


def _task_files(to: Path, run: Path) -> Path:
    return (to / "task") if (to / "task").exists() else write_task_files(to / "task")


def _sets(to: Path, run: Path) -> Path:
    """Sets of key points that systems write on the samples' arguments."""
    sheet = to / "sheet"
    if not sheet.exists():
        _command(f"evaluate keypoints --data {_task_files(to, run)} --annotate {sheet}")
    return sheet


def _debates(to: Path, run: Path) -> Path:
    return (to / "debates") if (to / "debates").exists() else write_debates(to / "debates", DEBATES)


def _better_pair(_: Study) -> Truth:
    """The argument whose id comes last convinces more."""
    return lambda item: {"vote": max(item.about, key=lambda letter: item.about[letter])}


def _better_set(_: Study) -> Truth:
    """The system whose name comes last writes the better set."""
    return lambda item: {"better": max(item.about, key=lambda letter: item.about[letter])}


def _level(_: Study) -> Truth:
    return lambda item: {"overall": str(1 + sum(map(ord, item.subject)) % 4)}


def _sure(_: Study) -> Truth:
    return lambda item: {**item.known, "sure": "sure", "reasons": ["reports", "main"]}


def _who(_: Study) -> Truth:
    """As speakers.csv has it; both voices of the exchange debate, the first one for the motion."""

    def truth(item: Item) -> Answers:
        sides = dict(zip(item.about, ("pro", "con"), strict=False))
        return item.known or {"role": dict.fromkeys(item.about, "debater"), "side": sides}

    return truth


def _reference(study: Study) -> Truth:
    """What was said in each stretch: the part of the reference with which its recognised words are aligned."""
    texts: dict[str, str] = {}
    references = {entry.speech.id: entry.text("reference") or "" for entry in open_corpus(SAMPLES).entries}
    for recording, items in grouped((item.group, item) for item in study.items).items():
        stretches = sorted(items, key=lambda item: item.subject)
        heard = [str(item.questions[0].default).split() for item in stretches]
        said = references[recording].split()
        ends = _aligned([word for words in heard for word in words], said, np.cumsum([len(words) for words in heard]))
        for item, (start, end) in zip(stretches, pairwise([0, *ends]), strict=True):
            texts[item.id] = " ".join(said[start:end]) or "."
    return lambda item: {"text": texts[item.id]}


def _aligned(heard: Sequence[str], said: Sequence[str], places: Sequence[int]) -> list[int]:
    """The places in `said` that are those in `heard`, by the words that both have."""
    plain = [[re.sub(r"\W", "", word.casefold()) for word in words] for words in (heard, said)]
    blocks = SequenceMatcher(None, *plain, autojunk=False).get_matching_blocks()
    found = []
    for place in places:
        block = max((block for block in blocks if block.a < place), key=lambda block: block.a)
        found.append(min(block.b + place - block.a, len(said)))
    return [*found[:-1], len(said)]


TASKS_ASKED: dict[str, Asked] = {
    "listening": Asked(
        _samples,
        ("--answers", "15", "--tests", "2", "--training", "1", "--reading", "0.5"),
        _known,
        ("guesses", "always first", "hasty", "guesses", "guesses"),
        (
            "evaluate listening --data {out}/corpus --labels --votes {out}/votes.csv --reading {out}/reading.csv",
            "train mentions --data {out}/corpus --out {to}/detector.json",
        ),
    ),
    "counter": Asked(
        _samples,
        ("--answers", "50"),
        _sure,
        ("hasty", "hasty"),  # four decisions are too few to say of anybody that it is no more than chance
        (
            "evaluate counter --data {out}/corpus --encoder none --vectors none --protocol motion "
            "--people {out}/answers.csv",
            "train counter --data {out}/corpus --encoder none --vectors none --out {to}/ranker.json",
        ),
    ),
    "keypoints": Asked(
        _task_files,
        ("--answers", "15", "--tests", "4", "--training", "1"),
        _known,
        ("guesses", "always first", "hasty", "guesses"),
        (
            "evaluate keypoints --data {out}/keypoints --unlearned --people {out}/decisions.csv",
            "train keypoints --data {out}/keypoints --epochs 1 --out {to}/matcher.safetensors",
        ),
    ),
    "sets": Asked(
        _sets,
        ("--answers", "25"),
        _better_set,
        ("guesses", "always first", "hasty"),
        ("evaluate keypoints --data {to}/task --annotated {out}/sets",),
    ),
    "pairs": Asked(
        _samples,
        ("--answers", "9", "--seed", "1"),
        _better_pair,
        ("copies", "guesses", "hasty", "copies", "guesses"),
        (
            "graph {out}/votes.csv",
            "evaluate convincing --data {out}/pairs --people {out}/votes.csv --anew --method 'longer (words)'",
            "train convincing --data {out}/pairs --no-check --out {to}/convincing.npz",
        ),
    ),
    "scores": Asked(
        _samples,
        ("--answers", "50"),
        _level,
        ("guesses", "always first", "hasty"),
        (
            "evaluate content --data {out}/responses --encoder none",
            "train grade --data {out}/responses --no-content --no-argument --out {to}/grade.json",
        ),
    ),
    "speakers": Asked(
        _debates,
        ("--answers", "50"),
        _who,
        ("guesses", "always first", "hasty"),
        ("run {out}/corpus --stages speakers --out {to}/speakers-run",),
    ),
    "transcripts": Asked(
        lambda to, run: run, ("--answers", "4"), _reference, ("copies", "hasty"), ("evaluate wer --data {out}/corpus",)
    ),
}


@click.command()
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), required=True, help="A new folder.")
@click.option("--run", type=click.Path(exists=True, file_okay=False, path_type=Path), help="A run of audio_samples.")
@click.option("--task", "tasks", multiple=True, type=click.Choice(list(TASKS_ASKED)), help="Repeatable. Default: all.")
@click.option("--workers", default=50, show_default=True)
@click.option(
    "--in-browser", type=int, help="Only the first so many, the careless among them; others over the sessions."
)
def main(to: Path, run: Path | None, tasks: tuple[str, ...], workers: int, in_browser: int | None) -> None:
    """Make, answer, collect and use a study of every task, and print what became of it."""
    from playwright.sync_api import sync_playwright

    assert set(TASKS_ASKED) == set(TASKS.names())
    to.mkdir(parents=True, exist_ok=True)
    rows, used, coefficients = [], [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        for name in tasks or TASKS_ASKED:
            asked, folder = TASKS_ASKED[name], to / name
            source = asked.source(to, run or Path())
            _command(f"annotate make {name} {source} --out {folder} --workers {workers}", *asked.make)
            row, result = _answered(browser, asked, folder, in_browser)
            rows.append({"task": name, **row})
            print_rows(f"{name}: answered and collected", rows[-1:])
            coefficients += [{"task": name, **each} for each in _twice(result, folder / "collected")]
            for line in (command.format(out=folder / "collected", to=to) for command in asked.read_by):
                used.append({"command": line.replace(str(to), "DIR"), "says": _command(line)})
        browser.close()
    print_rows("answered and collected", rows)
    print_rows("coefficients and labels, here and by krippendorff and crowd-kit", coefficients)
    print_rows("what reads it", used)


def _answered(browser: Any, asked: Asked, folder: Path, in_browser: int | None) -> tuple[Row, Collected]:
    """Everybody answers the study in this folder. (The figures of one row, what was collected.)"""
    study = open_study(folder)
    names = list(study.study.sheet_of)
    people = {worker: Person(NOISE) for worker in names}
    people |= {worker: Person(NOISE, how) for worker, how in zip(names, asked.careless, strict=False)}
    seen = dict(list(people.items())[:in_browser])
    listeners = () if any(item.seek for item in study.study.items) else list(seen)[-2:]
    crowd = BrowserCrowd(browser, study, seen, asked.truth(study.study), frozenset(listeners))
    start = time.monotonic()
    answers = crowd.answer_everything()
    row: Row = {"workers": len(names), "in_browser": len(seen), "answers": answers, "seconds": time.monotonic() - start}
    others = {worker: person for worker, person in people.items() if worker not in seen}
    Crowd(study, others, crowd.truth).answer_everything(seed=1)
    _command(f"annotate check {folder}")
    _command(f"annotate collect {folder}")
    result = collect(study, Rules())
    return row | _careless(result, people) | _right(result, crowd.truth), result


def _command(line: str, *more: str) -> str:
    """Run a command of rostrum, and return the last line that it says."""
    done = subprocess.run(["rostrum", *shlex.split(line), *more], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"rostrum {line}: exit code {done.returncode}: {done.stderr}")
    lines = [text for text in (done.stderr.splitlines() or done.stdout.splitlines()) if text.strip()]
    return lines[-1][:100] if lines else ""


def _careless(result: Collected, people: Mapping[str, Person]) -> Row:
    out = {each.worker for each in result.quality if each.left_out}
    careless = {worker for worker, person in people.items() if person.careless}
    return {"careless": len(careless), "found": len(out & careless), "others_left_out": len(out - careless)}


def _right(result: Collected, truth: Truth) -> Row:
    """How many of the labels are true; of texts, those that most workers wrote."""
    right = []
    for item, labels in result.labelled():
        known = truth(item)
        for label in labels:
            question, row = label.unit.question, label.unit.row
            answer = known.get(question)
            if isinstance(answer, list):
                right.append((label.best == YES) == (row in answer))
            elif answer is not None:
                right.append(label.best == (answer[row] if isinstance(answer, dict) else answer))
    for item in result.study.labelled:
        if isinstance(text := truth(item).get("text"), str):
            written = Counter(str(one.answers["text"]) for one in result.answers_to(item))
            right.append(written.most_common(1)[0][0] == text)
    return {"labels": len(right), "true": float(np.mean(right))}


def _twice(result: Collected, out: Path) -> list[Row]:
    """Krippendorff's alpha of each question, and the labels by majority and by MACE, by others' programs."""
    wanted = {item.id for item in result.study.labelled}
    with (out / "agreement.csv").open() as file:
        ours = {row["question"]: row for row in csv.DictReader(file) if row.get("of") == "all"}
    decided = [each for each in result.decided if each.unit.item in wanted]
    return [
        _compared(result, question, own, ours[question])
        for question, own in grouped((each.unit.question, each) for each in decided).items()
    ]


def _compared(result: Collected, question: str, decided: Sequence[Decision], ours: dict[str, str]) -> Row:
    import krippendorff
    import pandas as pd
    from crowdkit.aggregation import MACE, MajorityVote

    units, workers = sorted({each.unit for each in decided}), sorted({each.worker for each in decided})
    values = values_of(result.study.by_id[unit.item] for unit in units)[question]
    table = np.full((len(workers), len(units)), np.nan)
    for each in decided:
        table[workers.index(each.worker), units.index(each.unit)] = values.index(each.value)
    asked = next(one for one in result.study.by_id[units[0].item].questions if one.id == question)
    level = "ordinal" if asked.ordinal else "nominal"
    alpha = krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    votes = pd.DataFrame(
        [(units.index(each.unit), each.worker, each.value) for each in decided], columns=["task", "worker", "label"]
    )
    mace, majority = (kind.fit_predict(votes) for kind in (MACE(n_restarts=2, random_state=0), MajorityVote()))
    labels = [result.labels.by_unit[unit] for unit in units]
    clear = [n for n, label in enumerate(labels) if label.majority is not None]
    return {
        "question": question,
        "decisions": len(decided),
        "alpha": float(ours["krippendorff_alpha"]),
        "alpha_of_krippendorff": float(alpha),
        "same_majority": float(np.mean([labels[n].majority == majority[n] for n in clear])),
        "same_mace": float(np.mean([label.mace == mace[n] for n, label in enumerate(labels)])),
    }


if __name__ == "__main__":
    main()
