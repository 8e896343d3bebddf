"""From folders of data to a file of weights."""

from dataclasses import asdict
from pathlib import Path

from pipeline.evaluation.fine_tuning import load_base
from pipeline.evaluation.pairs.lessons import lessons
from pipeline.evaluation.pairs.training import TrainingOptions, train
from pipeline.evaluation.pairs.weights import PairsHeader, save
from pipeline.progress import Progress, no_progress

ATTRIBUTION = (
    "Learned from ArgKP (IBM Research, CDLA-Sharing-1.0), Perspectrum (Chen et al. 2019, CC-BY-SA 4.0) and IBM's Claim "
    "Stance Dataset (CC-BY-SA 3.0), their training parts"
)


def learn(
    folder: Path, file: Path, *, base: str, options: TrainingOptions, progress: Progress = no_progress
) -> PairsHeader:
    """Fine-tune an encoder on the training parts of all data sets below a folder, and write what it learned."""
    taught = lessons(folder, "train")
    encoder, digest = load_base(base)
    checkpoint = file.with_name(f"{file.stem}.checkpoint")
    changed, head = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    header = PairsHeader(base, digest, asdict(options), ATTRIBUTION, head)
    save(file, changed, header)
    return header
