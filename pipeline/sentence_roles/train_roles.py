"""The classifier that tells sentences that argue from those between them."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.evaluation import result as options
from pipeline.evaluation.result import Trained
from pipeline.evaluation.spoken import Speaker
from pipeline.matching.evaluate_pairs import lessons
from pipeline.models.stored import six_decimals
from pipeline.progress import Progress
from pipeline.sentence_roles.roles import ENCODER, ArgumentClassifier
from pipeline.text.encoders.sentence_encoder import load_encoder
from pipeline.text.phrases import phrase_lists
from pipeline.text.sentences import split

ATTRIBUTION = (
    "Learnt from ArgKP (CDLA-Sharing-1.0), Perspectrum (CC-BY-SA 4.0), IBM claim stance (CC-BY-SA 3.0), UKPConvArg1 "
    "(CC-BY 4.0), LibriSpeech test-other (CC-BY 4.0), and sentences written for it; shared under CC-BY-SA 4.0"
)
_CLAIMS, _FORUM, _ASIDES = 8000, 4000, 8000
_FORUM_WORDS = range(4, 41)
# Of the claims, which are written ones, and of the others.
_SPOKEN_CLAIMS, _SPOKEN_FORUM, _SPOKEN_ASIDES = 0.7, 0.5, 0.6
_TWO_ASIDES = 0.35
# Read books argue little: each of their few sentences counts so often.
_READ = 4
# The odds of a sentence of a debate to argue are so many times those among the sentences learned from.
_ODDS = 12.0
_INVERSE_REGULARISATION = 1.0
_PHRASES = phrase_lists("pipeline.sentence_roles")


@click.command()
@options.out_file
@options.training_seed
def command(data: Path, progress: Progress, out: Path | None, seed: int) -> Trained:
    """Learn which sentences argue, from arguments and claims on the one side, and sentences that argue nothing.

    DIR has the folders kpa2021 (ArgKP), perspectrum, ibm-claim-stance, ukpconvarg1 and librispeech-other.
    """
    file = out or models.cache_folder() / "roles" / "argues.json"
    claims, asides = examples(data, np.random.default_rng(seed))
    progress(0.1, "vectors")
    learn(claims, asides).write(file)
    return Trained(file, (f"{len(claims)} sentences that argue, {len(asides)} that do not", ATTRIBUTION))


def learn(claims: Sequence[str], asides: Sequence[str]) -> ArgumentClassifier:
    """The classifier of these sentences, which argue or do not."""
    from sklearn.linear_model import LogisticRegression

    encoder = load_encoder(ENCODER)
    model = LogisticRegression(C=_INVERSE_REGULARISATION, max_iter=3000)
    model.fit(encoder.encode([*claims, *asides]), np.arange(len(claims) + len(asides)) < len(claims))
    return ArgumentClassifier(
        encoder=ENCODER,
        encoder_digest=encoder.digest,
        weights=tuple(map(six_decimals, model.coef_[0])),
        bias=six_decimals(model.intercept_[0] + np.log(_ODDS)),
        trained_on=f"{len(claims)} sentences that argue, {len(asides)} that do not",
        attribution=ATTRIBUTION,
    )


def examples(folder: Path, random: np.random.Generator) -> tuple[list[str], list[str]]:
    """(sentences that argue, sentences that do not), many of them as they are heard in speeches."""
    taught = lessons(folder, "train")
    topics = sorted({lesson.topic for lesson in taught})
    written = sorted({text for lesson in taught for text in (*lesson.texts, *lesson.points)})
    speaker = Speaker(written)

    def said(texts: Sequence[str], count: int, spoken: float) -> list[str]:
        drawn = [texts[place] for place in random.permutation(len(texts))[:count].tolist()]
        return [speaker.says(text, (), random) if random.random() < spoken else text for text in drawn]

    claims = said(written, _CLAIMS, _SPOKEN_CLAIMS) + said(_forum(folder / "ukpconvarg1"), _FORUM, _SPOKEN_FORUM)
    asides = said(list(_asides(topics, random)), _ASIDES, _SPOKEN_ASIDES)
    return claims, asides + _READ * _read_aloud(folder / "librispeech-other")


def _asides(topics: Sequence[str], random: np.random.Generator) -> Iterator[str]:
    """Sentences of the list, one or two together, their braces filled in."""
    patterns = _PHRASES.lines("asides")
    words = {name: kinds.split("|") for name, _, kinds in (line.partition(": ") for line in _PHRASES.lines("names"))}
    words["topic"] = [topic.rstrip(".") for topic in topics]

    def one() -> str:
        pattern = patterns[int(random.integers(len(patterns)))]
        return re.sub(r"\{(\w+)\}", lambda slot: _any(words[slot[1]], random), pattern)

    for _ in range(_ASIDES):
        text = one()
        if random.random() < _TWO_ASIDES:
            text += f"{', ' if random.random() < 0.6 else '. '}{one()}"
        yield f"{text[0].upper()}{text[1:]}{'.' if random.random() < 0.8 else ''}"


def _any(words: Sequence[str], random: np.random.Generator) -> str:
    return words[int(random.integers(len(words)))]


def _forum(folder: Path) -> list[str]:
    """The sentences of UKPConvArg1's arguments."""
    files = sorted(folder.glob("data/UKPConvArg1-Ranking-CSV/*.csv"))
    if not files:
        raise RostrumError(f"{folder}: no data/UKPConvArg1-Ranking-CSV/*.csv; DIR has the data sets' folders")
    texts: set[str] = set()
    for file in files:
        with file.open(encoding="utf-8", newline="") as handle:
            rows = [row for row in csv.reader(handle, delimiter="\t") if len(row) > 2 and not row[0].startswith("#")]
        texts.update(re.sub("<[^>]+>", " ", row[-1]) for row in rows)
    sentences = {sentence for text in texts for sentence in split(text)}
    return sorted(sentence for sentence in sentences if len(sentence.split()) in _FORUM_WORDS)


def _read_aloud(folder: Path) -> list[str]:
    """What is read from books in LibriSpeech."""
    file = folder / "transcripts.tsv"
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RostrumError(f"{file}: cannot be read: {error.strerror}; DIR has the data sets' folders") from error
    return [line.partition("\t")[2].strip().lower() for line in lines if "\t" in line]
