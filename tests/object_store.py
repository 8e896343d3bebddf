"""An object store on this machine: moto's server, as programs see it that find S3 by the environment."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from flows.server.temporary import free_port


@contextmanager
def running() -> Iterator[dict[str, str]]:
    """The environment in which programs find the store, while the context is open."""
    port = free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(port)], **quiet)
    try:
        while process.poll() is None:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.05)
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def _server() -> Iterator[dict[str, str]]:
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with running() as environment:
        yield environment


@pytest.fixture
def bucket(_server: dict[str, str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The address of a new bucket. Its server and its keys are in the environment."""
    import boto3

    for name, value in _server.items():
        monkeypatch.setenv(name, value)
    name = f"bucket-{os.getpid()}-{abs(hash(request.node.nodeid)):x}"[:60]
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}"
