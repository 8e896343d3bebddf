"""Who speaks, on which motion, in which order: on speeches in which all three are planted."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import RostrumError
from pipeline.segment.evaluate_speeches import concordant, evaluate, read_speeches

MOTIONS = ("ban zoos", "tax sugar", "free buses", "end homework", "plant forests")
HABITS = {"ann": "frankly indeed", "bob": "you know basically"}


def write(folder: Path) -> Path:
    """Two speakers on five motions; each has a habit, names the motion, and says first, then, finally in this order."""
    for number, motion in enumerate(MOTIONS, start=1):
        for (speaker, habit), side in zip(HABITS.items(), ("pro", "con"), strict=True):
            lines = [f"{word} {habit} we talk of {motion}." for word in ("First", "Then", "Finally")]
            words = " ".join(lines).replace(".", "").split()
            timed = " ".join(f"{word}[{i * 0.5:.3f},{i * 0.5 + 0.4:.3f}]" for i, word in enumerate(words))
            opponent = "_ann" if side == "con" else ""
            name = f"{speaker}_{number}_{motion.replace(' ', '-')}_{side}_opening{opponent}"
            for kind, text in (("asr", timed), ("asr.txt", "\n".join(lines))):
                path = folder / "speeches" / kind / f"{name}.{kind}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    return folder


def test_sentences_have_the_times_of_their_words(tmp_path: Path) -> None:
    speech = read_speeches(write(tmp_path))[0]
    assert len(speech.sentences) == len(speech.lines) == 3
    # eight words of half a second each, the last without its pause: 3.9 seconds
    np.testing.assert_allclose(speech.prosody[1], [0.1, 8 / 3.9, 3.9])


def test_what_was_planted_is_found_on_motions_that_were_left_out(tmp_path: Path) -> None:
    found = evaluate(write(tmp_path), None)
    figure = {(row["task"], row["method"], row.get("part")): row["accuracy"] for row in found.rows}
    assert figure["who speaks", "words", None] == figure["who speaks", "characters", None] == 1.0
    assert figure["which motion", "chance", "whole speech"] == pytest.approx(1 / 5)
    assert figure["which motion", "tf-idf", "whole speech"] == 1.0
    assert figure["order of sentences", "chance", None] == 0.5
    assert figure["order of sentences", "words", None] == 1.0


def test_the_order_of_pairs_by_hand() -> None:
    # of 0.2, 0.1, 0.3 two of three pairs are in order, of neighbours one of two; equal ones count half
    assert concordant(np.array([0.2, 0.1, 0.3])) == pytest.approx(2 / 3)
    assert concordant(np.array([0.2, 0.1, 0.3]), neighbours=True) == 0.5
    assert concordant(np.zeros(4)) == 0.5


def test_a_folder_without_word_times_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path)
    for file in (folder / "speeches" / "asr").iterdir():
        file.unlink()
    with pytest.raises(RostrumError, match="no speech has both"):
        read_speeches(folder)
