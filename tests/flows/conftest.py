"""A real Prefect server for the tests of the flows, with a history of its own, and a small corpus."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.servers import OwnServer
from tests.pipeline.conftest import browser  # noqa: F401  (a fixture)
from tests.sounds import write_speech


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running server, which runs of this process and of those it starts take as the user's own."""
    home = tmp_path_factory.mktemp("prefect")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREFECT_HOME", str(home))
        patch.delenv("PREFECT_API_URL", raising=False)
        from prefect.logging.handlers import APILogWorker
        from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

        with temporary_settings(updates={PREFECT_HOME: home}):
            running = OwnServer({**os.environ})
            try:
                patch.setenv("PREFECT_API_URL", running.url)
                with temporary_settings(updates={PREFECT_API_URL: running.url}):
                    yield running.url
            finally:
                APILogWorker.drain_all(timeout=5)
                running.stop()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two speeches on a motion."""
    folder = tmp_path / "debate"
    for index in range(2):
        write_speech(folder / f"{index}.wav", start=4.0 * index)
    (folder / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    (folder / "speeches.csv").write_text("id,file,motion,speaker\nOne,0.wav,zoos,Ann\ntwo,1.wav,zoos,Bob;Cy\n")
    return folder
