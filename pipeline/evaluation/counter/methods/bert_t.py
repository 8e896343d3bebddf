"""BERT-T: next sentence prediction, fine-tuned on speeches and their answers."""

from pipeline.argue.counter.method import CounterMethod
from pipeline.evaluation.counter.debates import questions
from pipeline.evaluation.counter.learning.fitting import Taught
from pipeline.evaluation.counter.next_sentence import NextSentence


def _build(taught: Taught) -> NextSentence | None:
    if taught.bert is None or not taught.epochs:
        return None
    from pipeline.evaluation.counter.learning.next_sentence import fine_tuned

    training, validation = questions(taught.training), questions(taught.validation)
    return fine_tuned(taught.bert, training, validation, epochs=taught.epochs, seed=taught.seed)


METHOD = CounterMethod(
    "BERT-T",
    "begins where the other ends",
    place=90,
    build=_build,
    needs="needs a BERT to fine-tune: --bert",
)
