"""Which key points an argument makes: the argument with the whole list of its side, or none of it.

After the key point analysis task of 2021, track 1. A pair is a match if 60 % of the workers say so, and none at 15 %.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.evaluation.data import write_rows
from pipeline.keypoints import KeyPoints
from pipeline.keypoints.evaluate.annotation import label_of_share
from pipeline.keypoints.evaluate.data import STANCE_NUMBERS, UNDECIDED, Group, part_names, read_part
from pipeline.records import Stance
from pipeline.run.finished import FinishedRun
from pipeline.studies.collect import Collected
from pipeline.studies.items import YES, Answers, Item, Option, Question, Shown, letters
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output
from pipeline.studies.source import Source
from pipeline.studies.tasks import Options

TITLE = "Which points does it make?"
OPTIONS = ("by", "other_runs")
NOTHING = "it has no arguments with key points; run the stage keypoints first"
FOLDER = "keypoints"
STANCES: tuple[Stance, ...] = ("pro", "con")


class Asked(NamedTuple):
    """An argument, the key points of its side by id, and those that it is known to make; None if that is not known."""

    id: str
    text: str
    topic: str
    stance: Stance
    points: dict[str, str]
    made: frozenset[str] | None


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per argument of a side that has key points."""
    every = _of_run(source.run) if source.run else _of_data(source)
    return [_item(argument) for argument in shuffled(list(every), asked.random) if argument.points]


def _of_data(source: Source) -> Iterator[Asked]:
    """The arguments of the task's files: of dev if there are several parts."""
    names = part_names(source.path)
    for group in read_part(source.path, "dev" if "dev" in names else names[0]).groups:
        yield from _of_group(group)


def _of_group(group: Group) -> Iterator[Asked]:
    points = {point.id: point.text for point in group.key_points}
    for argument, labels in zip(group.arguments, group.labels, strict=True):
        known = (
            None if UNDECIDED in labels else frozenset(name for name, made in zip(points, labels, strict=True) if made)
        )
        yield Asked(argument.id, argument.text, group.topic, group.stance, points, known)


def _of_run(run: FinishedRun) -> Iterator[Asked]:
    """The sentences that a run's key points were matched with, or are answered by; nothing of it is known."""
    for motion in run.motions:
        record = run.of_motion(KeyPoints, motion.id)
        for stance in STANCES if record else ():
            assert record
            of_side = [point for point in record.points if point.stance == stance]
            points = {f"{motion.id}-{point.id}": point.text for point in of_side}
            said = {match.said.text: match for point in of_side for match in point.matches}
            for text, match in said.items():
                yield Asked(f"{match.speech}-{match.sentence}", text, motion.text, stance, points, None)


def _item(argument: Asked) -> Item:
    names = dict(zip(letters(len(argument.points)), argument.points, strict=True))
    known: Answers = {}
    if argument.made is not None:
        known = {"points": [letter for letter, point in names.items() if point in argument.made]}
    return Item(
        id=f"keypoints-{argument.id}",
        subject=argument.id,
        group=argument.topic,
        side=argument.stance,
        title=argument.topic,
        lead={"pro": "An argument for it.", "con": "An argument against it."}[argument.stance],
        shown=(Shown(id="argument", label="Argument", text=argument.text),),
        questions=(
            Question(
                id="points",
                text="Which of these points does it make?",
                kind="several",
                options=tuple(Option(value=letter, text=argument.points[point]) for letter, point in names.items()),
                none_button="None of them",
            ),
        ),
        about=names,
        known=known,
    )


def write(collected: Collected, output: Output) -> None:
    """Write the task's files: arguments, key points and labels; and every worker's decisions."""
    arguments, points, labels = [], {}, []
    for item, units in collected.labelled():
        stance = STANCE_NUMBERS["pro" if item.side == "pro" else "con"]
        arguments.append((item.subject, item.shown[0].text, item.group, stance))
        texts = {option.value: option.text for option in item.questions[0].options}
        for letter, text in texts.items():
            points[item.name(letter)] = (item.name(letter), text, item.group, stance)
        for unit in units:
            label = label_of_share(unit.share(YES))
            if label != UNDECIDED:
                labels.append((item.subject, item.name(unit.unit.row), label))
    write_rows(output.new(f"{FOLDER}/arguments.csv"), ("arg_id", "argument", "topic", "stance"), arguments)
    columns = ("key_point_id", "key_point", "topic", "stance")
    write_rows(output.new(f"{FOLDER}/key_points.csv"), columns, points.values())
    write_rows(output.new(f"{FOLDER}/labels.csv"), ("arg_id", "key_point_id", "label"), labels)
