"""How well each matcher tells which sentences of a speech make a claim, by the labels of IBM's debates.

python benchmarks/keypoints_on_speech.py --data DIR [--matcher NAME]... [--adjust none|standing-out|particular|speech]

DIR is IBM's Recorded Debating Dataset. No matcher learned from it. The constants of `--adjust speech` were chosen on
the motions that `rostrum evaluate listening` trains on.
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from pipeline.arrays import Matrix
from pipeline.keypoints.candidates import claims
from pipeline.keypoints.clauses import trimmed
from pipeline.keypoints.debate import CLAIMS_NOTHING
from pipeline.keypoints.spoken import says_more, shipped_readers
from pipeline.matching.matcher import Matcher, in_speech, load_matcher, particular, standing_out
from pipeline.mentions.evaluate.data import read_listening, split

MATCHERS = ("token overlap", "tf-idf", "all-MiniLM-L6-v2", "bge-small-en-v1.5-int8", "tuned", "tuned-bge", "ensemble")
# The files of labels, and in which of their columns the claim is.
LABELS = (
    ("idebate-claim-to-sentence-matching.csv", "claim-text"),
    ("GP-claim-to-sentence-matching.csv", "GP-claim-text-for-motion"),
)
STEPS = (-0.05, 0.0, 0.05, 0.1)
Adjustment = Callable[[Matrix, Sequence[str]], Matrix]
ADJUSTMENTS: dict[str, Adjustment] = {
    "none": lambda scores, said: scores,
    "standing-out": lambda scores, said: standing_out(scores),
    "particular": lambda scores, said: particular(standing_out(scores)),
    "speech": in_speech,
}


class Pair(NamedTuple):
    """A sentence and a claim on a motion."""

    motion: str
    sentence: str
    claim: str


class Labelled(NamedTuple):
    """Pairs, whether people matched them, and whether their motion is one for testing."""

    pairs: Sequence[Pair]
    labels: NDArray[np.bool_]
    tested: NDArray[np.bool_]


def scores(matcher: Matcher, pairs: Sequence[Pair], adjust: Adjustment) -> NDArray[np.float64]:
    """The score of every pair, as the stage computes it."""
    found: dict[Pair, float] = {}
    for motion in dict.fromkeys(pair.motion for pair in pairs):
        sentences = list(dict.fromkeys(pair.sentence for pair in pairs if pair.motion == motion))
        claims = list(dict.fromkeys(pair.claim for pair in pairs if pair.motion == motion))
        said = [trimmed(sentence) for sentence in sentences]
        for sentence, row in zip(sentences, adjust(matcher.scores(motion, said, claims), said), strict=True):
            found |= {Pair(motion, sentence, claim): score for claim, score in zip(claims, row.tolist(), strict=True)}
    return np.array([found[pair] for pair in pairs])


def is_counted(pair: Pair) -> bool:
    """Whether the stage counts the sentence for any key point, by its role and its words."""
    kind = shipped_readers().rule([pair.sentence], pair.motion)[0]
    return kind not in CLAIMS_NOTHING and any(says_more(text, pair.motion) for text in claims(pair.sentence))


def lines(name: str, data: Labelled, adjust: Adjustment, counted: NDArray[np.bool_]) -> Iterable[str]:
    """One line per threshold: the matcher's own, and some around it."""
    matcher = load_matcher(name)
    found = scores(matcher, data.pairs, adjust)
    parts = [np.ones_like(data.tested), ~data.tested, data.tested]
    precision = " ".join(f"{average_precision_score(data.labels[part], found[part]):8.3f}" for part in parts)
    for step in STEPS:
        taken = found >= matcher.threshold + step
        right = int((taken & data.labels).sum())
        shares = f"{right / max(taken.sum(), 1):9.2f} {right / data.labels.sum():6.2f}"
        made = taken & counted
        right = int((made & data.labels).sum())
        shares += f"{right / max(made.sum(), 1):9.3f} {right / data.labels.sum():6.3f} {made.sum():6}"
        yield f"{name:24} {precision} {matcher.threshold + step:9.2f} {shares}"


def read(file: Path, column: str, tested: set[str]) -> Labelled:
    """One file of labels."""
    with file.open(encoding="utf-8-sig", newline="") as text:
        table = list(csv.DictReader(text))
    return Labelled(
        [Pair(row["motion-text"], row["sentence-text"], row[column]) for row in table],
        np.array([row["is-claim-mentioned-in-sentence"] == "true" for row in table]),
        np.array([row["motion-id"] in tested for row in table]),
    )


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--matcher", "matchers", multiple=True, default=MATCHERS)
@click.option("--adjust", type=click.Choice(list(ADJUSTMENTS)), default="speech", show_default=True)
def main(data: Path, matchers: tuple[str, ...], adjust: str) -> None:
    """Print average precision (of all motions, of those to train on, of those to test on), precision and recall.

    `counted` is the precision over the sentences that the stage counts for key points.
    """
    tested = set(split(read_listening(data).motions)[1])
    for file, column in LABELS:
        found = read(data / "GPR-KB-55" / file, column, tested)
        print(f"{file}: {len(found.labels)} pairs, {found.labels.mean():.2f} of them matches")
        print(
            f"{'matcher':24} {'all':>8} {'training':>8} {'test':>8} {'threshold':>9} {'precision':>9} {'recall':>6}"
            f"{'counted':>9} {'recall':>6} {'pairs':>6}"
        )
        known = {(pair.motion, pair.sentence): pair for pair in found.pairs}
        counted_of = {key: is_counted(pair) for key, pair in known.items()}
        counted = np.array([counted_of[pair.motion, pair.sentence] for pair in found.pairs])
        for name in matchers:
            print("\n".join(lines(name, found, ADJUSTMENTS[adjust], counted)), flush=True)


if __name__ == "__main__":
    main()
