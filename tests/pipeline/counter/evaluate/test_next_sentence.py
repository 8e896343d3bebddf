from pathlib import Path

import numpy as np
import pytest

from pipeline.counter.evaluate.debates import Question, mean_accuracy
from pipeline.counter.evaluate.next_sentence import NextSentence, beginning, ending, load_next_sentence
from pipeline.errors import RostrumError
from pipeline.system.environment import import_torchaudio
from tests.pipeline.counter.speeches import CANDIDATES, EMPTY, FIRST, SECOND, SUPPORTING, WORDS, speech
from tests.tiny_bert import save_tiny_bert


def save_bert(folder: Path, *, with_head: bool = True) -> Path:
    """A BERT that knows the words of the tiny speeches."""
    return save_tiny_bert(folder, WORDS, "BertForNextSentencePrediction" if with_head else "BertModel")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> NextSentence:
    return load_next_sentence(save_bert(tmp_path_factory.mktemp("bert") / "tiny"))


def test_whole_sentences_up_to_a_hundred_words() -> None:
    long = " ".join(["word"] * 60)
    three = speech("s", f"a {long}", f"b {long}", "c end")
    assert beginning(three) == f"a {long}"
    assert ending(three) == f"b {long} c end"
    assert beginning(EMPTY) == ending(EMPTY) == ""


def test_a_sentence_longer_than_that_is_cut() -> None:
    words = [str(number) for number in range(150)]
    only = speech("s", " ".join(words))
    assert beginning(only).split() == words[:100]
    assert ending(only).split() == words[50:]


def test_scores_are_the_probabilities_of_the_head(bert: NextSentence) -> None:
    import torch

    scores = bert(SUPPORTING, CANDIDATES)
    one = bert.tokenizer(ending(SUPPORTING), beginning(FIRST), return_tensors="pt")
    with torch.no_grad():
        logits = bert.model(**one).logits[0]
    assert scores[0] == pytest.approx(float(torch.softmax(logits, 0)[0]), abs=1e-5)
    assert scores.shape == (3,)
    assert bert(SUPPORTING, [EMPTY]).tolist() == [0.0]
    assert bert(SUPPORTING, CANDIDATES[::-1]) == pytest.approx(scores[::-1])


def test_fine_tuning_learns_and_leaves_its_base_alone(bert: NextSentence) -> None:
    from pipeline.counter.evaluate.next_sentence import fine_tuned

    questions = [
        Question(SUPPORTING, (FIRST, SECOND), np.array([True, False])),
        Question(speech("other", "Sun moon."), (SECOND, FIRST), np.array([False, True])),
    ]
    before = bert(SUPPORTING, CANDIDATES)
    losses: list[float] = []
    trained = [
        fine_tuned(
            bert,
            questions,
            [],
            epochs=8,
            learning_rate=0.02,
            progress=lambda _, text: losses.append(float(text.split()[-1])),
        )
        for _ in range(2)
    ]
    found = [trained[0](each.supporting, each.candidates) for each in questions]
    assert losses[7] < losses[0]
    assert mean_accuracy(found, questions) == 1.0
    assert bert(SUPPORTING, CANDIDATES) == pytest.approx(before)
    assert trained[1](SUPPORTING, CANDIDATES) == pytest.approx(trained[0](SUPPORTING, CANDIDATES))


def test_a_bert_without_the_head_is_refused(tmp_path: Path) -> None:
    headless = save_bert(tmp_path / "headless", with_head=False)
    with pytest.raises(RostrumError, match="has no head for next sentence prediction"):
        load_next_sentence(headless)
    assert not load_next_sentence(headless, to_be_trained=True).has_head


def test_what_is_no_bert_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="not a BERT") as error:
        load_next_sentence(tmp_path)
    assert "\n" not in str(error.value)


def test_a_model_of_another_kind_is_refused_even_for_training(tmp_path: Path) -> None:
    import_torchaudio()
    from transformers import RobertaConfig, RobertaModel

    RobertaModel(
        RobertaConfig(vocab_size=10, hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
    ).save_pretrained(tmp_path / "roberta")
    with pytest.raises(RostrumError, match="a model of the kind roberta; predicting next sentences takes a BERT"):
        load_next_sentence(tmp_path / "roberta", to_be_trained=True)
