"""Studies to test with."""

import csv
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.corpus import open_corpus
from pipeline.run.configuration import Settings
from pipeline.run.execute import execute
from pipeline.run.plan import plan_run
from pipeline.run.store import Store
from pipeline.studies.making import Plan, make_study
from pipeline.studies.study import StudyFolder
from tests.sounds import sine, write

SAMPLES = Path(__file__).parents[3] / "audio_samples"
Make = Callable[..., StudyFolder]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A function that makes a study: its task, its source, fields of the plan, and options of the task."""

    def made(task: str, source: Path = SAMPLES, options: dict[str, Any] | None = None, **plan: Any) -> StudyFolder:
        return make_study(task, source, tmp_path / f"{task}-study", Plan(**{"workers": 6, **plan}), options or {})

    return made


ARGUMENTS = """topic,id,text
Cats,c1,"A cat keeps a house free of mice and rats without any poison, and it asks for little in return."
Cats,c2,"Cats are nice animals and everybody who has one says that it is very nice to have one at home."
Cats,c3,"Stroking a purring cat lowers the pulse, as studies in hospitals have measured with hundreds of patients."
Cats,c4,"I like cats because they are cats and dogs are dogs and so I think that we should all have cats."
Dogs,d1,"A dog gets its owner out of the house every day, and people who walk daily live longer and healthier."
Dogs,d2,"Dogs are good because a dog is always good, and whoever says something else has never had a dog before."
"""


@pytest.fixture
def arguments(tmp_path: Path) -> Path:
    """A table of arguments: seven pairs of two topics."""
    path = tmp_path / "arguments.csv"
    path.write_text(ARGUMENTS, encoding="utf-8")
    return path


HEARD = "We shut ban phones . They distract pupils . Nobody learn from a screen ."


@pytest.fixture
def run_of_a_talk(tmp_path: Path) -> Path:
    """A run of one recording of 60 seconds, whose transcript has two wrong words."""
    corpus = tmp_path / "talk"
    corpus.mkdir()
    write(corpus / "talk.wav", sine(seconds=60.0))
    words = HEARD.replace(" .", ".").split()
    (corpus / "talk.ctm").write_text("".join(f"talk 1 {at * 4.0} 0.4 {word} 0.9\n" for at, word in enumerate(words)))
    (corpus / "speeches.csv").write_text("id,file,transcript\ntalk,,talk.ctm\n")
    store = Store(tmp_path / "run")
    execute(plan_run(open_corpus(corpus), store, Settings(), ("transcribe", "segment")))
    (corpus / "speeches.csv").write_text("id,file\ntalk,talk.wav\n")  # with it, a recogniser would have been needed
    return tmp_path / "run"


def write_task_files(folder: Path) -> Path:
    """The arguments of the samples in the files of the key point task; their titles are the key points."""
    folder.mkdir()
    corpus = open_corpus(SAMPLES)
    number = {"pro": 1, "con": -1}
    tables: dict[str, list[tuple[Any, ...]]] = {
        "arguments": [("arg_id", "argument", "topic", "stance")],
        "key_points": [("key_point_id", "key_point", "topic", "stance")],
        "labels": [("arg_id", "key_point_id", "label")],
    }
    for each in corpus.arguments:
        side = corpus.motions[each.motion].text, number[each.stance]
        tables["arguments"].append((f"a-{each.id}", each.text, *side))
        tables["key_points"].append((f"k-{each.id}", each.title, *side))
        for other in corpus.arguments:
            if (other.motion, other.stance) == (each.motion, each.stance):
                tables["labels"].append((f"a-{each.id}", f"k-{other.id}", int(other.id == each.id)))
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return folder


def write_debates(folder: Path, names: Sequence[str]) -> Path:
    """Sample recordings of several people as a corpus that says who speaks when."""
    folder.mkdir()
    rows = ["id,file,motion,turns"]
    for entry in open_corpus(SAMPLES).entries:
        if entry.speech.id in names and entry.audio:
            shutil.copy(entry.audio, folder)
            shutil.copy(SAMPLES / "references" / f"{entry.speech.id}.rttm", folder)
            rows.append(f"{entry.speech.id},{entry.audio.name},{entry.speech.motion},{entry.speech.id}.rttm")
    for name in ("motions.csv", "speakers.csv"):
        shutil.copy(SAMPLES / name, folder / name)
    (folder / "speeches.csv").write_text("\n".join(rows) + "\n")
    return folder
