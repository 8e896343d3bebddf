"""How well sentences that argue are told from the others: by labels, and by who says them.

Two kinds of data: sentences of presidential debates in which people marked claims and premises (ElecDeb60to20), and
debates where what debaters say argues more often than what moderators say. Nothing is learned from either.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.arrays import Floats, Mask
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.measures import area_under_curve, precision_recall_f1, with_interval
from pipeline.sentence_roles import ARGUES_FROM, roles_of
from pipeline.speakers.evaluate.data import KnownDebate
from pipeline.text.terms import tokens

SENTENCES = "sentences.jsonl"
# Sentences that follow one another are drawn together: those of a debate are alike.
_BLOCK = 200
# Words of arguments, a baseline that knows nothing else.
_ARGUING = frozenset(
    re.findall(
        r"\w+", "because therefore should must would need more less better worse can cannot if means since so not"
    )
)
_SAMPLES = 200


@dataclass(frozen=True)
class Group:
    """Sentences that an interval draws together, each with whether it argues. `motion` is empty if there is none."""

    motion: str
    sentences: tuple[str, ...]
    argues: tuple[bool, ...]

    @classmethod
    def from_labelled(cls, motion: str, said: Sequence[tuple[str, bool]]) -> "Group":
        return cls(motion, tuple(sentence for sentence, _ in said), tuple(argues for _, argues in said))


@dataclass(frozen=True)
class LabelledSentences:
    """Sentences and whether each argues, in groups."""

    data: str
    groups: tuple[Group, ...]


def has_labelled_sentences(folder: Path) -> bool:
    """Whether the folder has sentences with claims and premises."""
    return (folder / SENTENCES).is_file()


def read_labelled_sentences(folder: Path) -> LabelledSentences:
    """Sentences of presidential debates: those with a claim or a premise argue."""
    file = folder / SENTENCES
    sentences: list[tuple[str, bool]] = []
    for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(text)
            sentences.append((str(row["text"]), row["kind"] != "none"))
        except (ValueError, KeyError, TypeError) as error:
            raise RostrumError(f"{file}:{line}: not a sentence with its text and kind; copy the data again") from error
    blocks = [sentences[start : start + _BLOCK] for start in range(0, len(sentences), _BLOCK)]
    return LabelledSentences("claims and premises", tuple(Group.from_labelled("", block) for block in blocks))


def of_debaters_and_moderators(debates: Sequence[KnownDebate]) -> LabelledSentences:
    """The sentences of debaters, taken for arguments, and of moderators, taken for none."""
    groups = []
    for debate in debates:
        said = [
            (sentence, debate.roles[utterance.voice] == "debater")
            for utterance in debate.said
            if debate.roles[utterance.voice] in ("debater", "moderator")
            for sentence in utterance.sentences
        ]
        groups.append(Group.from_labelled(debate.motion, said))
    return LabelledSentences("debaters and moderators", tuple(groups))


def argument_rows(labelled: LabelledSentences) -> Iterator[Row]:
    """A row per method: area under the curve, and F1 of the sentences that argue."""
    groups = labelled.groups
    roles = [roles_of(group.sentences, group.motion) for group in groups]
    labels = [np.array(group.argues) for group in groups]
    by_length = [_scores(group.sentences, lambda words: float(len(words))) for group in groups]
    by_words = [_scores(group.sentences, lambda words: float(len(_ARGUING & set(words)))) for group in groups]
    yield _row(labelled.data, "all sentences", labels, [np.ones(len(argues)) for argues in labels], 0.5)
    yield _row(labelled.data, "length in words", labels, by_length, _best(by_length, labels))
    yield _row(labelled.data, "words of arguments", labels, by_words, _best(by_words, labels))
    likely = [np.array([role.likely for role in of_group]) for of_group in roles]
    yield _row(labelled.data, "classifier", labels, likely, ARGUES_FROM)
    argues = [np.array([role.argues for role in of_group]) for of_group in roles]
    yield _row(labelled.data, "rules and classifier", labels, argues, ARGUES_FROM)


def _scores(sentences: Sequence[str], score: Callable[[list[str]], float]) -> Floats:
    return np.array([score(tokens(sentence)) for sentence in sentences])


def _best(scores: Sequence[Floats], labels: Sequence[Mask]) -> float:
    """The threshold with the highest F1: more than a baseline can know."""
    values, known = np.concatenate(scores), np.concatenate(labels)
    return float(max(np.unique(values).tolist(), key=lambda threshold: _f1(values >= threshold, known)))


def _row(data: str, method: str, labels: Sequence[Mask], scores: Sequence[Floats], threshold: float) -> Row:
    parts = list(zip(scores, labels, strict=True))
    known = np.concatenate(labels)
    row: Row = {"table": "arguments", "data": data, "method": method}
    row |= with_interval("auc", parts, _auc, samples=_SAMPLES)
    row |= with_interval("f1", parts, lambda drawn: _f1_from(drawn, threshold), samples=_SAMPLES)
    return {**row, "argues": float(known.mean()), "count": len(known)}


def _auc(parts: Sequence[tuple[Floats, Mask]]) -> float:
    scores, labels = (np.concatenate(side) for side in zip(*parts, strict=True))
    area = area_under_curve(scores, labels)
    return float("nan") if area is None else area


def _f1_from(parts: Sequence[tuple[Floats, Mask]], threshold: float) -> float:
    scores, labels = (np.concatenate(side) for side in zip(*parts, strict=True))
    return _f1(scores >= threshold, labels)


def _f1(decided: Mask, labels: Mask) -> float:
    return precision_recall_f1(decided, labels)[2] or 0.0
