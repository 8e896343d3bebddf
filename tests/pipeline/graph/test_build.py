import itertools
import math

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.graph.build import GoldPair, build_graph, cycles, ordered, pair_weight
from pipeline.graph.measures import (
    cycle_rows,
    mixed_graph,
    node_transitivity,
    page_rank,
    ranked,
    statistics,
    transitivity_scores,
)


def pairs(text):
    """'a>b b=c' as pairs, the first with the highest weight."""
    found = []
    for i, each in enumerate(text.split()):
        first, sign, second = each[0], each[1], each[2]
        label = {">": "a1", "<": "a2", "=": "equal"}[sign]
        found.append(GoldPair(first, second, label, 0.9 - i / 1000))
    return found


names = st.sampled_from("abcdefg")
random_pairs = st.lists(
    st.tuples(names, st.sampled_from(["a1", "a2", "equal"]), names).filter(lambda pair: pair[0] != pair[2]), max_size=25
).map(lambda items: [GoldPair(first, second, label, 0.5) for first, label, second in items])


def test_pair_weight_is_the_sigmoid_of_competences_with_the_penalty():
    assert pair_weight([0.9, 0.8], []) == pytest.approx(1 / (1 + math.exp(-1.7)))
    assert pair_weight([0.9, 0.8, 0.7], [0.2]) == pytest.approx(1 / (1 + math.exp(-(2.4 - 2.0))))
    assert pair_weight([], []) == 0.5


def test_the_pair_that_closes_a_cycle_is_refused():
    built = build_graph(pairs("a>b b>c c>a a>d"))
    assert [(p.first, p.second) for p in built.refused] == [("c", "a")]
    assert set(built.graph.edges) == {("a", "b"), ("b", "c"), ("a", "d")}
    assert built.first_cycle is not None
    assert (built.first_cycle.pairs, built.first_cycle.length, built.first_cycle.nodes) == (2, 3, 3)


def test_descending_order_keeps_the_surer_pairs():
    cycle = pairs("a>b b>c c>a")
    assert build_graph(ordered(cycle, "descending")).refused == [cycle[2]]
    assert build_graph(ordered(cycle, "ascending")).refused == [cycle[0]]
    assert sorted(p.first for p in ordered(cycle, "random", seed=1)) == ["a", "b", "c"]


def test_equal_arguments_become_one_node():
    built = build_graph(pairs("a=b b>c d>a"))
    assert built.node("a") == built.node("b")
    assert built.members(built.node("a")) == ["a", "b"]
    assert len(built.graph) == 3
    assert set(nx.descendants(built.graph, "d")) == {built.node("a"), "c"}


def test_an_equal_pair_inside_a_group_is_kept_and_an_unequal_one_is_a_self_loop():
    built = build_graph(pairs("a=b b=a a>b"))
    assert len(built.kept) == 2
    assert built.first_cycle is not None
    assert built.first_cycle.length == 1


def test_merging_what_a_path_joins_is_refused():
    built = build_graph(pairs("a>b b>c a=c"))
    assert [p.label for p in built.refused] == ["equal"]
    assert built.first_cycle is not None
    assert built.first_cycle.length == 2


def test_labels_point_from_the_winner():
    assert set(build_graph(pairs("a<b")).graph.edges) == {("b", "a")}


def contradict(items):
    """Whether some argument is, over any number of pairs, both better than another and no better."""
    no_worse = nx.MultiDiGraph(pair.winner_and_loser for pair in items)
    no_worse.add_edges_from(pair.winner_and_loser[::-1] for pair in items if pair.label == "equal")
    return any(nx.has_path(no_worse, *pair.winner_and_loser[::-1]) for pair in items if pair.label != "equal")


@given(random_pairs)
def test_stays_acyclic_and_refuses_only_what_closes_a_cycle(items):
    built = build_graph(items)
    assert nx.is_directed_acyclic_graph(built.graph)
    assert len(built.kept) + len(built.refused) == len(items)
    assert not contradict(built.kept)
    assert all(contradict([*built.kept, refused]) for refused in built.refused)


@given(random_pairs)
def test_cycle_counts_against_every_possible_cycle(items):
    unequal = [pair for pair in items if pair.label != "equal"]
    edges = {pair.winner_and_loser for pair in unequal}
    nodes = sorted({node for edge in edges for node in edge})
    counts = {}
    for length in range(2, 6):
        for chosen in itertools.permutations(nodes, length):
            closed = zip(chosen, chosen[1:] + chosen[:1], strict=True)
            if chosen[0] == min(chosen) and all(edge in edges for edge in closed):
                counts[length] = counts.get(length, 0) + 1
    found = cycles(unequal)
    assert (found.by_length, found.nodes, found.complete) == (counts, len(nodes), True)


