"""`rostrum transcribe`: transcribes recordings, without a corpus and without a run."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.console import NEW_FOLDER, formats_like, refuse_url, setting_options, shown

if TYPE_CHECKING:
    from pipeline.export.transcripts import Task
    from pipeline.run.configuration import Settings


def _of_one_file(context: click.Context, option: click.Parameter, name: str) -> str:
    """The name of a format. One that makes several files of a recording is an error."""
    from pipeline.export.formats import FORMATS
    from pipeline.export.transcripts import file_suffix

    form = FORMATS.check(name.lower())
    file_suffix(form)
    return form


@click.command()
@click.argument("recordings", nargs=-1, required=True, metavar="RECORDING...")
@click.option(
    "--to",
    "form",
    default="txt",
    show_default=True,
    metavar="FORMAT",
    callback=_of_one_file,
    shell_complete=formats_like,
    help="How to write the transcript: txt, md, srt, vtt, json, docx, tsv, textgrid, ...; see docs/exports.md.",
)
@click.option("--speakers", is_flag=True, help="Find who speaks when, and name the speakers S1, S2, ...")
@click.option("--out", type=NEW_FOLDER, help="Write the transcripts to this folder.")
@click.option("--force", is_flag=True, help="Replace files that exist already.")
@click.option("--model", help="The recogniser's model. The same as --set transcribe.model=MODEL.")
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
    """Transcribe recordings: files, folders, or - for stdin. Of a video, the sound is transcribed.

    The transcript of one recording goes to stdout. With several recordings, with --out, or in a format that is not
    text, each transcript is written to a file beside its recording, and the files' names go to stdout. In the format
    txt the file is NAME.transcript.txt, because a corpus takes NAME.txt for the reference transcript.

    What was recognised is kept in ~/.cache/rostrum/transcripts, so that the same speech is recognised once, also by
    `rostrum run`.

    Exit codes: 0 all went well, 1 some recordings failed, 2 the call was wrong.
    """
    from pipeline.export import transcripts
    from pipeline.export.transcripts import is_text
    from pipeline.run.transcription import refuse_missing_models
    from pipeline.system.interrupt import interruptible

    for each in recordings:
        refuse_url(each)
    settings = _settings(file, assignments, {"model": model, "language": language}, speakers=speakers)
    refuse_missing_models(settings)

    def work() -> int:
        found = list(transcripts.recordings(recordings, sys.stdin.buffer if sys.stdin else None, settings))
        to_stdout = len(found) == 1 and out is None and is_text(form)
        tasks = transcripts.tasks_for(found, form, out, to_stdout=to_stdout, settings=settings, force=force)
        return _carry_out(tasks, form, settings)

    sys.exit(interruptible(work, "interrupted; finished transcripts are kept: give the same command to continue"))


def _settings(
    file: Path | None, assignments: Sequence[str], options: Mapping[str, str | None], *, speakers: bool
) -> "Settings":
    """The settings, with the options --model and --language among those of `transcribe`."""
    from pipeline.export.transcripts import for_one_recording
    from pipeline.run import configuration

    named = (f"transcribe.{name}={value}" for name, value in options.items() if value is not None)
    return for_one_recording(configuration.load(file, os.environ, [*assignments, *named]), speakers)


def _carry_out(tasks: "Sequence[Task]", form: str, settings: "Settings") -> int:
    """Transcribe one recording after the other, and return the exit code. One that fails does not stop the others."""
    from pipeline.cli.console import progress_bar
    from pipeline.errors import RostrumError, printable
    from pipeline.export.transcripts import carry_out
    from pipeline.run.job import print_traceback, reason_of

    errors: list[str] = []
    lines: list[str] = []
    with progress_bar("transcribing") as progress:
        for place, task in enumerate(tasks):

            def report(share: float, what: str, *, place: int = place, name: str = task.source.name) -> None:
                progress((place + share) / len(tasks), f"{name}: {what}")

            try:
                content = carry_out(task, form, settings, report)
            except RostrumError as error:
                errors.append(task.source.named(str(error)))
            except Exception as error:
                print_traceback(error)
                errors.append(task.source.named(f"{task.source.path}: {reason_of(error)}"))
            else:
                lines.append(f"{shown(task.target)}\n" if task.target else content.decode())
    click.echo("".join(lines), nl=False)
    for line in errors:
        click.echo(printable(f"error: {line}"), err=True)
    return 1 if errors else 0
