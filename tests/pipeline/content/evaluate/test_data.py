from pathlib import Path

import pytest

from pipeline.content.evaluate.data import read_responses
from pipeline.errors import RostrumError


def table(folder: Path, content: str, name: str = "table.csv") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "many", ""])
def test_a_score_is_a_finite_number(tmp_path: Path, number: str) -> None:
    with pytest.raises(RostrumError, match=r"table.csv:2: score is .*, which is no number"):
        read_responses(table(tmp_path, f"prompt,response,score\np,said,{number}\n"))


def test_all_columns(tmp_path: Path) -> None:
    content = (
        "prompt,response,asr,reference,score,score_other,length,delivery_rate\n"
        "p1,What I said,what i set,Expected,3,4,2.5,140\n"
        "p1,,,Other,1,2,,120\n"
    )
    found = read_responses(table(tmp_path, content))
    first, second = found.responses
    assert (first.prompt, first.text, first.asr, first.score, first.length) == (
        "p1",
        "What I said",
        "what i set",
        3,
        2.5,
    )
    assert first.raters == (3, 4)
    assert dict(first.delivery) == {"rate": 140}
    assert (second.text, second.asr, second.length) == ("", "", None)
    assert found.references == {"p1": ("Expected", "Other")}


def test_the_table_of_mohler_is_known(tmp_path: Path) -> None:
    content = "id,question,desired_answer,student_answer,score_me,score_other,score_avg\n1.1,Q,Wanted,NA,4,3,3.5\n"
    response = read_responses(table(tmp_path, content)).responses[0]
    # a student may well answer 'NA'
    assert (response.prompt, response.text, response.score, response.raters) == ("1.1", "NA", 3.5, (4, 3))


def test_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    found = read_responses(table(tmp_path, "\ufeffprompt\tresponse\tscore\np\tsaid, so\t1\n", "table.tsv"))
    assert found.responses[0].text == "said, so"
    assert found.responses[0].asr is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("prompt,response\np,r\n", "no column 'score'"),
        ("prompt,response,score\n", "no responses in it"),
        ("prompt,response,score\np,r,good\n", r"table\.csv:2: score is 'good', which is no number"),
        ("prompt,response,score\np,r,\n", r"table\.csv:2: score is None"),
        ("prompt,response,score\n,r,1\n", r"table\.csv:2: no prompt"),
        ("", "cannot be read as a table"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(RostrumError, match=problem):
        read_responses(table(tmp_path, content))


def test_a_folder_has_one_table(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match="0 tables"):
        read_responses(tmp_path)
    table(tmp_path, "a\n")
    table(tmp_path, "a\n", "other.tsv")
    with pytest.raises(RostrumError, match="2 tables"):
        read_responses(tmp_path)
