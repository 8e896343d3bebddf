"""The key point matcher."""

from pathlib import Path

import click

from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.progress import Progress


@click.command()
@result.out_file
@result.fine_tuned_encoder
@click.option(
    "--rank",
    default=16,
    show_default=True,
    help="Rank of the changes. A higher rank changes more, and overfits sooner.",
)
@click.option("--layers", default=3, show_default=True, help="How many of the encoder's last layers to change.")
@click.option("--epochs", default=2, show_default=True, help="Epochs: how often all arguments are seen.")
@click.option("--learning-rate", default=1e-3, show_default=True, help="The highest learning rate.")
@click.option(
    "--softmax", default=0.0, show_default=True, help="Weight of a softmax over the batch, added to the loss."
)
@click.option(
    "--topic/--no-topic", default=True, show_default=True, help="Whether the encoder reads the topic before every text."
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="The share of arguments that are learned as a recogniser hears them, with hesitations and word errors.",
)
@click.option("--centre", default=0.5, show_default=True, help="The cosine at which a match is first as likely as not.")
@click.option("--scale", default=10.0, show_default=True, help="By how much the odds first rise with the cosine.")
@click.option("--teacher", help="Learn half from people and half from this matcher, such as cross-encoder:FOLDER.")
@click.option("--perspectrum", type=result.FOLDER, help="A folder of Perspectrum, to learn from its clusters, too.")
@result.threads
@result.training_seed
@click.option("--attribution", default="", help="Whose data the matcher learned from, for the header of the file.")
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    encoder: str,
    rank: int,
    layers: int,
    epochs: int,
    learning_rate: float,
    softmax: float,
    topic: bool,
    noise: float,
    centre: float,
    scale: float,
    teacher: str | None,
    perspectrum: Path | None,
    seed: int,
    attribution: str,
) -> Trained:
    """Fine-tune a sentence encoder to match arguments with key points; `keypoints.matcher = "trained"` then uses it.

    DIR has arguments, key points and labels in the form of the KPA 2021 task: train, and dev if there is one. A run
    that was stopped goes on from its last epoch when it is started again.
    """
    from pipeline.keypoints.evaluate.cross_validation import training_parts
    from pipeline.keypoints.evaluate.fitting import learn
    from pipeline.keypoints.evaluate.lessons import MatcherOptions
    from pipeline.matching.matcher import load_matcher
    from pipeline.matching.matchers.encoders import trained_file

    training, dev = training_parts(data)
    chosen = MatcherOptions(
        rank=rank,
        layers=layers,
        epochs=epochs,
        learning_rate=learning_rate,
        softmax=softmax,
        topical=topic,
        noise=noise,
        centre=centre,
        scale=scale,
        seed=seed,
    )
    file = out or trained_file()
    header = learn(
        training,
        dev,
        file,
        base=encoder,
        options=chosen,
        teacher=load_matcher(teacher) if teacher else None,
        perspectrum=perspectrum,
        attribution=attribution,
        progress=progress,
    )
    where = "dev" if dev else "the training part, because there is no dev part"
    return Trained(file, (f"threshold {header.threshold:.3f}, chosen on {where}",))
