"""`rostrum models`: lists and fetches."""

import json
import os
from pathlib import Path
from typing import Any

import click
import fsspec
import pytest
from click.testing import CliRunner

from pipeline import models
from pipeline.cli.models import models as command
from pipeline.errors import RostrumError
from pipeline.models.catalogue import HUB_MODELS, Model
from tests.pipeline.models.carriers import WEIGHTS, in_hub_cache, sha256

pytestmark = pytest.mark.usefixtures("home")


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
            *((model.name, None) for model in HUB_MODELS),
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

    @pytest.mark.parametrize("kind", ["folder", "object store"])
    def test_it_comes_from_another_machine(self, carried: Model, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        """Once per machine, as the second call sees."""
        here = models.fetch("small-model")
        source = str(models.cache_folder())
        if kind == "object store":
            source = f"memory://{here.digest}"
            fsspec.filesystem("memory").put(str(here.path), f"{source}/small-model", recursive=True)
        monkeypatch.setenv("ROSTRUM_MODELS", f"{models.cache_folder()}-elsewhere")
        monkeypatch.setenv("PIP_FIND_LINKS", os.devnull)
        result = CliRunner().invoke(command, ["fetch", "--from", source])
        assert result.exit_code == 0, result.output
        assert models.find("small-model").digest == here.digest
        again = CliRunner().invoke(command, ["fetch", "--from", "memory://nothing-is-there"])
        assert again.stderr == "small-model is here already\n"

    @pytest.mark.parametrize("content", [b"another file", WEIGHTS[:-1] + b"!", None])
    def test_another_file_of_another_machine_is_refused(
        self, carried: Model, monkeypatch: pytest.MonkeyPatch, content: bytes | None
    ) -> None:
        here = models.fetch("small-model")
        if content is None:
            (here.path / "w.bin").unlink()
        else:
            (here.path / "w.bin").write_bytes(content)
        source = models.cache_folder()
        monkeypatch.setenv("ROSTRUM_MODELS", f"{source}-elsewhere")
        result = CliRunner().invoke(command, ["fetch", "--from", str(source)])
        assert result.exit_code == 1
        why = "cannot be read: No such file or directory" if content is None else "is not the file of the catalogue"
        assert f"small-model failed: {source}: small-model/w.bin {why}" in result.stderr
        assert not list(models.cache_folder().iterdir()), "nor is it taken from elsewhere"

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
