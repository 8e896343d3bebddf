import dataclasses

import numpy as np
import pytest

from pipeline.convincing import model as models
from pipeline.convincing.model import digest, load, save
from pipeline.errors import RostrumError
from tests.pipeline.convincing.made_up import MadeUpEncoder, made_up_model

STRONG = "we should do it because studies prove it and because research shows a reason therefore it works"
WEAK = "maybe i think"


@pytest.fixture(autouse=True)
def _encoder(monkeypatch):
    monkeypatch.setattr(models, "load_encoder", lambda name: MadeUpEncoder())


def test_prefers_what_it_was_taught(tmp_path):
    model = made_up_model()
    rows = model.rows([STRONG, WEAK, "it was there"])
    odds = model.log_odds(rows)
    assert odds.argmax() == 0


def test_the_winner_is_explained():
    model = made_up_model()
    rows = model.rows([STRONG, WEAK])
    leading = model.reasons(rows[0], rows[1])
    assert 1 <= len(leading) <= 3
    assert all(0 < each.share <= 1 and each.name for each in leading)
    assert [each.share for each in leading] == sorted((each.share for each in leading), reverse=True)
    everything = model.reasons(rows[0], rows[1], most=100)
    against = model.reasons(rows[1], rows[0], most=100)
    difference = sum(each.score for each in everything) - sum(each.score for each in against)
    odds = model.log_odds(rows)
    assert difference == pytest.approx(odds[0] - odds[1], abs=0.05)


def test_a_saved_model_says_the_same(tmp_path):
    model = made_up_model()
    save(model, tmp_path / "new" / "model.npz")
    again = load(str(tmp_path / "new" / "model.npz"))
    texts = [STRONG, WEAK, "some say no because"]
    assert again.facts == model.facts
    assert again.log_odds(again.rows(texts)) == pytest.approx(model.log_odds(model.rows(texts)), abs=1e-9)


def test_training_twice_gives_the_same_file(tmp_path):
    for name in ("one.npz", "two.npz"):
        save(made_up_model(), tmp_path / name)
    assert digest(str(tmp_path / "one.npz")) == digest(str(tmp_path / "two.npz"))


def test_the_model_that_comes_with_it():
    shipped = load()
    assert shipped.facts.trained_on == "UKPConvArg1"
    assert "CC-BY" in shipped.facts.licence
    assert shipped.facts.accuracy is not None
    assert 0.7 < shipped.facts.accuracy < 0.9
    elsewhere = shipped.facts.elsewhere
    assert {each.collection for each in elsewhere} == {"IBM-ArgQ-9.1k", "IBM-EviConv train"}
    assert all(each.accuracy < shipped.facts.accuracy for each in elsewhere)
    # it is not much surer than it may be
    assert all(each.confidence < each.accuracy + 0.08 for each in elsewhere)
    assert len(digest()) == 64


def test_other_weights_of_the_encoder_are_refused():
    model = made_up_model()
    other = dataclasses.replace(model, facts=dataclasses.replace(model.facts, encoder_digest="1" * 64))
    with pytest.raises(RostrumError, match="other weights"):
        other.rows([STRONG])


def test_what_is_no_model_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    path.write_text("nothing")
    with pytest.raises(RostrumError, match="not a model"):
        load(str(path))
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(RostrumError, match="not a model"):
        load(str(path))
    with pytest.raises(RostrumError, match="cannot read"):
        digest(str(tmp_path / "absent.npz"))
