from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.system.files import not_there, read_text, write_file


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_with_a_byte_order_mark_and_without(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    path.write_text("Grüße", encoding=encoding)
    assert read_text(path) == "Grüße"


def test_another_encoding_is_an_error_or_what_it_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("one\nGrüße".encode("latin-1"))
    assert read_text(path, fallback="iso-8859-1") == "one\nGrüße"
    with pytest.raises(RostrumError, match="text:2: not UTF-8 text; save it as UTF-8"):
        read_text(path)


def test_what_is_not_there_names_what_is_nearly_called_so(tmp_path: Path) -> None:
    (tmp_path / "schools_pro_anna.ogg").touch()
    assert str(not_there(tmp_path / "schools_pro_ana.ogg")).endswith(
        f"schools_pro_ana.ogg: no such file or folder; did you mean {tmp_path / 'schools_pro_anna.ogg'}?"
    )
    assert str(not_there(tmp_path / "x.mp3")).endswith("x.mp3: no such file or folder")
    assert str(not_there(tmp_path / "nowhere" / "x.mp3", "no such run")).endswith("x.mp3: no such run")


def test_what_cannot_be_written_is_named_as_the_user_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        write_file(tmp_path / "nowhere" / "speeches.csv", b"", replace=False)
    assert error.value.filename == str(tmp_path / "nowhere" / "speeches.csv")
