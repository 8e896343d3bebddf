"""A run, read once for all pages."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.counter.record import CounterPair, CounterScores
from pipeline.grouping import grouped
from pipeline.progress import Progress, no_progress
from pipeline.records import Motion, Speech
from pipeline.report.links import MotionLink, SpeechLink, motion_links, speech_links
from pipeline.report.page import Page
from pipeline.report.speech_facts import SpeechFacts, StageFacts, speech_facts, stage_facts
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from pipeline.stage import all_stages
from pipeline.system.environment import usable_cores


@dataclass
class ReportData:
    """Run data that all pages share: the run, and the facts of each of its speeches."""

    run: FinishedRun
    facts: list[SpeechFacts]
    _motion_pages: dict[str, Page] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Store, progress: Progress = no_progress) -> "ReportData":
        """Read the run and the facts of each of its speeches."""
        run = FinishedRun(store, skip_damaged=True)
        items = {item.scope: item for item in run.summary.items}
        facts: list[SpeechFacts] = []

        def read(speech: Speech) -> SpeechFacts:
            return speech_facts(run, speech, items.get(run.scope_of(speech.id)))

        with ThreadPoolExecutor(usable_cores()) as pool:
            for each in pool.map(read, run.speeches):
                facts.append(each)
                progress(len(facts) / len(run.speeches), "reading")
        for motion in run.motions:
            for stage in all_stages():
                if stage.scope == "motion":
                    run.of_motion(stage.output, motion.id)  # so that `damaged` has every record that cannot be read
        return cls(run, facts)

    @cached_property
    def front_page(self) -> Page:
        """The front page."""
        return Page("front", self)

    def motion_page(self, motion: Motion) -> Page:
        """The page of a motion."""
        return self._motion_pages.setdefault(motion.id, Page("motion", self, motion))

    def speech_page(self, facts: SpeechFacts) -> Page:
        """The page of a speech. It is not cached, because the pages of all speeches need much memory."""
        return Page("speech", self, facts)

    @cached_property
    def failures(self) -> Sequence[str]:
        """One line per failure, and per artifact that cannot be read."""
        return [*self.run.summary.failures, *self.run.damaged.values()]

    @cached_property
    def links(self) -> Mapping[str, SpeechLink]:
        """The link of every speech, by its id."""
        return speech_links(self.facts)

    @cached_property
    def motions(self) -> Mapping[str, MotionLink]:
        """The link of every motion, by its id."""
        return motion_links(self.run.motions)

    @cached_property
    def motion_stages(self) -> Mapping[str, Mapping[str, StageFacts]]:
        """The artifacts of each motion, without their data, by motion and stage."""
        return {motion.id: stage_facts(self.run, self.run.scope_of_motion(motion.id)) for motion in self.run.motions}

    @cached_property
    def on_every_page(self) -> Mapping[str, str]:
        """The name of the run and when it began."""
        started = self.run.summary.started.replace("T", " ").removesuffix("+00:00")
        return {"run_name": Path(self.run.summary.corpus).name, "started": f"{started} UTC"}

    @cached_property
    def mentioned_in(self) -> Mapping[str, Sequence[SpeechLink]]:
        """The speeches that mention each argument, by its id."""
        return grouped((argument, self.links[each.speech.id]) for each in self.facts for argument in each.mentioned)

    @cached_property
    def labels(self) -> Mapping[tuple[str, str], bool]:
        """Whether people say that a speech mentions an argument, by (speech, argument)."""
        return {(label.speech, label.argument): label.mentioned for label in self.run.known.labels}

    @cached_property
    def likeliest_pairs(self) -> Mapping[str, Sequence[CounterPair]]:
        """For each speech its pairs with the likeliest answers. All scores of a motion would need much memory."""
        scores = (self.run.of_motion(CounterScores, motion.id) for motion in self.run.motions)
        return {speech: pairs for each in scores if each for speech, pairs in likeliest_pairs(each).items()}

    def is_confirmed(self, pair: CounterPair) -> bool:
        """Whether the manifest says that the opposing speech answers the supporting one."""
        return self._answers.get(pair.opposing) == pair.supporting

    @cached_property
    def _answers(self) -> Mapping[str, str | None]:
        return {speech.id: speech.answers for speech in self.run.speeches}

    def facts_on(self, motion: str) -> Sequence[SpeechFacts]:
        """The facts of the speeches on a motion."""
        return self._by_motion.get(motion, ())

    @cached_property
    def _by_motion(self) -> Mapping[str | None, Sequence[SpeechFacts]]:
        return grouped((each.speech.motion, each) for each in self.facts)

    @cached_property
    def _labels_by_motion(self) -> Mapping[str | None, Sequence[tuple[str, str, bool]]]:
        motion_of = {speech.id: speech.motion for speech in self.run.speeches}
        return grouped((motion_of.get(at[0]), (*at, label)) for at, label in self.labels.items())

    @cached_property
    def states(self) -> Mapping[str, tuple[Any, ...]]:
        """For each motion, all data that decides what its page and the pages of its speeches show."""
        return {
            motion.id: (
                motion.model_dump(),
                [each.state for each in self.facts_on(motion.id)],
                [argument.model_dump() for argument in self.run.arguments_on(motion.id)],
                self._labels_by_motion.get(motion.id, ()),
                list(self.motion_stages[motion.id].values()),
                [why for (scope, _), why in self.run.damaged.items() if scope == self.run.scope_of_motion(motion.id)],
            )
            for motion in self.run.motions
        }


# The reasons why one speech answers another, in words that everybody understands.


def likeliest_pairs(scores: CounterScores) -> dict[str, Sequence[CounterPair]]:
    """For each speech its pairs with the likeliest answers, the likeliest first."""
    pairs = grouped((speech, pair) for pair in scores.pairs for speech in (pair.supporting, pair.opposing))
    return {
        speech: sorted(own, key=lambda pair: (pair.rank, -pair.score))[:_MOST_PAIRS] for speech, own in pairs.items()
    }


# Who answers whom on a motion, with the reasons.


# Who answers whom: the score of every pair of a supporting and an opposing speech.


# The answers to a supporting speech, or what an opposing speech answers: reasons, and the matching sentences.


# Tables of who answers whom.


# The reasons why one speech answers another, in words that everybody understands.

# How many pairs of a speech are shown.
_MOST_PAIRS = 2


# Who answers whom on a motion, with the reasons.


# Who answers whom: the score of every pair of a supporting and an opposing speech.


# The answers to a supporting speech, or what an opposing speech answers: reasons, and the matching sentences.


# Tables of who answers whom.
