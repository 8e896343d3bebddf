"""What every evaluation and every training returns, and the options that several of them have."""

from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import click
from pydantic import BaseModel, ConfigDict, Field

# The result of every evaluation, and of every training.

Value = float | int | str | None
Row = dict[str, Value]


def signature(*packages: str, **facts: Any) -> dict[str, Any]:
    """Package versions and everything else that decides the figures (seed, normaliser, model digests, data, split)."""
    return {"rostrum": version("rostrum"), **{name: version(name) for name in packages}, **facts}


class Evaluation(BaseModel):
    """A table of methods and their figures, with what is needed to get the same figures again.

    Metrics are fractions under the field's own names (`wer`, `accuracy`, `f1`, ...); an interval is `<metric>_low` and
    `<metric>_high`. A figure that is not defined is None, and the row's `note` says why.
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    name: str
    signature: dict[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    # (title, rows): the same figures arranged for a person, in place of one table of all rows.
    tables: tuple[tuple[str, tuple[Row, ...]], ...] = Field((), exclude=True)


class Trained(NamedTuple):
    """Where a training left its model, and lines on how it went."""

    path: Path
    remarks: tuple[str, ...] = ()


# Options that several evaluations and trainings have, each with one text of help.

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_NEW_FOLDER = click.Path(file_okay=False, path_type=Path)

out_file = click.option(
    "--out", type=_NEW_FILE, help="The file to write. Default: in the model cache, where runs look."
)
out_folder = click.option("--out", type=_NEW_FOLDER, help="The folder to write. Default: in the model cache.")
compares_meanings = click.option(
    "--encoder",
    default="all-MiniLM-L6-v2",
    show_default=True,
    help="Compares meanings: name or path; 'none' compares words only.",
)
compares_sentences = click.option(
    "--encoder",
    default="all-MiniLM-L6-v2",
    show_default=True,
    help="Compares sentences: name or path; 'none' compares word overlap.",
)
inference = click.option(
    "--inference", help="Says which sentences contradict: an NLI model by hub name or path. Default: negation."
)
allow_hub = click.option("--allow-hub", is_flag=True, help="Allow downloading the models named above.")
fine_tuned_encoder = click.option(
    "--encoder", default="all-MiniLM-L6-v2", show_default=True, help="What to fine-tune, by name or path."
)


def _set_threads(context: click.Context, option: click.Parameter, threads: int | None) -> None:
    if threads:
        import torch

        torch.set_num_threads(threads)


threads = click.option(
    "--threads",
    type=int,
    expose_value=False,
    callback=_set_threads,
    help="CPU threads. Another number gives other weights. Default: torch's own.",
)
training_seed = click.option(
    "--seed", default=0, show_default=True, help="Seed. The same data, options, seed and threads give the same weights."
)


def or_none(name: str) -> str | None:
    """The name that an option was given; None for 'none'."""
    return None if name == "none" else name
