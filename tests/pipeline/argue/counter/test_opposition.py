from pathlib import Path

import numpy as np
import pytest

from pipeline.argue.counter.comparison.opposition import load_inference, worded_opposition
from pipeline.argue.counter.comparison.similarity import SharedWordSimilarity
from pipeline.errors import RostrumError
from pipeline.system.torchaudio import import_torchaudio
from tests.pipeline.argue.counter.speeches import EMPTY, FIRST, SUPPORTING, WORDS, speech


def save_tiny_classifier(folder: Path, names: tuple[str, ...]) -> Path:
    import torch

    import_torchaudio()
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(0)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "."]))
    config = BertConfig(
        vocab_size=len(WORDS) + 6,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        id2label=dict(enumerate(names)),
        label2id={name: index for index, name in enumerate(names)},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_a_contradiction_in_the_next_sentence_counts_for_this_one() -> None:
    supporting = speech("s", "Cats are good.")
    candidate = speech("c", "They say cats are good.", "But dogs are better.", "Cats sleep.")
    assert worded_opposition(supporting, candidate).tolist() == [[1.0, 1.0, 0.0]]
    assert worded_opposition(EMPTY, candidate).shape == (0, 3)


def test_of_two_sentences_just_one_is_negated() -> None:
    supporting = speech("s", "Cats are good.", "Cats are not good.")
    candidate = speech("c", "Cats aren't good.", "Cats are good.")
    assert worded_opposition(supporting, candidate).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_model_says_what_contradicts(tmp_path: Path) -> None:
    import torch

    path = save_tiny_classifier(tmp_path / "nli", ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"))
    opposition = load_inference(path, SharedWordSimilarity())
    found = opposition(SUPPORTING, FIRST)
    inputs = opposition.tokenizer(SUPPORTING.sentences[0], FIRST.sentences[1], return_tensors="pt")
    with torch.no_grad():
        shares = torch.softmax(opposition.model(**inputs).logits[0], 0)
    assert found[0, 1] == pytest.approx(float(shares[2]), abs=1e-5)
    assert opposition(SUPPORTING, EMPTY).shape == (2, 0)


def test_labels_are_read_from_the_model_whatever_their_order_and_case(tmp_path: Path) -> None:
    for number, names in enumerate([("Contradiction", "entailment"), ("entails", "neutral", "CONTRADICTS")]):
        opposition = load_inference(save_tiny_classifier(tmp_path / str(number), names), SharedWordSimilarity())
        assert opposition.contradiction == names.index(
            next(name for name in names if name.lower().startswith("contra"))
        )
        assert 0 < opposition(SUPPORTING, FIRST).max() < 1


def test_two_classes_without_contradiction_are_refused(tmp_path: Path) -> None:
    path = save_tiny_classifier(tmp_path / "rte", ("entailment", "not_entailment"))
    with pytest.raises(RostrumError, match=r"none of its classes \(entailment, not_entailment\) is contradiction"):
        load_inference(path, SharedWordSimilarity())


def test_a_model_that_gives_probabilities_is_taken_at_its_word(tmp_path: Path) -> None:
    import torch

    opposition = load_inference(
        save_tiny_classifier(tmp_path / "nli", ("contradiction", "other")), SharedWordSimilarity()
    )
    inner = opposition.model

    class Normalised(torch.nn.Module):
        def forward(self, **inputs):  # type: ignore[no-untyped-def]
            found = inner(**inputs)
            found.logits = torch.softmax(found.logits, dim=-1)
            return found

    by_logits = opposition(SUPPORTING, FIRST)
    given = load_inference(tmp_path / "nli", SharedWordSimilarity())
    given.model = Normalised()
    assert given(SUPPORTING, FIRST) == pytest.approx(by_logits, abs=1e-6)


def test_a_model_of_another_shape_is_refused_in_one_line(tmp_path: Path) -> None:
    opposition = load_inference(
        save_tiny_classifier(tmp_path / "nli", ("contradiction", "other")), SharedWordSimilarity()
    )
    opposition.classes = 3
    with pytest.raises(RostrumError) as error:
        opposition(SUPPORTING, FIRST)
    assert (
        str(error.value)
        == f"{tmp_path}/nli: gives 2 values for a pair of texts, and names 3 classes; give another model"
    )


def test_only_the_sentences_most_alike_are_looked_at(tmp_path: Path) -> None:
    path = save_tiny_classifier(tmp_path / "nli", ("entailment", "contradiction"))
    opposition = load_inference(path, SharedWordSimilarity())
    long = speech("long", *(f"Cat {word}." for word in WORDS), "Rock.")
    found = opposition(SUPPORTING, long)
    assert (found > 0).sum(axis=1).tolist() == [3, 3]
    assert np.flatnonzero(found[1]).tolist() == [0, 1, 3]  # of 'Bird cat.': cat cat, cat dog, cat bird


def test_a_classifier_of_something_else_is_refused(tmp_path: Path) -> None:
    path = save_tiny_classifier(tmp_path / "other", ("good", "bad"))
    with pytest.raises(RostrumError, match=r"none of its classes \(good, bad\) is contradiction; give another model"):
        load_inference(path, SharedWordSimilarity())
    with pytest.raises(RostrumError, match="not a classifier"):
        load_inference(tmp_path, SharedWordSimilarity())
