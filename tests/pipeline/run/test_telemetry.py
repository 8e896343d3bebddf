"""What a run tells other programs while it goes on."""

import re
import socket
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import rostrum
from pipeline.errors import RostrumError
from pipeline.run import configuration, telemetry
from tests.sounds import write_speech

ROOT = Path(__file__).parents[3]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for number in range(3):
        write_speech(tmp_path / "corpus" / f"{number}.wav", start=3.0 * number)
    (tmp_path / "corpus" / "3.wav").write_bytes(b"no audio")
    return tmp_path / "corpus"


def test_a_run_serves_its_figures_as_long_as_it_goes_on(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("ROSTRUM_METRICS", address)
    seen: list[str] = []

    def look(share: float, what: str) -> None:
        with urllib.request.urlopen(f"http://{address}/metrics") as answer:
            seen.append(answer.read().decode())

    rostrum.run(corpus, corpus.parent / "run", ["ingest"], progress=look)
    first, last = seen[0], seen[-1]
    assert 'rostrum_backlog{stage="ingest"} 4.0' in first or 'rostrum_backlog{stage="ingest"} 3.0' in first
    done = re.findall(r'rostrum_stages_total\{stage="ingest",state="(\w+)"\} (\S+)', last)
    assert sum(float(number) for _, number in done) >= 3, "the last one is counted after it is told"
    assert "rostrum_audio_seconds_total" in last
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"http://{address}/metrics")


@pytest.mark.parametrize("address", ["nowhere", "host:port", "127.0.0.1:99999999"])
def test_an_address_that_is_none_is_said(corpus: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("ROSTRUM_METRICS", address)
    with pytest.raises(RostrumError, match=rf"\$ROSTRUM_METRICS={address}: cannot serve the figures there"):
        rostrum.run(corpus, corpus.parent / "run", ["ingest"])


def test_the_figures_of_the_last_run(corpus: Path) -> None:
    summary = rostrum.run(corpus, corpus.parent / "run", ["ingest"])
    families = text_string_to_metric_families(telemetry.prometheus(summary))
    samples = {(each.name, each.labels.get("state")): each for family in families for each in family.samples}
    assert samples["rostrum_failures", None].value == 1
    assert samples["rostrum_failures", None].labels == {"corpus": str(corpus)}
    assert samples["rostrum_stages", "run"].value == 3
    assert samples["rostrum_stages", "failed"].labels == {"corpus": str(corpus), "stage": "ingest", "state": "failed"}
    assert samples["rostrum_audio_seconds", None].value > 1
    assert ("rostrum_word_error_rate", None) not in samples


def test_spans_of_stages_go_to_the_endpoint(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    from opentelemetry import trace

    telemetry._tracer.cache_clear()
    rostrum.run(corpus, corpus.parent / "run", ["ingest"])
    trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined]
    server.shutdown()
    telemetry._tracer.cache_clear()
    everything = b"".join(received)
    assert everything.count(b"rostrum.stage") == 4
    assert b"ingest" in everything


def test_every_variable_of_the_environment_is_known() -> None:
    """One that is taken for a setting stops every command."""
    files = [*ROOT.glob("pipeline/**/*.py"), *ROOT.glob("flows/**/*.py"), *ROOT.glob("*.yaml"), ROOT / "Dockerfile"]
    named = {name for file in files for name in re.findall(r"\bROSTRUM_[A-Z_]*[A-Z]\b", file.read_text())}
    known = {f"ROSTRUM_{name.replace('.', '_').upper()}" for name in configuration.known_settings()}
    assert named - known <= configuration.OTHER_VARIABLES
