"""The speeches of each side, and the speech that each most probably answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import CounterPair, CounterScores, Motion, Stance

SIDES: tuple[Stance | None, ...] = ("pro", "con", None)


@dataclass(frozen=True)
class SpeechOnMotion:
    """A speech, the speech that it most probably answers, and the score of the pair."""

    facts: SpeechFacts
    link: SpeechLink
    answers: SpeechLink | None
    score: float | None


@dataclass(frozen=True)
class Side:
    """The speeches of one side."""

    stance: Stance | None
    speeches: tuple[SpeechOnMotion, ...]


def _view(data: ReportData, motion: Motion) -> tuple[Side, ...]:
    return tuple(_sides(data, motion))


def _sides(data: ReportData, motion: Motion) -> Iterator[Side]:
    scores = data.run.of_motion(CounterScores, motion.id)
    best = {pair.opposing: pair for pair in (scores.pairs if scores else ()) if pair.rank == 1}
    for stance in SIDES:
        own = [each for each in data.facts_on(motion.id) if each.speech.stance == stance]
        if own:
            yield Side(stance, tuple(_speech(data, each, best.get(each.speech.id)) for each in own))


def _speech(data: ReportData, facts: SpeechFacts, pair: CounterPair | None) -> SpeechOnMotion:
    answers = data.links[pair.supporting] if pair else None
    return SpeechOnMotion(facts, data.links[facts.speech.id], answers, pair.score if pair else None)


PANEL = Panel(place=50, view=_view, title="Speeches")
