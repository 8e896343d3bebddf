"""Learning from a part of the KPA 2021 data: weights for an encoder, and the score from which on a pair is a match."""

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pipeline import models
from pipeline.arrays import Floats
from pipeline.keypoints.evaluate.data import Labels, Part
from pipeline.keypoints.evaluate.lessons import MatcherOptions, lessons, lessons_of_perspectrum
from pipeline.keypoints.evaluate.matching_rows import Weights
from pipeline.matching.matcher import Matcher
from pipeline.matching.matchers.encoders import (
    SECOND_ENCODER,
    TUNED_BGE_WEIGHTS,
    TUNED_WEIGHTS,
    BiEncoder,
    trained_file,
)
from pipeline.matching.weights import MatcherHeader, header_of, save
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, SentenceEncoder, embed

# How the second encoder of the ensemble learns: arguments as they are heard, and no topics.
HEARD = MatcherOptions(layers=4, learning_rate=3e-4, topical=False, noise=0.4, centre=0.7, scale=20.0)


def data_digest(part: Part) -> str:
    """sha256 of the content of a part, whatever its files are called and in which order their lines are."""
    content = [
        sorted((each.id, each.text, each.topic, each.stance) for each in part.arguments),
        sorted((each.id, each.text, each.topic, each.stance) for each in part.key_points),
        sorted((argument, key_point, label) for (argument, key_point), label in part.labels.items()),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def learned_weights(part: Part, dev: Part | None, encoder: str, progress: Progress) -> tuple[Weights, bool]:
    """(the weights that the encoders of the ensemble learn from a part, whether the first learned only now).

    They are those of a training, of an earlier evaluation, or as shipped. Weights that were not there are kept.
    """
    digest = data_digest(part)
    first = weights_of(digest, encoder, MatcherOptions())
    second = weights_of(digest, SECOND_ENCODER, HEARD)
    missing = [first, second].count(None)

    def share_of(number: int) -> Progress:
        return lambda share, what: progress((number + share) / missing, what)

    found = Weights(
        first or learned_now(part, dev, digest, encoder, MatcherOptions(), share_of(0)),
        second or learned_now(part, dev, digest, SECOND_ENCODER, HEARD, share_of(missing - 1)),
    )
    return found, first is None


def weights_of(digest: str, encoder: str, options: MatcherOptions) -> Path | None:
    """A file of weights that this encoder learned from this data: by training, by an evaluation, or as shipped."""
    known = [trained_file(), stored_weights(digest, encoder, options), TUNED_WEIGHTS, TUNED_BGE_WEIGHTS]
    there = ((file, header_of(file, MatcherHeader)) for file in known if file.exists())
    of = (digest, models.find(encoder).digest, options.topical)
    return next((file for file, each in there if (each.data_digest, each.base_digest, each.topical) == of), None)


def stored_weights(digest: str, encoder: str, options: MatcherOptions) -> Path:
    """Where an evaluation keeps weights that it had to train, by the digests of the data and of the encoder."""
    kind = "data" if options.topical else "heard"
    return trained_file().with_name(f"{kind}-{digest[:16]}-{models.find(encoder).digest[:16]}.safetensors")


def learned_now(
    part: Part, dev: Part | None, digest: str, encoder: str, options: MatcherOptions, progress: Progress
) -> Path:
    """The file in which an evaluation keeps the weights that it trains now on a part of this digest."""
    file = stored_weights(digest, encoder, options)
    learn(part, dev, file, base=encoder, options=options, progress=progress)
    return file


def learn(
    part: Part,
    dev: Part | None,
    file: Path,
    *,
    base: str = DEFAULT_ENCODER,
    options: MatcherOptions | None = None,
    teacher: Matcher | None = None,
    perspectrum: Path | None = None,
    attribution: str = "",
    progress: Progress = no_progress,
) -> MatcherHeader:
    """Fine-tune an encoder on a part, choose the threshold on dev (without one, on the part itself) and write both.

    With a `teacher`, whose scores are probabilities, half of what is learned of the part is what it says. What
    `perspectrum`, a folder, has is learned besides.
    """
    from pipeline.evaluation.fine_tuning import load_base
    from pipeline.keypoints.evaluate.fine_tuning import train

    options = options or MatcherOptions()
    taught = lessons(part, teacher, topical=options.topical)
    if perspectrum:
        taught += lessons_of_perspectrum(perspectrum, topical=options.topical)
    encoder, base_digest = load_base(base)
    digest = data_digest(part)
    besides = (teacher.digest if teacher else "", "perspectrum" if perspectrum else "")
    key = "-".join(each[:16] for each in (digest, base_digest, *besides) if each)
    checkpoint = file.with_name(f"{file.stem}-{key}.checkpoint")
    changes = train(encoder, taught, options, checkpoint=checkpoint, progress=progress)
    changed = SentenceEncoder(base, "", functools.partial(embed, encoder))
    matcher = BiEncoder(base, changed, threshold=0.0, topical=options.topical)
    threshold = chosen_threshold(matcher, dev or part)
    training = asdict(options) | ({"teacher": teacher.name, "teacher_digest": teacher.digest} if teacher else {})
    training |= {"perspectrum": True} if perspectrum else {}
    header = MatcherHeader(
        base=base,
        base_digest=base_digest,
        training=training,
        attribution=attribution,
        data_digest=digest,
        threshold=threshold,
        topical=options.topical,
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
