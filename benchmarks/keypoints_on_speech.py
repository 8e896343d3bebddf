"""How well each matcher tells which sentences of a speech make a claim, by the labels of IBM's debates.

python benchmarks/keypoints_on_speech.py --data DIR [--matcher NAME]...

DIR is IBM's Recorded Debating Dataset. Nothing is learned here.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from pipeline.argue.keypoints.matcher import Matcher, in_speech, load_matcher
from pipeline.argue.keypoints.spoken import trimmed

MATCHERS = ("token overlap", "tf-idf", "all-MiniLM-L6-v2", "bge-small-en-v1.5-int8", "tuned", "ensemble")
# The files of labels, and in which of their columns the claim is.
LABELS = (
    ("idebate-claim-to-sentence-matching.csv", "claim-text"),
    ("GP-claim-to-sentence-matching.csv", "GP-claim-text-for-motion"),
)
STEPS = (-0.05, 0.0, 0.05, 0.1)


def scores(matcher: Matcher, pairs: Sequence[tuple[str, str, str]]) -> NDArray[np.float64]:
    """The score of every (motion, sentence, claim), as the stage computes it."""
    found: dict[tuple[str, str, str], float] = {}
    for motion in dict.fromkeys(motion for motion, _, _ in pairs):
        sentences = list(dict.fromkeys(sentence for about, sentence, _ in pairs if about == motion))
        claims = list(dict.fromkeys(claim for about, _, claim in pairs if about == motion))
        said = [trimmed(sentence) for sentence in sentences]
        matrix = in_speech(matcher.scores(motion, said, claims), said)
        for sentence, row in zip(sentences, matrix, strict=True):
            found |= {(motion, sentence, claim): score for claim, score in zip(claims, row.tolist(), strict=True)}
    return np.array([found[pair] for pair in pairs])


def lines(name: str, pairs: Sequence[tuple[str, str, str]], labels: NDArray[np.bool_]) -> Iterable[str]:
    """A line a threshold: the matcher's own, and some around it."""
    matcher = load_matcher(name)
    found = scores(matcher, pairs)
    precision = average_precision_score(labels, found)
    for step in STEPS:
        taken = found >= matcher.threshold + step
        right = int((taken & labels).sum())
        shares = f"{right / max(taken.sum(), 1):9.2f} {right / labels.sum():6.2f}"
        yield f"{name:24} {precision:8.3f} {matcher.threshold + step:9.2f} {shares}"


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--matcher", "matchers", multiple=True, default=MATCHERS)
def main(data: Path, matchers: tuple[str, ...]) -> None:
    """Print average precision, and precision and recall at each matcher's threshold and around it."""
    for file, column in LABELS:
        with (data / "GPR-KB-55" / file).open(encoding="utf-8-sig", newline="") as text:
            table = list(csv.DictReader(text))
        pairs = [(row["motion-text"], row["sentence-text"], row[column]) for row in table]
        labels = np.array([row["is-claim-mentioned-in-sentence"] == "true" for row in table])
        print(f"{file}: {len(labels)} pairs, {labels.mean():.2f} of them matches")
        print(f"{'matcher':24} {'average':>8} {'threshold':>9} {'precision':>9} {'recall':>6}")
        for name in matchers:
            print("\n".join(lines(name, pairs, labels)), flush=True)


if __name__ == "__main__":
    main()
