"""BERT-T: next sentence prediction, fine-tuned on speeches and their answers."""

from pipeline.counter.evaluate.debates import questions
from pipeline.counter.evaluate.fitting import Taught
from pipeline.counter.evaluate.next_sentence import NextSentence
from pipeline.counter.method import CounterMethod


def _build(taught: Taught) -> NextSentence | None:
    if taught.bert is None or not taught.epochs:
        return None
    from pipeline.counter.evaluate.next_sentence import fine_tuned

    training, validation = questions(taught.training), questions(taught.validation)
    return fine_tuned(taught.bert, training, validation, epochs=taught.epochs, seed=taught.seed)


METHOD = CounterMethod(
    "BERT-T",
    "begins where the other ends",
    place=90,
    build=_build,
    needs="needs a BERT to fine-tune: --bert",
)
