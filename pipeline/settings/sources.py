"""Where settings come from: a TOML file is overruled by the environment, and that by the command line."""

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError
from pipeline.settings import Settings

ENVIRONMENT_PREFIX = "ROSTRUM_"
# Variables of the same prefix that are not knobs of a stage.
OTHER_VARIABLES = {"ROSTRUM_MODELS", "ROSTRUM_SETTINGS", "ROSTRUM_DATA", "ROSTRUM_TRACEBACK", "ROSTRUM_LOG"}
DEFAULT_FILE = Path("rostrum.toml")


class Effective(BaseModel):
    """Settings, and for each knob that is not at its default where its value came from."""

    settings: Settings
    origins: dict[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str, str]]:
        """(knob, value, origin, help) of every knob."""
        for stage, model in self.settings:
            for name, field in type(model).model_fields.items():
                knob = f"{stage}.{name}"
                yield knob, getattr(model, name), self.origins.get(knob, "default"), field.description or ""


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    assignments: Sequence[str] = (),
) -> Effective:
    """Settings from a TOML file (default: `rostrum.toml` here, if there), the environment and `stage.knob=value`s."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for knob, value, origin in (
        *_from_file(file, environment),
        *_from_environment(environment),
        *_from_assignments(assignments),
    ):
        _check_known(knob, origin)
        values[knob] = value
        origins[knob] = origin
    return Effective(settings=_validated(values, origins), origins=origins)


def known_knobs() -> list[str]:
    return [
        f"{stage}.{knob}" for stage, field in Settings.model_fields.items() for knob in type(field.default).model_fields
    ]


def _from_file(file: Path | None, environment: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    if file is None and "ROSTRUM_SETTINGS" in environment:
        file = Path(environment["ROSTRUM_SETTINGS"])
    if file is None:
        if not DEFAULT_FILE.exists():
            return
        file = DEFAULT_FILE
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RostrumError(f"{file}: cannot read the settings file: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RostrumError(f"{file}: not valid TOML: {error}") from error
    for stage, knobs in tables.items():
        if not isinstance(knobs, dict):
            raise RostrumError(f"{file}: '{stage}' stands outside of a [stage] table; write [stage] above it")
        for name, value in knobs.items():
            yield f"{stage}.{name}", value, str(file)


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    """ROSTRUM_TRANSCRIBE_MODEL=base is transcribe.model = base."""
    for variable, text in sorted(environment.items()):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in OTHER_VARIABLES:
            stage, _, knob = variable.removeprefix(ENVIRONMENT_PREFIX).lower().partition("_")
            yield f"{stage}.{knob}", _parsed(text), f"${variable}"


def _from_assignments(assignments: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
    for assignment in assignments:
        knob, equals, text = assignment.partition("=")
        if not equals or "." not in knob:
            raise RostrumError(f"--set {assignment}: write it as stage.knob=value, such as transcribe.model=base")
        yield knob.strip(), _parsed(text), f"--set {assignment}"


def _parsed(text: str) -> Any:
    """Numbers, booleans and lists as in TOML or JSON; everything else is a string; nothing at all is 'none'."""
    if text == "":
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _check_known(knob: str, origin: str) -> None:
    known = known_knobs()
    if knob not in known:
        near = difflib.get_close_matches(knob, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "`rostrum settings` lists them all"
        raise RostrumError(f"{origin}: there is no setting {knob}; {hint}")


def _validated(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    tables: dict[str, dict[str, Any]] = {}
    for knob, value in values.items():
        stage, name = knob.split(".", 1)
        tables.setdefault(stage, {})[name] = value
    try:
        return Settings.model_validate(tables)
    except ValidationError as error:
        first = error.errors()[0]
        if len(first["loc"]) < 2:  # the knobs of a stage do not go together
            raise RostrumError(first["msg"]) from error
        knob = ".".join(str(part) for part in first["loc"][:2])
        raise RostrumError(f"{origins.get(knob, knob)}: {knob} cannot be {first['input']!r}: {first['msg']}") from error
