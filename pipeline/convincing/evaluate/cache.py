"""Judgements on disk, so that an interrupted evaluation continues where it stopped."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.convincing.evaluate.experiments import Experiment
from pipeline.convincing.evaluate.judging import Judgement, Method, MethodOptions
from pipeline.system.files import write_file

# Judgements on disk, so that an interrupted evaluation continues where it stopped.


def cache_folder() -> Path:
    """Where judgements are kept between calls: in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rostrum" / "convincing"


def folder_of(cache: Path, experiment: Experiment, method: Method, options: MethodOptions) -> Path:
    """The folder of one method's judgements on one set; other data, versions or models have another one."""
    plain = "".join(c if c.isalnum() else "-" for c in method.name)
    used = hashlib.sha256(json.dumps(method.needs(options), sort_keys=True).encode()).hexdigest()
    return cache / experiment.digest[:16] / f"{plain}-{method.version}-{used[:8]}-{options.seed}"


def store(judgement: Judgement, file: Path) -> None:
    """Write the judgement, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {name: None if values is None else values.tolist() for name, values in vars(judgement).items()}
    write_file(file, json.dumps(content).encode(), replace=True)


def stored(file: Path) -> Judgement:
    """A judgement that `store` wrote."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    arrays: dict[str, Any] = {name: None if each is None else np.array(each, float) for name, each in content.items()}
    return Judgement(**arrays)
