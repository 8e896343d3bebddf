"""A run as a research object and for a paper: read by RO-Crate's own library, drawn, and the same each time."""

import csv
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from pipeline.export.formats import export
from pipeline.export.formats.paper import latex
from pipeline.export.provenance import provenance
from pipeline.run.finished import FinishedRun
from pipeline.stage import STAGES
from tests.synthetic_run import debate, panel, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return FinishedRun(write_run(tmp_path_factory.mktemp("run"), debate(seconds=9.0)))


@pytest.fixture(scope="module")
def crate(run: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crate")
    export(run, "ro-crate", folder)
    return folder


def test_rocrate_reads_it(run: FinishedRun, crate: Path) -> None:
    library = pytest.importorskip("rocrate.rocrate", reason="pip install rocrate")
    read = library.ROCrate(crate)
    assert read.root_dataset["identifier"] == f"sha256:{provenance(run).digest}"
    action = read.dereference("#run")
    assert action["instrument"]["name"] == "rostrum"
    recordings = [each for each in action["object"] if each.type == "AudioObject"]
    assert sorted(each["name"] for each in recordings) == sorted(each.id for each in run.recordings)
    models = [(each["name"], each["identifier"]) for each in action["object"] if each.type == "CreativeWork"]
    assert models == [("tiny.en", "sha256:d3dd57d32accea0b")]
    files = {entity.id for entity in read.data_entities}
    assert {"settings.json", "results.csv", "tables/words.csv"} <= files


def test_every_file_is_described_with_its_digest(crate: Path) -> None:
    graph = json.loads((crate / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    entities = {each["@id"]: each for each in graph}
    assert len(entities) == len(graph)
    files = {path.relative_to(crate).as_posix() for path in crate.rglob("*") if path.is_file()}
    assert files - {"ro-crate-metadata.json"} == {each["@id"] for each in entities["./"]["hasPart"]}
    for name in files - {"ro-crate-metadata.json"}:
        assert entities[name]["sha256"] == hashlib.sha256((crate / name).read_bytes()).hexdigest()
    for each in graph:
        for value in each.values():
            for pointer in value if isinstance(value, list) else [value]:
                if isinstance(pointer, dict) and not pointer["@id"].startswith("http"):
                    assert pointer["@id"] in entities


def test_every_result_is_listed(run: FinishedRun, crate: Path) -> None:
    rows = list(csv.DictReader((crate / "results.csv").open(encoding="utf-8")))
    artifacts = [path for path in Path(run.store.root).rglob("*.json") if path.stem in STAGES]
    assert len(rows) == len(artifacts)
    skipped = [row for row in rows if row["stage"] == "content"]
    assert {row["skipped"] for row in skipped} == {"no references and no arguments"}


def test_the_same_results_have_the_same_digest(tmp_path: Path) -> None:
    one, same, other = (
        provenance(FinishedRun(write_run(tmp_path / name, debate(seconds=9.0), seed=seed))).digest
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert one == same != other


def test_anonymised_it_has_no_name_and_no_digest_of_a_recording(run: FinishedRun, tmp_path: Path) -> None:
    hidden = FinishedRun(run.store, anonymise=True)
    for name in ("ro-crate", "paper"):
        for path in export(hidden, name, tmp_path / name):
            text = path.read_text("utf-8")
            assert [each for each in ("Anna", "anna", "Carla", "made-up/corpus") if each in text] == [], path.name
    graph = json.loads((tmp_path / "ro-crate" / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    assert [each for each in graph if each["@type"] == "AudioObject" and "sha256" in each] == []


def test_a_paper_has_drawings_tables_and_how_they_were_made(run: FinishedRun, tmp_path: Path) -> None:
    files = {path.name: path.read_text("utf-8") for path in export(run, "paper", tmp_path)}
    line = provenance(run).line
    assert line.startswith("Made by rostrum ")
    assert "over 10 recordings, recognised by tiny.en (d3dd57d3); results sha256 " in line
    assert files["how-it-was-made.txt"] == f"{line}\n\nModels:\ntiny.en: d3dd57d32accea0b\n"
    assert {"phones-map.svg", "phones-flow.svg", "key_points.tex", "key_points.csv", "speeches.tex"} <= files.keys()
    for name, text in files.items():
        if name.endswith(".svg"):
            root = ElementTree.fromstring(text)
            assert line in " ".join("".join(root.itertext()).split())
        if name.endswith(".tex"):
            assert text.startswith(f"% {line}\n\\begin{{table}}")
            header = next(each for each in text.splitlines() if each.startswith("\\begin{tabular}"))
            body = text[text.index("\\toprule") : text.index("\\bottomrule")]
            width = body.splitlines()[1].replace("\\&", "").count("&") + 1
            rows = [each for each in body.splitlines() if each.endswith("\\\\")]
            assert {each.replace("\\&", "").count("&") + 1 for each in rows} == {width}, header
    read = pandas.read_csv(tmp_path / "key_points.csv")
    assert len(read) == len(files["key_points.tex"].splitlines()) - 11


def test_latex_s_own_signs() -> None:
    table = pandas.DataFrame({"a_b": ["50 % & $5 {x} ~ ^ \\ #_"], "n": pandas.array([0.12345], dtype="Float64")})
    text = latex(table, "One row.", "tab:a", "Made by us.")
    assert r"a b & n \\" in text
    assert r"50 \% \& \$5 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \#\_ & 0.123 \\" in text
    assert r"\begin{tabular}{lr}" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize(("rows", "pages"), [(3, 1), (120, 3)])
def test_latex_sets_it(tmp_path: Path, rows: int, pages: int) -> None:
    table = pandas.DataFrame({"said": ["50 % & {x} ~ ^ \\ #_"] * rows, "n": range(rows)})
    (tmp_path / "table.tex").write_text(latex(table, "One row.", "tab:a", "Made by us."), "utf-8")
    (tmp_path / "all.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,longtable}\begin{document}\input{table}\end{document}"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    for _ in "12":  # the second time it knows how wide a long table's columns are
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f"Output written on all.pdf ({pages} page" in printed
    assert "Float too large" not in printed


def test_a_panel(tmp_path: Path) -> None:
    run = FinishedRun(write_run(tmp_path / "run", panel()))
    names = {path.name for path in export(run, "paper", tmp_path / "out")}
    assert {"phones-map.svg", "phones-flow.svg", "speakers.tex", "how-it-was-made.txt"} <= names
