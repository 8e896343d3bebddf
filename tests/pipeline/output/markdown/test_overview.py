import pytest

from pipeline.engine.store import Store
from pipeline.output.markdown.overview import motion_markdown, run_markdown
from pipeline.output.report import Debate
from tests.pipeline.output.conftest import RIGHT_TO_LEFT, hostile
from tests.synthetic_run import write_run


@pytest.fixture(scope="module")
def debate(run: Store) -> Debate:
    return Debate.read(run)


def lines(text: str, title: str) -> list[str]:
    """The lines of the part with that title."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0].strip().splitlines()


def test_the_run_at_a_glance(debate: Debate) -> None:
    text = run_markdown(debate)
    assert "- **Speeches**: 10 (1 failed)" in text
    assert lines(text, "1 failed") == ["- broken: ingest: broken.ogg: is not audio that can be decoded"]
    assert lines(text, "Motions")[2].startswith("| We should ban phones in schools. | 2 | 2 | 1 | ")
    assert lines(text, "Stages")[2].startswith("| ingest | 4.5 s | 24 | 9 | 0 |")
    assert lines(text, "Models")[2:] == ["| transcribe | tiny.en | d3dd57d32acc |"]
    assert lines(text, "Skipped, and why")[2].startswith("| content | no references and no arguments | 9 | ")


def test_a_motion_at_a_glance(debate: Debate) -> None:
    text = motion_markdown(debate, debate.run.motions[0])
    assert any(line.startswith("| against | phones/con_carla | Carla | 0:12 | ") for line in lines(text, "Speeches"))
    matrix = lines(text, "Who answers whom")
    assert matrix[0] == "|  | phones/con_carla | phones/con_dan |"
    assert matrix[2] == "| phones/pro_anna | 0.90 ● | 0.45 |"
    assert [line.split(" | ")[2:4] for line in lines(text, "What it comes down to")[2:]] == [
        ["100 %", "phones/pro_anna, phones/pro_ben |"],
        ["100 %", "phones/con_carla, phones/con_dan |"],
    ]
    assert "| for | Phones distract. | phones/pro_anna, phones/pro_ben | Pupils learn self-control. |" in text
    assert len(lines(text, "What convinces")) > 3


def test_no_name_breaks_a_table_or_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    debate = Debate.read(write_run(tmp_path_factory.mktemp("hostile"), hostile()))
    text = "\n".join([run_markdown(debate), *(motion_markdown(debate, motion) for motion in debate.run.motions)])
    assert "<script" not in text
    assert "<b>" not in text
    assert RIGHT_TO_LEFT in text
