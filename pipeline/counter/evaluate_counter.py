"""Which speech answers which (Orbach et al. 2020).

The methods of the paper, reasons as scores, and rankers over all of them. Every motion is asked about once. Without
test data the motions are split in five, and each fifth is answered by what was learned from the others, three fifths
for training and one for validation: the paper's 60/20/20, rotated.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from pipeline.counter.evaluate.asking import PROTOCOLS, Asking, Round, split_rows
from pipeline.counter.evaluate.debates import AnsweredDebate, folds, read_debates, transcripts
from pipeline.counter.evaluate.learning import Resources, load_resources
from pipeline.counter.evaluate.methods import Fitted, fit
from pipeline.counter.evaluate.question_log import QuestionLog
from pipeline.counter.evaluate.rows import Results, beaten, comparisons, people_rows, response_rows, rows, tables
from pipeline.counter.methods.word_movers import SimilarityDissimilarity
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.progress import Progress, no_progress


@click.command()
@click.option(
    "--transcript",
    "kinds",
    multiple=True,
    help="Only this kind of transcript, such as trs.txt or asr.txt; repeatable.",
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(PROTOCOLS),
    help="Only this choice of candidates; repeatable.",
)
@result.compares_sentences
@result.inference
@click.option("--vectors", default="glove-6B-50d", show_default=True, help="Word vectors of SD and SD-e, or 'none'.")
@click.option(
    "--bert", help="A BERT with its head for next sentences, by hub name or path. It is also fine-tuned (BERT-T)."
)
@click.option("--epochs", default=3, show_default=True, help="Epochs of fine-tuning; 0 leaves BERT-T out.")
@result.allow_hub
@click.option(
    "--questions",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every question to this file, one JSON object per line: scores, ranks, margins and reasons.",
)
@click.option(
    "--people",
    type=result.FILE,
    help="Show people beside the methods: answers.csv, as `rostrum annotate collect` writes it.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the split into fifths and of the fine-tuning.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    kinds: tuple[str, ...],
    protocols: tuple[str, ...],
    encoder: str,
    inference: str | None,
    vectors: str,
    bert: str | None,
    epochs: int,
    allow_hub: bool,
    questions: Path | None,
    people: Path | None,
    seed: int,
) -> Evaluation:
    """Which speech answers which (Orbach et al. 2020): every method, alone and by the best assignment.

    DIR is IBM's recorded debates, or a corpus whose speeches.csv says which speech answers which.
    """
    resources = load_resources(
        encoder=result.or_none(encoder),
        inference=inference,
        vectors=result.or_none(vectors),
        bert=bert,
        epochs=epochs,
        allow_hub=allow_hub,
        seed=seed,
    )
    return evaluate(
        data,
        test,
        resources,
        kinds=kinds,
        protocols=protocols or PROTOCOLS,
        questions=questions,
        people=people,
        progress=progress,
    )


def evaluate(
    data: Path,
    test: Path | None,
    resources: Resources,
    *,
    kinds: Sequence[str] = (),
    protocols: Sequence[str] = PROTOCOLS,
    questions: Path | None = None,
    people: Path | None = None,
    progress: Progress = no_progress,
) -> Evaluation:
    """The table of all methods; with `test` everything is learned from `data` and asked about `test`.

    `kinds` are those of the transcripts, all that there are by default. `questions` is the file that every question is
    written to, `people` one with people's answers.
    """
    results: Results = {}
    log = QuestionLog(questions, resources.relations) if questions else None
    others: list[Row] = []
    notes: list[str] = []
    motions: set[str] = set()
    kinds = kinds or transcripts(data)
    for done, transcript in enumerate(kinds):
        debates = read_debates(data, transcript)
        tested = read_debates(test, transcript) if test else None
        asking = Asking(transcript, protocols, resources, results, log)
        all_rounds = list(rounds(debates, tested, resources.seed))
        for number, debates_of_round in enumerate(all_rounds):
            share = (done + number / len(all_rounds)) / len(kinds)
            progress(share, f"{transcript}, {len(debates_of_round.asked)} motions")
            fitted = fit(debates_of_round.training, debates_of_round.validation, resources)
            asking.ask(debates_of_round, fitted)
            notes += [f"{transcript}: {line}" for line in _learned(fitted)] if test else []
        motions |= {debate.motion for debate in tested or debates}
        notes += asking.assign()
        others += [*asking.rows(), *split_rows(transcript, _splits(debates, tested, resources.seed))]
        others += response_rows(transcript, tested or debates)
    if people:
        others += people_rows(people, read_debates(test or data, kinds[0]))
    if log:
        notes += [*log.analysis(), f"written: {questions}"]
    all_rows = (*rows(results), *others)
    notes += [*comparisons(results), *beaten(all_rows)]
    split = "test folder" if test else "five folds by motion, 60/20/20"
    facts = signature("numpy", "scipy", seed=resources.seed, motions=len(motions), split=split, bootstrap="motions")
    facts |= resources.digests
    return Evaluation(name="counter", signature=facts, rows=all_rows, notes=tuple(notes), tables=tables(all_rows))


def rounds(debates: Sequence[AnsweredDebate], tested: Sequence[AnsweredDebate] | None, seed: int) -> Iterator[Round]:
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


def _splits(
    debates: Sequence[AnsweredDebate], tested: Sequence[AnsweredDebate] | None, seed: int
) -> dict[str, list[AnsweredDebate]]:
    """Training, validation and test data by name; without test data, the parts that take turns."""
    parts = folds(debates, seed)
    if tested is not None:
        return {"training": _joined(parts[1:]) or parts[0], "validation": parts[0], "test": list(tested)}
    return {f"fold {number}": part for number, part in enumerate(parts, 1)}


def _joined(parts: Iterable[list[AnsweredDebate]]) -> list[AnsweredDebate]:
    return [debate for part in parts for debate in part]


def _learned(fitted: Fitted) -> Iterator[str]:
    """The tuned configurations and the learned weights, as lines of text."""
    for name, method in fitted.methods.items():
        if isinstance(method, SimilarityDissimilarity):
            yield f"{name}: {method.configuration}"
    weights = (f"{name} {weight:.2f}" for name, weight in fitted.ranker.weights.items() if weight >= 0.005)
    yield f"learned: {', '.join(weights)}"
