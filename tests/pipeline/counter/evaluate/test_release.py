"""The published data set's layout, with kinds of responses in the names: the paper's tables by one command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main_group
from pipeline.counter.evaluate.debates import read_debates
from tests.members import add_member

TOPICS = ("cats", "dogs", "birds", "trees", "rocks")


SHORTEST = """
    import numpy as np
    from pipeline.counter.method import CounterMethod

    def shortest(supporting, candidates):
        return np.array([-float(len("".join(each.sentences))) for each in candidates])

    METHOD = CounterMethod("shortest", "a shorter speech", place=56, build=lambda given: shortest)
"""


def write_release(folder: Path) -> Path:
    """Of each motion anna's speech, answered in both ways, bob's, answered implicitly, and an answer to nobody here."""
    for number, topic in enumerate(TOPICS, start=1):
        speeches = {
            "anna_pro_opening": [f"We like {topic} for their beauty.", "They cost little money."],
            "bob_pro_opening": [f"We like {topic} for their wisdom.", "They live for centuries."],
            "cleo_con_explicit_anna": [
                f"They say that {topic} cost little money.",
                "The first thing we heard is beauty.",
            ],
            "dina_con_implicit_anna": [f"The beauty of {topic} fades.", "And money is no reason."],
            "emil_con_implicit_bob": [f"{topic} have no wisdom.", "Nobody needs what lives for centuries."],
            "finn_con_rebuttal_zoe": ["We were told about a castle.", "She said that it stands by the sea."],
        }
        for name, lines in speeches.items():
            speaker, rest = name.split("_", 1)
            path = folder / "speeches" / "trs.txt" / f"{speaker}_{number}_{topic}_{rest}.somebody.trs.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """The table, with a method that somebody has added."""
    data = write_release(tmp_path_factory.mktemp("release"))
    arguments = ["evaluate", "counter", "--data", str(data), "--encoder", "none", "--vectors", "none", "--json"]
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("added")
        add_member(patch, folder, "pipeline.counter.methods", "shortest.py", SHORTEST)
        found = CliRunner().invoke(main_group, [*arguments, "--protocol", "motion"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)["rows"]


def figures(rows: list[dict], method: str, setting: str) -> dict:
    (row,) = (each for each in rows if (each["method"], each["setting"], each["config"]) == (method, setting, ""))
    return row


def test_the_names_say_how_each_speech_answers(tmp_path: Path) -> None:
    debate = read_debates(write_release(tmp_path), "trs.txt")[0]
    assert debate.kinds == ("explicit", "implicit", "implicit", "explicit")
    # finn's opponent has no speech in the data
    assert debate.answers.tolist() == [[True, True, False, False], [False, False, True, False]]


def test_candidates_and_chance_are_those_of_the_paper_s_rule(rows: list[dict]) -> None:
    # all: anna 2 of 4, bob 1 of 4; explicit: anna 1 of 3; implicit: anna 1 of 3, bob 1 of 4
    assert figures(rows, "random", "all")["accuracy"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert figures(rows, "random", "explicit")["accuracy"] == pytest.approx(1 / 3)
    assert figures(rows, "random", "implicit")["accuracy"] == pytest.approx((1 / 3 + 1 / 4) / 2)
    asked = {setting: figures(rows, "candidates", setting) for setting in ("all", "explicit", "implicit")}
    assert [asked[each]["supporting"] for each in asked] == [10, 5, 10]
    assert [asked[each]["opposing"] for each in asked] == [20, 15, 20]
    assert [asked[each]["candidates"] for each in asked] == pytest.approx([4, 3, 3.5])
    assert [asked[each]["positives"] for each in asked] == pytest.approx([3 / 8, 1 / 3, 2 / 7])


def test_every_method_has_accuracy_and_reciprocal_rank_in_every_setting(rows: list[dict]) -> None:
    for setting in ("all", "explicit", "implicit"):
        for method in ("JS", "ngrs", "content ngrs", "c-MI", "combined", "learned"):
            found = figures(rows, method, setting)
            assert 0 <= found["accuracy"] <= found["mrr"] <= 1


def test_a_method_of_one_file_is_in_the_table(rows: list[dict]) -> None:
    # the shortest of each motion is emil's, which answers bob
    assert figures(rows, "shortest", "implicit")["accuracy"] == 0.5
    assert figures(rows, "shortest", "all")["sees"] == "pair"


def test_the_classifier_of_responses_is_checked_on_every_speech(rows: list[dict]) -> None:
    supporting = figures(rows, "supporting speeches called explicit", "all")
    opposing = figures(rows, "opposing speeches called explicit", "all")
    assert (supporting["share"], supporting["speeches"]) == (0.0, 10)
    assert (opposing["share"], opposing["speeches"]) == (0.5, 20)
    assert figures(rows, "explicit or implicit", "all")["accuracy"] == 1.0
