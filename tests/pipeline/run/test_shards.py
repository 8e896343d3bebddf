"""Several runs of one corpus: shards and others share the work, do nothing twice, and make what one run makes."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile

import rostrum
from pipeline.errors import RostrumError
from pipeline.ingest import Recording
from pipeline.ingest import stage as ingest
from pipeline.run import sharing
from pipeline.run.finished import FinishedRun
from pipeline.run.index import Shard, load_known
from pipeline.run.store import Store
from tests.object_store import _server, bucket  # noqa: F401  (fixtures)

ROOT = Path(__file__).parents[3]
STAGES, SETTINGS = ["counter", "score"], {"counter.encoder": None}
# A run in a process of its own. It writes down each artifact that it stores, and waits after so many of them.
WORKER = """
import json, sys, threading
import rostrum
from pipeline.run.store import Store

folder, out, log, shard, wait_after = sys.argv[1:]
save, count, one_at_a_time = Store.save, 0, threading.Lock()

def counted(store, scope, artifact, record):
    global count
    with one_at_a_time:
        save(store, scope, artifact, record)
        with open(log, "a") as file:
            file.write(f"{scope}/{artifact.stage}\\n")
        count += 1
        if count == int(wait_after):
            print("waits", flush=True)
            sys.stdin.readline()

