"""Forms of the mention detector, compared by cross-validation over the motions to learn from, each left out once.

    python benchmarks/mention_forms.py --data DIR [--transcript asr.txt] [--encoder NAME]...

DIR is IBM's Recorded Debating Dataset. The motions that the evaluation tests on are not used.
"""

from pathlib import Path

import click
import numpy as np

from pipeline.cli.console import print_rows
from pipeline.evaluation.result import Row
from pipeline.measures import area_under_curve, calibration_error, macro_accuracy
from pipeline.mentions.detector import PRIOR
from pipeline.mentions.evaluate.data import read_listening, split
from pipeline.mentions.evaluate.fitting import LabelledList, cross_validate, labelled_lists
from pipeline.mentions.features import CONFIGURATIONS, CONTRASTS, LIKENESS, POSITION
from pipeline.mentions.stage import MentionsSettings
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, Encoder, load_encoder

FORMS = {
    "prior": (PRIOR,),
    "title-speech": ("title-speech",),
    "likeness": (LIKENESS,),
    "likeness + prior": (LIKENESS, PRIOR),
    "title-speech + prior": ("title-speech", PRIOR),
    "six configurations + prior": (*CONFIGURATIONS, PRIOR),
    "six configurations, contrasts + prior": (*CONFIGURATIONS, *CONTRASTS, PRIOR),
    "likeness, position + prior": (LIKENESS, POSITION, PRIOR),
}


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--transcript", default="asr.txt", show_default=True)
@click.option("--encoder", "encoders", multiple=True, default=(MentionsSettings().encoder, DEFAULT_ENCODER))
def main(data: Path, transcript: str, encoders: tuple[str, ...]) -> None:
    """Print accuracy, AUC and calibration error of each form with each encoder."""
    whole = read_listening(data)
    training = whole.on(split(whole.motions)[0])
    rows = []
    for name in encoders:
        encoder = load_encoder(name)
        lists = labelled_lists(training, transcript, encoder)
        rows += [_row(form, features, lists, encoder) for form, features in FORMS.items()]
    print_rows(f"{len(training.motions)} motions, {transcript}", rows)


def _row(form: str, features: tuple[str, ...], lists: list[LabelledList], encoder: Encoder) -> Row:
    probabilities = np.concatenate(cross_validate(lists, encoder, features))
    labels = np.concatenate([each.labels for each in lists])
    speeches = np.repeat(np.arange(len(lists)), [len(each.titles) for each in lists])
    return {
        "form": form,
        "encoder": encoder.name,
        "accuracy": macro_accuracy(probabilities >= 0.5, labels, speeches),
        "auc": area_under_curve(probabilities, labels),
        "ece": calibration_error(probabilities, labels),
    }


if __name__ == "__main__":
    main()
