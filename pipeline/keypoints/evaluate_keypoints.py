"""Key point matching and generation (KPA 2021)."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation
from pipeline.progress import Progress

if TYPE_CHECKING:
    from pipeline.llm.large_model import LargeModel


@click.command()
@click.option("--encoder", default="all-MiniLM-L6-v2", show_default=True, help="The unchanged encoder to compare with.")
@click.option(
    "--matcher",
    "matchers",
    multiple=True,
    help="One more matcher: an encoder's name or path, cross-encoder:NAME, a file of trained weights, or llm. "
    "Repeatable.",
)
@click.option(
    "--predictions",
    multiple=True,
    type=result.FILE,
    help="Score this submission (predictions.p, JSON) as well. Repeatable.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write predictions.p of every method and the generated key_points.csv there.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    help="A matcher that counts what was written, besides the one that wrote; repeatable. "
    "Default: token overlap and tf-idf.",
)
@click.option(
    "--writer",
    "writers",
    multiple=True,
    type=click.Choice(["llm"]),
    help="One more that writes key points: llm, the large language model of llm.url (rostrum.toml or environment).",
)
@click.option(
    "--annotate",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what people are to label into this folder: matches, and pairs of sets of key points.",
)
@click.option(
    "--most-matches",
    type=click.IntRange(1),
    help="With --annotate: at most so many matches of a system on one side, a sample of the better half. Default: 200.",
)
@click.option(
    "--annotated",
    type=result.FOLDER,
    help="Score what was written by the labels in this folder, which --annotate made.",
)
@click.option(
    "--people",
    type=result.FILE,
    help="Show people beside the methods, on the same pairs: decisions.csv, as `rostrum annotate collect` writes it.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    help="Score all labelled topics instead, each by what was learned from the topics of the other folds.",
)
@click.option("--unlearned", is_flag=True, help="Score all labelled topics instead, by what learns nothing from them.")
@click.option("--seed", default=0, show_default=True, help="Seed of ties and of the random baseline.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    encoder: str,
    matchers: tuple[str, ...],
    judges: tuple[str, ...],
    writers: tuple[str, ...],
    folds: int | None,
    unlearned: bool,
    people: Path | None,
    seed: int,
    **files: Any,
) -> Evaluation:
    """Key point matching and generation (KPA 2021): every method, by both published versions of the score.

    DIR has arguments_train.csv, key_points_train.csv, labels_train.csv and the same for dev; or only one part, which is
    then scored with weights that were trained before. Without key points and labels, key points are only generated.
    """
    if folds or unlearned:
        given = {"--test": test, "--matcher": matchers, "--judge": judges, "--writer": writers}
        given |= {f"--{option.replace('_', '-')}": value for option, value in files.items()}
        if wrong := [option for option, value in given.items() if value]:
            raise RostrumError(f"--folds and --unlearned score all topics of the data; leave out {', '.join(wrong)}")
        from pipeline.keypoints.evaluate.cross_validation import evaluate_topics

        return evaluate_topics(data, folds, encoder=encoder, people=people, seed=seed, progress=progress)
    from pipeline.keypoints.evaluate.table import JUDGES, evaluate
    from pipeline.settings import LLM

    given_files = {name: value for name, value in files.items() if value is not None}
    return evaluate(
        data,
        test,
        encoder=encoder,
        matchers=matchers,
        judges=judges or JUDGES,
        asked=_large_model() if LLM in (*matchers, *judges, *writers) else None,
        llm_writes=LLM in writers,
        people=people,
        seed=seed,
        progress=progress,
        **given_files,
    )


def _large_model() -> "LargeModel":
    """The large language model of the settings, if it answers."""
    from pipeline.llm.large_model import LargeModel
    from pipeline.run.configuration import load

    model = LargeModel(load().settings.llm)
    model.client.check()
    return model
