"""The settings of all stages, and where they come from: file, then environment, then command line."""

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from pipeline.errors import RostrumError, hint
from pipeline.settings import LlmSettings, StageSettings
from pipeline.stage import all_stages
from pipeline.system.files import LARGEST_TEXT, read_file

S = TypeVar("S", bound=StageSettings)
ENVIRONMENT_PREFIX = "ROSTRUM_"
# Variables of the same prefix that are not settings of a stage.
OTHER_VARIABLES = {
    "ROSTRUM_MODELS",
    "ROSTRUM_SETTINGS",
    "ROSTRUM_DATA",
    "ROSTRUM_STRICT_MODELS",
    "ROSTRUM_TRACEBACK",
    "ROSTRUM_LLM_KEY",
    "ROSTRUM_LOG",
    "ROSTRUM_TRANSCRIPTS",
    "ROSTRUM_LOCKS",
    "ROSTRUM_METRICS",
    "ROSTRUM_SERVED_FROM",
    # Read by `prefect deploy`, from prefect.yaml.
    "ROSTRUM_CORPUS",
    "ROSTRUM_OUT",
    "ROSTRUM_NOTIFY",
    "ROSTRUM_LONG",
    "ROSTRUM_LATE",
}
DEFAULT_FILE = Path("rostrum.toml")


class AllSettings(BaseModel):
    """The settings of all stages, and of the large language model that some of them may ask."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    llm: LlmSettings = LlmSettings()

    def of(self, stage: str) -> StageSettings | None:
        """The settings of one stage; None for a stage without settings."""
        own: StageSettings | None = getattr(self, stage, None)
        return own.model_copy(update={"llm": self.llm}) if own and own.asked_llm else own

    def own(self, kind: type[S]) -> S:
        """The settings of this kind: those of the one stage that has them."""
        [settings] = (settings for _, settings in self if isinstance(settings, kind))
        return settings

    @property
    def key(self) -> str:
        """A digest of what all stages do with these settings. Runs with the same one make the same of a speech."""
        every = {}
        for stage in all_stages():
            own = self.of(stage.name)
            every[stage.name] = [stage.version, own.decisive() if own else {}]
        return hashlib.sha256(json.dumps(every, sort_keys=True, default=str).encode()).hexdigest()[:16]


# One field per stage, with the type of the parameter `settings` of its function. So a new stage adds its own settings.
if TYPE_CHECKING:
    Settings = AllSettings
else:
    Settings = create_model(
        "Settings",
        __base__=AllSettings,
        __doc__=AllSettings.__doc__,
        **{each.name: (each.settings, each.settings()) for each in all_stages() if each.settings},
    )


class Effective(BaseModel):
    """Settings, and for each value that somebody set, where it came from."""

    settings: Settings
    origins: dict[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str, str]]:
        """(name, value, origin, help) of every setting."""
        for stage, model in self.settings:
            for name, field in own_fields(type(model)).items():
                full = f"{stage}.{name}"
                yield full, getattr(model, name), self.origins.get(full, "default"), field.description or ""


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    assignments: Sequence[str] = (),
) -> Effective:
    """Settings from a TOML file (default: `rostrum.toml`, if there is one), the environment and assignments.

    An assignment is `stage.setting=value`. Each source overrules the one before.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, value, origin in (
        *_from_file(file, environment),
        *_from_environment(environment),
        *_from_assignments(assignments),
    ):
        _check_known(name, origin)
        values[name] = value
        origins[name] = origin
    return Effective(settings=_validated(values, origins), origins=origins)


def known_settings() -> list[str]:
    """The names of all settings, such as `transcribe.model`."""
    return [
        f"{stage}.{name}" for stage, field in Settings.model_fields.items() for name in own_fields(type(field.default))
    ]


