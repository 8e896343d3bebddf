from pipeline.graph.measures import typical_reasons
from pipeline.graph.votes import PairVotes


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
