"""Good files damaged at random: there is a result or one line of error, and no other file is touched."""

import contextlib
import io
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rostrum
from pipeline.cli import main_group
from pipeline.errors import RostrumError
from pipeline.run import configuration
from tests.hostile.corpora import table
from tests.hostile.test_corpora import PYTHON, contents
from tests.sounds import write_speech

STAGES = ["ingest", "diarize", "transcribe", "score", "segment"]
TOML = '[diarize]\nmode = "vad"\n[segment]\nmethod = "pauses"\n'
# What finds the places where a number, a path or a text is trusted.
POISON = [
    b"\0",
    b"\xff\xfe",
    b"NaN",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"../" * 9,
    b"/etc/passwd",
    b'"',
    b"\n",
    b"[" * 9000,
    b"{}",
]
Mutation = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of every kind of file, its settings, and a run over it."""
    top = tmp_path_factory.mktemp("good")
    folder = top / "corpus"
    write_speech(folder / "a.wav")
    write_speech(folder / "b.wav", start=2.0)
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text("We should ban zoos. They are cruel.\n")
        (folder / f"{name}.ctm").write_text(f"{name} 1 0.1 0.3 we 0.9\n{name} 1 0.5 0.3 should. 0.8\n")
        (folder / f"{name}.rttm").write_text(f"SPEAKER {name} 1 0.0 1.5 <NA> <NA> ann <NA> <NA>\n")
    table(folder / "motions.csv", "id,text", "zoos,We should ban zoos.")
    columns = "id,file,motion,stance,answers,score,reference,transcript,turns"
    rows = ("a,a.wav,zoos,pro,,0.5,a.txt,a.ctm,a.rttm", "b,b.wav,zoos,con,a,0.1,b.txt,b.ctm,b.rttm")
    table(folder / "speeches.csv", columns, *rows)
    table(folder / "arguments.csv", "id,motion,stance,title", "cruel,zoos,pro,Zoos are cruel")
    table(folder / "labels.csv", "speech,argument,mentioned", "a,cruel,1")
    (top / "rostrum.toml").write_text(TOML)
    process(top)
    return top


def process(top: Path) -> list[str]:
    """Run, and look at what came of it by every command that reads a run; returns what was told."""
    read = configuration.load(top / "rostrum.toml", {}).settings
    told = rostrum.run(top / "corpus", top / "run", STAGES, read).failures
    for command in (["show", "run"], ["show", "run", "a"], ["metrics", "run"], ["clean", "run"], ["report", "run"]):
        told += printed([command[0], str(top / "run"), *command[2:]])
    return told


def printed(command: list[str]) -> list[str]:
    """The lines that a command prints; a mistake that it tells of is one more."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        try:
            with contextlib.suppress(SystemExit):
                main_group.main(command, standalone_mode=False)
        except RostrumError as error:
            return [*stream.getvalue().splitlines(), str(error)]
    return stream.getvalue().splitlines()


@st.composite
def mutations(draw: st.DrawFn) -> Mutation:
    """One change of a file's bytes."""
    place, length = draw(st.floats(0, 1)), draw(st.integers(0, 40))
    poison = draw(st.sampled_from(POISON) | st.binary(max_size=20))
    kind = draw(st.sampled_from(["insert", "replace", "delete", "truncate", "repeat", "empty"]))

    def mutate(content: bytes) -> bytes:
        at = round(place * len(content))
        return {
            "insert": content[:at] + poison + content[at:],
            "replace": content[:at] + poison + content[at + len(poison) :],
            "delete": content[:at] + content[at + length :],
            "truncate": content[:at],
            "repeat": content[:at] + content[at : at + length] * 50 + content[at:],
            "empty": b"",
        }[kind]

    return mutate


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.floats(0, 0.999), mutate=mutations())
def test_a_damaged_file_harms_nothing_else(good: Path, file: float, mutate: Mutation) -> None:
    with copied(good) as top:
        files = sorted(path for path in contents(top) if "_report" not in path.parts)
        target = files[int(file * len(files))]
        target.write_bytes(mutate(target.read_bytes()))
        before = {path: content for path, content in contents(top).items() if "run" not in path.relative_to(top).parts}
        try:
            told = process(top)
        except RostrumError as error:
            told = [str(error)]
        assert not [line for line in told if PYTHON.search(line)], target.name
        after = {path: content for path, content in contents(top).items() if "run" not in path.relative_to(top).parts}
        assert after == before


@contextlib.contextmanager
def copied(good: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copytree(good, Path(folder, "copy")))
