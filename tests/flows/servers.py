"""Prefect servers in processes of their own, which tests start, kill and start again."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import httpx

from flows.server.temporary import free_port, is_healthy

PATIENCE = 180.0
# A question takes the processor from those who are to bring about the answer.
POLL_SECONDS = 0.25
# One for all questions: to make one takes as long as a question.
CLIENT = httpx.Client(timeout=PATIENCE)


def until(condition: Callable[[], bool], told: Callable[[], str] = str, patience: float = PATIENCE) -> None:
    """Return when it holds; fail, with what `told` says then, when it does not come to."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience:.0f} s in vain. {told()}")
        time.sleep(0.05)


class OwnServer:
    """A server that can be killed, and started again at the same place with the same history."""

    def __init__(self, environment: dict[str, str], *command: str) -> None:
        port = str(free_port())
        self.command = [sys.executable, "-m", *(command or ("flows.server.lasting",)), port]
        # Without the blocks of integrations, which nobody uses here, it starts in half the time.
        self.environment = {"PREFECT_API_BLOCKS_REGISTER_ON_START": "false", **environment}
        self.url = f"http://127.0.0.1:{port}/api"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(lambda: is_healthy(self.url))

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def flow_runs(self) -> list[str]:
        """How each run ended, in the order in which they began. The runs of speeches and motions are not among them."""
        found = self.ask("/flow_runs/filter", flow="process-corpus")
        return [each["state"]["name"] for each in found if each["state"]]

    def history(self) -> str:
        """Every run and its state, one per line, for whoever reads why a test has failed."""
        found = CLIENT.post(f"{self.url}/flow_runs/filter", json={"sort": "EXPECTED_START_TIME_ASC"}, timeout=PATIENCE)
        states = [(each["expected_start_time"], each["name"], each["state"] or {}) for each in found.json()]
        return "\n".join(f"{at} {name}: {state.get('name')} {state.get('message')}" for at, name, state in states)

    def ask(self, path: str, flow: str) -> list[dict[str, Any]]:
        """What the server's filter of that name knows of the runs of a flow, the earliest first."""
        wanted = {"sort": "START_TIME_ASC", "flows": {"name": {"any_": [flow]}}}
        found: list[dict[str, Any]] = CLIENT.post(f"{self.url}{path}", json=wanted).json()
        return found
