"""Ranks as in the task: by strict, by relaxed, and by the mean of both."""

from pipeline.keypoints.evaluate.data import Part, Statement
from pipeline.keypoints.evaluate.matching_rows import ranked, reported_on


def row(method, strict, relaxed, **more):
    return {"method": method, "scorer": "leaderboard", "strict": strict, "relaxed": relaxed, **more}


def test_the_mean_of_both_ranks_of_the_published_leaderboard():
    # Friedman-Melamed et al. 2021, table 2: strict and relaxed ranks of the first systems are (2, 1), (1, 3) and (5, 2)
    # among all submissions; among these three: (2, 1), (1, 3), (3, 2).
    found = list(ranked([row("mspl", 0.908, 0.972), row("heinrichreimer", 0.912, 0.967), row("vund", 0.878, 0.968)]))
    assert [(each["strict_rank"], each["relaxed_rank"], each["mean_rank"]) for each in found] == [
        (2, 1, 1.5),
        (1, 3, 2),
        (3, 2, 2.5),
    ]


def test_equal_figures_share_the_mean_of_their_ranks_and_no_figure_has_no_rank():
    found = list(ranked([row("a", 0.5, 0.9), row("b", 0.5, 0.8), row("c", None, None)]))
    assert [each["strict_rank"] for each in found] == [1.5, 1.5, None]
    assert [each["mean_rank"] for each in found] == [1.25, 1.75, None]


def test_where_ties_make_a_figure_chance_its_expectation_is_ranked():
    lucky = row("lucky", 0.9, 0.9, strict_expected=0.4, relaxed_expected=0.4)
    steady = row("steady", 0.6, 0.6, strict_expected=0.6, relaxed_expected=0.6)
    assert [each["mean_rank"] for each in ranked([lucky, steady])] == [2, 1]


def test_the_reported_systems_stand_beside_the_test_part_alone():
    topics = (
        "Routine child vaccinations should be mandatory",
        "Social media platforms should be regulated by the government",
        "The USA is a good country to live in",
    )
    part = Part("test", tuple(Statement(f"a{n}", "text", topic, "pro") for n, topic in enumerate(topics)), (), {})
    assert reported_on(part)["mspl (RoBERTa-large)"] == (0.908, 0.972)
    assert reported_on(Part("dev", part.arguments[:1], (), {})) == {}
