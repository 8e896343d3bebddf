"""The counter-speech ranker."""

from pathlib import Path

import click

from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@result.out_file
@click.option(
    "--transcript", help="The kind of transcript to learn from, such as asr.txt. Default: the first there is."
)
@result.compares_sentences
@result.inference
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors of SD-e, or 'none'.")
@click.option("--bert", help="Fine-tune this BERT, by hub name or path, for next sentences, and nothing else.")
@click.option(
    "--bert-out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write the BERT to. Default: in the model cache.",
)
@click.option("--epochs", default=3, show_default=True, help="Epochs of fine-tuning a BERT.")
@result.allow_hub
@click.option("--seed", default=0, show_default=True, help="Seed of the choice of motions for validation.")
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    transcript: str | None,
    encoder: str,
    inference: str | None,
    vectors: str,
    bert: str | None,
    bert_out: Path | None,
    epochs: int,
    allow_hub: bool,
    seed: int,
) -> Trained:
    """Learn how to weigh the scores by which an answer is known; `counter.ranker = "trained"` then uses it.

    DIR is IBM's recorded debates, or a corpus whose speeches.csv says which speech answers which.
    """
    from pipeline import models
    from pipeline.counter.evaluate.debates import read_debates, transcripts
    from pipeline.counter.evaluate.learning import fit_ranker, load_resources
    from pipeline.counter.evaluate.next_sentence import save_fine_tuned
    from pipeline.counter.judge import trained_ranker_file

    debates = read_debates(data, transcript or transcripts(data)[0])
    if bert:
        folder = bert_out or models.cache_folder() / "counter-bert"
        save_fine_tuned(
            models.find(bert, allow_hub=allow_hub).path, debates, folder, epochs=epochs, seed=seed, progress=progress
        )
        return Trained(folder)
    models_at_hand = load_resources(
        encoder=result.or_none(encoder), inference=inference, vectors=result.or_none(vectors), allow_hub=allow_hub
    )
    ranker = fit_ranker(debates, models_at_hand)
    path = out or trained_ranker_file()
    ranker.save(path)
    weights = sorted(ranker.weights.items(), key=lambda weight: -weight[1])
    return Trained(path, tuple(f"{name:14} {weight:.3f}" for name, weight in weights))
