"""BERT: whether the candidate's beginning follows on the supporting speech's end, by next sentence prediction."""

from pipeline.counter.evaluate.fitting import Taught
from pipeline.counter.evaluate.next_sentence import NextSentence
from pipeline.counter.method import CounterMethod


def _build(taught: Taught) -> NextSentence | None:
    return taught.bert if taught.bert and taught.bert.has_head else None


METHOD = CounterMethod(
    "BERT",
    "begins where the other ends",
    place=80,
    build=_build,
    needs="needs a BERT with its head for next sentences: --bert",
)
