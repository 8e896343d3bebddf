import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.system import environment


@pytest.mark.parametrize(
    ("quota", "expected"), [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("", 8)]
)
def test_cores_are_those_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, expected: int
) -> None:
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(environment, "CGROUP_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert environment.usable_cores() == expected
    assert environment.model_threads() == max(1, expected - 1)


@pytest.mark.parametrize(
    ("available", "container", "expected"),
    [(64, "max", 8), (5, "max", 5), (64, str(3 * 2**30), 3), (0.5, "max", 1), (64, "", 8)],
)
def test_no_more_is_done_at_once_than_there_is_memory_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, available: float, container: str, expected: int
) -> None:
    (tmp_path / "meminfo").write_text(f"MemTotal:  131072000 kB\nMemAvailable: {round(available * 2**20)} kB\n")
    (tmp_path / "memory.max").write_text(container)
    monkeypatch.setattr(environment, "MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(environment, "CGROUP_MEMORY", tmp_path / "memory.max")
    monkeypatch.setattr(environment, "usable_cores", lambda: 8)
    assert environment.jobs_at_once() == expected
    monkeypatch.setattr(environment, "MEMORY", tmp_path / "not Linux")
    assert environment.jobs_at_once() == 8


def test_the_user_s_own_environment_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    environment.prepare_environment()
    assert (os.environ["OMP_NUM_THREADS"], os.environ["HF_HUB_OFFLINE"]) == ("3", "1")


def test_numpy_has_the_threads_of_a_run_also_where_it_came_first() -> None:
    """In a notebook. With another number of threads its results, and so the artifacts, differ in their last digits."""
    code = (
        "import numpy, threadpoolctl; from pipeline.system import environment as e; e.prepare_environment();"
        "print({each['num_threads'] for each in threadpoolctl.threadpool_info() if each['user_api'] == 'blas'})"
    )
    unset = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    found = subprocess.run([sys.executable, "-c", code], env=unset, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == f"{{{environment.model_threads()}}}"


def test_nothing_calls_home(tmp_path: Path) -> None:
    """ONNX Runtime writes an identifier of this machine where its telemetry is on."""
    code = "from pipeline.system import environment as e; e.prepare_environment(); import swift_f0; swift_f0.SwiftF0()"
    silent = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**silent, "HOME": str(tmp_path)})
    assert not list(tmp_path.rglob("*"))


def test_torchaudio_can_be_imported_whatever_torch_this_is() -> None:
    from pipeline.system.environment import has_extension, import_torchaudio

    assert import_torchaudio() is import_torchaudio()
    assert has_extension() in (True, False)


def test_the_library_knows_no_prefect_and_text_no_audio() -> None:
    """The two rules of who imports whom, seen from a fresh process."""
    code = (
        "import sys, pipeline.run.plan, pipeline.score.stage, pipeline.text.sentences\n"
        "import pipeline.corpus\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'prefect', 'flows', 'torch', 'torchaudio', 'whisper', 'soundfile', 'av', 'pyannote'}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
