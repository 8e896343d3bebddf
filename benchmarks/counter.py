"""How the time of finding counter speeches grows with the pairs of speeches within motions, on synthetic corpora.

    OMP_NUM_THREADS=1 python benchmarks/counter.py [--speeches 200 --speeches 1000 --speeches 3685]

Every speech has 29 sentences of about 26 words, as the recorded debates have, and every motion four supporting and
four opposing speeches. SD-e is also timed against POT's plain Word Mover's Distance, on the same pairs of speeches.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import click
import numpy as np
from numpy.typing import NDArray

from pipeline.cli.console import print_rows
from pipeline.counter.comparison import EncodedSimilarity, Relations
from pipeline.counter.evaluate.debates import AnsweredDebate, answer_pairs
from pipeline.counter.method import Given, Method, build, run_methods, score_table
from pipeline.counter.methods.word_movers import SimilarityDissimilarity
from pipeline.counter.ranker import Ranker, marginal_values
from pipeline.counter.texts import SpeechText, Vocabularies
from pipeline.counter.word_movers import Configuration, MoverSimilarity, SpeechWords, speech_words
from pipeline.text.encoders.word_vectors import WordVectors

SENTENCES, WORDS, SIDE, DIMENSIONS = 29, 26, 4, 50
# Methods that look at terms alone; the others compare sentences.
TERM_METHODS = {"tf-idf", "Cos", "JS", "ngrs", "MI", "c-MI"}
SD_E = Configuration(("max", "average"), ("max", "average"), 1.0)
POT_PAIRS = 20


class RandomEncoder:
    """Stands in for a sentence encoder, so that only the use of embeddings is timed. It counts the texts it embeds."""

    name, digest = "random", ""

    def __init__(self) -> None:
        self.embedded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        rows = np.stack([np.random.default_rng(len(text)).normal(size=384) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def vocabulary() -> list[str]:
    """20,000 words that no stemmer changes."""
    syllables = [a + b for a, b in product("bdfgklmnprtvz", "aou")]
    return ["".join(parts) + "k" for parts in product(syllables, repeat=3)][:20_000]


def corpus(speeches: int, words: Sequence[str], random: np.random.Generator) -> list[AnsweredDebate]:
    """Motions with words of their own; an opposing speech takes a fifth of its sentences from what it answers."""
    frequency = 1 / np.arange(1, len(words) + 1)
    frequency /= frequency.sum()
    return [_debate(f"m{number}", words, frequency, random) for number in range(speeches // (2 * SIDE))]


def _debate(
    motion: str, words: Sequence[str], frequency: NDArray[np.float64], random: np.random.Generator
) -> AnsweredDebate:
    own = random.choice(len(words), size=200, replace=False)

    def sentence() -> str:
        general = random.choice(len(words), size=WORDS // 2, p=frequency)
        return " ".join(words[index] for index in (*general, *random.choice(own, size=WORDS // 2)))

    def speech(name: str, quoted: Sequence[str] = ()) -> SpeechText:
        text = [*quoted, *(sentence() for _ in range(SENTENCES - len(quoted)))]
        return SpeechText(f"{motion}_{name}", tuple(text), (name,))

    supporting = tuple(speech(f"pro{number}") for number in range(SIDE))
    opposing = tuple(speech(f"con{number}", each.sentences[::5]) for number, each in enumerate(supporting))
    allowed, answers = np.ones((SIDE, SIDE), dtype=np.bool_), np.eye(SIDE, dtype=np.bool_)
    return AnsweredDebate(motion, supporting, opposing, allowed, answers, (None,) * SIDE)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ask(methods: Mapping[str, Method], debates: Sequence[AnsweredDebate]) -> list[dict[str, NDArray[np.float64]]]:
    return [score_table(methods, debate.supporting, debate.opposing, debate.allowed) for debate in debates]


def measured(speeches: int, words: Sequence[str], vectors: WordVectors) -> dict[str, float | int | str | None]:
    """One corpus: seconds for each kind of work, and microseconds for each pair within a motion."""
    debates = corpus(speeches, words, np.random.default_rng(speeches))
    texts = [speech for debate in debates for speech in debate.speeches]
    pairs = sum(len(debate.supporting) * len(debate.opposing) for debate in debates)
    reading = timed(lambda: [(speech.stems, speech.content_stems) for speech in texts])
    encoder = RandomEncoder()
    relations = Relations(EncodedSimilarity(encoder))
    methods = build(run_methods(), Given(relations, Vocabularies.of_pairs(answer_pairs(debates)), texts))
    terms = {name: method for name, method in methods.items() if name in TERM_METHODS}
    reasons = {name: method for name, method in methods.items() if name not in TERM_METHODS}
    movers = MoverSimilarity(vectors)
    scores = ask({"JS": methods["JS"]}, debates)
    seconds = {
        "terms": timed(lambda: ask(terms, debates)),
        "reasons": timed(lambda: ask(reasons, debates)),
        "SD-e": timed(lambda: ask({"SD-e": SimilarityDissimilarity([movers], SD_E)}, debates)),
        "assignment": timed(lambda: _assigned(scores, debates)),
    }
    return {
        "speeches": len(texts),
        "pairs in motions": pairs,
        "all pairs": len(texts) ** 2 // 4,
        "reading": reading,
        **seconds,
        "ms per pair": 1000 * sum(seconds.values()) / pairs,
        "embedded once": "yes" if encoder.embedded == SENTENCES * len(texts) else "no",
        "WMD solved": movers.solved / (pairs * SENTENCES**2),
    }


def _assigned(tables: Sequence[dict[str, NDArray[np.float64]]], debates: Sequence[AnsweredDebate]) -> None:
    for scores, debate in zip(tables, debates, strict=True):
        marginal_values(Ranker({"JS": 1.0}).combined(scores, debate.allowed), debate.allowed)


def against_pot(words: Sequence[str], vectors: WordVectors) -> Iterator[dict[str, float | int | str | None]]:
    """SD-e, by bounds and in full, and the same by POT, on the same pairs of speeches."""
    import ot

    debates = corpus(8 * POT_PAIRS // 4, words, np.random.default_rng(1))
    pairs = [(debate.supporting[number], debate.opposing[number]) for debate in debates for number in range(SIDE)]
    pairs = pairs[:POT_PAIRS]
    known = {speech: speech_words(speech, vectors) for pair in pairs for speech in pair}

    def plain() -> list[float]:
        return [_by_pot(known[one], known[other], ot) for one, other in pairs]

    def ours(aggregation: tuple[str, str]) -> list[float]:
        config = Configuration(aggregation, aggregation, 1.0)
        method = SimilarityDissimilarity([MoverSimilarity(vectors)], config)
        return [float(method(one, [other])[0]) for one, other in pairs]

    bounded, full = ("max", "average"), ("average", "average")
    found, _ = ours(bounded), ours(full)  # compiles, or loads what was compiled
    off = max(abs(one - other) for one, other in zip(plain(), found, strict=True))
    for how, work, difference in (
        ("POT, every distance", plain, 0.0),
        ("max/average, by bounds", lambda: ours(bounded), off),
        ("average/average, every distance", lambda: ours(full), None),
    ):
        yield {"SD-e": how, "ms per pair": 1000 * timed(work) / len(pairs), "largest difference": difference}


def _by_pot(one: SpeechWords, other: SpeechWords, ot) -> float:  # type: ignore[no-untyped-def]
    cost = ot.dist(one.vectors, other.vectors, metric="euclidean")
    best = []
    for row in one.shares:
        ours = np.flatnonzero(row)
        found = []
        for column in other.shares:
            theirs = np.flatnonzero(column)
            found.append(ot.emd2(row[ours], column[theirs], cost[np.ix_(ours, theirs)]))
        best.append(1 / (1 + min(found)))
    return float(np.mean(best))


@click.command()
@click.option("--speeches", multiple=True, type=int, default=(200, 1000, 3685), show_default=True)
def main(speeches: tuple[int, ...]) -> None:
    """Time the counter-speech methods."""
    words = vocabulary()
    table_of_words = np.random.default_rng(0).normal(size=(len(words), DIMENSIONS)).astype(np.float32)
    vectors = WordVectors("synthetic", "", {word: row for row, word in enumerate(words)}, table_of_words)
    print_rows("SD-e and plain Word Mover's Distance", list(against_pot(words, vectors)))
    print_rows("seconds", [measured(size, words, vectors) for size in speeches])


if __name__ == "__main__":
    main()
