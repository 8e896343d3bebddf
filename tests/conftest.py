"""What all tests share. They pass without a network, without a GPU, and without any data but what is in the project."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from pipeline.system.environment import prepare_environment

prepare_environment()
# The same examples every time, so that a change makes a test fail; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment for a process that knows no server, with a Prefect home of its own."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"},
        "PREFECT_HOME": str(tmp_path / "home"),
    }
