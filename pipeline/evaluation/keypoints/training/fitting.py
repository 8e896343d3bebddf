"""Learning from a part of the KPA 2021 data: weights for an encoder, and the score from which on a pair is a match."""

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.argue.keypoints.matcher import Matcher
from pipeline.argue.keypoints.matchers.encoder import BiEncoder
from pipeline.argue.keypoints.matchers.trained import trained_file
from pipeline.argue.keypoints.matchers.tuned import PACKAGED_FILE
from pipeline.argue.keypoints.weights import MatcherHeader, header_of, save
from pipeline.arrays import Floats
from pipeline.evaluation.keypoints.data import Labels, Part
from pipeline.evaluation.keypoints.training.lessons import MatcherOptions, lessons
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, SentenceEncoder, embed


def data_digest(part: Part) -> str:
    """sha256 of the content of a part, whatever its files are called and in which order their lines are."""
    content = [
        sorted((each.id, each.text, each.topic, each.stance) for each in part.arguments),
        sorted((each.id, each.text, each.topic, each.stance) for each in part.key_points),
        sorted((argument, key_point, label) for (argument, key_point), label in part.labels.items()),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def weights_of(digest: str, encoder: str) -> Path | None:
    """A file of weights that this encoder learned from this data: by training, by an evaluation, or as shipped."""
    known = [trained_file(), stored_weights(digest, encoder), PACKAGED_FILE]
    return next(
        (file for file in known if file.exists() and _are_of(header_of(file, MatcherHeader), digest, encoder)), None
    )


def _are_of(header: MatcherHeader, digest: str, encoder: str) -> bool:
    return header.data_digest == digest and header.base_digest == models.find(encoder).digest


def stored_weights(digest: str, encoder: str) -> Path:
    """Where an evaluation keeps weights that it had to train, by the digests of the data and of the encoder."""
    return trained_file().with_name(f"data-{digest[:16]}-{models.find(encoder).digest[:16]}.safetensors")


def learned_now(part: Part, dev: Part | None, digest: str, encoder: str, progress: Progress) -> Path:
    """The file in which an evaluation keeps weights of this data and encoder. It is made if it is not there."""
    file = stored_weights(digest, encoder)
    if not file.exists():
        learn(part, dev, file, base=encoder, progress=progress)
    return file


def learn(
    part: Part,
    dev: Part | None,
    file: Path,
    *,
    base: str = DEFAULT_ENCODER,
    options: MatcherOptions | None = None,
    teacher: Matcher | None = None,
    attribution: str = "",
    progress: Progress = no_progress,
) -> MatcherHeader:
    """Fine-tune an encoder on a part, choose the threshold on dev (without one, on the part itself) and write both.

    With a `teacher`, whose scores are probabilities, half of what is learned is what it says.
    """
    from pipeline.evaluation.fine_tuning import load_base
    from pipeline.evaluation.keypoints.training.encoder import train

    taught = lessons(part, teacher)
    encoder, base_digest = load_base(base)
    options = options or MatcherOptions()
    digest = data_digest(part)
    key = "-".join(each[:16] for each in (digest, base_digest, teacher.digest if teacher else "") if each)
    checkpoint = file.with_name(f"{file.stem}-{key}.checkpoint")
    changes = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    matcher = BiEncoder(base, SentenceEncoder(base, "", functools.partial(embed, encoder)), threshold=0.0)
    threshold = chosen_threshold(matcher, dev or part)
    training = asdict(options) | ({"teacher": teacher.name, "teacher_digest": teacher.digest} if teacher else {})
    header = MatcherHeader(
        base=base,
        base_digest=base_digest,
        training=training,
        attribution=attribution,
        data_digest=digest,
        threshold=threshold,
    )
    save(file, changes, header)
    return header


def chosen_threshold(matcher: Matcher, part: Part) -> float:
    """The threshold at which a matcher's best matches agree best with the labels of a part."""
    groups = [group for group in part.groups if group.key_points]
    return best_threshold([group.scores(matcher) for group in groups], [group.labels for group in groups])


def best_threshold(scores: Sequence[Floats], labels: Sequence[Labels]) -> float:
    """The threshold with the highest F1 of arguments' best matches, halfway to the next lower score.

    A best match at or above the threshold is right when it is labelled 1; an argument that has such a label and whose
    match is wrong or below is missed.
    """
    best = np.concatenate([each.max(axis=1) for each in scores])
    right = np.concatenate(
        [each[np.arange(len(each)), found.argmax(axis=1)] == 1 for found, each in zip(scores, labels, strict=True)]
    )
    with_match = sum(int((each == 1).any(axis=1).sum()) for each in labels)
    order = np.argsort(-best)
    found = np.cumsum(right[order])
    f1 = 2 * found / (np.arange(1, len(order) + 1) + with_match)
    last = int(f1.argmax())
    ranked = best[order]
    return float(round((ranked[last] + ranked[min(last + 1, len(ranked) - 1)]) / 2, 4))
