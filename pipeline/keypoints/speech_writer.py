"""Key points by a language model on this machine, which is small: it reads one speech at a time, and is not believed.

It writes several reasons for each speech. A reason is kept if it is a whole sentence that says more than the
motion, if it is not rather for the other side, and if sentences of the speech make it. Then the best of all speeches
are chosen.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pipeline.arrays import Matrix, Vector
from pipeline.keypoints.candidates import Candidate
from pipeline.keypoints.generation import SAME_ABOVE_THRESHOLD, Generated, Style, scores_of, select
from pipeline.keypoints.grammar import parser, whole_clause
from pipeline.keypoints.spoken import reasoning, says_more
from pipeline.llm.large_model import Answer, LargeModel, Prompt
from pipeline.matching.matcher import Matcher, for_length, standing_out
from pipeline.records import Stance
from pipeline.text.terms import tokens

# A longer speech is read in parts of so many words.
_PART_WORDS = 1_200
_REASONS = 5
# The model can write no longer sentence: one of this length was cut off.
_LONGEST = 140
# The least probability that a reason is for its side rather than for the other one, and the least rating by its side.
_OWN_SIDE, _LEAST = 0.25, 0.4
# A reason may be new words for what was said: sentences match it less than they match each other.
_IN_OWN_WORDS = 0.1
_FEWEST_WORDS = 4
# The model writes longer sentences than it is asked for.
_WORDS_LESS = 1

_SIDES: Mapping[Stance | None, str] = {"pro": "for", "con": "against", None: "on"}


class _Reasons(Answer):
    reasons: Annotated[list[Annotated[str, Field(min_length=15, max_length=_LONGEST)]], Field(max_length=_REASONS)]


# The logarithms of the probabilities that each text is for the motion, against it, and neither: one row per text.
Stances = Callable[[str, Sequence[str]], Matrix]

SUM_UP = Prompt("sum_up", _Reasons)

_FRAME = re.compile(
    r"^(?:(?:the|this) (?:speaker|speech|motion|debate)\b.{0,40}?\b(?:that|because)|"
    r"(?:i|we) (?:think|believe|argue|say)(?: that)?|(?:firstly?|secondly?|finally|also|because|so|and|but))\b,? +",
    re.IGNORECASE,
)
_LAST_PART = re.compile(
    r"(?:, |(?<!both)(?<!between) (?=(?:and|which|because|so that) ))(?:(?!, | (?:and|which|because|so that) ).)+$"
)
_HANGING = re.compile(r"^(?:it|this|that|these|those|they|he|she|there|which|who)\b", re.IGNORECASE)
_SPEAKING = re.compile(
    r"\b(?:the|this) (?:speaker|speech|motion|debate|opposition|proposition)\b|\b(?:i|me|my|thank|ladies)\b",
    re.IGNORECASE,
)
_ENDS_WHOLE = re.compile(r"[\w%’'\")]\.?$")
_ENDS_OPEN = re.compile(
    r"\b(?:a|an|the|and|or|but|of|to|in|on|for|with|by|that|is|are|be|their|its|not|because|as|if|than)\.?$",
    re.IGNORECASE,
)


def tidy(reason: str) -> str:
    """The reason without what only introduces it, with a capital and no full stop.

    >>> tidy("The speaker argues that zoos  save species.")
    'Zoos save species'
    """
    text = " ".join(reason.split()).rstrip(" .;,")
    while (cut := _FRAME.sub("", text)) != text:
        text = cut
    return text[:1].upper() + text[1:]


def shortened(reason: str, most_words: int) -> str:
    """The reason without its last parts, as long as it has more than so many words and parts to leave out.

    >>> shortened("Zoos teach children to care for animals, which is good", 8)
    'Zoos teach children to care for animals'
    """
    while len(tokens(reason)) > most_words and (last := _LAST_PART.search(reason)):
        reason = reason[: last.start()]
    return reason


def whole(reason: str) -> str:
    """The reason without its last part if the model could not finish it; empty if it has no other part."""
    if len(reason) < _LONGEST:
        return reason
    last = _LAST_PART.search(reason)
    return reason[: last.start()] if last else ""


def stands_alone(reason: str, motion: str, most_words: int) -> bool:
    """Whether a reason is one whole clause of at most so many words, and says more than the motion."""
    said = tokens(reason)
    if not _FEWEST_WORDS <= len(said) <= most_words or _HANGING.search(reason) or _SPEAKING.search(reason):
        return False
    if not _ENDS_WHOLE.search(reason) or _ENDS_OPEN.search(reason) or re.search(r"[?!;:]|\.\s", reason):
        return False
    return says_more(reason, motion) and whole_clause(parser()(f"{reason}.")) is not None


@dataclass(frozen=True)
class SpeechWriter:
    """Writes as `generate` does, by asking a language model on this machine."""

    asked: LargeModel
    stances: Stances

    def __call__(
        self,
        topic: str,
        texts: Sequence[str],
        matcher: Matcher,
        *,
        style: Style = "spoken",
        speakers: Sequence[str] = (),
        stance: Stance | None = None,
        threshold: float | None = None,
        fewest: int = 3,
        most: int = 10,
        most_words: int = 15,
        **others: Any,
    ) -> Generated:
        threshold = matcher.threshold if threshold is None else threshold
        written = self.reasons(topic, texts, speakers or [""] * len(texts), stance, most_words)
        if not written:
            return Generated((), np.zeros((len(texts), 0)), ())
        reasons = list(written)
        plain = matcher.scores(topic, texts, reasons)
        sources = [max(written[reason], key=lambda row: plain[row, column]) for column, reason in enumerate(reasons)]
        matches = _matches(plain, texts) + _IN_OWN_WORDS
        sides = reasoning(self.stances(topic, reasons), stance, _OWN_SIDE)
        sides = np.where(sides >= _LEAST, sides, 0.0)
        chosen = select(
            matches,
            sides * _speakers(matches >= threshold, speakers),
            matcher.scores(topic, reasons, reasons),
            threshold=threshold,
            same=threshold + SAME_ABOVE_THRESHOLD,
            fewest=fewest,
            most=most,
        )
        points = tuple(Candidate(reasons[column], sources[column], float(sides[column])) for column in chosen)
        return Generated(points, scores_of(topic, texts, points, matcher, style), (None,) * len(points))

    def reasons(
        self, topic: str, texts: Sequence[str], speakers: Sequence[str], stance: Stance | None, most_words: int
    ) -> dict[str, range]:
        """What the model writes of each speech that stands alone, and the texts that it was written of."""
        parts = list(_parts(texts, speakers))
        fields = {
            "motion": topic,
            "side": _SIDES[stance],
            "most": str(_REASONS),
            "most_words": str(most_words - _WORDS_LESS),
        }
        questions = [{**fields, "speech": " ".join(texts[part.start : part.stop])} for part in parts]
        answers = self.asked.ask(SUM_UP, questions, [lambda answer: ""] * len(parts))
        return {
            reason: part
            for part, answer in zip(parts, answers, strict=True)
            for reason in (shortened(tidy(whole(reason)), most_words) for reason in answer.reasons)
            if stands_alone(reason, topic, most_words)
        }


def _parts(texts: Sequence[str], speakers: Sequence[str]) -> Iterator[range]:
    """The texts of each speaker in turn, in parts that are short enough to be read at once."""
    start, count = 0, 0
    for index, text in enumerate(texts):
        size = len(text.split())
        if index > start and (speakers[index] != speakers[start] or count + size > _PART_WORDS):
            yield range(start, index)
            start, count = index, 0
        count += size
    if start < len(texts):
        yield range(start, len(texts))


def _matches(plain: Matrix, texts: Sequence[str]) -> Matrix:
    return np.asarray(standing_out(plain) + for_length(texts)[:, None])


def _speakers(made: Any, speakers: Sequence[str]) -> Vector:
    """The factor of each reason (column) for the people who give it: 1 for one of them, 1.4 for two."""
    if not speakers:
        return np.ones(made.shape[1])
    by_speaker = [made[[who == name for who in speakers]].any(axis=0) for name in dict.fromkeys(speakers)]
    return np.asarray(np.sqrt(np.maximum(np.sum(by_speaker, axis=0), 1)), dtype=np.float64)
