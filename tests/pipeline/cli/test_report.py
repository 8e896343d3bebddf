import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from pipeline.cli.show import report
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


def test_correcting_needs_a_server_and_the_recordings(tmp_path: Path) -> None:
    write_run(tmp_path, MadeUp((), ()))
    result = CliRunner().invoke(report, [str(tmp_path), "--edit"])
    assert result.exit_code == 2
    assert "--edit needs --serve" in result.output
    result = CliRunner().invoke(report, [str(tmp_path), "--serve", "--edit"])
    assert "made-up/corpus: the recordings of this run are missing" in str(result.exception)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_is_served_until_it_is_ended(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    """Ctrl-C ends it at once and quietly, also while somebody listens."""
    write_run(tmp_path, MadeUp((), ()))
    command = [sys.executable, "-P", "-m", "flows", "report", str(tmp_path), "--serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    line = process.stderr.readline()
    address = line.split()[0]
    assert line == f"{address} (Ctrl-C ends it)\n"
    with urlopen(address) as response:
        assert b"0 recordings" in response.read()
    with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))):
        process.send_signal(sent)
        out, err = process.communicate(timeout=5)
    assert (process.returncode, out, err) == (code, f"{tmp_path}/_report/index.html\n", "")
