"""The answers to a supporting speech, or what an opposing speech answers: reasons, and the matching sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.output.views.answers import reasons_for, relation
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import CounterPair, Passage, Reason, Stance


@dataclass(frozen=True)
class PassagePair:
    """A sentence of the page's own speech, and the matching one of the other speech."""

    own: Passage
    other: Passage
    relation: str


@dataclass(frozen=True)
class Answer:
    """Another speech that answers this one, or is answered by it."""

    own: SpeechLink
    link: SpeechLink
    stance: Stance
    score: float
    rank: int
    is_known: bool
    reasons: Sequence[tuple[str, Reason]]
    pairs: tuple[PassagePair, ...]
    shared: tuple[str, ...]


def _view(data: ReportData, facts: SpeechFacts) -> tuple[Answer, ...]:
    """The likeliest answers, the likeliest first."""
    speech = facts.speech
    is_opposing = speech.stance == "con"
    return tuple(_answer(data, pair, is_opposing) for pair in data.likeliest_pairs.get(speech.id, ()))


def _title(answers: Sequence[Answer]) -> str:
    return "What it answers" if answers[0].stance == "pro" else "What answers it"


def _answer(data: ReportData, pair: CounterPair, is_opposing: bool) -> Answer:
    own, other = (pair.opposing, pair.supporting) if is_opposing else (pair.supporting, pair.opposing)
    return Answer(
        own=data.links[own],
        link=data.links[other],
        stance="pro" if is_opposing else "con",
        score=pair.score,
        rank=pair.rank,
        is_known=data.is_confirmed(pair),
        reasons=reasons_for(pair),
        pairs=tuple(
            PassagePair(
                own=each.opposing if is_opposing else each.supporting,
                other=each.supporting if is_opposing else each.opposing,
                relation=relation(each),
            )
            for each in pair.sentences
        ),
        shared=tuple(each.text for each in pair.ngrams),
    )


PANEL = Panel(place=40, view=_view, title=_title)
