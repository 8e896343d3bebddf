"""`rostrum transcribe`."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.console.completion import formats_like
from pipeline.cli.console.options import setting_options
from pipeline.cli.console.paths import LocalPath, refuse_url, shown

if TYPE_CHECKING:
    from pipeline.configuration import Settings
    from pipeline.operations.transcripts import Task


@click.command()
@click.argument("recordings", nargs=-1, required=True, metavar="RECORDING...")
@click.option(
    "--to",
    "form",
    default="txt",
    show_default=True,
    metavar="FORMAT",
    shell_complete=formats_like,
    help="How to write the transcript: txt, md, srt, vtt, json, docx, tsv, textgrid, ...; see docs/exports.md.",
)
@click.option("--speakers", is_flag=True, help="Find who speaks when, and name the speakers S1, S2, ...")
@click.option("--out", type=LocalPath(file_okay=False), help="Write the transcripts to this folder.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@click.option("--model", help="The same as --set transcribe.model=MODEL.")
@click.option("--language", help="The language that is spoken, such as en. The same as --set transcribe.language=CODE.")
@setting_options
def transcribe(
    recordings: tuple[str, ...],
    form: str,
    speakers: bool,
    out: Path | None,
    force: bool,
    model: str | None,
    language: str | None,
    file: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Transcribe recordings: files, folders, or - for stdin. A video is transcribed by its sound.

    The transcript of one recording goes to stdout. With several, with --out, or in a format that is not text, each goes
    to a file beside its recording, and the files' names go to stdout. In the format txt that is NAME.transcript.txt:
    NAME.txt would be taken for what was really said.

    Transcripts are kept in ~/.cache/rostrum/transcripts, so that the same recording is transcribed once.

    Exit codes: 0 all went well, 1 some recordings failed, 2 the call was wrong.
    """
    from pipeline import configuration
    from pipeline.engine.transcription import refuse_missing_models
    from pipeline.operations import transcripts
    from pipeline.output.exports import FORMATS
    from pipeline.output.transcripts import file_suffix, is_text
    from pipeline.system.interrupt import interruptible

    file_suffix(FORMATS.check(form.lower()))
    for each in recordings:
        refuse_url(each)
    given = configuration.load(file, os.environ, _assignments(assignments, model, language))
    settings = transcripts.for_one_recording(given, speakers)
    refuse_missing_models(settings)

    def work() -> int:
        found = list(transcripts.recordings(recordings, sys.stdin.buffer))
        to_stdout = len(found) == 1 and out is None and is_text(form)
        tasks = transcripts.planned(found, form, out, to_stdout=to_stdout, settings=settings, force=force)
        return _carry_out(tasks, form, settings)

    sys.exit(interruptible(work, "interrupted; finished transcripts are kept, and the same command goes on from there"))


def _assignments(assignments: Sequence[str], model: str | None, language: str | None) -> list[str]:
    named = {"model": model, "language": language}
    return [*assignments, *(f"transcribe.{name}={value}" for name, value in named.items() if value is not None)]


def _carry_out(tasks: "Sequence[Task]", form: str, settings: "Settings") -> int:
    """Transcribe one recording after the other; one that fails does not stop the others. Returns the exit code."""
    from pipeline.cli.console.progress import progress_bar
    from pipeline.errors import RostrumError
    from pipeline.operations.transcripts import carry_out

    errors: list[str] = []
    lines: list[str] = []
    with progress_bar("transcribing") as progress:
        for place, task in enumerate(tasks):

            def report(share: float, what: str, *, place: int = place, name: str = task.source.name) -> None:
                progress((place + share) / len(tasks), f"{name}: {what}")

            try:
                content = carry_out(task, form, settings, report)
            except RostrumError as error:
                errors.append(str(error))
            except Exception as error:  # a mistake of the program's own; it stops one recording, not the others
                errors.append(f"{task.source.path}: {type(error).__name__}: {' '.join(str(error).split())}")
            else:
                lines.append(f"{shown(task.target)}\n" if task.target else content.decode())
    click.echo("".join(lines), nl=False)
    for told in errors:
        click.echo(f"error: {told}", err=True)
    return 1 if errors else 0
