"""`rostrum serve` beside a real Prefect server: schedules fire."""

import subprocess
import sys
from pathlib import Path

from tests.flows.servers import OwnServer, until
from tests.models import needs
from tests.sounds import write_speech


@needs("base.en")
def test_a_schedule_does_what_is_new(tmp_path: Path, own_home: dict[str, str]) -> None:
    server = OwnServer(own_home, "prefect", "server", "start", "--no-ui", "--port")
    corpus, out = tmp_path / "corpus", tmp_path / "run"
    write_speech(corpus / "first.wav")
    command = [sys.executable, "-m", "flows", "serve", str(corpus), "--out", str(out), "--every", "5s", "--no-report"]
    environment = {**own_home, "PREFECT_API_URL": server.url}
    serving = subprocess.Popen(
        [*command, "--set", "diarize.mode=vad"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until((out / "first" / "diarize.json").exists)
        done = (out / "first" / "diarize.json").stat().st_mtime_ns
        write_speech(corpus / "second.wav", start=3.0)
        (corpus / "broken.wav").write_bytes(b"no sound")
        until((out / "second" / "diarize.json").exists)
        until(lambda: "CompletedWithFailures" in server.flow_runs())
        assert (out / "first" / "diarize.json").stat().st_mtime_ns == done
        assert not (out / "broken" / "ingest.json").exists()
    finally:
        serving.terminate()
        serving.wait()
        server.stop()
