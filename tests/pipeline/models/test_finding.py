"""Where a model is found, and what is said of one that is not."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipeline import models
from pipeline.cli.models import models as command
from pipeline.errors import RostrumError
from pipeline.models import catalogue, digests
from pipeline.models.catalogue import Model
from tests.pipeline.models.carriers import WEIGHTS, in_hub_cache, sha256, use

pytestmark = pytest.mark.usefixtures("home")


class TestFind:
    @pytest.fixture
    def counted(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
        hashed: list[Path] = []
        real = digests.sha256_of

        def count(path: Path) -> str:
            hashed.append(path)
            return real(path)

        monkeypatch.setattr(digests, "sha256_of", count)
        return hashed

    def test_a_file_by_its_path_is_hashed_once(self, home: Path, counted: list[Path]) -> None:
        path = home / "mine.pt"
        path.write_bytes(WEIGHTS)
        found = models.find(path)
        assert found == models.Found("mine", path, sha256(WEIGHTS), "path", len(WEIGHTS))
        assert models.find(str(path)) == found
        assert counted == [path]

    def test_a_changed_file_is_hashed_again(self, home: Path) -> None:
        path = home / "mine.pt"
        path.write_bytes(b"old")
        models.find(path)
        path.write_bytes(b"new")
        os.utime(path, ns=(1, 1))
        assert models.find(path).digest == sha256(b"new")

    def test_a_file_altered_with_size_and_time_kept(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        """By default it is trusted; `verify` finds it, and in strict mode it is not used."""
        path = models.fetch("small-model").path
        path = path if path.is_file() else next(each for each in path.rglob("*") if each.suffix == ".bin")
        before = path.stat()
        path.write_bytes(bytes(len(path.read_bytes())))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert models.find("small-model")
        with monkeypatch.context() as strict:
            strict.setenv("ROSTRUM_STRICT_MODELS", "1")
            strict.setattr(digests, "_hashed", {})
            with pytest.raises(RostrumError, match="not the file of the catalogue"):
                models.find("small-model")
        (state,) = models.verify()
        assert state.problem is not None
        assert str(path) in state.problem
        shown = CliRunner().invoke(command, ["verify"])
        assert (shown.exit_code, "small-model: damaged" in shown.output) == (1, True)

    def test_strict_mode_reads_a_file_once_per_process(
        self, home: Path, counted: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ROSTRUM_STRICT_MODELS", "1")
        path = home / "mine.pt"
        path.write_bytes(WEIGHTS)
        assert models.find(path) == models.find(path)
        assert counted == [path]

    def test_a_folder_by_its_path_has_one_digest_for_all_files(self, home: Path) -> None:
        folder = home / "mine"
        (folder / "sub").mkdir(parents=True)
        (folder / "b.txt").write_bytes(b"b")
        (folder / "sub" / "a.txt").write_bytes(b"a")
        (folder / ".git").write_bytes(b"not part of it")
        listing = f"{sha256(b'b')}  b.txt\n{sha256(b'a')}  sub/a.txt\n"
        assert models.find(folder).digest == sha256(listing.encode())
        assert models.find(folder).name == "mine"

    def test_a_name_comes_before_a_folder_that_happens_to_have_it(
        self, carried: Model, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        models.fetch("small-model")
        monkeypatch.chdir(home)
        (home / "small-model").mkdir()
        (home / "small-model" / "w.bin").write_bytes(b"mine")
        assert models.find("small-model").origin == "cache"
        assert models.find("./small-model").origin == "path"
        assert models.find(Path("small-model")).origin == "path"

    def test_a_fetched_model_is_the_same_by_name_and_by_path(self, carried: Model, counted: list[Path]) -> None:
        found = models.fetch("small-model")
        counted.clear()
        assert models.find("small-model") == found
        assert counted == []
        copy = found.path.rename(found.path.with_name("renamed"))
        assert models.find(copy) == replace(found, path=copy, origin="path")

    def test_a_moved_cache_is_still_right(
        self, carried: Model, home: Path, counted: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        models.fetch("small-model")
        counted.clear()
        (home / "models").rename(home / "elsewhere")
        monkeypatch.setenv("ROSTRUM_MODELS", str(home / "elsewhere"))
        assert models.find("small-model").path == home / "elsewhere" / "small-model"
        assert counted == []

    @pytest.mark.parametrize("name", ["small", "turbo"])
    def test_whisper_from_its_own_cache(self, home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        official = catalogue.WHISPER_ALIASES.get(name, name)
        monkeypatch.setitem(catalogue.WHISPER_SHA256, official, sha256(WEIGHTS))
        path = home / "cache" / "whisper" / f"{official}.pt"
        path.parent.mkdir(parents=True)
        path.write_bytes(WEIGHTS)
        found = models.find(name)
        assert found == models.Found(official, path.parent, sha256(WEIGHTS), "library cache", len(WEIGHTS))
        assert found in models.usable()
        assert models.find(path).name == official

    def test_a_size_that_was_rounded_says_so_in_its_name(
        self, carried: Model, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use(monkeypatch, replace(carried, name="small-8bit", stands_for="small"))
        monkeypatch.setitem(catalogue.WHISPER_SHA256, "small", sha256(WEIGHTS))
        official = home / "cache" / "whisper" / "small.pt"
        official.parent.mkdir(parents=True)
        official.write_bytes(WEIGHTS)
        assert models.find("small").name == "small", "the official file, where it is there"
        models.fetch("small")
        assert models.find("small") == models.find("small-8bit")
        assert models.find("small").name == "small-8bit", "the model cache comes first"
        assert models.find(official).name == "small"

    def test_a_damaged_whisper_file_is_refused(self, home: Path) -> None:
        path = home / "cache" / "whisper" / "small.pt"
        path.parent.mkdir(parents=True)
        path.write_bytes(WEIGHTS)
        with pytest.raises(RostrumError, match="damaged"):
            models.find("small")

    def test_the_model_cache_comes_before_the_library_cache(
        self, carried: Model, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        use(monkeypatch, replace(carried, hub_id="them/small-model"))
        snapshot = in_hub_cache(home, "them/small-model", {"w.bin": WEIGHTS})
        assert models.find("small-model").origin == "library cache"
        assert models.find("them/small-model").path == snapshot
        models.fetch("small-model")
        assert models.find("them/small-model").origin == "cache"

    def test_any_model_of_the_huggingface_cache(self, home: Path) -> None:
        snapshot = in_hub_cache(home, "them/theirs", {"w.bin": WEIGHTS})
        assert models.find("them/theirs") == models.Found(
            "them/theirs", snapshot, sha256(WEIGHTS), "library cache", len(WEIGHTS)
        )

    def test_the_hub_is_asked_only_when_allowed(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def snapshot_download(hub_id: str, *, local_files_only: bool, **_: Any) -> str:
            from huggingface_hub.errors import LocalEntryNotFoundError

            if local_files_only:
                raise LocalEntryNotFoundError("not here")
            asked.append(hub_id)
            return str(in_hub_cache(home, hub_id, {"w.bin": WEIGHTS}))

        monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
        with pytest.raises(RostrumError, match="allow the hub"):
            models.find("them/theirs")
        assert asked == []
        found = models.find("them/theirs", allow_hub=True)
        assert (found.origin, found.digest, asked) == ("hub", sha256(WEIGHTS), ["them/theirs"])

    def test_offline_the_hub_is_not_asked_for_whisper(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        with pytest.raises(RostrumError, match="small"):
            models.find("small", allow_hub=True)

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("tiny.en", "rostrum models fetch tiny.en"),
            ("tiny-en", "did you mean tiny.en"),
            ("MiniLM", "did you mean all-MiniLM-L6-v2"),
            ("qqqqqq", "rostrum models lists"),
            ("small", "get it with: rostrum models fetch small"),
            ("a/b/c.pt", "no such file"),
            ("mine.pt", "no such file"),
        ],
    )
    def test_what_is_missing_is_said_in_one_line(self, name: str, says: str) -> None:
        with pytest.raises(RostrumError) as caught:
            models.find(name)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)
