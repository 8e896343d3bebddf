"""Sentence boundaries in unpunctuated transcripts, against those of a person: precision, recall, F1, Pk, WindowDiff.

Words are aligned first, so that recogniser errors are not boundary errors (`human_marks`); the end of a speech, which
nobody can miss, is not scored. Thresholds and weights come from other motions than the figures.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Mask
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures import with_interval
from pipeline.progress import Progress, no_progress
from pipeline.segment.boundary_tagger import BoundaryTagger, Tags, decide
from pipeline.segment.human_marks import COMMA, FULL_STOP, QUESTION, UNKNOWN
from pipeline.segment.train_segmenter import Example, SeenSpeech, TaggerOptions, read_speeches, train_tagger
from pipeline.text.encoders.word_vectors import load_contextual
from pipeline.text.sentences import cut_at_pauses, cut_every


@click.command()
@click.option("--seed", default=0, show_default=True, help="Seed of the folds and of the training.")
def command(data: Path, test: Path | None, progress: Progress, seed: int) -> Evaluation:
    """Sentence boundaries in unpunctuated transcripts.

    DIR has the layout of IBM's recorded debates: .asr (word times) and .trs.txt (a person's sentences) below speeches/.
    """
    return evaluate(data, test, TaggerOptions(seed=seed), progress)


@dataclass(frozen=True)
class BoundaryCounts:
    """Boundaries that are in both, in the reference and in the hypothesis; counts of several speeches add up."""

    hits: int = 0
    reference: int = 0
    hypothesis: int = 0

    @classmethod
    def comparing(cls, reference: Mask, hypothesis: Mask) -> "BoundaryCounts":
        return cls(int((reference & hypothesis).sum()), int(reference.sum()), int(hypothesis.sum()))

    def __add__(self, other: "BoundaryCounts") -> "BoundaryCounts":
        return BoundaryCounts(
            self.hits + other.hits, self.reference + other.reference, self.hypothesis + other.hypothesis
        )

    @property
    def precision(self) -> float | None:
        return self.hits / self.hypothesis if self.hypothesis else None

    @property
    def recall(self) -> float | None:
        return self.hits / self.reference if self.reference else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; 0 where one of them is undefined and the other is not."""
        total = self.hypothesis + self.reference
        return 2 * self.hits / total if total else None


def window_errors(pairs: Sequence[tuple[Mask, Mask]]) -> tuple[float | None, float | None]:
    """(Pk, WindowDiff) of reference and hypothesis, the mean over the speeches that have a boundary and room for it.

    The window is half the mean length of the reference's segments, speech by speech, as both metrics' papers have it.
    """
    from nltk.metrics.segmentation import pk, windowdiff

    errors = []
    for reference, hypothesis in pairs:
        boundaries = int(reference.sum())
        width = round(len(reference) / (2 * boundaries)) if boundaries else 0
        if 0 < width < len(reference):
            said, cut = ("".join("01"[int(flag)] for flag in flags) for flags in (reference, hypothesis))
            errors.append((pk(said, cut, k=width), windowdiff(said, cut, k=width)))
    if not errors:
        return None, None
    mean = np.mean(errors, axis=0)
    return float(mean[0]), float(mean[1])


FOLDS = 5
WORDS = 15
PAUSES = tuple(np.arange(0.1, 1.01, 0.02).round(2).tolist())


def evaluate(
    data: Path, test: Path | None = None, options: TaggerOptions | None = None, progress: Progress = no_progress
) -> Evaluation:
    """The table on `test`, trained on `data`; without `test`, on each fifth of the motions, trained on the others."""
    options = options or TaggerOptions()
    speeches = read_speeches(data, options, progress)
    rounds = [(speeches, read_speeches(test, options, progress))] if test else _folds(speeches, options.seed)
    results = grouped(result for train, held in rounds for result in _round(train, held, options, progress))
    encoder = load_contextual(options.encoder, options.encoder_layers)
    facts = {
        "data": (test or data).name,
        "split": f"trained on {data.name}" if test else f"{len(rounds)} folds by motion",
        "encoder": f"{encoder.name}@{encoder.digest[:12]} layer {options.encoder_layers}",
        "seed": options.seed,
    }
    return Evaluation(
        name="segmentation",
        signature=signature("numpy", "nltk", "torch", "transformers", **facts),
        rows=tuple(_row(method, result, options.seed) for method, result in results.items()),
        notes=(_LEGEND,),
    )


