"""Learns which words a recogniser gets wrong, for `rostrum noise`."""

from collections.abc import Sequence
from pathlib import Path

import click

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress, no_progress
from pipeline.score.evaluate_wer import recognised, recorded
from pipeline.text.noise import Confusions, learn
from pipeline.text.terms import tokens


@click.command()
@click.option(
    "--behind",
    "levels",
    type=float,
    multiple=True,
    metavar="DB",
    help="Also learn from each recording with three others in the background, so many decibels weaker. Repeatable.",
)
@click.option("--source", default="", help="Whose speech it is, and its licence, for the header of the file.")
@result.out_file
def command(data: Path, progress: Progress, levels: tuple[float, ...], source: str, out: Path | None) -> Trained:
    """Learn which words a recogniser gets wrong and what it hears instead.

    DIR is IBM's recorded debates (.asr and .trs.txt below speeches/), or has recordings with their references or with
    transcripts.tsv (name, tab, text), which Whisper then transcribes.
    """
    from pipeline.text import noise

    confusions = learn_confusions(data, levels, progress)
    path = out or noise.trained_path()
    noise.save(confusions, path, source)
    wrong, seen = sum(confusions.wrong.values()), sum(confusions.seen.values())
    return Trained(path, (f"{wrong} of {seen} words are wrong; there are {len(confusions.seen)} different words",))


def learn_confusions(folder: Path, levels: Sequence[float] = (), progress: Progress = no_progress) -> Confusions:
    """The confusions of IBM's recogniser, from `.asr` and `.trs.txt`; or those of Whisper, if there are recordings.

    Whisper also transcribes each recording with others in the background, at each of the `levels` in decibels.
    """
    corpus = open_corpus(folder)
    given = [(entry.text("trs.txt"), entry.text("asr")) for entry in corpus.with_transcripts("asr", "trs.txt")]
    if not given and not (recordings := recorded(corpus)):
        raise RostrumError(f"{folder}: no speech has .asr and .trs.txt, or a recording and what is said in it")
    pairs = given or recognised(recordings, levels, progress)
    return learn((tokens(said), tokens(heard)) for said, heard in pairs)
