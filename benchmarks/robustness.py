"""How word errors change the score of each detector: on the same speeches, at word error rates from 0 to 40 %.

    python benchmarks/robustness.py --data DIR [--figures DIR] [--only counter]

DIR holds `ibm-debates`, `kpa2021`, `mohler-asag`, `ukpconvarg1` and `ibm-argq`. The errors are those that IBM's
recogniser made on the motions to learn from; the text that is looked for (claims, key points, references) has none.
What is learned is learned from transcripts without errors.
"""

import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline.cli.console import print_rows
from pipeline.convincing.evaluate.data import ArgumentPairs
from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Entry
from pipeline.corpus.datasets import LABELS
from pipeline.evaluation.result import Row
from pipeline.mentions.evaluate.data import split
from pipeline.report.figures import Figure, files
from pipeline.score.train_noise import learn_confusions
from pipeline.system.environment import prepare_environment
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER
from pipeline.text.noise import Confusions, noisy_words

# What was recognised before would make everything faster than it is.
os.environ["ROSTRUM_TRANSCRIPTS"] = "off"

RATES = (0.0, 0.1, 0.2, 0.3, 0.4)
_TABLES = ("GPR-KB-55.csv", LABELS)


class Data(NamedTuple):
    """The folders of data, a working folder, and the confusions of a recogniser."""

    root: Path
    work: Path
    confusions: Confusions


Detector = Callable[[Data, float], Iterator[Row]]


def content(data: Data, rate: float) -> Iterator[Row]:
    """Measures of content on short answers, by their correlation with human scores."""
    from pipeline.content.evaluate_content import StudyOptions, evaluate

    found = evaluate(data.root / "mohler-asag", options=StudyOptions(confusions=data.confusions, wer=rate, draws=0))
    wanted = ("length", "base ROUGE-1", "new ROUGE-1", "CVA", "soft recall", "all content measures")
    yield from _picked(
        (row for row in found.rows if row["transcript"] != "manual" and row.get("config") != "curve"),
        "pearson",
        [(method, {}) for method in wanted],
    )


def mentions(data: Data, rate: float) -> Iterator[Row]:
    """Claims mentioned in IBM's debates, by the area under the ROC curve."""
    from pipeline.mentions.evaluate_listening import ENCODERS, evaluate

    train, test = _debates(data, rate)
    found = evaluate(train, test, encoders=ENCODERS[:1])
    wanted = [
        ("prior", {"config": "no listening"}),
        ("w2v", {"config": "arg-sentence"}),
        (ENCODERS[0], {"config": "title-window"}),
        ("shipped detector", {"config": ""}),
        ("trained detector", {"config": ""}),
    ]
    yield from _picked(found.rows, "auc", wanted)


def counter(data: Data, rate: float) -> Iterator[Row]:
    """Who answers whom among all of IBM's debates, by the mean reciprocal rank."""
    from pipeline.counter.evaluate.learning import load_resources
    from pipeline.counter.evaluate_counter import evaluate

    train, test = _debates(data, rate)
    resources = load_resources(encoder=DEFAULT_ENCODER, vectors=None)
    found = evaluate(train, test, resources, kinds=["trs.txt"], protocols=["retrieval"])
    wanted = [(method, {"config": ""}) for method in ("random", "tf-idf", "JS", "combined")]
    yield from _picked(found.rows, "mrr", [*wanted, ("combined", {"config": "assignment"})])


def keypoints(data: Data, rate: float) -> Iterator[Row]:
    """Arguments matched to key points, by the task's strict score; with the weights that come with rostrum."""
    from pipeline.keypoints.evaluate.matchers import ENSEMBLE, FINE_TUNED
    from pipeline.keypoints.evaluate.table import evaluate

    found = evaluate(_task(data, rate))
    wanted = ("random", "tf-idf", DEFAULT_ENCODER, FINE_TUNED, ENSEMBLE)
    yield from _picked(found.rows, "strict", [(method, {}) for method in wanted])


def convincing(data: Data, rate: float) -> Iterator[Row]:
    """Which of two arguments convinces more, by accuracy over pairs: topics of UKPConvArg1, and a transfer to IBM-ArgQ.

    Of UKPConvArg1 every fourth topic has errors and is judged by what the others teach.
    """
    from pipeline.convincing.evaluate.data import read_pairs
    from pipeline.convincing.evaluate_convincing import evaluate

    ukp, argq = (read_pairs(data.root / name)[0] for name in ("ukpconvarg1", "ibm-argq"))
    topics = range(len(ukp.topics))
    train = _written(ukp, [each for each in topics if each % 4], ukp.texts, data.work / "convincing-train")
    test, elsewhere = (
        _written(pairs, chosen, _noisy(pairs.texts, data.confusions, rate, 0), data.work / f"{pairs.name}-{rate}")
        for pairs, chosen in ((ukp, topics[::4]), (argq, range(len(argq.topics))))
    )
    learned = ("longer (words)", "gaussian process, spoken", "gaussian process, spoken, without length")
    found = evaluate(train, test, methods=learned).rows
    yield from _picked(found, "accuracy", [(method, {"topic": "all"}) for method in learned])
    found = evaluate(train, elsewhere, methods=["shipped model"]).rows
    for row in _picked(found, "accuracy", [("shipped model", {"topic": "all"})]):
        yield {**row, "method": f"shipped model, {argq.name}"}


