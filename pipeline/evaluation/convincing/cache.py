"""Judgements on disk, so that an interrupted evaluation goes on where it was."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.arrays import Floats
from pipeline.evaluation.convincing.experiments import Experiment
from pipeline.evaluation.convincing.judging import Judgement, Method, Resources


def cache_folder() -> Path:
    """Where judgements are kept between calls: in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rostrum" / "convincing"


def folder_of(cache: Path, experiment: Experiment, method: Method, resources: Resources) -> Path:
    """Where the judgements of one method on one set are: another for other data, another version or other models."""
    plain = "".join(c if c.isalnum() else "-" for c in method.name)
    used = hashlib.sha256(json.dumps(method.needs(resources), sort_keys=True).encode()).hexdigest()
    return cache / experiment.digest[:16] / f"{plain}-{method.version}-{used[:8]}-{resources.seed}"


def store(judgement: Judgement, file: Path) -> None:
    """Write the judgement, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {name: None if values is None else values.tolist() for name, values in vars(judgement).items()}
    temporary = file.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps(content), encoding="utf-8")
    temporary.replace(file)


def stored(file: Path) -> Judgement:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))

    def array(name: str) -> Floats | None:
        return None if content[name] is None else np.array(content[name], dtype=np.float64)

    return Judgement(np.array(content["margins"], dtype=np.float64), array("probabilities"), array("ranks"))
