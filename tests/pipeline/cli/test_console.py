"""What the shell offers on Tab, asked as click's own scripts ask."""

import pytest
from click.shell_completion import BashComplete

from pipeline.cli import main_group


def offered(*words: str) -> list[str]:
    *before, typed = words
    found = BashComplete(main_group, {}, "rostrum", "_ROSTRUM_COMPLETE").get_completions(before, typed)
    return [each.value for each in found]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("ini",), ["init"]),
        (("export", "--form"), ["--format"]),
        (("export", "--format", "vt"), ["vtt", "vtt-words"]),
        (("settings", "--set", "score."), ["score.normaliser="]),
        (
            ("settings", "--set", "score.normaliser="),
            ["score.normaliser=plain", "score.normaliser=whisper", "score.normaliser=verbatim"],
        ),
        (("settings", "--set", "content.stems="), ["content.stems=true", "content.stems=false"]),
        (("settings", "--set", "score.norm="), []),
        (("models", "fetch", "tiny"), ["tiny.en"]),
        (("evaluate", "seg"), ["segmentation"]),
    ],
)
def test_names_are_offered(words: tuple[str, ...], names: list[str]) -> None:
    assert offered(*words) == names
