"""Every entry of the catalogue is complete and true."""

import re
from pathlib import Path

import pytest

from pipeline import models
from pipeline.models import catalogue
from pipeline.models.catalogue import Model

pytestmark = pytest.mark.usefixtures("home")


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

    def test_rounded_weights_are_not_taken_for_the_official_ones(self) -> None:
        model = catalogue.lookup("small")
        assert model is not None
        assert (model.name, model.loads, model.stands_for) == ("small-8bit", "small-8bit.pt", "small")
        assert model.files[0].sha256 not in catalogue.WHISPER_SHA256.values()

    def test_whisper_digests_are_those_of_the_library(self) -> None:
        import whisper

        urls = {name: url.split("/")[-2] for name, url in whisper._MODELS.items()}
        ours = {name: catalogue.WHISPER_SHA256[catalogue.WHISPER_ALIASES.get(name, name)] for name in urls}
        assert ours == urls

    def test_the_documentation_names_every_model(self) -> None:
        text = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
        assert [model.name for model in models.CATALOGUE if f"`{model.name}`" not in text] == []
