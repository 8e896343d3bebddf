from pathlib import Path

from click.testing import CliRunner

from pipeline.cli.report import report
from tests.synthetic_run import MadeUp, write_run


def test_it_prints_where_the_front_page_is(tmp_path: Path) -> None:
    write_run(tmp_path, MadeUp((), ()))
    result = CliRunner().invoke(report, [str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{tmp_path}/_report/index.html\n"
    assert Path(result.stdout.strip()).is_file()


def test_it_goes_where_it_is_told(tmp_path: Path) -> None:
    write_run(tmp_path / "run", MadeUp((), ()))
    result = CliRunner().invoke(report, [str(tmp_path / "run"), "--to", str(tmp_path / "out" / "report")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "report" / "index.html").is_file()