Store.save = counted
summary = rostrum.run(folder, out, ["counter", "score"], {"counter.encoder": None}, shard=shard or None)
print(json.dumps(summary.failures), flush=True)
"""


def write_corpus(folder: Path, speeches: int, motions: int) -> Path:
    """Given transcripts of a few words, with references, on a few motions."""
    folder.mkdir()
    (folder / "motions.csv").write_text("id,text\n" + "".join(f"m{n},We should ban {n}\n" for n in range(motions)))
    rows = []
    for number in range(speeches):
        words = f"zoos number {number} are cruel . animals suffer in them .".split()
        lines = (f"x 1 {index}.0 0.5 {word}\n" for index, word in enumerate(words))
        (folder / f"s{number}.ctm").write_text("".join(lines))
        (folder / f"s{number}.txt").write_text("Zoos are cruel. Animals suffer in them.")
        rows.append(
            f"s{number},m{number % motions},{'pro' if number // motions % 2 else 'con'},s{number}.ctm,s{number}.txt\n"
        )
    (folder / "speeches.csv").write_text("id,motion,stance,transcript,reference\n" + "".join(rows))
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", 24, 3)


def start(corpus: Path, out: str | Path, log: Path, shard: str = "", wait_after: int = 0) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WORKER, str(corpus), str(out), str(log), shard, str(wait_after)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end(*workers: "subprocess.Popen[str]") -> None:
    for worker in workers:
        out, _ = worker.communicate("\n", timeout=90)
        assert worker.returncode == 0
        assert out.splitlines()[-1] == "[]"


def digests(out: str | Path) -> dict[str, str]:
    """The digest and the fingerprint of every artifact of a run."""
    store = Store(out)
    found = {}
    for name in store.listing():
        scope, _, stage = name.removesuffix(".json").rpartition("/")
        if not scope.startswith(".") and scope:
            artifact = store.artifact(scope, stage)
            assert artifact is not None
            found[name] = f"{artifact.digest} {artifact.fingerprint} {artifact.skipped}"
    return found


def one_run(corpus: Path) -> dict[str, str]:
    rostrum.run(corpus, corpus.parent / "one", STAGES, SETTINGS)
    return digests(corpus.parent / "one")


@pytest.mark.slow
@pytest.mark.parametrize("shards", [["1/2", "2/2"], ["1/4", "2/4", "3/4", "4/4"], ["", ""], ["", "1/3"]])
def test_runs_at_once_make_what_one_run_makes_and_nothing_twice(
    corpus: Path, tmp_path: Path, shards: list[str]
) -> None:
    out, log = tmp_path / "run", tmp_path / "log"
    end(*[start(corpus, out, log, shard) for shard in shards])
    assert digests(out) == one_run(corpus)
    done = Counter(log.read_text().splitlines())
    assert set(done.values()) == {1}, [name for name, count in done.items() if count > 1]
    assert {f"{name}.json" for name in done} == digests(out).keys()
    found = FinishedRun(out)
    assert [speech.id for speech in found.recordings] == [f"s{number}" for number in range(24)], "in the corpus's order"
    assert not found.summary.failures
    assert not (out / ".runs").exists(), "nobody is there any more"
    assert not [path for path in out.rglob("*") if "lease" in path.name]


@pytest.mark.slow
@pytest.mark.parametrize("shards", [["1/2", "2/2"], ["", ""]])
def test_an_object_store_is_shared_too(corpus: Path, tmp_path: Path, bucket: str, shards: list[str]) -> None:  # noqa: F811
    log = tmp_path / "log"
    end(*[start(corpus, f"{bucket}/run", log, shard) for shard in shards])
    assert digests(f"{bucket}/run") == one_run(corpus)
    assert set(Counter(log.read_text().splitlines()).values()) == {1}
    assert not [name for name in Store(f"{bucket}/run").listing() if ".runs" in name or "lease" in name]


def test_one_after_the_other_the_last_shard_does_the_motions(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    for number in (1, 2):
        summary = rostrum.run(corpus, out, STAGES, SETTINGS, shard=f"{number}/3")
        own = {item.id for item in summary.items if not item.is_motion}
        assert own == {f"s{n}" for n in range(24) if Shard(number, 3).has(f"s{n}")}
        assert not list((out / "_motions").glob("*/counter.json"))
    rostrum.run(corpus, out, STAGES, SETTINGS, shard="3/3")
    assert digests(out) == one_run(corpus)
    assert {path.name for path in out.glob("run*.json")} == {"run.json", *(f"run.{n}-of-3.json" for n in (1, 2, 3))}
    for number in (1, 2, 3):
        again = rostrum.run(corpus, out, STAGES, SETTINGS, shard=f"{number}/3")
        assert not {outcome.state for item in again.items for outcome in item.outcomes} & {"run", "failed"}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_shard_is_continued_by_another(corpus: Path, tmp_path: Path, number: signal.Signals) -> None:
    out, log = tmp_path / "run", tmp_path / "log"
    killed = start(corpus, out, log, "1/2", wait_after=7)
    other = start(corpus, out, log, "2/2")
    assert killed.stdout
    assert killed.stdout.readline() == "waits\n"
    end(other)
    killed.send_signal(number)
    killed.communicate()
    assert not list((out / "_motions").glob("*/counter.json")), "the speeches of the killed shard are missing"
    end(start(corpus, out, log, "1/2"))
    assert digests(out) == one_run(corpus)
    assert set(Counter(log.read_text().splitlines()).values()) == {1}, "what was stored is not done again"


@pytest.mark.slow
def test_a_run_does_what_a_killed_one_had_begun(corpus: Path, tmp_path: Path) -> None:
    """They run at the same time, and the second one waits only for what the first one has."""
    out, log = tmp_path / "run", tmp_path / "log"
    killed = start(corpus, out, log, wait_after=5)
    assert killed.stdout
    assert killed.stdout.readline() == "waits\n"
    second = start(corpus, out, log, wait_after=20)
    assert second.stdout
    assert second.stdout.readline() == "waits\n", "there is work that nobody has"
    killed.kill()
    killed.communicate()
    end(second)
    assert digests(out) == one_run(corpus)
    assert set(Counter(log.read_text().splitlines()).values()) == {1}


def test_a_speech_that_fails_in_one_shard_is_missing_in_the_motion_of_the_other(corpus: Path, tmp_path: Path) -> None:
    bad = next(f"s{n}" for n in range(24) if Shard(1, 2).has(f"s{n}"))
    (corpus / f"{bad}.ctm").write_text("no words with times\n")
    out = tmp_path / "run"
    first = rostrum.run(corpus, out, STAGES, SETTINGS, shard="1/2")
    assert [failure.partition(":")[0] for failure in first.failures] == [bad]
    assert rostrum.run(corpus, out, STAGES, SETTINGS, shard="2/2").failures == []
    assert digests(out) == one_run(corpus)
    assert [failure.partition(":")[0] for failure in load_known(Store(out)).failures] == [bad]
    (corpus / f"{bad}.ctm").write_text("x 1 0.0 0.5 zoos\nx 1 1.0 0.5 stay\n")
    rostrum.run(corpus, out, STAGES, SETTINGS, shard="1/2")
    assert digests(out) == one_run(corpus), "the shard that changed a speech does its motion again"


@pytest.mark.slow
def test_a_run_with_other_settings_waits(corpus: Path, tmp_path: Path) -> None:
    out, log = tmp_path / "run", tmp_path / "log"
    first = start(corpus, out, log, wait_after=3)
    assert first.stdout
    assert first.stdout.readline() == "waits\n"
    with (
        pytest.raises(RostrumError, match=rf"is written by rostrum.run \(process {first.pid} on "),
        sharing.shared(Store(out), "another", "other settings", None),
    ):
        pass
    end(first)
    with sharing.shared(Store(out), "another", "other settings", None):
        pass


@pytest.mark.slow
def test_a_shard_of_another_number_of_shards_finds_what_is_done(corpus: Path, tmp_path: Path) -> None:
    out, log = tmp_path / "run", tmp_path / "log"
    end(start(corpus, out, log, "1/2"))
    end(start(corpus, out, log))
    assert set(Counter(log.read_text().splitlines()).values()) == {1}
    assert digests(out) == one_run(corpus)


def test_removed_speeches_leave_the_index(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    for shard in ("1/2", "2/2"):
        rostrum.run(corpus, out, STAGES, SETTINGS, shard=shard)
    lines = (corpus / "speeches.csv").read_text().splitlines()
    (corpus / "speeches.csv").write_text("\n".join(lines[:-2]))
    for shard in ("1/2", "2/2"):
        rostrum.run(corpus, out, STAGES, SETTINGS, shard=shard)
    assert [item.id for item in load_known(Store(out)).items][:-3] == [f"s{number}" for number in range(22)]
    assert digests(out).keys() > one_run(corpus).keys(), "their artifacts are for `rostrum clean`"


@pytest.mark.parametrize("text", ["0/4", "5/4", "3", "a/b", "1/0", "-1/4", "1/4/5", ""])
def test_a_shard_that_is_none_is_said(text: str) -> None:
    with pytest.raises(RostrumError, match=f"--shard {text}: write it as K/N"):
        Shard.parsed(text)


def test_shards_have_every_speech_once_and_a_similar_number() -> None:
    for count in (1, 2, 7, 1000):
        shards = [Shard(number, count) for number in range(1, count + 1)]
        owners = Counter(next(s.number for s in shards if s.has(f"2018/speech {n}")) for n in range(2000))
        assert sum(owners.values()) == 2000
        assert max(owners.values()) < 4 * 2000 / count + 10
    assert sum(Shard(n, 7).has("anna") for n in range(1, 8)) == 1


def test_a_shard_reads_only_its_part_of_the_index(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    for shard in ("1/2", "2/2"):
        rostrum.run(corpus, out, STAGES, SETTINGS, shard=shard)
    listed: list[str] = []
    files_in = Store.files_in

    def counted(store: Store, folder: str) -> object:
        listed.append(folder)
        return files_in(store, folder)

    monkeypatch.setattr(Store, "files_in", counted)
    monkeypatch.setattr(Store, "listing", lambda store: pytest.fail("the whole store is listed"))
    rostrum.run(corpus, out, STAGES, SETTINGS, shard="1/8")
    own = {f"s{n}" for n in range(24) if Shard(1, 8).has(f"s{n}")}
    assert {scope for scope in listed if scope.startswith("s")} <= own


def test_the_summary_of_a_shard_says_so(corpus: Path, tmp_path: Path) -> None:
    rostrum.run(corpus, tmp_path / "run", ["score"], shard="1/2")
    assert json.loads((tmp_path / "run" / "run.1-of-2.json").read_text())["shard"] == "1/2"
    assert os.listdir(tmp_path / "run" / ".index")


@pytest.mark.parametrize("shards", [[None], ["1/2", "2/2"]])
def test_a_recording_on_two_motions_is_decoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: list[str | None]
) -> None:
    corpus, out, decoded = tmp_path / "corpus", tmp_path / "run", []
    corpus.mkdir()
    soundfile.write(corpus / "debate.wav", np.random.default_rng(0).normal(0, 0.1, 16_000), 16_000)
    (corpus / "debate.rttm").write_text("".join(f"SPEAKER debate 1 0.{n} 0.1 <NA> <NA> V <NA> <NA>\n" for n in (1, 5)))
    (corpus / "motions.csv").write_text("id,text\nzoos,We should close zoos.\ncars,We should ban cars.\n")
    (corpus / "speeches.csv").write_text("id,file,motion\ndebate,debate.wav,zoos\n")
    (corpus / "speakers.csv").write_text("recording,voice,motion,from,to\ndebate,V,zoos,0,0.4\ndebate,V,cars,0.4,0.9\n")
    monkeypatch.setattr(ingest, "_decode", lambda *given, real=ingest._decode: decoded.append(1) or real(*given))
    shards.sort(key=lambda shard: bool(shard) and not Shard.parsed(shard).has("debate"))
    summaries = [rostrum.run(corpus, out, ["diarize"], shard=shard) for shard in shards]
    assert not any(summary.failures for summary in summaries)
    assert len(decoded) == 1
    one, other = (Store(out).artifact(scope, "ingest") for scope in ("debate", "debate-cars"))
    assert one
    assert other
    assert one.digest == other.digest
    kept = {speech.id: FinishedRun(out).of_speech(Recording, speech.id) for speech in FinishedRun(out).recordings}
    assert {id: len(sound.samples(0.0, 1.0)) for id, sound in kept.items() if isinstance(sound, Recording)} == {
        "debate": 16_000,
        "debate-cars": 16_000,
    }
