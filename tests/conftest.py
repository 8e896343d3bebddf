"""What all tests share. They pass without a network, without a GPU, and without any data but what is in the project."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from pipeline.system.environment import prepare_environment

prepare_environment()
FLOWS = Path(__file__).parent / "flows"
# The same examples every time, so that a change makes a test fail; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


# What starts a Prefect server or a browser takes seconds.
_WITH_PROGRAMS = {"browser", "own_home", "page", "server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of flows, and those with a server, a browser or a whole run by Prefect, are slow."""
    for item in items:
        if item.path.is_relative_to(FLOWS) or _WITH_PROGRAMS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without slow tests, those of flows are not even imported: Prefect takes seconds."""
    return True if config.option.markexpr == "not slow" and collection_path == FLOWS else None


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment for a process that knows no server, with a Prefect home of its own."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"},
        "PREFECT_HOME": str(tmp_path / "home"),
    }
