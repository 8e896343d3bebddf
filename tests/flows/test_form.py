"""The form of the Prefect UI that starts a run is made of the flow's parameters."""

from prefect.utilities.callables import parameter_schema

from flows.process import process_corpus
from pipeline.stage import STAGES


def test_every_parameter_and_every_setting_has_a_help_text() -> None:
    schema = parameter_schema(process_corpus.fn).model_dump()
    settings = {
        f"{group}.{name}": setting
        for group, model in schema["definitions"].items()
        if group != "Settings"  # whose members are groups of settings
        for name, setting in model["properties"].items()
    }
    assert len(settings) > 60
    told = {**schema["properties"], **schema["definitions"], **settings}
    assert [name for name, each in told.items() if not each.get("description")] == []


def test_choices_are_lists() -> None:
    schema = parameter_schema(process_corpus.fn).model_dump()
    assert schema["properties"]["stages"]["anyOf"][0]["items"]["enum"] == list(STAGES)
    assert schema["definitions"]["ScoreSettings"]["properties"]["normaliser"]["enum"] == [
        "plain",
        "whisper",
        "verbatim",
    ]
