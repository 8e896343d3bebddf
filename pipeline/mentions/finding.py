"""From a speech's sentences and a motion's arguments to Mentions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np
from pydantic import Field

from pipeline.arrays import Floats, Matrix
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.llm.large_model import Answer, Check, LargeModel, Prompt, YesOrNo
from pipeline.matching.matcher import Matcher
from pipeline.mentions.detector import Detector
from pipeline.mentions.features import (
    LIKENESS,
    SpeechVectors,
    argument_vectors,
    columns,
    feature_table,
    point_scores,
    speech_vectors,
)
from pipeline.mentions.passages import OUTRIGHT, PassageReader, complete
from pipeline.mentions.stage import Carrier, Mention
from pipeline.records import Argument, Motion, Passage, Sentence, Stance
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.sentences import split

Side = Literal["own", "other", "another motion"]


class Reader(Protocol):
    """Reads passages and arguments together: a cross-encoder, or a large language model."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats: ...


@dataclass(frozen=True)
class Finder:
    """Finds arguments in speeches with one encoder and one detector; every text is embedded once.

    The `matcher` is the one that the detector names, if it names one. For each argument, at most `carriers` passages
    are kept: those that the passage reader finds, or those that a cross-encoder prefers among the best `candidates`.
    """

    encoder: Encoder
    detector: Detector
    threshold: float
    passages: PassageReader
    matcher: Matcher | None = None
    carriers: int = 2
    cross_encoder: Reader | None = None
    candidates: int = 5

    def find(
        self, motion: Motion, arguments: Sequence[Argument], stance: Stance | None, sentences: Sequence[Sentence]
    ) -> tuple[Mention, ...]:
        """Every argument with its probability, the most probable first; the speech has at least one sentence."""
        _check(arguments)
        titles = {argument.id: argument.title for argument in arguments}
        speech = speech_vectors(self.encoder, [sentence.text for sentence in sentences])
        mentions: list[Mention] = []
        # A pro and a con argument are never compared with each other.
        for members in grouped(((argument.motion, argument.stance), argument) for argument in arguments).values():
            side = _side(members[0], motion, stance)
            mentions += self._in_list(motion, members, side, speech, sentences, titles)
        return tuple(sorted(mentions, key=lambda mention: (-mention.probability, mention.argument)))

    def _in_list(
        self,
        motion: Motion,
        members: Sequence[Argument],
        side: Side | None,
        speech: SpeechVectors,
        sentences: Sequence[Sentence],
        all_titles: dict[str, str],
    ) -> list[Mention]:
        """The mentions of the arguments of one list, which is of one side or of both."""
        titles = [member.title for member in members]
        texts = [split(member.text) for member in members]
        vectors = argument_vectors(self.encoder, titles, texts)
        said = [sentence.text for sentence in sentences]
        points = point_scores(self.matcher, motion.text, said, titles, texts) if self.matcher else None
        table = feature_table(vectors, speech, points)
        probabilities = self.detector.probabilities(motion.text, titles, table)
        likeness = table[:, columns([LIKENESS])[0]]
        scores = self.passages.scores(motion.text, said, titles, members[0].stance)
        carriers = self._carriers(titles, scores, sentences)
        mentioned = [side in ("own", None) and _rounded(value) >= self.threshold for value in probabilities]
        return [
            Mention(
                argument=member.id,
                title=member.title,
                stance=member.stance,
                side=side,
                likeness=_rounded(likeness[i]),
                probability=_rounded(probabilities[i]),
                mentioned=mentioned[i],
                carriers=carriers[i],
                counter=member.counter,
                counter_title=all_titles.get(member.counter or "") or member.rebuttal,
                how=_how(carriers[i]) if mentioned[i] else None,
            )
            for i, member in enumerate(members)
        ]

    def _carriers(
        self, titles: Sequence[str], scores: Matrix, sentences: Sequence[Sentence]
    ) -> list[tuple[Carrier, ...]]:
        """The sentences that carry each title, the best first; none where no sentence does."""
        wanted = self.carriers if self.cross_encoder is None else max(self.candidates, self.carriers)
        carriers = [
            [_carrier(place, column[place], sentences) for place in self.passages.carrying(column, wanted)]
            for column in scores.T
        ]
        if self.cross_encoder:
            carriers = _read(self.cross_encoder, titles, carriers)
        return [tuple(own[: self.carriers]) for own in carriers]


