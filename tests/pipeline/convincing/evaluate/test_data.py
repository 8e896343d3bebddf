import os
from pathlib import Path

import numpy as np
import pytest

from pipeline.convincing.evaluate.data import different_sets, joined, read_pairs
from pipeline.convincing.evaluate.judging import sets_left_out
from pipeline.errors import RostrumError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def ukp(tmp_path):
    pairs = tmp_path / "data" / "UKPConvArg1Strict-CSV"
    write(pairs / "tea.csv", '#id\tlabel\ta1\ta2\n1_2\ta1\tWarm <br/> "and good\tHot\n2_3\ta2\tHot\tIt wakes you\n')
    write(pairs / "bus.csv", "#id\tlabel\ta1\ta2\n7_8\ta2\tSlow\tCheap for all\n")
    ranks = tmp_path / "data" / "UKPConvArg1-Ranking-CSV"
    write(ranks / "teas.csv", '#id\trank\targument\n1\t0.1\tWarm <br/> "and good\n2\t0.7\tHot\n9\t0.5\tNot in a pair\n')
    return tmp_path


def test_ukp(ukp):
    (found,) = read_pairs(ukp)
    assert found.name == "UKPConvArg1"
    assert found.topics == ("bus", "tea")
    assert [found.texts[i] for i in found.winner] == ["Cheap for all", 'Warm\n"and good', "It wakes you"]
    assert [found.texts[i] for i in found.loser] == ["Slow", "Hot", "Hot"]
    assert found.pair_topic.tolist() == [0, 1, 1]
    assert found.first_wins.tolist() == [False, True, False]


def test_ukp_ranks_are_page_ranks_the_lowest_the_best(ukp):
    (found,) = read_pairs(ukp)
    assert [found.texts[i] for i in found.ranked_text] == ['Warm\n"and good', "Hot"]
    assert found.rank.tolist() == [-0.1, -0.7]


def test_ibm_argq_has_two_sets_the_cleaner_first(tmp_path):
    header = "id\tannotatorid\tlabel\ta1\ta2\n"
    write(tmp_path / "IBM-ArgQ-14kPairs" / "t.tsv", header + '1_2\tgold\ta1\t"One ""quoted""\nline"\tTwo \n')
    write(tmp_path / "IBM-ArgQ-9.1kPairs" / "t.tsv", "#" + header + "1_2\tgold\ta2\tone\ttwo\n")
    write(tmp_path / "IBM-ArgQ-5.3kArgs" / "t.tsv", "id\trank\targument\n1\t0.25\tOne\n2\t0.75\tTwo\n")
    clean, larger = read_pairs(tmp_path)
    assert (clean.name, larger.name) == ("IBM-ArgQ-9.1k", "IBM-ArgQ-14k")
    assert larger.texts == ('One "quoted"\nline', "Two")
    assert clean.rank.tolist() == [0.25, 0.75]
    assert len(larger.rank) == 0


def test_evidence(tmp_path):
    text = 'topic,evidence_1,evidence_2,label,acceptance_rate\nTea,"It, warms",No,1,1.0\nTea,No,Yes,2,0.7\n'
    write(tmp_path / "test.csv", text)
    (found,) = read_pairs(tmp_path)
    assert found.name == "IBM-EviConv test"
    assert [found.texts[i] for i in found.winner] == ["It, warms", "Yes"]
    assert not found.across_stances.any()


def test_evidence_with_stances(tmp_path):
    header = "topic,evidence_1,evidence_2,label,evidence_1_stance,evidence_2_stance\n"
    write(tmp_path / "train.csv", header + "Tea,Warms,Wakes,1,PRO,PRO\nTea,Warms,Stains,1,PRO,CON\n")
    (found,) = read_pairs(tmp_path)
    assert found.across_stances.tolist() == [False, True]


@pytest.mark.parametrize("rank", ["nan", "inf", "-inf", "first"])
def test_a_rank_is_a_number(ukp, rank):
    ranks = ukp / "data" / "UKPConvArg1-Ranking-CSV"
    write(ranks / "buses.csv", f"#id\trank\targument\n1\t{rank}\tSlow\n")
    with pytest.raises(RostrumError, match=f"buses.csv: line 2: '{rank}' is not a rank"):
        read_pairs(ukp)


def test_a_text_is_the_same_however_its_letters_were_typed(tmp_path):
    rows = "id\tlabel\ta1\ta2\n1\ta1\tna\u00efve\tx\n2\ta2\tx\tnai\u0308ve\n"
    write(tmp_path / "t.tsv", rows)
    (found,) = read_pairs(tmp_path)
    assert found.texts == ("na\u00efve", "x")


