"""docs/settings.md lists every setting. `python -m tests.pipeline.test_settings_documentation` writes its table."""

import json
from pathlib import Path

from pipeline.configuration import OTHER_VARIABLES, Effective, Settings

DOCUMENT = Path(__file__).parents[2] / "docs" / "settings.md"
HEADING = "## All settings\n"


def table() -> str:
    """Every setting with its default and its description."""
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    for name, value, _, meaning in Effective(settings=Settings(), origins={}).rows():
        default = "empty" if value is None else f"`{json.dumps(value).strip(chr(34))}`"
        lines.append(f"| `{name}` | {default} | {' '.join(meaning.split())} |".replace("<", "&lt;"))
    return "\n".join(lines) + "\n"


def test_every_setting_is_documented() -> None:
    documented = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[2].strip().splitlines()
    assert documented == table().splitlines(), __doc__


def test_every_variable_is_documented() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [variable for variable in OTHER_VARIABLES if f"`{variable}`" not in text] == []


if __name__ == "__main__":
    before = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0]
    DOCUMENT.write_text(f"{before}{HEADING}\n{table()}", encoding="utf-8")
