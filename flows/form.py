"""The form of the Prefect UI that starts a run: the settings that people change first, and all others folded."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from pipeline.run.configuration import Settings

# The settings that the form shows first, in this order.
FIRST = {
    "transcribe": ("model", "language", "engine", "device"),
    "diarize": ("mode", "speakers", "device"),
    "score": ("normaliser",),
    "keypoints": ("matcher", "most"),
    "llm": ("url", "model"),
}
# The part of the form with all other settings.
MORE = "more"


def unfolded(value: Any) -> Any:
    """The settings as the form gives them, with those of the folded part among the others of their stage."""
    if not isinstance(value, Mapping) or MORE not in value:
        return value
    settings = {stage: own for stage, own in value.items() if stage != MORE}
    for stage, own in (value[MORE] or {}).items():
        settings[stage] = {**own, **settings.get(stage, {})}
    return settings


def folded(settings: Settings) -> dict[str, Any]:
    """Settings as the form shows them. The folded part has what differs from the defaults, else it is None."""
    every, default = settings.model_dump(mode="json"), Settings().model_dump(mode="json")
    first = {stage: {name: every[stage][name] for name in names} for stage, names in FIRST.items()}
    changed = {stage: _changed(stage, own, default[stage]) for stage, own in every.items()}
    return {**first, MORE: {stage: own for stage, own in changed.items() if own} or None}


def _changed(stage: str, own: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if value != default[name] and name not in FIRST.get(stage, ())}


def _schema() -> dict[str, Any]:
    """The JSON schema of the form.

    PostgreSQL sorts the members of an object by the length of their names. The UI sorts them by their position.
    """
    schema = Settings.model_json_schema()
    groups = {
        stage: _resolved(group, schema["$defs"]) | {"title": stage} for stage, group in schema["properties"].items()
    }
    first = {stage: _part(groups[stage], [*names]) for stage, names in FIRST.items()}
    rest = {
        stage: _part(group, [name for name in group["properties"] if name not in FIRST.get(stage, ())])
        for stage, group in groups.items()
    }
    more = {
        "title": "more settings",
        "description": "All other settings, by stage. None: as they are by default.",
        "anyOf": [
            {
                "title": "settings",
                "type": "object",
                "properties": _in_order({k: v for k, v in rest.items() if v["properties"]}),
            },
            {"type": "null"},
        ],
        "default": None,
    }
    return {"title": "settings", "type": "object", "properties": _in_order({**first, MORE: more})}


def _part(group: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """A group with these settings only."""
    properties = _in_order({name: group["properties"][name] | {"title": name} for name in names})
    return {
        "title": group["title"],
        "description": group.get("description", ""),
        "type": "object",
        "properties": properties,
    }


def _in_order(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {**member, "position": place} for place, (name, member) in enumerate(members.items())}


def _resolved(part: Any, definitions: Mapping[str, Any]) -> Any:
    """A part of a schema without references."""
    if isinstance(part, list):
        return [_resolved(member, definitions) for member in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _resolved(definitions[part["$ref"].rpartition("/")[2]], definitions)
    return {name: _resolved(member, definitions) for name, member in part.items()}


FormSettings = Annotated[Settings, BeforeValidator(unfolded), WithJsonSchema(_schema())]
# The default of the flow's parameter, which the form shows. Prefect makes it a `Settings`.
DEFAULT: Any = folded(Settings())
