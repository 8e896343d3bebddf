"""Options that several evaluations and trainings have, each with one text of help."""

from pathlib import Path

import click

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
