"""The key point matcher."""

from pathlib import Path
from typing import Any

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
    "--topic/--no-topic",
    "topical",
    default=True,
    show_default=True,
    help="Whether the encoder reads the topic before every text.",
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
@click.option("--perspectrum", type=result.FOLDER, help="A folder of Perspectrum, to learn from its clusters, too.")
@result.threads
@result.training_seed
@click.option("--attribution", default="", help="Whose data the matcher learned from, for the header of the file.")
@click.option(
    "--replace", is_flag=True, help="With a corpus: `trained` names it also if it is no better than the shipped one."
)
def command(
    data: Path,
    progress: Progress,
    out: Path | None,
    encoder: str,
    perspectrum: Path | None,
    attribution: str,
    replace: bool,
    **options: Any,
) -> Trained:
    """Fine-tune a sentence encoder to match arguments with key points; `keypoints.matcher = "trained"` then uses it.

    DIR has arguments, key points and labels in the form of the KPA 2021 task: train, and dev if there is one. Or it is
    a corpus, of which people judged passages in the report's pages: then one speech after the other is left out, and
    the matcher is kept for `trained` only if it is right more often than the shipped one. A training that was stopped
    goes on from its last epoch when it is started again.
    """
    from pipeline.evaluation.data import corpus_in
    from pipeline.keypoints.evaluate.data import judged_part, training_parts
    from pipeline.keypoints.evaluate.judged import train_on_judged
    from pipeline.keypoints.evaluate.training import MatcherOptions, learn
    from pipeline.matching.matchers.encoders import trained_file

    if not list(data.glob("arguments_*.csv")) and not list(data.glob("key_points*.csv")):
        judged = judged_part(corpus_in(data))
        made = MatcherOptions(**options)
        return train_on_judged(judged, data, out, base=encoder, options=made, replace=replace, progress=progress)
    training, dev = training_parts(data)
    file = out or trained_file()
    header = learn(
        training,
        dev,
        file,
        base=encoder,
        options=MatcherOptions(**options),
        perspectrum=perspectrum,
        attribution=attribution,
        progress=progress,
    )
    where = "dev" if dev else "the training part, because there is no dev part"
    return Trained(file, (f"threshold {header.threshold:.3f}, chosen on {where}",))
