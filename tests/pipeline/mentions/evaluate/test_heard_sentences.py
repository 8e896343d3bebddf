"""Claims heard in sentences: tables of the release's layout, and how often the right passage is shown, by hand."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.arrays import Matrix
from pipeline.errors import RostrumError
from pipeline.matching.matchers.words import TokenOverlap
from pipeline.mentions.evaluate.heard_sentences import (
    as_listening,
    carrier_rows,
    has_heard_sentences,
    read_heard_sentences,
    stage_rows,
)
from pipeline.mentions.evaluate.methods import Resources
from pipeline.mentions.evaluate.rebuttals import MATCHING, RELEVANCY, has_rebuttals, rebuttal_rows
from pipeline.mentions.passages import PassageReader
from pipeline.sentence_roles import SentenceRole
from pipeline.text.encoders.word_vectors import WordVectors
from tests.pipeline.mentions.counting import CountingEncoder

SPEECH = ["Boxing harms the brain.", "I went home.", "It is dear.", "Nothing else.", "Bye.", "Goodbye."]


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    path = folder / "GPR-KB-55" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two speeches of one side; people were asked about a claim in the one, and about another in the other."""
    write(
        tmp_path,
        "speech-transcripts.csv",
        [
            {"speech-id": name, "speech-to-motion-polarity": "PRO", "speech-text": "\n\n".join(SPEECH)}
            for name in ("a", "b")
        ],
    )
    labels = [("a", "p1", "boxing harms the brain", 0, "true"), ("a", "p1", "boxing harms the brain", 1, "false")]
    labels += [("b", "p2", "boxing is dear", 4, "false")]
    for name, id_column, title in (
        ("idebate-claim-to-sentence-matching.csv", "idebate-point-id", "claim-text"),
        ("GP-claim-to-sentence-matching.csv", "GPR-KB-id", "GP-claim-text-for-motion"),
    ):
        write(
            tmp_path,
            name,
            [
                {
                    "motion-id": "1",
                    "motion-text": "We should ban boxing",
                    "speech-id": speech,
                    id_column: claim,
                    title: text,
                    "sentence-index": place,
                    "is-claim-mentioned-in-sentence": label,
                }
                for speech, claim, text, place, label in labels
            ],
        )
    return tmp_path


def test_pairs_are_read_with_their_sentences(folder: Path) -> None:
    assert has_heard_sentences(folder)
    one, other = read_heard_sentences(folder, "iDebate")
    assert (one.speech, one.claim, one.stance, one.heard) == ("a", "p1", "pro", {0: True, 1: False})
    assert one.sentences == tuple(SPEECH)
    assert other.heard == {4: False}
    listening = as_listening([one, other])
    assert [pair.mentioned for pair in listening.pairs] == [True, False]
    # beside the claim that people were asked about each list has the motion's other one
    assert listening.unlabelled == {"a": ("boxing is dear",), "b": ("boxing harms the brain",)}


def test_a_sentence_that_is_not_there_is_refused(folder: Path) -> None:
    path = folder / "GPR-KB-55" / "idebate-claim-to-sentence-matching.csv"
    path.write_text(path.read_text().replace(",4,", ",9,"))
    with pytest.raises(RostrumError, match="matching.csv:4: not the number of a sentence"):
        read_heard_sentences(folder, "iDebate")


def test_the_right_passage_by_hand(folder: Path) -> None:
    """Six sentences make 6 + 5 + 4 + 3 passages; those with the first sentence are right: one of each size."""
    words = WordVectors("none", "0", {"boxing": 0}, CountingEncoder().encode(["boxing"]))
    resources = Resources({"counting": CountingEncoder()}, words)
    rows = {row["method"]: row for row in carrier_rows(read_heard_sentences(folder, "iDebate"), "iDebate", resources)}
    assert rows["random"]["carrier"] == pytest.approx(4 / 18)
    assert rows["words in common"]["carrier"] == 1.0
    assert rows["words in common"]["carrier_sentence"] == 1.0
    # of the three labelled sentences the right one has most words in common
    assert rows["words in common"]["auc"] == 1.0
    assert rows["counting"]["pairs"] == 1


@pytest.mark.parametrize(("threshold", "shown", "without"), [(0.5, 1.0, 0), (1.0, 0.0, 1)])
def test_mentions_without_a_passage_are_counted_apart(
    folder: Path, threshold: float, shown: float, without: int
) -> None:
    def roles(sentences: object, motion: str) -> list[SentenceRole]:
        return [SentenceRole("argument", 1.0, 1.0) for _ in SPEECH]

    def undecided(motion: str, texts: Sequence[str]) -> Matrix:
        return np.log(np.full((len(texts), 3), 1 / 3))

    reader = PassageReader(TokenOverlap(), threshold, roles, undecided)
    best, passages = stage_rows(read_heard_sentences(folder, "iDebate"), "iDebate", reader, seed=0)
    # of the six sentences the first has the claim's words
    assert (best["carrier"], best["carrier_sentence"], best["auc"]) == (1.0, 1.0, 1.0)
    assert (passages["shown"], passages["without"]) == (shown, without)
    assert passages["carrier"] == (1.0 if shown else None)


def test_relevance_is_learned_from_other_motions(tmp_path: Path) -> None:
    """Claim k1 matters on every motion, k2 on none; what people said of a motion is not known to its own rows."""
    write(
        tmp_path,
        RELEVANCY,
        [
            {
                "motion-id": motion,
                "motion-text": f"We should ban {motion}",
                "GPR-KB-id": claim,
                "GP-claim-text-for-motion": f"{claim} of {motion}",
                "is-claim-relevant-to-motion": str(yes > 2).lower(),
                "supports-count": yes,
                "contests-count": 0,
                "irrelevant-count": 5 - yes,
            }
            for motion in ("1", "2", "3", "4")
            for claim, yes in (("k1", 5), ("k2", 0))
        ],
    )
    write(
        tmp_path,
        MATCHING,
        [
            {
                "motion-id": motion,
                "speech-id": "a",
                "GPR-KB-id": "k1",
                "rebuttal-text-for-motion": "Not at all.",
                "rebuttal-to-speech-label": "true",
                "positive-count": 6,
                "negative-count": 1,
            }
            for motion in ("1", "2")
        ],
    )
    write(
        tmp_path,
        "speech-transcripts.csv",
        [{"speech-id": "a", "speech-to-motion-polarity": "CON", "speech-text": "\n\n".join(SPEECH)}],
    )
    assert has_rebuttals(tmp_path)
    rows = {(row["question"], row["method"]): row for row in rebuttal_rows(tmp_path, CountingEncoder())}
    prior = rows["claim matters on motion", "prior of the claim"]
    assert (prior["accuracy"], prior["auc"], prior["judged"]) == (1.0, 1.0, 8)
    # every rebuttal was accepted: nothing can be told apart, and nothing fails
    accepted = rows["rebuttal answers speech", "learned"]
    assert (accepted["accuracy"], accepted["auc"], accepted["spearman"]) == (1.0, None, None)
    json.dumps(list(rows.values()), allow_nan=False)
