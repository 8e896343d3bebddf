"""Prefect servers in processes of their own, which tests start, kill and start again."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable

import httpx

from flows.server import free_port, is_healthy

PATIENCE = 180.0


def until(condition: Callable[[], bool]) -> None:
    """Return when it holds; fail when it does not come to."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class OwnServer:
    """A server that can be killed, and started again at the same place with the same history."""

    def __init__(self, environment: dict[str, str], *command: str) -> None:
        port = str(free_port())
        self.command = [sys.executable, "-m", *(command or ("flows.served",)), port]
        self.environment = environment
        self.url = f"http://127.0.0.1:{port}/api"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(lambda: is_healthy(self.url))

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def flow_runs(self) -> list[str]:
        """How each run ended, in the order in which they began."""
        found = httpx.post(f"{self.url}/flow_runs/filter", json={"sort": "START_TIME_ASC"}, timeout=PATIENCE).json()
        return [each["state"]["name"] for each in found]
