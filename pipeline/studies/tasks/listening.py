"""Which arguments people hear in a speech, or read in its transcript.

After Mirkin et al. 2018: hear the speech once, then say of each argument of its side whether it was made.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.corpus import Entry
from pipeline.evaluation.data import write_rows
from pipeline.evaluation.result import Row
from pipeline.measures import cohen_kappa
from pipeline.records import Argument, Label
from pipeline.studies.collect import Collected
from pipeline.studies.items import Answers, Item, Option, Question, letters, options
from pipeline.studies.labels import Labelled
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output, write_corpus
from pipeline.studies.source import Source, nothing_to_ask, side_of
from pipeline.studies.tasks import Options

OPTIONS = ("medium", "reading", "seek", "by", "other_runs")
TITLE = "What did the speech say?"
NOTHING = "it has no {medium} with a motion and a side in speeches.csv and arguments of them in arguments.csv"
HEARING, READING = "listening", "reading"
EXPLICIT, IMPLICIT, NOT = "explicit", "implicit", "no"
HEARD = options([(EXPLICIT, "Said outright"), (IMPLICIT, "Implied"), (NOT, "Not made")])


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per speech with arguments of its side, to hear or to read, and some to read as well."""
    as_audio = asked.medium != "text"
    entries = [entry for entry in source.entries(needs_audio=as_audio) if _arguments(source, entry)]
    entries = shuffled(entries, asked.random)
    also_read = round(asked.reading * len(entries)) if as_audio else 0
    items = [_item(source, entry, asked, as_audio=as_audio) for entry in entries]
    readable = [entry for entry in entries if source.sentences(entry)]
    if also_read > len(readable):
        raise nothing_to_ask(source.path, f"{also_read} transcripts are to be read, and there are {len(readable)}")
    return items + [
        _item(source, entry, asked, as_audio=False) for entry in shuffled(readable, asked.random)[:also_read]
    ]


def _arguments(source: Source, entry: Entry) -> list[Argument]:
    """The arguments of the speech's own side."""
    on_motion = source.corpus.arguments_on(entry.speech.motion)
    return [argument for argument in (on_motion.items if on_motion else ()) if argument.stance == entry.speech.stance]


def _item(source: Source, entry: Entry, asked: Options, *, as_audio: bool) -> Item:
    mode = HEARING if as_audio else READING
    arguments = _arguments(source, entry)
    names = dict(zip(letters(len(arguments)), (argument.id for argument in arguments), strict=True))
    question = Question(
        id="heard",
        text=f"Which of these arguments did you {'hear' if as_audio else 'read'}?",
        kind="rows",
        options=HEARD,
        rows=tuple(Option(value=letter, text=each.title) for letter, each in zip(names, arguments, strict=True)),
        alike={IMPLICIT: EXPLICIT},
        none_button="None of the others",
    )
    return source.item(
        mode,
        entry,
        mode=mode,
        lead=_lead(entry, as_audio=as_audio, seek=asked.seek),
        shown=(source.shown(entry, "speech", as_audio=as_audio),),
        questions=(question,),
        seek=asked.seek,
        about=names,
        known=_known(source.corpus.labels, entry, names),
    )


def _lead(entry: Entry, *, as_audio: bool, seek: bool) -> str:
    task = "Listen to all of it." if as_audio else "Read all of it."
    return " ".join(filter(None, (side_of(entry.speech), task, "" if seek or not as_audio else "You hear it once.")))


def _known(labels: Sequence[Label], entry: Entry, names: dict[str, str]) -> Answers:
    """The answers by the corpus's labels, if it has all of this speech."""
    by_argument = {label.argument: label for label in labels if label.speech == entry.speech.id}
    if not names or not by_argument.keys() >= set(names.values()):
        return {}
    named = {letter: by_argument[argument] for letter, argument in names.items()}
    return {"heard": {letter: (label.how or EXPLICIT) if label.mentioned else NOT for letter, label in named.items()}}


def write(collected: Collected, output: Output) -> None:
    """Write a corpus with labels.csv, and every vote of listeners and of readers."""
    heard = [(item, labels) for item, labels in collected.labelled(HEARING)] or list(collected.labelled(READING))
    rows = [_label_row(item, label) for item, labels in heard for label in labels]
    write_corpus(output, collected.source, {item.subject for item, _ in heard}, labels=rows)
    for name, mode in (("votes.csv", HEARING), ("reading.csv", READING)):
        votes = [
            (item.subject, item.name(decision.unit.row), decision.worker, int(decision.value != NOT))
            for item in collected.study.labelled
            if item.mode == mode
            for decision in collected.decided
            if decision.unit.item == item.id
        ]
        if votes:
            write_rows(output.new(name), ("speech", "argument", "annotator", "mentioned"), votes)


def _label_row(item: Item, each: Labelled) -> dict[str, object]:
    """A row of labels.csv: mentioned by the majority; a tie is what MACE says. How, by those who heard it."""
    yes, no = (sum(each.counts.get(value, 0) for value in values) for values in ((EXPLICIT, IMPLICIT), (NOT,)))
    mentioned = yes > no or (yes == no and each.mace != NOT)
    explicit = each.counts.get(EXPLICIT, 0) >= each.counts.get(IMPLICIT, 0)
    how = (EXPLICIT if explicit else IMPLICIT) if mentioned and yes else ""
    argument = item.name(each.unit.row)
    return {
        "speech": item.subject,
        "argument": argument,
        "mentioned": int(mentioned),
        "how": how,
        "votes_yes": yes,
        "votes_no": no,
    }


def figures(collected: Collected) -> list[tuple[str, list[Row]]]:
    """Listening beside reading: how often labels agree, and how many arguments were heard and read."""
    heard, read = (
        {
            (item.subject, item.name(label.unit.row)): _label_row(item, label)["mentioned"] == 1
            for item, labels in collected.labelled(mode)
            for label in labels
        }
        for mode in (HEARING, READING)
    )
    shared = [key for key in heard if key in read]
    if not shared:
        return []
    row: Row = {
        "pairs": len(shared),
        "heard": float(np.mean([heard[key] for key in shared])),
        "read": float(np.mean([read[key] for key in shared])),
        "accuracy": float(np.mean([heard[key] == read[key] for key in shared])),
        "cohen_kappa": cohen_kappa([heard[key] for key in shared], [read[key] for key in shared]),
    }
    return [("listening beside reading", [row])]
