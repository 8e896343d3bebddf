"""Which speech answers which: the methods of Orbach et al. 2020, reasons as scores, and rankers over all of them.

Every motion is asked about once. Without test data the motions are split in five, and each fifth is answered by what
was learned from the others, three fifths for training and one for validation: the paper's 60/20/20, rotated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.argue.counter.debate import Debate
from pipeline.argue.counter.fitting import Resources, fit, folds
from pipeline.argue.counter.ranker import Ranker
from pipeline.argue.counter.speech_text import Method
from pipeline.errors import RostrumError
from pipeline.evaluation.counter.asking import PROTOCOLS, Asking, Round
from pipeline.evaluation.counter.data import read_debates, transcripts
from pipeline.evaluation.counter.rows import Results, comparisons, response_rows, rows
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.progress import Progress, no_progress

# Given training and validation debates: the methods that are made of neural models.
Neural = Callable[[Sequence[Debate], Sequence[Debate]], Sequence[Method]]


@dataclass(frozen=True)
class Options:
    """What the methods use and what is asked; `facts` go into the signature."""

    resources: Resources
    neural: Neural | None = None
    transcripts: Sequence[str] = ()
    protocols: Sequence[str] = PROTOCOLS
    seed: int = 0
    facts: Mapping[str, str | None] = field(default_factory=dict)


def evaluate(data: Path, test: Path | None, options: Options, progress: Progress = no_progress) -> Evaluation:
    """The table of all methods; with `test` everything is learned from `data` and asked about `test`."""
    results: Results = {}
    responses: list[Row] = []
    notes: list[str] = []
    motions: set[str] = set()
    kinds = options.transcripts or transcripts(data)
    for place, transcript in enumerate(kinds):
        debates = read_debates(data, transcript)
        tested = read_debates(test, transcript) if test else None
        asking = Asking(transcript, options.protocols, options.resources, results)
        all_rounds = list(rounds(debates, tested, options.seed))
        for number, each in enumerate(all_rounds):
            progress(
                (place + number / len(all_rounds)) / len(kinds),
                f"{transcript}, round {number + 1}, {len(each.asked)} motions",
            )
            fitted = fit(each.training, each.validation, options.resources)
            neural = options.neural(each.training, each.validation) if options.neural else ()
            asking.ask(each, fitted, neural)
            motions |= {debate.motion for debate in each.asked}
            if test:
                notes += [f"{transcript}: {name}: {config}" for name, config in fitted.configurations.items()]
                notes.append(f"{transcript}: learned: " + _weights(fitted.ranker))
        notes += asking.eliminate()
        responses += response_rows(transcript, tested or debates)
    split = "test folder" if test else "five folds by motion, 60/20/20"
    return Evaluation(
        name="counter",
        signature=signature(
            "numpy", "scipy", seed=options.seed, motions=len(motions), split=split, bootstrap="motions", **options.facts
        ),
        rows=(*rows(results), *responses),
        notes=(*notes, *comparisons(results)),
    )


def options(
    *,
    encoder: str | None,
    vectors: str | None,
    inference: str | None = None,
    bert: str | None = None,
    epochs: int = 3,
    allow_hub: bool = False,
    transcripts: Sequence[str] = (),
    protocols: Sequence[str] = PROTOCOLS,
    seed: int = 0,
) -> Options:
    """Load the models, by name or path; without an encoder sentences are compared by the words they share."""
    from pipeline import models
    from pipeline.argue.counter.configured import sentence_relations, word_movers

    used = {"encoder": encoder, "inference": inference, "vectors": vectors, "bert": bert}
    facts = {
        use: f"{name}@{models.find(name, allow_hub=allow_hub).digest[:12]}" if name else None
        for use, name in used.items()
    }
    neural = None
    if bert:
        from pipeline.argue.counter.next_sentence_training import next_sentence_methods

        neural = next_sentence_methods(models.find(bert, allow_hub=allow_hub).path, epochs=epochs, seed=seed)
    resources = Resources(sentence_relations(encoder, inference, allow_hub=allow_hub), word_movers(vectors))
    return Options(resources, neural, transcripts, protocols, seed, facts)


def rounds(debates: Sequence[Debate], tested: Sequence[Debate] | None, seed: int) -> Iterator[Round]:
    """With test debates one round, a fifth of the others for validation; without, five, each fifth asked once."""
    parts = folds(debates, seed)
    if tested is not None:
        yield Round(_joined(parts[1:]) or parts[0], parts[0], list(tested), list(tested))
        return
    if len(parts) < 2:
        raise RostrumError("one motion alone can be asked about only with others to learn from; give them as --data")
    for number, asked in enumerate(parts):
        validation = parts[(number + 1) % len(parts)]
        training = _joined(part for part in parts if part is not asked and part is not validation)
        yield Round(training or validation, validation, asked, list(debates))


def _joined(parts: Iterable[list[Debate]]) -> list[Debate]:
    return [debate for part in parts for debate in part]


def _weights(ranker: Ranker) -> str:
    return ", ".join(f"{name} {weight:.2f}" for name, weight in ranker.weights.items() if weight >= 0.005)
