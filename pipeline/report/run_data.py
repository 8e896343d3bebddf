"""A run, read once for all pages."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.counter import CounterPair, CounterScores
from pipeline.grouping import grouped
from pipeline.progress import Progress, no_progress
from pipeline.records import Motion, Record, Speech
from pipeline.report.formatting import counted, decimal
from pipeline.report.links import MotionLink, SpeechLink, SpeechLinks, motion_links, part_links, speech_links
from pipeline.report.page import Page
from pipeline.report.speech_facts import SpeechFacts, StageFacts, facts_of_parts, speech_facts, stage_facts
from pipeline.run.finished import FinishedRun, Results
from pipeline.run.store import Store
from pipeline.run.summary import RunSummary
from pipeline.speakers import Speakers, key_of
from pipeline.system.environment import usable_cores

if TYPE_CHECKING:
    from pipeline.report.flow import Flow

R = TypeVar("R", bound=Record)
# The records of so many speeches and motions are kept while a report is made. Beyond that, some are read twice.
_KEPT_SPEECHES, _KEPT_MOTIONS = 200, 50
# How many pairs of a speech are shown.
_MOST_PAIRS = 2


@dataclass(frozen=True)
class Answering:
    """A speech, and the speech that it answers: what the manifest says, else the likeliest pair that was found.

    `known` is the id that the manifest has. `score` is that of the pair; None if it was not found. `turns` are those of
    one recording in which it replies, and which decide there. `instead` is the speech that was found, if the manifest
    says another one.
    """

    own: SpeechLink
    link: SpeechLink
    known: str | None
    score: float | None
    turns: int
    instead: SpeechLink | None

    @property
    def found_by(self) -> str:
        """What the answer was found by, as people read it; empty if it was not found."""
        if self.score is None:
            return ""
        return counted(self.turns, "turn") if self.turns else f"score {decimal(self.score)}"

    @property
    def to(self) -> str:
        """The id of the speech that is answered."""
        return self.link.id

    @classmethod
    def from_pair(
        cls, links: Mapping[str, SpeechLink], speech: str, known: str | None, pair: CounterPair | None
    ) -> "Answering":
        """What a speech answers, by the manifest and by the likeliest pair; there is one of them."""
        likeliest = pair.supporting if pair else ""
        instead = links[likeliest] if known and pair and likeliest != known else None
        found = pair if pair and not instead else None
        score, turns = (found.score, found.turns) if found else (None, 0)
        return cls(links[speech], links[known or likeliest], known, score, turns, instead)


@dataclass
class ReportData:
    """Run data that all pages share: the run, and the facts of each of its speeches."""

    run: FinishedRun
    facts: list[SpeechFacts] = field(default_factory=list)
    """The facts of each recording."""
    parts: list[SpeechFacts] = field(default_factory=list)
    """The facts of each speech that is only a part of a recording."""
    _motion_pages: dict[str, Page] = field(default_factory=dict)
    _answering: dict[str, Mapping[str, Answering]] = field(default_factory=dict)
    _flows: dict[str, "Flow"] = field(default_factory=dict)

    @classmethod
    def read(cls, store: Store | FinishedRun, progress: Progress = no_progress) -> "ReportData":
        """Read the run and the facts of each of its speeches."""
        data = cls(store if isinstance(store, FinishedRun) else FinishedRun(store, skip_damaged=True))
        items = {item.scope: item for item in data.run.summary.items}

        def read(recording: Speech) -> tuple[SpeechFacts, list[SpeechFacts]]:
            results = data.speech_results(recording.id)
            facts, speeches = speech_facts(results, items.get(results.scope)), data.run.speeches_in(results)
            if len(speeches) == 1 and not speeches[0].recording:  # with its side, if that was found
                return replace(facts, speech=speeches[0]), []
            return facts, facts_of_parts(results, facts, speeches)

        with ThreadPoolExecutor(usable_cores()) as pool:
            for facts, parts in pool.map(read, data.run.recordings):
                data.facts.append(facts)
                data.parts += parts
                progress(len(data.facts) / len(data.run.recordings), "reading")
        return data

    @cached_property
    def speech_results(self) -> Callable[[str], Results[Speech]]:
        """A function that returns the results of a speech. Each is read once, and the last 200 speeches are kept."""
        return lru_cache(_KEPT_SPEECHES)(self.run.speech)

    @cached_property
    def motion_results(self) -> Callable[[str], Results[Motion]]:
        """A function that returns the results of a motion. Each is read once, and the last 50 motions are kept."""
        return lru_cache(_KEPT_MOTIONS)(self.run.motion)

    def of_speech(self, kind: type[R], speech: str) -> R | None:
        """The speech's record of this kind; None if it is missing or damaged."""
        part = self._parts_by_id.get(speech)
        if part is None:
            return self.speech_results(speech).get(kind)
        record = self.speech_results(part.recording or "").get(kind)
        return record.of_speaker(key_of(part)) if record else None

    @cached_property
    def _parts_by_id(self) -> Mapping[str, Speech]:
        return {part.speech.id: part.speech for part in self.parts}

    def of_motion(self, kind: type[R], motion: str) -> R | None:
        """The motion's record of this kind; None if it is missing or damaged."""
        return self.motion_results(motion).get(kind)

    @cached_property
    def front_page(self) -> Page:
        """The front page."""
        return Page("front", self)

    def motion_page(self, motion: Motion) -> Page:
        """The page of a motion."""
        return self._motion_pages.setdefault(motion.id, Page("motion", self, motion))

    def flow_page(self, motion: Motion) -> Page:
        """The page with the flow of a motion."""
        return Page("flow", self, motion)

    def has_flow(self, motion: Motion) -> bool:
        """Whether there are speeches to compare, and points. It reads no record."""
        points = self.motion_stages[motion.id].get("keypoints")
        own = self.facts_on(motion.id)
        return len(own) > 1 and bool((points and points.skipped is None) or any(each.mentioned for each in own))

    def flow(self, motion: Motion) -> "Flow":
        """What each speech on a motion does with each point."""
        from pipeline.report.flow import flow

        if motion.id not in self._flows:
            self._flows[motion.id] = flow(self, motion)
        return self._flows[motion.id]

    def speech_page(self, facts: SpeechFacts) -> Page:
        """The page of a speech. It is not cached, because the pages of all speeches need much memory."""
        return Page("speech", self, facts)

    @cached_property
    def failures(self) -> Sequence[str]:
        """One line per failure, and per artifact that cannot be read."""
        damaged = [line for facts in self.facts for line in facts.damaged]
        of_motions = [line for motion in self.run.motions for line in self.motion_results(motion.id).damaged]
        return [*self.run.summary.failures, *damaged, *of_motions]

    @cached_property
    def links(self) -> Mapping[str, SpeechLink]:
        """The link of every speech, by its id."""
        links = SpeechLinks(speech_links(self.facts))
        links.update(part_links(links, self.parts))
        return links

    @cached_property
    def motions(self) -> Mapping[str, MotionLink]:
        """The link of every motion, by its id."""
        return motion_links(self.run.motions)

    @cached_property
    def motion_stages(self) -> Mapping[str, Mapping[str, StageFacts]]:
        """The artifacts of each motion, without their data, by motion and stage."""
        return {motion.id: stage_facts(self.motion_results(motion.id)) for motion in self.run.motions}

    @cached_property
    def on_every_page(self) -> Mapping[str, str]:
        """The name of the run and when it began."""
        return about_run(self.run.summary)

    @cached_property
    def mentioned_in(self) -> Mapping[str, Sequence[SpeechLink]]:
        """The speeches that mention each argument, by its id."""
        return grouped(
            (argument, self.links[facts.speech.id]) for facts in self.speeches for argument in facts.mentioned
        )

    @cached_property
    def labels(self) -> Mapping[tuple[str, str], bool]:
        """Whether the corpus's label says that a speech mentions an argument, by (speech, argument)."""
        return {(label.speech, label.argument): label.mentioned for label in self.run.known.labels}

    @cached_property
    def speeches(self) -> Sequence[SpeechFacts]:
        """The facts of every speech: of a recording, or of what one of its people says."""
        divided = {part.speech.recording for part in self.parts}
        return [*(facts for facts in self.facts if facts.speech.id not in divided), *self.parts]

    @property
    def extent(self) -> str:
        """How many recordings there are, and how many speeches in them if a recording has several."""
        speeches = f" with {counted(len(self.speeches), 'speech', 'speeches')}" if self.parts else ""
        return counted(len(self.facts), "recording") + speeches

    @cached_property
    def likeliest_pairs(self) -> Mapping[str, Sequence[CounterPair]]:
        """For each speech its pairs with the likeliest answers. All scores of a motion would need much memory."""
        scores = (self.of_motion(CounterScores, motion.id) for motion in self.run.motions)
        return {speech: pairs for score in scores if score for speech, pairs in likeliest_pairs(score).items()}

    def pair(self, motion: str, supporting: str, opposing: str) -> CounterPair | None:
        """How well these two speeches fit; None if they were not compared."""
        scores = self.of_motion(CounterScores, motion)
        pairs = scores.pairs if scores else ()
        return next((pair for pair in pairs if (pair.supporting, pair.opposing) == (supporting, opposing)), None)

    def is_confirmed(self, pair: CounterPair) -> bool:
        """Whether the manifest says that the opposing speech answers the supporting one."""
        return self._answers.get(pair.opposing) == pair.supporting

    @cached_property
    def _answers(self) -> Mapping[str, str | None]:
        return {facts.speech.id: facts.speech.answers for facts in self.speeches}

    def answering(self, motion: str) -> Mapping[str, Answering]:
        """Whom each speech on a motion answers, by its id."""
        if motion not in self._answering:
            scores = self.of_motion(CounterScores, motion) if motion in self.motions else None
            pairs = scores.pairs if scores else ()
            best = {pair.opposing: pair for pair in pairs if pair.rank == 1}
            # in a recording, whoever most of the turns reply to is answered, whoever else is
            for pair in sorted(pairs, key=lambda pair: (pair.turns, pair == best.get(pair.opposing))):
                best |= {pair.opposing: pair} if pair.turns else {}
            both = {
                facts.speech.id: (facts.speech.answers, best.get(facts.speech.id)) for facts in self.facts_on(motion)
            }
            here = both.keys()
            self._answering[motion] = {
                speech: Answering.from_pair(self.links, speech, known if known in here else None, pair)
                for speech, (known, pair) in both.items()
                if known in here or pair
            }
        return self._answering[motion]

    def speeches_in(self, facts: SpeechFacts) -> Sequence[SpeechFacts]:
        """The facts of each speech of a recording: its own, if it is one speech."""
        return self.parts_in(facts) or (() if self._has_parts(facts) else (facts,))

    def parts_in(self, facts: SpeechFacts) -> Sequence[SpeechFacts]:
        """The facts of each speech that is only a part of this recording."""
        return self._parts_of.get(facts.speech.id, ())

    def _has_parts(self, facts: SpeechFacts) -> bool:
        people = self.of_speech(Speakers, facts.speech.id)
        return people is not None and not people.is_one_speech

    @cached_property
    def _parts_of(self) -> Mapping[str, Sequence[SpeechFacts]]:
        return grouped((part.speech.recording or "", part) for part in self.parts)

    def facts_on(self, motion: str) -> Sequence[SpeechFacts]:
        """The facts of the speeches on a motion."""
        return self._by_motion.get(motion, ())

    @cached_property
    def _by_motion(self) -> Mapping[str | None, Sequence[SpeechFacts]]:
        return grouped((facts.speech.motion, facts) for facts in self.speeches)

    @cached_property
    def _labels_by_motion(self) -> Mapping[str | None, Sequence[tuple[str, str, bool]]]:
        motion_of = {facts.speech.id: facts.speech.motion for facts in self.speeches}
        return grouped((motion_of.get(at[0]), (*at, label)) for at, label in self.labels.items())

    @cached_property
    def states(self) -> Mapping[str, tuple[Any, ...]]:
        """For each motion, all data that decides what its page and the pages of its speeches show."""
        return {
            motion.id: (
                motion.model_dump(),
                [facts.state for facts in self.facts_on(motion.id)],
                [argument.model_dump() for argument in self.run.arguments_on(motion.id)],
                self._labels_by_motion.get(motion.id, ()),
                [judgement.model_dump() for judgement in self.run.known.judgements if judgement.motion == motion.id],
                [votes.model_dump() for votes in self.run.known.votes if votes.motion == motion.id],
                list(self.motion_stages[motion.id].values()),
                self.motion_results(motion.id).damaged,
            )
            for motion in self.run.motions
        }


def about_run(summary: RunSummary) -> dict[str, str]:
    """The name of a run and when it began, as every page has them."""
    started = summary.started.replace("T", " ").removesuffix("+00:00")
    return {"run_name": Path(summary.corpus).name, "started": f"{started} UTC"}


def likeliest_pairs(scores: CounterScores) -> dict[str, Sequence[CounterPair]]:
    """For each speech its pairs with the likeliest answers, the likeliest first."""
    pairs = grouped((speech, pair) for pair in scores.pairs for speech in (pair.supporting, pair.opposing))
    return {
        speech: sorted(own, key=lambda pair: (pair.rank, -pair.score))[:_MOST_PAIRS] for speech, own in pairs.items()
    }