def own_fields(settings: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a stage's own settings, by name. The shared `llm` is not among them."""
    return {name: field for name, field in settings.model_fields.items() if not field.exclude}


def _from_file(file: Path | None, environment: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    if file is None and "ROSTRUM_SETTINGS" in environment:
        file = Path(environment["ROSTRUM_SETTINGS"])
    if file is None:
        if not DEFAULT_FILE.exists():
            return
        file = DEFAULT_FILE
    try:
        tables = tomllib.loads(read_file(file, LARGEST_TEXT).decode("utf-8-sig"))
    except OSError as error:
        raise RostrumError(f"{file}: cannot read the settings file: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise RostrumError(f"{file}: not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise RostrumError(f"{file}: not valid TOML: it is not UTF-8 text; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise RostrumError(f"{file}: not valid TOML: a number is too long, or there are too many brackets") from error
    for stage, table in tables.items():
        if not isinstance(table, dict):
            raise RostrumError(f"{file}: '{stage}' is outside of a table; write the [stage] it belongs to above it")
        for name, value in table.items():
            yield f"{stage}.{name}", value, str(file)


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    """ROSTRUM_TRANSCRIBE_MODEL=base is transcribe.model = base."""
    for variable, text in sorted(environment.items()):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in OTHER_VARIABLES:
            stage, _, name = variable.removeprefix(ENVIRONMENT_PREFIX).lower().partition("_")
            yield f"{stage}.{name}", _parsed(text), f"${variable}"


def _from_assignments(assignments: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or "." not in name:
            raise RostrumError(f"--set {assignment}: write it as stage.setting=value, such as transcribe.model=base")
        yield name.strip(), _parsed(text), f"--set {assignment}"


def _parsed(text: str) -> Any:
    """The value of a text: a number, boolean or list as in JSON; None if it is empty; else the text itself."""
    if text == "":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # text, a number that is too long, or too many brackets
        return text


def _check_known(name: str, origin: str) -> None:
    if name not in known_settings():
        # If the stage exists, only its own settings can be meant.
        own = [known for known in known_settings() if known.startswith(f"{name.partition('.')[0]}.")]
        among = f"there are {', '.join(own)}" if own else "`rostrum settings` lists them all"
        meant = hint(name, own or known_settings(), among)
        raise RostrumError(f"{origin}: there is no setting {name}; {meant}")


def _validated(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    tables: dict[str, dict[str, Any]] = {}
    for full, value in values.items():
        stage, name = full.split(".", 1)
        tables.setdefault(stage, {})[name] = value
    try:
        return Settings.model_validate(tables)
    except ValidationError as error:
        first = error.errors()[0]
        wrong = what_is_wrong(first)
        if len(first["loc"]) < 2:  # two settings of a stage contradict each other
            raise RostrumError(wrong) from error
        full = ".".join(str(part) for part in first["loc"][:2])
        given = json.dumps(values[full], ensure_ascii=False, default=str) if _may_be_shown(full) else "what was given"
        raise RostrumError(f"{origins.get(full, full)}: {full} cannot be {given}: {wrong}") from error


def _may_be_shown(full: str) -> bool:
    stage, name = full.split(".", 1)
    return own_fields(type(Settings.model_fields[stage].default))[name].repr


# Plain messages for pydantic's types of error.
_WRONG = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "finite_number": "it must be a number that is not infinite",
    "float_parsing": "it must be a number",
    "float_type": "it must be a number",
    "greater_than": "it must be more than {gt:g}",
    "greater_than_equal": "it must be {ge:g} or more",
    "int_from_float": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "less_than": "it must be less than {lt:g}",
    "less_than_equal": "it must be {le:g} or less",
    "literal_error": "it must be {expected}",
    "string_type": "it must be text",
    "too_long": "it must have {max_length} parts or fewer",
    "too_short": "it must have {min_length} part or more",
    "tuple_type": "it must be a list, such as [0.0, 0.2]",
    "value_error": "{error}",
}


def what_is_wrong(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors in plain words."""
    words: str = _WRONG.get(error["type"], error["msg"])
    return words.format_map(error.get("ctx", {}))