_LEGEND = (
    "precision, recall, f1: of sentence ends over all speeches, intervals over motions; pk, windowdiff: means over "
    "speeches, lower is better; comma, question, capital: F1 of the tagger's other marks, capitals within sentences."
)


@dataclass(frozen=True)
class _Result:
    """One method on one speech; `marks` counts the tagger's other marks."""

    motion: str
    reference: Mask
    hypothesis: Mask
    marks: Mapping[str, BoundaryCounts] = field(default_factory=dict)

    @property
    def counts(self) -> BoundaryCounts:
        return BoundaryCounts.comparing(self.reference, self.hypothesis)


def _folds(speeches: Sequence[SeenSpeech], seed: int) -> list[tuple[list[SeenSpeech], list[SeenSpeech]]]:
    motions = np.random.default_rng(seed).permutation(np.unique([speech.example.motion for speech in speeches]))
    folds = [set(motions[start::FOLDS].tolist()) for start in range(min(FOLDS, len(motions)))]
    return [
        (
            [speech for speech in speeches if speech.example.motion not in fold],
            [speech for speech in speeches if speech.example.motion in fold],
        )
        for fold in folds
    ]


def _round(
    train: Sequence[SeenSpeech], held: Sequence[SeenSpeech], options: TaggerOptions, progress: Progress
) -> Iterator[tuple[str, _Result]]:
    """Every method on the held speeches, tuned or trained on the others."""
    tagger = train_tagger(train, options, progress)
    pause = best_pause(train)
    cutters: dict[str, Callable[[SeenSpeech], Sequence[int]]] = {
        f"every {WORDS} words": lambda speech: cut_every(speech.example.words, WORDS),
        "pauses": lambda speech: cut_at_pauses(speech.example.words, pause),
    }
    if all(speech.example.cleaned is not None for speech in held):
        cutters["asr.txt"] = lambda speech: speech.example.cleaned or ()
    for method, cutter in cutters.items():
        yield from ((method, _result(speech, cutter(speech))) for speech in held)
    yield from (("tagger", _tagged(speech, tagger)) for speech in held)


def best_pause(speeches: Sequence[SeenSpeech]) -> float:
    """The shortest silence to cut at that gives the highest F1."""

    def f1(pause: float) -> float:
        counts = (_result(speech, cut_at_pauses(speech.example.words, pause)).counts for speech in speeches)
        return sum(counts, BoundaryCounts()).f1 or 0.0

    return float(max(PAUSES, key=f1))


def _result(speech: SeenSpeech, ends: Sequence[int]) -> _Result:
    human = speech.example.human
    return _Result(speech.example.motion, human.boundaries[:-1], human.boundaries_of(ends)[:-1])


def _tagged(speech: SeenSpeech, tagger: BoundaryTagger) -> _Result:
    tags = decide(tagger.probabilities(speech.inputs), tagger.thresholds, speech.example.words)
    return replace(_result(speech, tags.ends), marks=_other_marks(speech.example, tags))


def _other_marks(example: Example, tags: Tags) -> dict[str, BoundaryCounts]:
    """Commas and questions, and capitals of words that do not begin a sentence in either."""
    human = example.human
    within = (human.capitals != UNKNOWN) & np.append(False, ((human.marks < FULL_STOP) & (tags.marks < FULL_STOP))[:-1])
    return {
        "comma": BoundaryCounts.comparing(human.marks == COMMA, tags.marks == COMMA),
        "question": BoundaryCounts.comparing(human.marks == QUESTION, tags.marks == QUESTION),
        "capital": BoundaryCounts.comparing(human.capitals[within] == 1, tags.capitals[within]),
    }


def _row(method: str, results: Sequence[_Result], seed: int) -> Row:
    total = sum((result.counts for result in results), BoundaryCounts())
    by_motion = grouped((result.motion, result.counts) for result in results).values()
    f1 = with_interval("f1", [sum(counts, BoundaryCounts()) for counts in by_motion], _pooled_f1, seed=seed)
    pk, windowdiff = window_errors([(result.reference, result.hypothesis) for result in results])
    row: Row = {
        "method": method,
        "precision": total.precision,
        "recall": total.recall,
        **f1,
        "f1": total.f1,
        "pk": pk,
        "windowdiff": windowdiff,
        "boundaries": total.reference,
        "found": total.hypothesis,
    }
    for name in results[0].marks:
        row[f"{name}_f1"] = sum((result.marks[name] for result in results), BoundaryCounts()).f1
    return row


def _pooled_f1(counts: Sequence[BoundaryCounts]) -> float:
    f1 = sum(counts, BoundaryCounts()).f1
    return float("nan") if f1 is None else f1
