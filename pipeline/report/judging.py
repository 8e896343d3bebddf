"""What people say of a run's points in its pages: in the queue of questions, on key points, in cells of the flow.

The answers are kept in the corpus; see `pipeline/corpus/corrections.py`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from math import log
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import ValidationError

from pipeline.corpus.corrections import FOLDER, add_judgement, read_judgements
from pipeline.errors import RostrumError, printable
from pipeline.keypoints import KeyPoints
from pipeline.records import Judgement, JudgementKind, Passage, Stance
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.store import Store

MOST_QUESTIONS = 50
MOST_BYTES = 20_000
_LONGEST = 2_000
# Of two questions that are as uncertain, one that was asked less about comes first: about its point, speech and motion.
_AGAIN = {"of": 0.6, "speech": 0.85, "motion": 0.95}
# Log odds of so much from the threshold leave no doubt.
_CERTAIN = 3.0
# A key point has several matches, and each of them decides less than a mention does.
_OF_A_MATCH = 0.8
# Without a passage, a person has to hear the whole speech.
_OF_A_WHOLE_SPEECH = 0.6


@dataclass(frozen=True)
class Question:
    """Whether a speech makes an argument, or a passage a key point. `doubt` is from 0 to 1."""

    kind: JudgementKind
    motion: str
    side: Stance | None
    of: str
    title: str
    speech: str
    said: Passage | None
    found: str
    doubt: float

    @property
    def subject(self) -> tuple[str, str, str, float | None]:
        return self.kind, self.of, self.speech, self.said.start if self.said and self.kind == "match" else None


def questions(data: ReportData, judged: Iterable[Judgement] = (), most: int = MOST_QUESTIONS) -> list[Question]:
    """The most useful questions of a run, the most useful first: where the run is least sure, spread over everything.

    What a person has said before, in a label or a judgement, is not asked again.
    """
    known = {
        (judgement.kind, judgement.of, judgement.speech, judgement.start if judgement.kind == "match" else None)
        for judgement in judged
    }
    left = [each for each in (*_of_mentions(data), *_of_matches(data)) if each.subject not in known]
    asked: list[Question] = []
    counts: dict[str, Counter[str]] = {name: Counter() for name in _AGAIN}

    def worth(question: Question) -> float:
        return question.doubt * _weight(question, counts)

    while left and len(asked) < most:
        chosen = max(left, key=worth)
        left.remove(chosen)
        asked.append(chosen)
        for name, count in counts.items():
            count[getattr(chosen, name)] += 1
    return asked


def _weight(question: Question, counts: Mapping[str, Counter[str]]) -> float:
    weight = 1.0
    for name, again in _AGAIN.items():
        weight *= again ** counts[name][getattr(question, name)]
    return weight


def _of_mentions(data: ReportData) -> Iterator[Question]:
    arguments = {argument.id: argument for argument in data.run.known.arguments}
    for facts in data.speeches:
        for id, probability in facts.probabilities.items():
            argument = arguments.get(id)
            said = facts.carriers.get(id)
            if argument and facts.speech.stance in (None, argument.stance) and (facts.speech.id, id) not in data.labels:
                yield Question(
                    kind="mention",
                    motion=argument.motion,
                    side=argument.stance,
                    of=id,
                    title=argument.title,
                    speech=facts.speech.id,
                    said=said,
                    found=_found(facts, id, probability),
                    doubt=doubt_of(probability, facts.threshold or 0.5) * (1.0 if said else _OF_A_WHOLE_SPEECH),
                )


def _found(facts: SpeechFacts, argument: str, probability: float) -> str:
    return f"{'mentioned' if argument in facts.mentioned else 'not mentioned'}, {probability:.0%}"


def doubt_of(probability: float, threshold: float) -> float:
    """How unsure a decision is: 1 at the threshold, 0 far from it."""
    return max(0.0, 1.0 - abs(_log_odds(probability) - _log_odds(threshold)) / _CERTAIN)


def _log_odds(probability: float) -> float:
    inside = min(max(probability, 0.001), 0.999)
    return log(inside / (1 - inside))


def _of_matches(data: ReportData) -> Iterator[Question]:
    for motion in data.run.motions:
        record = data.of_motion(KeyPoints, motion.id)
        for point in record.points if record else ():
            for match in point.matches:
                above = (match.score - record.threshold) / max(1 - record.threshold, 0.001) if record else 0.0
                yield Question(
                    kind="match",
                    motion=motion.id,
                    side=point.stance,
                    of=point.text,
                    title=point.text,
                    speech=match.speech,
                    said=match.said,
                    found=f"makes it, score {match.score:.2f}",
                    doubt=_OF_A_MATCH * min(max(1.0 - above, 0.0), 1.0),
                )


class Judging:
    """The judgements on a run, which are kept in its corpus. The run is read when it is first needed."""

    def __init__(self, store: Store, corpus: Path) -> None:
        self.corpus = corpus
        self._store, self._one_at_a_time = store, Lock()

    @cached_property
    def _data(self) -> ReportData:
        return ReportData.read(self._store)

    @property
    def _judged(self) -> tuple[Judgement, ...]:
        read, _ = read_judgements(self.corpus / FOLDER)
        return read

    def queue(self) -> dict[str, Any]:
        """The questions, and what a page shows of their motions and speeches."""
        with self._one_at_a_time:
            asked = questions(self._data, self._judged)
            speeches = dict.fromkeys(question.speech for question in asked)
            return {
                "questions": [
                    asdict(question) | {"said": question.said and question.said.model_dump()} for question in asked
                ],
                "motions": {motion.id: motion.text for motion in self._data.run.motions},
                "speeches": {speech: self._shown(speech) for speech in speeches},
            }

    def _shown(self, speech: str) -> dict[str, Any]:
        link = self._data.links[speech]
        said = self._data.run.sentences_of(speech)
        return {
            "label": link.label,
            "audio": link.audio,
            "href": link.href,
            "sentences": [[sentence.start, sentence.end, sentence.text] for sentence in said],
        }

    def on(self, motion: str) -> dict[str, Any]:
        """What people have said of a motion."""
        return {"judgements": [judgement.model_dump() for judgement in self._judged if judgement.motion == motion]}

    def add(self, content: bytes) -> dict[str, Any]:
        """Keep a judgement, and return all on its motion. It is an error if it is about nothing that the run has."""
        try:
            judgement = Judgement.model_validate_json(content)
        except ValidationError as error:
            raise RostrumError(f"not a judgement: {error.errors()[0]['msg']}") from error
        with self._one_at_a_time:
            if wrong := self._wrong_with(judgement):
                raise RostrumError(f"not a judgement: {wrong}")
            add_judgement(self.corpus, judgement)
        return self.on(judgement.motion)

    def _wrong_with(self, judgement: Judgement) -> str | None:
        known, texts = self._data.run.known, (judgement.of, judgement.text)
        if judgement.motion not in {motion.id for motion in known.motions}:
            return f"there is no motion {judgement.motion!r}"
        if judgement.speech and judgement.speech not in self._data.links:
            return f"there is no speech {judgement.speech!r}"
        if judgement.kind == "mention" and judgement.of not in {argument.id for argument in known.arguments}:
            return f"there is no argument {judgement.of!r}"
        if any(len(text) > _LONGEST or printable(text) != text or text != text.strip() for text in texts):
            return "a text is too long, has a control character, or spaces around it"
        return None
