"""How every question was answered, as a file of one JSON object per line, and what the wrong answers have in common."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Matrix
from pipeline.counter.comparison import Relations
from pipeline.counter.evaluate.debates import AnsweredDebate
from pipeline.counter.evaluate.rows import Line
from pipeline.counter.ranker import Table
from pipeline.counter.texts import SpeechText, ranks

# The ranker whose answers are explained, and how many of its widest misses are shown.
EXPLAINED = "combined"
_MISSES = 5
# The paper reads the misses of mutual information with the widest gaps: three explicit responses, three implicit ones.
_READ_BY_THE_PAPER = "MI"
_READ = 3


class QuestionLog:
    """Writes every question with each method's scores; explains the answers of the combined score."""

    def __init__(self, file: Path, relations: Relations) -> None:
        self._file = file
        self._relations = relations
        self._missed: list[dict[str, Any]] = []
        self._missed_by_information: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.explained = 0
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")

    def write(self, line: Line, debate: AnsweredDebate, scores: Matrix, reasons: Table | None = None) -> None:
        """Append a debate's questions. With `reasons`, each method's share of the scores, they are explained."""
        with self._file.open("a", encoding="utf-8") as file:
            for row, allowed, correct in debate.asked():
                columns = [int(column) for column in np.flatnonzero(allowed)]
                values = scores[row, columns]
                ranks_of = ranks([debate.opposing[column].id for column in columns], values)
                question = {
                    **line._asdict(),
                    "motion": debate.motion,
                    "supporting": debate.supporting[row].id,
                    "margin": float(values[correct].max() - values[~correct].max()),
                    "candidates": [
                        {
                            "opposing": debate.opposing[column].id,
                            "score": float(value),
                            "rank": rank,
                            "answer": bool(right),
                            **self._why(debate.supporting[row], debate.opposing[column], row, column, reasons),
                        }
                        for column, value, rank, right in zip(columns, values, ranks_of, correct, strict=True)
                    ],
                }
                file.write(json.dumps(question, allow_nan=False) + "\n")
                if reasons is not None:
                    self.explained += 1
                    self._missed += [question] if question["margin"] < 0 else []
                if line[1:] == ("motion", line.setting, _READ_BY_THE_PAPER, "") and question["margin"] < 0:
                    self._missed_by_information.setdefault((line.transcript, line.setting), []).append(question)

    def analysis(self) -> Iterator[str]:
        """The widest misses of the combined score, and how many are similar to the speech rather than opposed to it."""
        yield from self._as_published()
        if not self.explained:
            return
        similar = sum(_is_similar_not_opposing(question) for question in self._missed)
        yield (
            f"{EXPLAINED}: {len(self._missed)} of {self.explained} questions answered wrongly; in {similar} of them "
            "the speech that was taken is more similar than the answer, but opposes less"
        )
        for question in sorted(self._missed, key=lambda question: question["margin"])[:_MISSES]:
            taken, answer = _taken_and_answer(question)
            yield (
                f"{question['transcript']}, {question['protocol']}, {question['setting']}: {question['supporting']}: "
                f"took {taken['opposing']} rather than {answer['opposing']}, by {-question['margin']:.2f}"
            )

    def _as_published(self) -> Iterator[str]:
        """The paper's error analysis: of each kind of response the three widest misses of mutual information.

        Where nothing says how speeches respond, those among all.
        """
        kinds = {setting for _, setting in self._missed_by_information}
        for (transcript, setting), missed in self._missed_by_information.items():
            if setting == "all" and kinds != {"all"}:
                continue
            for question in sorted(missed, key=lambda question: question["margin"])[:_READ]:
                taken, answer = _taken_and_answer(question)
                yield (
                    f"{_READ_BY_THE_PAPER}, {transcript}, {setting}, {len(missed)} missed: {question['supporting']}: "
                    f"took {taken['opposing']} rather than {answer['opposing']}, by {-question['margin']:.4f} bits"
                )

    def _why(
        self,
        supporting: SpeechText,
        opposing: SpeechText,
        row: int,
        column: int,
        reasons: Table | None,
    ) -> dict[str, Any]:
        """Each method's share of the score, and the two sentences that match best."""
        if reasons is None:
            return {}
        shares = {name: round(float(share[row, column]), 4) for name, share in reasons.items()}
        similarity = self._relations.similarity(supporting, opposing)
        if not similarity.size:
            return {"reasons": shares}
        ours, theirs = np.unravel_index(int(similarity.argmax()), similarity.shape)
        opposition = self._relations.opposition(supporting, opposing)
        return {
            "reasons": shares,
            "best_match": {
                "supporting": supporting.sentences[ours],
                "opposing": opposing.sentences[theirs],
                "similarity": round(float(similarity[ours, theirs]), 4),
                "opposes": round(float(opposition[ours, theirs]), 4),
            },
        }


def _taken_and_answer(question: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The candidate that was taken, and the answer that came nearest to being taken."""
    ordered = sorted(question["candidates"], key=lambda candidate: candidate["rank"])
    return ordered[0], next(candidate for candidate in ordered if candidate["answer"])


def _is_similar_not_opposing(question: dict[str, Any]) -> bool:
    taken, answer = (candidate["reasons"] for candidate in _taken_and_answer(question))
    return bool(taken["comprehensive"] > answer["comprehensive"] and taken["opposes"] < answer["opposes"])
