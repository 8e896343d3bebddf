from pathlib import Path

import pytest

from pipeline.errors import RostrumError
from pipeline.system.files import read_text


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
