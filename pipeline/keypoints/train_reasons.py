"""What tells a reason from a statement that is neither for nor against anything.

Claims are compared with statements about the same subjects, which are made from patterns: 'school uniforms harm poor
families' and 'school uniforms are found in the south as well as in the north'.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline import models
from pipeline.evaluation import result as options
from pipeline.evaluation.result import Trained
from pipeline.keypoints.clauses import PHRASES
from pipeline.keypoints.grammar import parser, subject_of
from pipeline.keypoints.train_clauses import ATTRIBUTION, ENCODER
from pipeline.models.stored import six_decimals
from pipeline.progress import Progress
from pipeline.sentence_roles import ArgumentClassifier
from pipeline.speakers.evaluate.lessons import topics
from pipeline.text.encoders.sentence_encoder import load_encoder

_CLAIMS, _STATEMENTS = 6_000, 3_000
_CLAIM_WORDS, _SUBJECT_WORDS = range(4, 17), 4
_INVERSE_REGULARISATION = 0.3


@click.command()
@options.out_file
@options.training_seed
def command(data: Path, progress: Progress, out: Path | None, seed: int) -> Trained:
    """Learn which clauses give a reason, from claims and from statements about the same subjects.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    file = out or models.cache_folder() / "keypoints" / "reasons.json"
    random = np.random.default_rng(seed)
    claims = _claims(data, random)
    progress(0.1, "subjects of claims")
    statements = list(_statements(claims, random))
    progress(0.4, "vectors")
    learn(claims, statements).write(file)
    return Trained(file, (f"{len(claims)} claims, {len(statements)} statements", ATTRIBUTION))


def learn(claims: Sequence[str], statements: Sequence[str]) -> ArgumentClassifier:
    """The classifier of claims and statements."""
    from sklearn.linear_model import LogisticRegression

    encoder = load_encoder(ENCODER)
    model = LogisticRegression(C=_INVERSE_REGULARISATION, max_iter=3000, class_weight="balanced")
    model.fit(encoder.encode([*claims, *statements]), np.arange(len(claims) + len(statements)) < len(claims))
    return ArgumentClassifier(
        encoder=ENCODER,
        encoder_digest=encoder.digest,
        weights=tuple(map(six_decimals, model.coef_[0])),
        bias=six_decimals(model.intercept_[0]),
        trained_on=f"{len(claims)} claims, {len(statements)} statements that give no reason",
        attribution=f"{ATTRIBUTION}; statements written for it",
    )


def _claims(folder: Path, random: np.random.Generator) -> list[str]:
    texts = {text for topic in topics(folder, "train") for text in (*topic.supporting, *topic.opposing)}
    short = sorted(text.strip().rstrip(".!") for text in texts if len(text.split()) in _CLAIM_WORDS)
    return [short[place][:1].upper() + short[place][1:] for place in random.permutation(len(short))[:_CLAIMS].tolist()]


def _statements(claims: Sequence[str], random: np.random.Generator) -> Iterator[str]:
    """Each pattern in turn, about the subjects of claims."""
    patterns = PHRASES.lines("neutral")
    subjects = list(_subjects(claims))
    for number in range(_STATEMENTS):
        subject, several = subjects[int(random.integers(len(subjects)))]
        text = stated(patterns[number % len(patterns)], subject, several=several)
        yield text[:1].upper() + text[1:]


def stated(pattern: str, subject: str, *, several: bool) -> str:
    """A pattern with its subject, which is one thing or several.

    >>> stated("{} [is/are] old", "uniforms", several=True)
    'uniforms are old'
    """
    return re.sub(r"\[([^][/]*)/([^][/]*)\]", r"\2" if several else r"\1", pattern).replace("{}", subject)


def _subjects(claims: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The short subjects of claims, and whether each is several things."""
    for document in parser().pipe((f"{claim}." for claim in claims), batch_size=256):
        subject = next((subject_of(word) for word in document if word.dep_ == "ROOT"), None)
        if subject is None or subject.pos_ not in ("NOUN", "PROPN"):
            continue
        words = document[subject.left_edge.i : subject.right_edge.i + 1]
        if len(words) <= _SUBJECT_WORDS:
            yield _lowered(words), subject.tag_ in ("NNS", "NNPS")


def _lowered(words: Any) -> str:
    """The words in the middle of a sentence."""
    text = str(words.text)
    return text if words[0].pos_ == "PROPN" else text[:1].lower() + text[1:]
