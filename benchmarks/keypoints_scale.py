"""How the time and memory of finding key points grow with the number of sentences: made-up ones that all differ.

    OMP_NUM_THREADS=1 python benchmarks/keypoints_scale.py [--sentences 10000 --sentences 100000 --sentences 1000000]

Each size is run in a process of its own, whose peak memory is the one shown. Sentences are compared by the mean of
their words' random vectors, as long as those of the packaged encoders. So everything but the encoder is measured;
`--matcher NAME` uses a real one instead.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import islice, product

import click
import numpy as np

from pipeline.arrays import Floats32
from pipeline.cli.console import print_rows
from pipeline.keypoints.generation import generate
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.matching.matchers.encoders import BiEncoder
from pipeline.text.encoders.sentence_encoder import SentenceEncoder

TOPIC = "We should abandon the use of school uniforms"
# The parts of a sentence, each with its alternatives.
WHO = "uniforms, school uniforms, strict uniforms, cheap uniforms, expensive uniforms, old uniforms"
DO = "reduce, increase, cause, prevent, harm, help, stop, encourage, limit, support, create, hide"
WHAT = (
    "bullying, teasing, spending, envy, truancy, noise, fights, theft, pride, learning, waste, costs, rivalry, "
    "discipline, comfort, freedom, creativity, conformity, equality, anxiety, shame, friendship, safety, choice, "
    "expression, identity, unity, debt, respect, boredom"
)
WHOM = "pupils, teachers, parents, schools, families, girls, boys, children, communities, neighbours, classes, towns"
WHEN = (
    "every day, in the morning, at work, for years, in winter, in summer, without reason, in most towns, at home, "
    "on the street, in public, during lessons, before exams, after school, in small towns, in big cities, over "
    "time, from the start, by law, on weekdays, in poor areas, in rich areas, near the border, in the north, in "
    "the south, by accident, on purpose, in theory, in practice, on average, at first, in the end, in general, at "
    "times, on the way, in class, in groups, in secret, by design"
)
DIMENSIONS = 384


def sentences(count: int) -> list[str]:
    """So many different sentences, in an order that is the same every time."""
    parts = product(*(part.split(", ") for part in (WHEN, WHOM, WHAT, DO, WHO)))
    every = [f"{who} {do} {what} among {whom} {when}" for when, whom, what, do, who in islice(parts, count)]
    return [every[place] for place in np.random.default_rng(0).permutation(len(every))]


class WordMeans:
    """Stands in for a sentence encoder: the mean of random vectors of words."""

    def __init__(self) -> None:
        self._known: dict[str, Floats32] = {}

    def __call__(self, texts: list[str]) -> Floats32:
        rows = np.stack([np.mean([self._vector(word) for word in text.lower().split()], axis=0) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def _vector(self, word: str) -> Floats32:
        if word not in self._known:
            random = np.random.default_rng(list(word.encode()))
            self._known[word] = random.normal(size=DIMENSIONS).astype(np.float32)
        return self._known[word]


@click.command()
@click.option("--sentences", "sizes", multiple=True, type=int, default=(10_000, 100_000, 1_000_000), show_default=True)
@click.option("--matcher", "name", help="A real matcher. Default: means of random word vectors.")
@click.option("--alone", is_flag=True, hidden=True)
def benchmark(sizes: Sequence[int], name: str | None, alone: bool) -> None:
    """Print a table with one row per size."""
    if alone:
        click.echo(" ".join(map(str, measured(sizes[0], name))))
        return
    rows = []
    for size in sizes:
        options = ["--alone", "--sentences", str(size), *(["--matcher", name] if name else [])]
        command = [sys.executable, __file__, *options]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        seconds, before, peak, points = map(float, found)
        rows.append(
            {
                "sentences": size,
                "processor seconds": seconds,
                "megabytes of the sentences": before,
                "megabytes at most": peak,
                "key points": points,
            }
        )
    print_rows("key points at scale", rows)


def measured(size: int, name: str | None) -> tuple[float, float, float, int]:
    """Processor seconds, memory with nothing but the sentences, peak memory, and how many key points were found."""
    matcher: Matcher = (
        load_matcher(name) if name else BiEncoder("words", SentenceEncoder("words", "", WordMeans()), 0.7)
    )
    texts = sentences(size)
    before, started = _megabytes(), time.process_time()
    made = generate(TOPIC, texts, matcher)
    assert made.scores.shape == (size, len(made.key_points))
    return time.process_time() - started, before, _megabytes(), len(made.key_points)


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    benchmark()