def _read(reader: Reader, titles: Sequence[str], passages: Sequence[Sequence[Carrier]]) -> list[list[Carrier]]:
    """The passages of each argument, all read at once and sorted by the reader's probabilities."""
    pairs = [(carrier.said.text, title) for title, own in zip(titles, passages, strict=True) for carrier in own]
    scores = iter(reader.probabilities(pairs).tolist() if pairs else ())
    read = [
        [carrier.model_copy(update={"entailment": _rounded(next(scores))}) for carrier in carriers]
        for carriers in passages
    ]
    return [sorted(carriers, key=lambda carrier: -(carrier.entailment or 0.0)) for carriers in read]


def _check(arguments: Sequence[Argument]) -> None:
    for argument in arguments:
        if not argument.title.strip():
            raise RostrumError(f"the argument {argument.id!r} has no title; say in a sentence what it claims")
    (most_used, count), *_ = Counter(argument.id for argument in arguments).most_common(1)
    if count > 1:
        raise RostrumError(f"{count} arguments have the id {most_used!r}; give each one of its own")


def _side(argument: Argument, motion: Motion, stance: Stance | None) -> Side | None:
    if argument.motion != motion.id:
        return "another motion"
    if stance is None:
        return None
    return "own" if argument.stance == stance else "other"


def _carrier(place: int, score: float, sentences: Sequence[Sentence]) -> Carrier:
    first, last = complete(place, [sentence.text for sentence in sentences])
    said = Passage.of(*sentences[first:last])
    return Carrier(first=first, last=last, said=said, similarity=_rounded(score), entailment=None)


def _how(carriers: Sequence[Carrier]) -> Literal["explicit", "implicit"]:
    """Whether a sentence says the argument outright."""
    return "explicit" if any(carrier.similarity >= OUTRIGHT for carrier in carriers) else "implicit"


def _rounded(value: float) -> float:
    """Four digits: what machines and batches agree on."""
    return round(float(value), 4)


# A large language model's opinion on whether a passage makes an argument.


class _Opinion(Answer):
    pair: Annotated[int, Field(ge=1)]
    probability: Annotated[float, Field(ge=0, le=1)]


class Opinions(Answer):
    """For each pair, by its number, how probable it is that the argument is made."""

    answers: list[_Opinion]


HEAR = Prompt("hear", Opinions)
# For a model on this machine, which says how probable its yes is.
ARGUED = YesOrNo("argued")


class LlmOpinion:
    """Reads passages with arguments, as a cross-encoder does."""

    def __init__(self, asked: LargeModel) -> None:
        self.asked = asked

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """For each (passage, argument), the model's probability that the passage makes the argument."""
        if self.asked.is_local:
            return np.array(self.asked.agreements(ARGUED, [_asserted(*pair) for pair in pairs]), dtype=np.float64)
        parts = [pairs[start : start + self.asked.batch] for start in range(0, len(pairs), self.asked.batch)]
        answers = self.asked.ask(HEAR, [{"pairs": _listed(part)} for part in parts], [_each(len(p)) for p in parts])
        ordered = [opinion for answer in answers for opinion in sorted(answer.answers, key=lambda one: one.pair)]
        return np.array([opinion.probability for opinion in ordered], dtype=np.float64)


def _asserted(passage: str, argument: str) -> dict[str, str]:
    """A pair as the fields of the prompt `argued`: the argument goes on a sentence."""
    claim = " ".join(argument.split()).rstrip(".")
    if not claim[1:2].isupper():  # else an abbreviation
        claim = claim[:1].lower() + claim[1:]
    return {"passage": " ".join(passage.split()), "claim": claim}


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(
        f"Pair {number}\nPassage: {' '.join(passage.split())}\nArgument: {' '.join(argument.split())}"
        for number, (passage, argument) in enumerate(pairs, start=1)
    )


def _each(count: int) -> Check[Opinions]:
    """A check that an answer has every pair once."""

    def check(answer: Opinions) -> str:
        wanted, given = set(range(1, count + 1)), [opinion.pair for opinion in answer.answers]
        if lacking := sorted(wanted - set(given)):
            return f"pair {lacking[0]} is missing"
        return "" if len(given) == count else "there are more answers than pairs"

    return check
