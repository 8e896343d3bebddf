"""`rostrum train skip-thought`."""

from pathlib import Path

import click

from pipeline.cli.train import data_option


@click.command("skip-thought")
@data_option("A folder of .txt files; each is a document whose sentences follow one another.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Default: the model cache.")
@click.option("--dimensions", default=300, show_default=True, help="Dimensions of a sentence's vector.")
@click.option("--vocabulary", default=8000, show_default=True, help="The most frequent words are learned.")
@click.option("--epochs", default=5, show_default=True, help="Times that every sentence is seen.")
@click.option("--seed", default=0, show_default=True, help="Decides the first weights and the order of the sentences.")
@click.option("--vectors", help="Word vectors by name or path, to read words that were not in the texts.")
def train(
    data: Path, out: Path | None, dimensions: int, vocabulary: int, epochs: int, seed: int, vectors: str | None
) -> None:
    """Train a sentence encoder on a folder of text. A training that was stopped goes on where it was."""
    from pipeline.cli.progress import progress_bar
    from pipeline.evaluation.listening import skip_thought_training as training
    from pipeline.models import cache_folder
    from pipeline.text.encoders.word_vectors import load_vectors

    folder = out or cache_folder() / "skip-thought"
    options = training.Options(dimensions=dimensions, vocabulary=vocabulary, epochs=epochs, seed=seed)
    known = load_vectors(vectors) if vectors else None
    with progress_bar("training") as show:
        training.train(
            training.read_documents(data),
            folder,
            options,
            vectors=known,
            progress=lambda epoch, share, loss: show((epoch - 1 + share) / epochs, f"epoch {epoch}, loss {loss:.3f}"),
        )
    click.echo(folder)
