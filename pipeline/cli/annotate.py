"""`rostrum annotate`: studies by people, from what they are asked to labels."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.console import FILE, FOLDER, NEW_FOLDER, listed, shown
from pipeline.errors import printable
from pipeline.studies.tasks import TASKS

if TYPE_CHECKING:
    from pipeline.studies.study import StudyFolder

# The report's server has 8420.
_PORT = 8430


@click.group()
def annotate() -> None:
    """Ask people: make a study, serve its forms, collect labels."""


def _task(context: click.Context, option: click.Parameter, name: str) -> str:
    return TASKS.check(name)


@annotate.command(epilog=listed("Tasks", TASKS))
@click.argument("task", callback=_task)
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=NEW_FOLDER, required=True, metavar="STUDY", help="The new folder of the study.")
@click.option("--workers", type=click.IntRange(1, 9999), default=10, show_default=True, help="How many people answer.")
@click.option(
    "--answers",
    "per_item",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How many people answer each item.",
)
@click.option("--most", type=click.IntRange(1), help="At most so many items, spread over motions. Default: all.")
@click.option(
    "--by",
    type=click.Choice(["chance", "uncertainty"]),
    help="Which items come first: by chance, or those on which runs differ or are least sure. Default: chance.",
)
@click.option("--tests", type=click.IntRange(0), default=0, show_default=True, help="Items with known answers for all.")
@click.option(
    "--training", type=click.IntRange(0), default=0, show_default=True, help="Items with feedback, before the others."
)
@click.option("--known", type=FILE, help="A CSV with known answers: subject, question, row, answer.")
@click.option("--limit", type=click.FloatRange(1), help="Seconds for an item, beside its recordings. Default: none.")
@click.option("--title", default="", help="The title of the forms. Default: that of the task.")
@click.option("--consent/--no-consent", default=True, help="Whether workers agree to a text first.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is drawn, and of every order.")
@click.option("--audio", "medium", flag_value="audio", help="Speeches are heard. The default.")
@click.option("--text", "medium", flag_value="text", help="Speeches are read instead.")
@click.option(
    "--reading", type=click.FloatRange(0, 1), help="listening: the share of speeches that others read. Default: none."
)
@click.option("--seek", is_flag=True, default=None, help="Recordings can be wound. Default: heard once.")
@click.option("--none/--no-none", default=None, help="counter: 'none of them' is an answer. Default: no.")
@click.option("--candidates", type=click.IntRange(2, 9), help="counter: opposing speeches of a question. Default: 5.")
@click.option("--rubric", type=FILE, help="scores: a TOML file with tables [[question]] of id, text, levels.")
@click.option("--other-run", "other_runs", type=FOLDER, multiple=True, help="A run to compare with. Repeatable.")
@click.option("--empty", is_flag=True, default=None, help="transcripts: workers begin with an empty text.")
def make(task: str, source: Path, out: Path, **options: Any) -> None:
    """Make a study of TASK.

    SOURCE is a run, a corpus, or a data set of the task. Its texts, guidelines.md and consent.md, can be edited before
    the study is served.
    """
    from pipeline.cli.console import progress_bar
    from pipeline.report.formatting import counted
    from pipeline.studies.making import Plan, make_study

    planned = {name: options.pop(name) for name in _PLANNED}
    given = {name: value for name, value in options.items() if value not in (None, ())}
    with progress_bar("recordings") as progress:
        study = make_study(task, source, out, Plan(**planned), given, progress).study
    sizes = [len(sheet.items) for sheet in study.sheets]
    each = f"{min(sizes)} to {max(sizes)}" if min(sizes) < max(sizes) else str(sizes[0])
    tests = f", with {counted(len(study.tests), 'test')}" if study.tests else ""
    click.echo(f"{counted(len(study.labelled), 'item')}, {counted(len(sizes), 'worker')}, {each} each{tests}", err=True)
    click.echo(f"edit {out / 'guidelines.md'}, then run `rostrum annotate serve {out}`", err=True)
    click.echo(shown(out))


_PLANNED = ("workers", "per_item", "tests", "training", "known", "limit", "title", "consent", "seed")


@annotate.command()
@click.argument("study", type=FOLDER)
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="0 takes a free port.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; 0.0.0.0 for other machines as well.",
)
@click.option("--address", help="The address in the links, if it is another one: https://study.example.org.")
@click.option("--static", type=NEW_FOLDER, metavar="DIR", help="Write forms that need no server into a new folder.")
@click.option("--label-studio", type=NEW_FOLDER, metavar="DIR", help="Write tasks and an interface for Label Studio.")
@click.option("--csv", "table", type=FILE, help="Write the items as CSV, for a crowd platform.")
def serve(
    study: Path,
    port: int,
    host: str,
    address: str | None,
    static: Path | None,
    label_studio: Path | None,
    table: Path | None,
) -> None:
    """Serve the forms of STUDY, each worker's behind a link of their own.

    Prints the link of every worker and of the organiser's page. Whoever has a link can answer. Answers are on disk
    before they are confirmed. Ctrl-C ends it; the same command goes on later. With --static, --label-studio or --csv,
    files are written instead; `rostrum annotate collect --answers` takes what comes back.
    """
    from pipeline.studies.study import open_study

    folder = open_study(study)
    if written := _written(folder, static, label_studio, table):
        for path in written:
            click.echo(shown(path))
        return
    from pipeline.studies.server import links, serve_study

    def started(own: str) -> None:
        for who, link in links(folder, address or own).items():
            click.echo(f"{who}\t{link}")
        click.echo("Ctrl-C ends it", err=True)

    serve_study(folder, host=host, port=port, started=started)


def _written(folder: "StudyFolder", static: Path | None, label_studio: Path | None, table: Path | None) -> list[Path]:
    """The files that were written in place of serving the study."""
    from pipeline.studies import exchange
    from pipeline.studies.pages import write_static_forms

    written = list(write_static_forms(folder, static)) if static else []
    written += exchange.write_label_studio(folder, label_studio) if label_studio else []
    return [*written, *exchange.write_csv(folder, table)] if table else written


@annotate.command()
@click.argument("study", type=FOLDER)
@click.option("--out", type=NEW_FOLDER, help="Write here. Default: STUDY/collected.")
@click.option("--answers", "files", type=FILE, multiple=True, help="Answers from forms without a server. Repeatable.")
@click.option(
    "--least-right",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="Leave out workers with a smaller share of right test answers.",
)
@click.option("--keep", multiple=True, metavar="WORKER", help="Do not leave out this worker. Repeatable.")
@click.option("--drop", multiple=True, metavar="WORKER", help="Leave out this worker. Repeatable.")
@click.option("--names", is_flag=True, help="workers.csv has the names that links.csv has.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def collect(
    study: Path,
    out: Path | None,
    files: tuple[Path, ...],
    least_right: float,
    keep: tuple[str, ...],
    drop: tuple[str, ...],
    names: bool,
    as_json: bool,
) -> None:
    """Collect STUDY: labels, agreement, and how good the workers are.

    Writes tables, a page, and files that `rostrum evaluate`, `train` and `run` read. Workers who answer carelessly are
    left out, and why is said.
    """
    from pipeline.cli.console import print_rows
    from pipeline.studies.collect import COLLECTED, collect, write_collected
    from pipeline.studies.quality import Rules
    from pipeline.studies.study import open_study

    folder = open_study(study)
    if files:
        from pipeline.studies.exchange import add_answers

        for file in files:
            click.echo(printable(f"{file}: {add_answers(folder, file)} new answers"), err=True)
    collected = collect(folder, Rules(least_right, keep, drop))
    to = out or study / COLLECTED
    evaluation = write_collected(collected, to, names=names)
    if as_json:
        click.echo(json.dumps(evaluation.model_dump(mode="json"), allow_nan=False))
    else:
        for title, rows in evaluation.tables:
            print_rows(title, rows)
    for note in evaluation.notes:
        click.echo(printable(note), err=True)
    click.echo(shown(to), err=as_json)


@annotate.command()
@click.argument("study", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def check(study: Path, as_json: bool) -> None:
    """Check STUDY: its files, how far each worker is, and answers that cannot be read."""
    from pipeline.cli.console import print_rows
    from pipeline.studies.collect import problems
    from pipeline.studies.pages import progress
    from pipeline.studies.study import open_study

    folder = open_study(study)
    rows: list[dict[str, Any]] = [row._asdict() for row in progress(folder)]
    wrong = problems(folder)
    if as_json:
        click.echo(json.dumps({"workers": rows, "problems": wrong}))
    else:
        print_rows(folder.study.title, [{name: row[name] for name in ("worker", "answered", "items")} for row in rows])
        for line in wrong:
            click.echo(printable(line))
    click.get_current_context().exit(1 if wrong else 0)