DETECTORS: dict[str, Detector] = {
    "content": content,
    "mentions": mentions,
    "counter": counter,
    "keypoints": keypoints,
    "convincing": convincing,
}


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, help="The data.")
@click.option(
    "--figures", type=click.Path(file_okay=False, path_type=Path), help="Draw a figure each into this folder."
)
@click.option("--only", type=click.Choice(list(DETECTORS)), multiple=True, help="Only these detectors.")
def main(data: Path, figures: Path | None, only: Sequence[str]) -> None:
    """Print a table of each detector, one column per word error rate."""
    with tempfile.TemporaryDirectory() as work:
        given = Data(data, Path(work), _confusions(data / "ibm-debates", Path(work)))
        for name in only or DETECTORS:
            points = [{**row, "wer": rate} for rate in RATES for row in DETECTORS[name](given, rate)]
            print_rows(f"{name}: {points[0]['metric']} by word error rate", _table(points))
            if figures:
                click.echo(_drawn(name, points, figures), err=True)


def _confusions(folder: Path, work: Path) -> Confusions:
    """What the recogniser made of words on the motions to learn from."""
    train, _ = _sides(folder)
    for speech in train:
        for kind in ("asr", "trs.txt"):
            _copy(speech.named[kind], work / "confusions" / "speeches" / kind)
    return learn_confusions(work / "confusions")


def _sides(folder: Path) -> tuple[list[Entry], list[Entry]]:
    """Speeches on the motions to learn from, and on the others."""
    corpus = open_corpus(folder)
    _, test = split(sorted(corpus.motions, key=lambda motion: (len(motion), motion)))
    sides: tuple[list[Entry], list[Entry]] = [], []
    for entry in corpus.entries:
        sides[entry.speech.motion in test].append(entry)
    return sides


def _debates(data: Data, rate: float) -> tuple[Path, Path]:
    """A folder of IBM's debates to learn from, and one whose speeches have errors."""
    source = data.root / "ibm-debates"
    folders = data.work / "train", data.work / f"test-{rate}"
    for folder, speeches in zip(folders, _sides(source), strict=True):
        if folder.exists():
            continue
        for number, speech in enumerate(speeches):
            path = _copy(speech.named["trs.txt"], folder / "speeches" / "trs.txt")
            if folder != folders[0]:
                path.write_text("\n".join(_noisy(speech.lines("trs.txt"), data.confusions, rate, number)))
        names = {entry.speech.id for entry in speeches}
        for table in _TABLES:
            with (source / "GPR-KB-55" / table).open(encoding="utf-8-sig", newline="") as file:
                kept = [row for row in csv.DictReader(file) if row.get("speech-id", next(iter(names))) in names]
            _write(folder / "GPR-KB-55" / table, kept)
    return folders


def _task(data: Data, rate: float) -> Path:
    """The key point task's dev part, whose arguments have errors."""
    source, folder = data.root / "kpa2021", data.work / f"kpa-{rate}"
    for name in ("key_points_dev.csv", "labels_dev.csv"):
        _copy(source / name, folder)
    with (source / "arguments_dev.csv").open(encoding="utf-8-sig", newline="") as file:
        arguments = list(csv.DictReader(file))
    noisy = _noisy([row["argument"] for row in arguments], data.confusions, rate, 0)
    _write(
        folder / "arguments_dev.csv", [{**row, "argument": text} for row, text in zip(arguments, noisy, strict=True)]
    )
    return folder


def _written(pairs: ArgumentPairs, topics: Sequence[int], texts: Sequence[str], folder: Path) -> Path:
    """The pairs of these topics, with these texts, as a folder of tab-separated files."""
    folder.mkdir(exist_ok=True)
    for topic in topics:
        places = (pairs.pair_topic == topic).nonzero()[0]
        rows = [
            (str(at), "a1" if pairs.first_wins[at] else "a2", texts[pairs.first[at]], texts[pairs.second[at]])
            for at in places
        ]
        lines = ["\t".join(" ".join(field.split()) for field in row) for row in rows]
        (folder / f"{topic:02d}.tsv").write_text("\n".join(["id\tlabel\ta1\ta2", *lines]) + "\n", encoding="utf-8")
    return folder


def _noisy(lines: Sequence[str], confusions: Confusions, rate: float, seed: int) -> list[str]:
    """The lines with errors; one that would lose its last word keeps it."""
    words = [line.split() for line in lines]
    became = iter(noisy_words([word for line in words for word in line], confusions, rate, seed))
    heard = [" ".join(part for _ in line for part in next(became)) for line in words]
    return [after or before for before, after in zip(lines, heard, strict=True)]


def _copy(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(path, folder / path.name))


def _write(path: Path, table: Sequence[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)


def _picked(found: Any, metric: str, wanted: Sequence[tuple[str, dict[str, str]]]) -> Iterator[Row]:
    """The first row of each wanted method and setting."""
    found = list(found)
    for method, setting in wanted:
        row = next(
            (row for row in found if row["method"] == method and setting.items() <= row.items() and metric in row), None
        )
        if row is not None:
            name = " ".join(filter(None, (method, setting.get("config"))))
            yield {"method": name, "metric": metric, "value": row[metric]}


def _table(points: Sequence[Row]) -> list[Row]:
    methods = dict.fromkeys(point["method"] for point in points)
    return [
        {"method": method} | {f"{point['wer']:.0%}": point["value"] for point in points if point["method"] == method}
        for method in methods
    ]


def _drawn(name: str, points: Sequence[Row], folder: Path) -> Path:
    def draw(axes: Any) -> None:
        for row in _table(points):
            values = [value for key, value in row.items() if key != "method"]
            axes.plot([100 * rate for rate in RATES], values, "-o", label=row["method"])
        axes.set_xlabel("word error rate, %")
        axes.set_ylabel(points[0]["metric"])
        axes.legend(fontsize="small")

    caption = f"{name}: {points[0]['metric']} by word error rate"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"robustness-{name}.svg"
    path.write_bytes(files(Figure(path.stem, caption, caption, rows=12, draw=draw))[0])
    return path


if __name__ == "__main__":
    prepare_environment()
    main()
