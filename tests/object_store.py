"""An object store on this machine: moto's server, as programs see it that find S3 by the environment."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def _server() -> Iterator[str]:
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", str(port)], **quiet)
    try:
        while process.poll() is None:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def bucket(_server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The address of a new bucket. Its server and its keys are in the environment."""
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": _server,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    name = f"bucket-{os.getpid()}-{abs(hash(request.node.nodeid)):x}"[:60]
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}"
