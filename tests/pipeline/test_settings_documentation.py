"""docs/settings.md lists every setting. `python -m tests.pipeline.test_settings_documentation` writes its table."""

import json
import re
from pathlib import Path

import pytest

from pipeline.run.configuration import OTHER_VARIABLES, Effective, Settings, known_settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENT = ROOT / "docs" / "settings.md"
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_only_settings_that_exist(page: Path) -> None:
    text = re.sub(r"\(images/[^)]*\)", "", page.read_text(encoding="utf-8"))
    stages = "|".join(Settings.model_fields)
    named = set(re.findall(rf"(?<![\w./])(?:{stages})\.[a-z_]+(?![\w(/.])", text))
    files = {name for name in named if name.rpartition(".")[2] in ("json", "py", "md", "csv", "txt")}
    assert named - files - set(known_settings()) == set()


def test_every_variable_is_documented() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [variable for variable in OTHER_VARIABLES if f"`{variable}`" not in text] == []


if __name__ == "__main__":
    before = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0]
    DOCUMENT.write_text(f"{before}{HEADING}\n{table()}", encoding="utf-8")
