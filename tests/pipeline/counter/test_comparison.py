from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pipeline.counter.comparison import EncodedSimilarity, InferredOpposition, SharedWordSimilarity, worded_opposition
from pipeline.errors import RostrumError
from pipeline.text.encoders.cross_encoder import CrossEncoder, load_cross_encoder
from tests.pipeline.counter.speeches import EMPTY, FIRST, SUPPORTING, WORDS, speech
from tests.tiny_bert import save_tiny_bert


def save_tiny_classifier(folder: Path, names: tuple[str, ...]) -> Path:
    labels = {name: index for index, name in enumerate(names)}
    return save_tiny_bert(
        folder, WORDS, "BertForSequenceClassification", id2label=dict(enumerate(names)), label2id=labels
    )


def test_a_contradiction_in_the_next_sentence_counts_for_this_one() -> None:
    supporting = speech("s", "Cats are good.")
    candidate = speech("c", "They say cats are good.", "But dogs are better.", "Cats sleep.")
    assert worded_opposition(supporting, candidate).tolist() == [[1.0, 1.0, 0.0]]
    assert worded_opposition(EMPTY, candidate).shape == (0, 3)


def test_of_two_sentences_just_one_is_negated() -> None:
    supporting = speech("s", "Cats are good.", "Cats are not good.")
    candidate = speech("c", "Cats aren't good.", "Cats are good.")
    assert worded_opposition(supporting, candidate).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def opposition(path: Path) -> InferredOpposition:
    return InferredOpposition(load_cross_encoder(str(path), "contradiction"), SharedWordSimilarity())


@pytest.mark.parametrize(
    "names", [("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), ("Contradiction", "entailment"), ("entails", "CONTRADICTS")]
)
def test_a_model_says_what_contradicts_whatever_the_order_and_case_of_its_labels(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    path = save_tiny_classifier(tmp_path / "nli", names)
    found = opposition(path)(SUPPORTING, FIRST)
    inputs = AutoTokenizer.from_pretrained(path)(SUPPORTING.sentences[0], FIRST.sentences[1], return_tensors="pt")
    with torch.no_grad():
        shares = torch.softmax(AutoModelForSequenceClassification.from_pretrained(path)(**inputs).logits[0], 0)
    wanted = next(number for number, name in enumerate(names) if name.lower().startswith("contra"))
    assert found[0, 1] == pytest.approx(float(shares[wanted]), abs=1e-5)
    assert opposition(path)(SUPPORTING, EMPTY).shape == (2, 0)


def test_a_model_of_another_shape_is_refused_in_one_line() -> None:
    labels = {"contradiction": 0, "neutral": 1, "entailment": 2}

    class TwoOutputs:
        model = SimpleNamespace(config=SimpleNamespace(label2id=labels))

        def predict(self, pairs: list[tuple[str, str]], **_: object) -> np.ndarray:
            return np.zeros((len(pairs), 2))

    with pytest.raises(
        RostrumError, match="nli: gives 2 values for a pair of texts, and names 3 classes; give another"
    ):
        CrossEncoder("nli", "", TwoOutputs(), "contradiction").probabilities([("Cats.", "Dogs.")])


def test_only_the_sentences_most_alike_are_looked_at(tmp_path: Path) -> None:
    path = save_tiny_classifier(tmp_path / "nli", ("entailment", "contradiction"))
    long = speech("long", *(f"Cat {word}." for word in WORDS), "Rock.")
    found = opposition(path)(SUPPORTING, long)
    assert (found > 0).sum(axis=1).tolist() == [3, 3]
    assert np.flatnonzero(found[1]).tolist() == [0, 1, 3]  # of 'Bird cat.': cat cat, cat dog, cat bird


@pytest.mark.parametrize("names", [("good", "bad"), ("entailment", "not_entailment"), ("score",)])
def test_a_classifier_of_something_else_is_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = save_tiny_classifier(tmp_path / "other", names)
    with pytest.raises(
        RostrumError, match=rf"none of its outputs \({', '.join(names)}\) says contradiction; give another"
    ):
        opposition(path)


def test_what_is_no_classifier_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(RostrumError, match="not a classifier") as error:
        opposition(tmp_path)
    assert "\n" not in str(error.value)


def test_sentences_are_alike_by_the_words_they_share() -> None:
    # abc and da, against abe and a
    expected = np.array([[2 / 3, 1 / np.sqrt(3)], [1 / np.sqrt(6), 1 / np.sqrt(2)]])
    assert SharedWordSimilarity()(SUPPORTING, FIRST) == pytest.approx(expected)


def test_an_encoder_is_asked_for_each_speech_once() -> None:
    class Encoder:
        name, digest = "test", ""
        asked = 0

        def encode(self, texts):  # type: ignore[no-untyped-def]
            self.asked += 1
            return np.eye(4, dtype=np.float32)[: len(texts)]

    encoder = Encoder()
    similarity = EncodedSimilarity(encoder)
    for _ in range(2):
        assert similarity(SUPPORTING, FIRST) == pytest.approx(np.eye(2))
    assert encoder.asked == 2
