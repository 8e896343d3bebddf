import pytest

from pipeline.errors import RostrumError
from pipeline.graph.votes import PairVotes, read_annotated_pairs, read_votes, typical_reasons


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


PAIR = """
  <annotatedArgumentPair>
    <id>{first}_{second}</id>
    <arg1><stance>yes</stance><text>First &amp; best.</text><id>{first}</id></arg1>
    <arg2><stance>yes</stance><text>Second.</text><id>{second}</id></arg2>
    <mTurkAssignments>
      <mTurkAssignment><turkID>w1</turkID><value>a1</value><reason> A1 has facts </reason>
        <turkCompetence>0.9</turkCompetence></mTurkAssignment>
      <mTurkAssignment><turkID>w2</turkID><value>equal</value><reason/></mTurkAssignment>
    </mTurkAssignments>
    {gold}
  </annotatedArgumentPair>"""


def write_xml(folder, *pairs, head='<?xml version="1.0"?>', name="topic_yes.xml"):
    (folder / name).write_text(f"{head}<list>{''.join(pairs)}</list>", encoding="utf-8")


def test_votes_reasons_texts_and_gold(tmp_path):
    labelled = PAIR.format(first="x", second="y", gold="<goldLabel>a1</goldLabel>")
    write_xml(tmp_path, labelled, PAIR.format(first="y", second="z", gold=""))
    one, other = read_annotated_pairs(tmp_path)
    assert (one.votes.topic, one.votes.first, one.votes.second) == ("topic_yes", "x", "y")
    assert one.votes.votes == {"w1": "a1", "w2": "equal"}
    assert one.votes.reasons == {"w1": "A1 has facts"}
    assert (one.gold, other.gold) == ("a1", None)
    assert one.competence == {"w1": 0.9}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<value>a1</value>", "<value>a3</value>"), "pair x_y: the vote is 'a3'"),
        (("<id>y</id>", ""), "pair x_y: has no arg2 id"),
        (("</annotatedArgumentPair>", ""), "not valid XML"),
        (("0.9", "high"), "pair x_y: a competence is 'high'"),
    ],
)
def test_what_is_wrong_is_said_with_its_file(tmp_path, change, message):
    write_xml(tmp_path, PAIR.format(first="x", second="y", gold="").replace(*change))
    with pytest.raises(RostrumError, match=rf"topic_yes\.xml: {message}"):
        list(read_annotated_pairs(tmp_path))


def test_entities_are_not_expanded(tmp_path):
    bomb = '<?xml version="1.0"?><!DOCTYPE list [<!ENTITY a "aaaa">]>'
    write_xml(tmp_path, PAIR.format(first="x", second="y", gold="").replace("Second.", "&a;"), head=bomb)
    with pytest.raises(RostrumError, match="declares XML entities"):
        list(read_annotated_pairs(tmp_path))


def test_an_empty_folder(tmp_path):
    with pytest.raises(RostrumError, match=r"no \.xml files"):
        list(read_annotated_pairs(tmp_path))


def voted(first, second, *given):
    votes = {f"w{i}": vote for i, (vote, _) in enumerate(given)}
    return PairVotes("t", first, second, votes, {f"w{i}": reason for i, (_, reason) in enumerate(given)})


def test_the_typical_reason_shares_most_with_the_others_and_names_arguments_from_one_view():
    pairs = [
        voted("x", "y", ("a1", "A1 gives facts"), ("a1", "a1 has many facts and sources"), ("equal", "both the same")),
        voted("y", "x", ("a2", "Argument two gives facts, a1 shouts"), ("a2", "funny")),
    ]
    found = {(each.argument, each.side): each for each in typical_reasons(pairs)}
    assert found.keys() == {("x", "for"), ("y", "against")}
    best = found["x", "for"]
    assert best.reasons == 4
    assert best.typical == "this argument gives facts"
    assert best.words[:2] == ("facts", "gives")
    assert found["y", "against"].typical == "the other gives facts"


def test_no_reasons():
    assert typical_reasons([PairVotes("t", "x", "y", {"w": "a1"})]) == []
