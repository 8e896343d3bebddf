from pathlib import Path

import pytest

import rostrum
from pipeline.records import Argument, Motion, Speech, Votes
from pipeline.report.build import write_report
from pipeline.report.run_data import ReportData
from pipeline.run.index import load_known, save
from pipeline.run.store import Store
from tests.pipeline.conftest import RIGHT_TO_LEFT, hostile
from tests.synthetic_run import MadeUp, debate, write_run


@pytest.fixture(scope="module")
def data(run: Store) -> ReportData:
    return ReportData.read(run)


def lines(text: str, title: str) -> list[str]:
    """The lines of the part with that title."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0].strip().splitlines()


def test_the_run_at_a_glance(data: ReportData) -> None:
    text = data.front_page.markdown
    assert "- **Recordings**: 10 (1 failed)" in text
    assert lines(text, "1 failed") == ["- broken: ingest: broken.ogg: cannot be decoded as audio"]
    assert lines(text, "What was argued")[2].startswith(
        "| We should ban phones in schools. | 2 for, 2 against, 1 side not known | for: "
    )
    assert lines(text, "Stages")[2].startswith("| ingest | 4.5 s | 24 | 9 | 0 |")
    assert lines(text, "Models")[2:] == ["| transcribe | tiny.en | d3dd57d32acc |"]
    assert lines(text, "Skipped, and why")[2].startswith("| content | no references and no arguments | 9 | ")


def test_a_run_of_texts_has_no_seconds_of_audio(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "debate.txt").write_text("ANNA: Ban it now.\nBEN: Why?\nANNA: It kills.", encoding="utf-8")
    rostrum.run(
        tmp_path / "corpus",
        tmp_path / "run",
        stages=["segment"],
        settings={"transcribe.text": "reference"},
    )
    text = ReportData.read(Store(tmp_path / "run")).front_page.markdown
    assert "- **Words**: 6" in text
    assert "**Audio**" not in text


def test_a_motion_at_a_glance(data: ReportData) -> None:
    text = data.motion_page(data.run.motions[0]).markdown
    assert any(line.startswith("| against | phones/con_carla | Carla | 0:12 | ") for line in lines(text, "Speeches"))
    matrix = lines(text, "Who answers whom")
    assert matrix[0] == "|  | phones/con_carla | phones/con_dan |"
    assert matrix[2] == "| phones/pro_anna | 0.90 ● | 0.45 |"
    points = [line.split(" | ") for line in lines(text, "Key points")[2:]]
    assert [(cells[0], cells[1].rpartition(", ")[0], cells[2]) for cells in points] == [
        ("| for", "2 of 2, 2 speakers", "phones/pro_anna, phones/pro_ben"),
        ("| against", "2 of 2, 2 speakers", "phones/con_carla, phones/con_dan"),
    ]
    assert "| for | phones/pro_anna, phones/pro_ben | Phones distract. | Pupils learn self-control. |" in text
    assert len(lines(text, "Which points convince")) > 3


def test_votes_of_the_audience_are_on_the_page_of_their_motion(tmp_path: Path) -> None:
    store = write_run(tmp_path, debate())
    summary = load_known(store)
    motion = summary.known.motions[0].id
    votes = Votes(motion=motion, for_before=30, against_before=40, for_after=55, against_after=38.5)
    save(summary.model_copy(update={"known": summary.known.model_copy(update={"votes": (votes,)})}), store)
    data = ReportData.read(store)
    first, *others = (data.motion_page(motion).markdown for motion in data.run.motions)
    assert lines(first, "Votes of the audience")[2:] == [
        "| for | 30 % | 55 % | +25 |",
        "| against | 40 % | 38.5 % | -1.5 |",
    ]
    assert not any("Votes of the audience" in other for other in others)


def test_no_name_breaks_a_table_or_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = ReportData.read(write_run(tmp_path_factory.mktemp("hostile"), hostile()))
    text = "\n".join([data.front_page.markdown, *(data.motion_page(motion).markdown for motion in data.run.motions)])
    assert "<script" not in text
    assert "<b>" not in text
    assert RIGHT_TO_LEFT in text


@pytest.mark.slow
def test_pages_of_many_speeches_fold_what_is_long(tmp_path: Path) -> None:
    """60 speeches on a motion, 40 arguments, 12 people in a recording."""
    speeches = [
        Speech(id=f"s{n:02d}", motion="phones", stance="con" if n % 2 else "pro", speakers=(f"Speaker {n:02d}",))
        for n in range(60)
    ]
    arguments = [
        Argument(id=f"a{n}", motion="phones", stance="con" if n % 2 else "pro", title=f"Claim {n}.") for n in range(40)
    ]
    people = tuple(f"Person {n}" for n in range(12))
    made = MadeUp(
        [Motion(id="phones", text="We should ban phones in schools.")],
        [*speeches, Speech(id="panel", motion="phones", speakers=people)],
        arguments,
    )
    report = write_report(write_run(tmp_path / "run", made), tmp_path / "report").parent
    motion = (report / "motions/phones.html").read_text(encoding="utf-8")
    assert "and 18 more" in motion, "of 30 speeches of a side, 12 are at the top"
    assert "20 more supporting speeches" in motion
    assert "more speeches</summary>" in motion, "many speeches mention an argument"
    assert "flow-row" in (report / "flows/phones.html").read_text(encoding="utf-8")
    assert "Person 0, Person 1 and 10 more" in (report / "speeches/panel.html").read_text(encoding="utf-8")
