"""`rostrum speakers`: the people of a corpus whose voices are known."""

from collections import Counter
from pathlib import Path

import click

from pipeline.cli.console import LocalPath, shown
from pipeline.errors import RostrumError, printable

FOLDER = LocalPath()


@click.group()
def speakers() -> None:
    """List, add, rename and remove the people of a corpus whose voices are known.

    A voice that is named in speakers.csv or in the report's editor is kept in voices.json, in the folder of the corpus.
    In other recordings it gets its name, marked as recognised, with a probability. What a voice sounds like is personal
    data: it stays in that file and in runs, and no report or export has it.
    """


@speakers.command("list")
@click.argument("folder", type=FOLDER)
def list_speakers(folder: Path) -> None:
    """List everybody whose voice is known in the corpus FOLDER, and the recordings that it is known from."""
    from pipeline.cli.console import print_rows
    from pipeline.corpus.voices import read_register

    register = read_register(folder)
    if not register.samples:
        remedy = "name one in speakers.csv, or use `rostrum speakers add`"
        click.echo(f"{shown(folder)}: no voice is known; {remedy}", err=True)
        return
    rows = [
        {"name": name, "samples": len(own), "from": "; ".join(f"{each.source} {each.voice}".strip() for each in own)}
        for name in register.names
        if (own := [sample for sample in register.samples if sample.name == name])
    ]
    print_rows("", rows)


@speakers.command()
@click.argument("folder", type=FOLDER)
@click.argument("name")
@click.argument("recording", type=FOLDER)
@click.option("--from", "start", type=click.FloatRange(min=0), default=0.0, help="First second of the person's speech.")
@click.option("--to", "end", type=click.FloatRange(min=0), help="Last second of it. Default: the end of the recording.")
def add(folder: Path, name: str, recording: Path, start: float, end: float | None) -> None:
    """Add the voice of NAME from a RECORDING, or a part of one, in which nobody else speaks.

    A second sample makes a voice better known, best from another room or microphone. Half a minute is enough.
    """
    from pipeline.corpus.voices import VoiceSample, checked_name, read_register, write_register
    from pipeline.diarize import DiarizeSettings, voice_in
    from pipeline.ingest import ingested
    from pipeline.run.configuration import load

    name, settings, register = checked_name(name), load().settings.own(DiarizeSettings), read_register(folder)
    with ingested(recording) as heard:
        voice = voice_in(heard, settings, start, end)
    if voice is None:
        raise RostrumError(f"{recording}: nobody speaks there for long enough; give a part with some seconds of speech")
    span = f"{start:g}-{end:g} s" if end is not None else f"from {start:g} s" if start else ""
    source = str(recording.resolve())
    sample = VoiceSample(name=name, source=source, voice=span, embedding=voice.embedding, vector=voice.vector)
    register = register.with_samples([sample])
    write_register(folder, register)
    count = Counter(each.name for each in register.samples)[name]
    click.echo(printable(f"{name}: {count} {'sample' if count == 1 else 'samples'}"))


@speakers.command()
@click.argument("folder", type=FOLDER)
@click.argument("name")
@click.argument("new")
def rename(folder: Path, name: str, new: str) -> None:
    """Rename a person in the register of the corpus FOLDER. With a name that is there already, two become one."""
    from pipeline.corpus.voices import read_register, write_register

    write_register(folder, read_register(folder).renamed(name, new))
    _warn_of_rows(folder, name)


@speakers.command()
@click.argument("folder", type=FOLDER)
@click.argument("name")
def remove(folder: Path, name: str) -> None:
    """Forget the voice of a person: delete all samples of NAME from the register of the corpus FOLDER."""
    from pipeline.corpus.voices import read_register, write_register

    write_register(folder, read_register(folder).without(name))
    _warn_of_rows(folder, name)


def _warn_of_rows(folder: Path, name: str) -> None:
    """Say where a person is still named: the next run would learn the voice from there again."""
    from pipeline.corpus import open_corpus
    from pipeline.speakers import GivenSpeakers

    corpus = open_corpus(folder)
    for entry in corpus.entries:
        given = corpus.given(GivenSpeakers, entry)
        if given and any(row.name == name for row in given.items):
            named = f"{entry.speech.id}: {name} is named in speakers.csv or in a correction"
            click.echo(
                printable(f"note: {named}; change it there, too, or the next run keeps the voice again"), err=True
            )
