import pytest

from pipeline.errors import RostrumError
from pipeline.graph.votes import read_votes


def write(folder, text):
    path = folder / "votes.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_pairs_in_any_order_are_one_pair(tmp_path):
    text = "topic,argument1,argument2,worker,vote\nt,x,y,w1,a1\nt,y,x,w2,a1\nt,y,x,w3,equal\nother,x,y,w1,a2\n"
    pairs = read_votes(write(tmp_path, text))
    assert [(pair.topic, pair.first, pair.second) for pair in pairs] == [("t", "x", "y"), ("other", "x", "y")]
    assert pairs[0].votes == {"w1": "a1", "w2": "a2", "w3": "equal"}


def test_reasons_are_kept(tmp_path):
    (pair,) = read_votes(write(tmp_path, "argument1,argument2,worker,vote,reason\nx,y,w1,a1,more facts\nx,y,w2,a2,\n"))
    assert pair.reasons == {"w1": "more facts"}


def test_an_argument_is_the_same_however_its_letters_were_typed(tmp_path):
    text = "argument1,argument2,worker,vote\nna\u00efve,y,w1,a1\ny,nai\u0308ve,w2,a2\n"
    (pair,) = read_votes(write(tmp_path, text))
    assert (pair.first, pair.votes) == ("na\u00efve", {"w1": "a1", "w2": "a1"})


def test_without_a_topic(tmp_path):
    pairs = read_votes(write(tmp_path, "worker,vote,argument1,argument2\nw,a2,x,y\n"))
    assert pairs[0].topic == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("argument1,argument2,worker\nx,y,w\n", "no column 'vote'"),
        ("argument1,argument2,worker,vote\nx,y,w,a3\n", "line 2: the vote is 'a3'"),
        ("argument1,argument2,worker,vote\nx,x,w,a1\n", "compared to itself"),
        ("argument1,argument2,worker,vote\nx,y,w,a1\nx,y,w,a2\n", "line 3: w has voted"),
        ("argument1,argument2,worker,vote\nx,y,,a1\n", "missing"),
        ("argument1,argument2,worker,vote\n", "no votes"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, message):
    with pytest.raises(RostrumError, match=message):
        read_votes(write(tmp_path, text))
