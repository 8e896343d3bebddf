"""A run as its report needs it: read once, for all pages."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from pipeline.engine.finished import FinishedRun
from pipeline.engine.store import Store, scope_of_motion
from pipeline.machine import usable_cores
from pipeline.output.report.facts import Facts, Header, facts_of, headers_of
from pipeline.output.report.links import MotionLink, SpeechLink, motion_link, speech_links
from pipeline.output.report.site import fingerprint
from pipeline.records import Speech

Progress = Callable[[float, str], None]


@dataclass
class Debate:
    """All that a page may show of other pages' speeches."""

    run: FinishedRun
    facts: list[Facts]

    @classmethod
    def read(cls, store: Store, progress: Progress = lambda share, what: None) -> "Debate":
        """Read what every speech of the run comes to."""
        run = FinishedRun(store)
        facts: list[Facts] = []
        with ThreadPoolExecutor(usable_cores()) as pool:
            for each in pool.map(partial(_facts, run), run.speeches):
                facts.append(each)
                progress(len(facts) / len(run.speeches), "reading")
        return cls(run, facts)

    @cached_property
    def links(self) -> Mapping[str, SpeechLink]:
        return speech_links(self.facts)

    @cached_property
    def motions(self) -> Mapping[str, MotionLink]:
        return {motion.id: motion_link(motion) for motion in self.run.motions}

    @cached_property
    def motion_headers(self) -> Mapping[str, Mapping[str, Header]]:
        return {motion.id: headers_of(self.run, scope_of_motion(motion.id)) for motion in self.run.motions}

    @cached_property
    def frame(self) -> Mapping[str, str]:
        """What stands on every page."""
        started = self.run.summary.started.replace("T", " ").removesuffix("+00:00")
        return {"run_name": Path(self.run.summary.corpus).name, "started": f"{started} UTC"}

    @cached_property
    def mentioned_in(self) -> Mapping[str, Sequence[SpeechLink]]:
        """By argument: the speeches that mention it."""
        found: dict[str, list[SpeechLink]] = {}
        for each in self.facts:
            for argument in each.mentioned:
                found.setdefault(argument, []).append(self.links[each.speech.id])
        return found

    def facts_on(self, motion: str) -> list[Facts]:
        return [each for each in self.facts if each.speech.motion == motion]

    @cached_property
    def states(self) -> Mapping[str, str]:
        """By motion: what its page shows, and what the pages of its speeches show of one another."""
        return {
            motion.id: fingerprint(
                motion.model_dump(),
                [each.state for each in self.facts_on(motion.id)],
                [argument.model_dump() for argument in self.run.arguments_on(motion.id)],
                [header.state for header in self.motion_headers[motion.id].values()],
            )
            for motion in self.run.motions
        }


def _facts(run: FinishedRun, speech: Speech) -> Facts:
    scope = run.scope_of(speech.id)
    item = next((item for item in run.summary.items if item.scope == scope), None)
    return facts_of(run, speech, item)
