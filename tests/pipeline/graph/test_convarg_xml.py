import pytest

from pipeline.errors import RostrumError
from pipeline.graph.votes import read_annotated_pairs

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


def write(folder, *pairs, head='<?xml version="1.0"?>', name="topic_yes.xml"):
    (folder / name).write_text(f"{head}<list>{''.join(pairs)}</list>", encoding="utf-8")


def test_votes_reasons_texts_and_gold(tmp_path):
    labelled = PAIR.format(first="x", second="y", gold="<goldLabel>a1</goldLabel>")
    write(tmp_path, labelled, PAIR.format(first="y", second="z", gold=""))
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
    write(tmp_path, PAIR.format(first="x", second="y", gold="").replace(*change))
    with pytest.raises(RostrumError, match=rf"topic_yes\.xml: {message}"):
        list(read_annotated_pairs(tmp_path))


def test_entities_are_not_expanded(tmp_path):
    bomb = '<?xml version="1.0"?><!DOCTYPE list [<!ENTITY a "aaaa">]>'
    write(tmp_path, PAIR.format(first="x", second="y", gold="").replace("Second.", "&a;"), head=bomb)
    with pytest.raises(RostrumError, match="declares XML entities"):
        list(read_annotated_pairs(tmp_path))


def test_an_empty_folder(tmp_path):
    with pytest.raises(RostrumError, match=r"no \.xml files"):
        list(read_annotated_pairs(tmp_path))