def test_own_files(tmp_path):
    write(tmp_path / "mine" / "topic one.tsv", "id\tlabel\ta1\ta2\n1\ta1\tGood\tBad\n")
    (found,) = read_pairs(tmp_path / "mine")
    assert (found.name, found.topics) == ("mine", ("topic one",))


def test_a_text_of_two_topics_is_a_text_of_each(tmp_path):
    for topic in ("one", "two"):
        write(tmp_path / f"{topic}.csv", "id\tlabel\ta1\ta2\n1\ta1\tSame\tOther\n")
    (found,) = read_pairs(tmp_path)
    assert sorted(found.texts) == ["Other", "Other", "Same", "Same"]
    assert found.pair_topic.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "id\tlabel\ta1\n1\ta1\tx\n", "no column 'a2'"),
        ("t.csv", "id\tlabel\ta1\ta2\n1\tequal\tx\ty\n", "line 2: the label is 'equal'"),
        ("t.csv", "id\tlabel\ta1\ta2\n1\ta1\tx\n", "line 2 has 3 fields"),
        ("t.csv", "topic,evidence_1,evidence_2,label\nTea,a,b,3\n", ":2: the label is '3'"),
        ("t.csv", "topic,label,evidence_1,evidence_2\nTea,1,a\n", ":2: too few columns"),
        ("readme.txt", "nothing", "no pairs of arguments"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, text, message):
    write(tmp_path / name, text)
    with pytest.raises(RostrumError, match=message):
        read_pairs(tmp_path)


@pytest.mark.skipif("ROSTRUM_DATA" not in os.environ, reason="ROSTRUM_DATA does not say where the public data sets are")
@pytest.mark.parametrize(
    ("folder", "name", "pairs", "texts", "topics"),
    [("ukpconvarg1", "UKPConvArg1", 11650, 1038, 32), ("ibm-eviconv", "IBM-EviConv train", 4319, 1281, 48)],
)
def test_the_releases(folder, name, pairs, texts, topics):
    found = read_pairs(Path(os.environ["ROSTRUM_DATA"], folder))[0]
    assert (found.name, len(found.first), len(found.texts), len(found.topics)) == (name, pairs, texts, topics)
    words = np.array([len(text.split()) for text in found.texts])
    if folder == "ibm-eviconv":
        assert np.mean(words[found.winner] > words[found.loser]) == pytest.approx(0.526, abs=0.001)


def own_set(folder, *rows):
    write(folder / "tea.tsv", "id\tlabel\ta1\ta2\n" + "".join(f"{n}\t{row}\n" for n, row in enumerate(rows)))
    return folder


def test_several_sets_are_one_whose_topics_stay_apart(tmp_path):
    one, two = own_set(tmp_path / "one", "a1\tWarm\tHot"), own_set(tmp_path / "two", "a2\tHot\tCheap", "a1\tNew\tHot")
    found = joined(different_sets([one, two]))
    assert found.name == "one + two"
    assert found.topics == ("one: tea", "two: tea")
    assert [(found.texts[i], found.topics[found.topic_of[i]]) for i in found.winner] == [
        ("Warm", "one: tea"),
        ("Cheap", "two: tea"),
        ("New", "two: tea"),
    ]
    assert [found.texts[i] for i in found.loser] == ["Hot", "Hot", "Hot"]
    assert found.pair_topic.tolist() == [0, 1, 1]
    assert len(set(found.loser)) == 2  # 'Hot' of one set is not 'Hot' of the other


def test_a_set_that_is_given_twice_is_refused(tmp_path):
    one = own_set(tmp_path / "one", "a1\tWarm\tHot")
    with pytest.raises(RostrumError, match="this is one, which was given before"):
        different_sets([one, one])


def test_each_set_is_judged_by_all_others_and_by_each(tmp_path):
    folders = [own_set(tmp_path / name, f"a1\t{name} good\t{name} bad") for name in ("one", "two", "three")]
    found = sets_left_out(folders)
    assert [(each.judged.name, each.learned_from) for each in found] == [
        ("one", "two + three"),
        ("one", "two"),
        ("one", "three"),
        ("two", "one + three"),
        ("two", "one"),
        ("two", "three"),
        ("three", "one + two"),
        ("three", "one"),
        ("three", "two"),
    ]
    for each in found:
        (fold,) = each.folds
        assert [each.texts[i].split()[0] for i in fold.test[0]] == [each.judged.name] * 2
        assert each.judged.name not in {each.texts[i].split()[0] for i in fold.train.ravel()}
    assert [(each.judged.name, each.learned_from) for each in sets_left_out(folders[:2])] == [
        ("one", "two"),
        ("two", "one"),
    ]
