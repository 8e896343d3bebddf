"""A real Prefect server for the tests of the flows, with a history of its own."""

import os
from collections.abc import Iterator

import pytest

from tests.flows.servers import OwnServer


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
