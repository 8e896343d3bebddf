"""The form of the Prefect UI that starts a run is made of the flow's parameters."""

from typing import Any

import pytest
from prefect.utilities.callables import parameter_schema
from pydantic import TypeAdapter, ValidationError

from flows.form import FormSettings, folded
from flows.process import process_corpus
from pipeline.run.configuration import Settings
from pipeline.stage import STAGES


def form() -> dict[str, Any]:
    schema: dict[str, Any] = parameter_schema(process_corpus.fn).model_dump()["properties"]
    return schema


def groups() -> dict[str, dict[str, Any]]:
    """The settings of each group, those that come first and those that are folded."""
    shown = form()["settings"]["properties"]
    more = shown["more"]["anyOf"][0]["properties"]
    return {f"{part}.{name}": group for part, all in (("first", shown), ("more", more)) for name, group in all.items()}


def test_every_parameter_and_every_setting_has_a_help_text() -> None:
    settings = {
        f"{group}.{name}": setting
        for group, members in groups().items()
        for name, setting in members.get("properties", {}).items()
    }
    every = {f"{stage}.{name}" for stage, own in Settings().model_dump().items() for name in own}
    assert {name.split(".", 1)[1] for name in settings} == every, "each setting is there once"
    assert len(settings) == len(every)
    told = {**form(), **groups(), **settings}
    assert [name for name, each in told.items() if not each.get("description")] == []


def test_every_member_has_a_position_of_its_own() -> None:
    """PostgreSQL sorts members by the length of their names; the UI sorts them by their position."""
    for group in (form()["settings"], form()["settings"]["properties"]["more"]["anyOf"][0], *groups().values()):
        members = group.get("properties", {}).values()
        assert [member["position"] for member in members] == list(range(len(members)))
    assert next(iter(form()["settings"]["properties"])) == "transcribe"


def test_choices_are_lists() -> None:
    assert form()["stages"]["anyOf"][0]["items"]["enum"] == list(STAGES)
    assert groups()["first.score"]["properties"]["normaliser"]["enum"] == ["plain", "whisper", "verbatim"]


def test_what_the_form_gives_are_the_settings() -> None:
    adapter = TypeAdapter(FormSettings)
    settings = Settings(transcribe={"model": "tiny.en", "beam_size": 2}, mentions={"carriers": 3})  # type: ignore
    assert folded(settings)["more"] == {"transcribe": {"beam_size": 2}, "mentions": {"carriers": 3}}
    assert adapter.validate_python(folded(settings)) == settings
    assert adapter.validate_python(settings.model_dump(mode="json")) == settings, "as the command line has them"
    assert form()["settings"]["default"]["more"] is None, "folded"
    with pytest.raises(ValidationError, match="beam_sise"):
        adapter.validate_python({"more": {"transcribe": {"beam_sise": 3}}})
