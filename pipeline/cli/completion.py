"""What the shell offers after Tab: names of stages, formats, settings, speeches and models."""

from collections.abc import Iterable, Iterator
from typing import get_args

import click


def stages_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Names for `--stages`, which are separated by commas."""
    from pipeline.stage import STAGES

    before, comma, last = typed.rpartition(",")
    return [f"{before}{comma}{name}" for name in _like(STAGES, last)]


def formats_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Names of export formats."""
    from pipeline.export.formats import FORMATS

    return _like(FORMATS.names(), typed)


def models_like(_context: click.Context, _argument: click.Parameter, typed: str) -> list[str]:
    """Names of models that can be fetched."""
    from pipeline.models.catalogue import CATALOGUE

    return _like((model.name for model in CATALOGUE), typed)


def assignments_like(_context: click.Context, _option: click.Parameter, typed: str) -> list[str]:
    """Settings for `--set`. After the '=', the values of a setting that has a list of them."""
    from pipeline.run.configuration import Settings, known_settings

    name, equals, value = typed.partition("=")
    if not equals:
        return [f"{setting}=" for setting in _like(known_settings(), name)]
    if name not in known_settings():
        return []
    stage, _, setting = name.partition(".")
    own = Settings().of(stage)
    assert own is not None
    field = type(own).model_fields[setting]
    choices = ("true", "false") if field.annotation is bool else get_args(field.annotation)
    return _like((f"{name}={each}" for each in choices if isinstance(each, str)), f"{name}={value}")


def speeches_like(context: click.Context, _argument: click.Parameter, typed: str) -> list[str]:
    """Speeches and motions of the run that is named earlier on the command line."""
    return _like(_items(context.params.get("run") or ""), typed)


def _items(run: str) -> Iterator[str]:
    """The ids of a run's speeches and motions; none where there is no run."""
    from pipeline.errors import RostrumError
    from pipeline.run.index import load
    from pipeline.run.store import Store

    try:
        summary = load(Store(run))
    except (RostrumError, OSError):
        return
    yield from (item.id for item in summary.items) if summary else ()


def _like(names: Iterable[str], typed: str) -> list[str]:
    return [name for name in names if name.startswith(typed)]
