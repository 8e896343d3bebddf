"""The register of voices: a file in the folder of the corpus."""

from pathlib import Path

import pytest

from pipeline.corpus.voices import FILE, Register, VoiceSample, read_register, write_register
from pipeline.errors import RostrumError


def sample(name: str, source: str, voice: str = "S1", vector: tuple[float, ...] = (1.0, 0.0)) -> VoiceSample:
    return VoiceSample(name=name, source=source, voice=voice, embedding="e", vector=vector)


BOTH = Register().with_samples([sample("Anna", "one"), sample("Ben", "one", "S2"), sample("Anna", "two")])


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_register(tmp_path) == Register()
    write_register(tmp_path, BOTH)
    assert read_register(tmp_path) == BOTH
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0, "voices are their owner's"


def test_without_anybody_there_is_no_file(tmp_path: Path) -> None:
    write_register(tmp_path, BOTH)
    write_register(tmp_path, BOTH.without("Anna").without("Ben"))
    assert not (tmp_path / FILE).exists()


def test_a_voice_that_is_named_anew_has_one_sample() -> None:
    corrected = BOTH.with_samples([sample("Anne", "one")])
    assert [(each.name, each.source) for each in corrected.samples] == [
        ("Anne", "one"),
        ("Ben", "one"),
        ("Anna", "two"),
    ]


def test_two_people_of_one_name_become_one() -> None:
    assert BOTH.renamed("Ben", " Anna ").names == ["Anna"]
    assert len(BOTH.renamed("Ben", "Anna").samples) == 3


def test_a_recording_is_compared_with_the_others_only() -> None:
    known = BOTH.known_beside("one")
    assert known
    assert [each.name for each in known.items] == ["Anna"]
    assert BOTH.without("Anna").known_beside("one") is None


@pytest.mark.parametrize("change", [lambda: BOTH.renamed("Anne", "Eve"), lambda: BOTH.without("Anne")])
def test_an_unknown_name_is_an_error_with_the_nearest(change: object) -> None:
    assert callable(change)
    with pytest.raises(RostrumError, match="no voice of 'Anne'; did you mean Anna?"):
        change()


@pytest.mark.parametrize("name", ["", "  ", "An\x07na"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(RostrumError, match="is not a name"):
        BOTH.renamed("Anna", name)


@pytest.mark.parametrize("content", ["{", "[]", '{"samples": [{"name": "Anna"}]}', '{"samples": [], "more": 1}'])
def test_a_file_that_is_no_register_is_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(RostrumError, match="not a register of voices"):
        read_register(tmp_path)
    assert (tmp_path / FILE).read_text() == content
