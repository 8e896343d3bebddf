"""A sentence encoder (skip-thought) from a folder of text."""

from pathlib import Path

import click

from pipeline.evaluation import options
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@options.out_folder
@click.option("--dimensions", default=300, show_default=True, help="Dimensions of a sentence's vector.")
@click.option("--vocabulary", default=8000, show_default=True, help="Size of the vocabulary: the most frequent words.")
@click.option("--epochs", default=5, show_default=True, help="Epochs: how often every sentence is seen.")
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the first weights and of the order of the sentences."
)
@click.option("--vectors", help="Word vectors by name or path, to read words that were not in the texts.")
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    dimensions: int,
    vocabulary: int,
    epochs: int,
    seed: int,
    vectors: str | None,
) -> Trained:
    """Train a sentence encoder on a folder of text. A training that was stopped goes on where it was.

    DIR has .txt files. Each is a document whose sentences follow one another.
    """
    from pipeline.evaluation.listening.training.skip_thought import SkipThoughtOptions, read_documents, train
    from pipeline.models import cache_folder
    from pipeline.text.encoders.word_vectors import load_vectors

    folder = out or cache_folder() / "skip-thought"
    chosen = SkipThoughtOptions(dimensions=dimensions, vocabulary=vocabulary, epochs=epochs, seed=seed)
    known = load_vectors(vectors) if vectors else None
    train(read_documents(data), folder, chosen, vectors=known, progress=progress)
    return Trained(folder)
