import csv
import json
from xml.etree import ElementTree

import numpy as np
from click.testing import CliRunner

from pipeline.cli.graph import graph
from pipeline.errors import RostrumError
from tests.pipeline.graph.test_evaluate_graph import write_release


def write_votes(path, n_arguments=8, seed=0):
    """Eight arguments of known strength, judged by five careful workers and one careless."""
    random = np.random.default_rng(seed)
    lines = ["topic,argument1,argument2,worker,vote"]
    for topic in ("apples", "pears & <plums>"):
        for first in range(n_arguments):
            for second in range(first + 1, n_arguments):
                swapped = random.random() < 0.5
                pair = (second, first) if swapped else (first, second)
                for worker in range(6):
                    right = "a1" if (random.random() < 0.93) != swapped else "a2"
                    vote = str(random.choice(["a1", "a2", "equal"])) if worker == 5 else right
                    lines.append(f"{topic},x{pair[0]},x{pair[1]},w{worker},{vote}")
    path.write_text("\n".join(lines), encoding="utf-8")


def test_writes_the_graph_its_ranks_and_a_figure(tmp_path):
    write_votes(tmp_path / "votes.csv")
    out = tmp_path / "out"
    arguments = [str(tmp_path / "votes.csv"), "--out", str(out), "--json", "--restarts", "3"]
    result = CliRunner().invoke(graph, arguments, catch_exceptions=False)
    content = json.loads(result.stdout)
    assert len(content["rows"]) == 6
    with (out / "ranks.csv").open() as file:
        ranks = [row for row in csv.DictReader(file) if row["topic"] == "apples"]
    assert [row["argument"] for row in ranks][0] == "x0"
    assert float(ranks[0]["rank"]) < float(ranks[-1]["rank"])
    with (out / "workers.csv").open() as file:
        assert list(csv.DictReader(file))[-1]["worker"] == "w5"
    figures = sorted(out.glob("*.svg"))
    assert len(figures) == 2
    for figure in figures:
        assert len(ElementTree.parse(figure).findall(".//{http://www.w3.org/2000/svg}circle")) <= 8


def test_prints_a_table(tmp_path):
    write_votes(tmp_path / "votes.csv", n_arguments=4)
    result = CliRunner().invoke(graph, [str(tmp_path / "votes.csv"), "--restarts", "2"], catch_exceptions=False)
    assert "descending" in result.stdout
    assert "Elementary cycles" in result.stdout


def test_reads_the_published_xml_and_tells_reasons(tmp_path):
    write_release(tmp_path)
    votes = tmp_path / "UKPConvArg1-full-XML"
    text = (votes / "t.xml").read_text().replace("<turkCompetence>", "<reason>A1 has facts</reason><turkCompetence>")
    (votes / "t.xml").write_text(text)
    out = tmp_path / "out"
    CliRunner().invoke(graph, [str(votes), "--out", str(out), "--restarts", "2"], catch_exceptions=False)
    with (out / "reasons.csv").open() as file:
        reasons = {(row["argument"], row["side"]): row for row in csv.DictReader(file)}
    # "A1 has facts" was given for a as the first argument, and against it as the second
    assert reasons["b", "for"]["typical"] == "the other has facts"
    assert reasons["e", "against"]["reasons"] == "10"


def test_a_share_to_keep_that_is_no_number_is_said_in_one_line(tmp_path):
    write_votes(tmp_path / "votes.csv")
    result = CliRunner().invoke(graph, [str(tmp_path / "votes.csv"), "--keep", "nan"])
    assert isinstance(result.exception, RostrumError)
    assert "a share of nan of the pairs to keep" in str(result.exception)
