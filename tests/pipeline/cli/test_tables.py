"""Tables in the terminal."""

import pytest

from pipeline.cli.console import print_rows


def test_what_is_in_a_name_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows("", [{"speech": "new\nline", "wer": 0.125}, {"speech": "[red]é 😀[/red]", "wer": None}])
    _, _, first, second = capsys.readouterr().out.rstrip().splitlines()[-4:]
    assert first.split() == ["new\\nline", "0.125"]
    assert second.split() == ["[red]é", "😀[/red]", "-"]