def test_cycles_through_merged_arguments():
    assert cycles(pairs("a>b b>c c=a")).by_length == {2: 1}
    self_loop = cycles(pairs("a=b a>b"))
    assert (self_loop.by_length, self_loop.nodes) == ({1: 1}, 1)


def test_counting_of_cycles_says_where_it_stopped():
    found = cycles(pairs("a>b b>a b>c c>b"), most=1)
    assert (found.by_length, found.complete) == ({2: 1}, False)


def test_transitivity_of_the_worked_example():
    """Three edges the long way, two the short one: nothing; with a direct edge besides it is 3."""
    graph = build_graph(pairs("a>b b>c c>d a>e e>d")).graph
    assert transitivity_scores(graph) == []
    graph.add_edge("a", "d")
    assert transitivity_scores(graph) == [3.0]


def test_a_transitive_chain():
    """a>b>c>d with every shortcut: 2 for a-c and b-d, 3 for a-d."""
    graph = build_graph(pairs("a>b b>c c>d a>c b>d a>d")).graph
    assert sorted(transitivity_scores(graph)) == [2.0, 2.0, 3.0]
    assert node_transitivity(graph) == {"a": 3, "b": 2, "c": 0, "d": 0}


@given(random_pairs)
def test_transitivity_against_all_paths(items):
    graph = build_graph(items).graph
    expected = []
    for source, target in graph.edges:
        longest = max(len(path) - 1 for path in nx.all_simple_paths(graph, source, target))
        if longest > 1:
            expected.append(float(longest))
    assert sorted(transitivity_scores(graph)) == sorted(expected)


@settings(max_examples=30)
@given(random_pairs)
def test_page_rank_is_the_stationary_walk(items):
    graph = mixed_graph(items)
    ranks = page_rank(graph)
    for node in graph:
        # from a node without edges, the walk goes on to any node
        incoming = sum(ranks[before] / graph.out_degree(before) for before in graph.predecessors(node))
        anywhere = sum(ranks[each] for each in graph if not graph.out_degree(each)) / len(graph)
        assert ranks[node] == pytest.approx(0.15 / len(graph) + 0.85 * (incoming + anywhere), abs=1e-11)


def test_convincing_arguments_have_a_low_rank():
    built = build_graph(pairs("a>b b>c a>c c=d a>e"))
    order = [each.argument for each in ranked(built)]
    assert order[0] == "a"
    assert set(order[-2:]) == {"c", "d"}


def test_no_one_two_arguments_and_disconnected_parts():
    assert transitivity_scores(build_graph([]).graph) == []
    assert ranked(build_graph([])) == []
    assert ranked(build_graph(pairs("a>b")))[0].argument == "a"
    parts = build_graph(pairs("a>b c>d"))
    assert nx.number_weakly_connected_components(parts.graph) == 2
    assert sum(each.rank for each in ranked(parts)) == pytest.approx(1.0)


def test_equal_ranks_share_a_place():
    """Two best and two worst arguments: places 1, 1, 3, 3."""
    assert [(each.argument, each.place) for each in ranked(build_graph(pairs("a>b c>d")))] == [
        ("a", 1),
        ("c", 1),
        ("b", 3),
        ("d", 3),
    ]


def test_statistics_average_over_topics():
    topics = {"one": pairs("a>b b>c c>a"), "two": pairs("a>b b>c a>c a=d")}
    rows = {(row["order"], row["equal_pairs"]): row for row in statistics(topics)}
    assert len(rows) == 6
    merged = rows["descending", "merged"]
    assert merged["topics_with_cycles"] == 1
    assert merged["pairs"] == 3.5
    assert merged["pairs_refused"] == 0.5
    assert merged["transitivity_mean"] == 2.0
    assert rows["descending", "left out"]["pairs"] == 3.0
    merged, left_out = cycle_rows(topics)
    assert (merged["equal_pairs"], merged["cycles_of_3"], merged["nodes"], merged["topics_cut"]) == ("merged", 1, 3, 0)
    assert left_out["cycles_of_3"] == 1


def test_statistics_of_a_topic_without_cycles_have_no_first_cycle():
    row = statistics({"only": pairs("a>b")})[0]
    assert row["first_cycle_length"] is None
    assert row["transitivity_mean"] is None


def test_ties_keep_the_files_order():
    tied = [GoldPair(first, "z", "a1", 0.5) for first in "cab"]
    assert [pair.first for pair in ordered(tied, "descending")] == ["c", "a", "b"]
