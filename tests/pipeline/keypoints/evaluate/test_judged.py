"""`rostrum train keypoints` learns from answers to a report's queue, and says whether that was worth it."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.corpus.corrections import add_judgement
from pipeline.keypoints.evaluate import judged
from pipeline.matching.matcher import load_matcher
from pipeline.records import Judgement

DISTRACT, BULLY = "Phones distract pupils", "Phones help bullies"
# What is said in each speech, and which of the two points it makes.
SAID = {
    "anna": [("A phone on the desk distracts every pupil.", DISTRACT), ("Bullies film their classmates.", BULLY)],
    "ben": [("Nobody listens who has a phone in hand.", DISTRACT), ("A camera in a pocket helps a bully.", BULLY)],
    "cleo": [("Messages take pupils' minds off the lesson.", DISTRACT), ("Phones make bullying easy.", BULLY)],
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of three speeches with twelve answers to the queue: what is said makes one point, and not the other."""
    folder = tmp_path / "corpus"
    (folder / "texts").mkdir(parents=True)
    (folder / "motions.csv").write_text("id,text\nphones,We should ban phones at school.\n")
    rows = ["id,reference,motion,stance"]
    for speech, said in SAID.items():
        (folder / "texts" / f"{speech}.txt").write_text(" ".join(text for text, _ in said))
        rows.append(f"{speech},texts/{speech}.txt,phones,pro")
    (folder / "speeches.csv").write_text("\n".join(rows) + "\n")
    for speech, said in SAID.items():
        for start, (text, made) in enumerate(said):
            for point in (DISTRACT, BULLY):
                answer = Judgement(
                    motion="phones",
                    kind="match",
                    judgement="heard" if point == made else "not heard",
                    of=point,
                    speech=speech,
                    side="pro",
                    start=float(start),
                    end=start + 1.0,
                    text=text,
                )
                add_judgement(folder, answer)
    return folder


class Says:
    """A matcher that says yes to some points."""

    threshold = 0.5

    def __init__(self, *points: str) -> None:
        self.points = points

    def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Any:
        return np.array([[float(point in self.points) for point in key_points] for _ in arguments])


@pytest.mark.parametrize(
    ("learned", "shipped"), [(Says(DISTRACT), Says()), (Says(), Says(DISTRACT, BULLY))], ids=["one point", "no point"]
)
def test_a_matcher_that_is_no_better_is_kept_beside(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learned: Says, shipped: Says
) -> None:
    """Half of the pairs are matches, so that each of these is right in half of them, of every speech."""
    seen = learning(monkeypatch, tmp_path, learned, shipped)
    result = CliRunner().invoke(main_group, ["train", "keypoints", "--data", str(corpus)])
    assert result.exit_code == 0, result.output
    assert "on speeches left out, right of each speech: 0.500; the shipped matcher 'tuned': 0.500" in result.stderr
    assert "no better, and is not used" in result.stderr
    assert Path(result.stdout.strip()).name == "matcher.not-used.safetensors"
    assert seen == [{"ben", "cleo"}, {"anna", "cleo"}, {"anna", "ben"}, {"anna", "ben", "cleo"}], (
        "each speech is left out once; the one that is kept has learned from all"
    )
    CliRunner().invoke(main_group, ["train", "keypoints", "--data", str(corpus), "--replace"], catch_exceptions=False)
    assert (tmp_path / "matcher.safetensors").exists()


def test_a_better_one_takes_its_place(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Right(Says):
        def scores(self, topic: str, arguments: Sequence[str], key_points: Sequence[str]) -> Any:
            made = dict(pair for said in SAID.values() for pair in said)
            return np.array([[float(made[text] == point) for point in key_points] for text in arguments])

    learning(monkeypatch, tmp_path, Right(), Says())
    result = CliRunner().invoke(main_group, ["train", "keypoints", "--data", str(corpus)], catch_exceptions=False)
    assert Path(result.stdout.strip()) == tmp_path / "matcher.safetensors"
    assert "right of each speech: 1.000" in result.stderr
    assert "difference +0.500, 95 % interval +0.500 to +0.500" in result.stderr


def learning(monkeypatch: pytest.MonkeyPatch, folder: Path, learned: Says, shipped: Says) -> list[set[str]]:
    """Which speeches each training has seen, with these two matchers for the encoders."""
    seen: list[set[str]] = []

    def learn(part: Any, dev: None, file: Path, **_: Any) -> Any:
        seen.append({one.id.split()[0] for one in part.arguments})
        file.touch()
        return SimpleNamespace(threshold=0.5)

    monkeypatch.setattr(judged, "learn", learn)
    monkeypatch.setattr(judged, "load_matcher", lambda name: shipped if name == "tuned" else learned)
    monkeypatch.setattr(judged, "trained_file", lambda: folder / "matcher.safetensors")
    return seen


def test_too_few_answers_are_said(corpus: Path) -> None:
    judgements = corpus / "corrections" / "judgements.csv"
    judgements.write_text("".join(judgements.read_text().splitlines(keepends=True)[:6]))
    result = CliRunner().invoke(main_group, ["train", "keypoints", "--data", str(corpus)])
    assert result.exit_code != 0
    assert "5 judged passages of 2 speeches; to learn from them, 10 of two speeches or more" in str(result.exception)


@pytest.mark.slow
def test_a_real_encoder_learns_from_the_answers(corpus: Path, tmp_path: Path) -> None:
    """What was learned is a matcher that a run can use, and it separates what it has learned."""
    file = tmp_path / "own.safetensors"
    asked = ["train", "keypoints", "--data", str(corpus), "--out", str(file), "--epochs", "8"]
    result = CliRunner().invoke(main_group, asked, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "12 judged passages of 3 speeches" in result.stderr
    matcher = load_matcher(str(file))
    pairs = [pair for said in SAID.values() for pair in said]
    scores = matcher.scores("We should ban phones at school.", [text for text, _ in pairs], [DISTRACT, BULLY])
    assert [bool(one > other) for one, other in scores] == [made == DISTRACT for _, made in pairs]
