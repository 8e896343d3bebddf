"""Checkpoints of trainings: every finished epoch, so that a run that was killed goes on from there."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from pipeline.models.tensors import load_tensors


def keep(checkpoint: Path | None, epochs: int, options: Any, model: Any, *others: Any) -> None:
    """Write what is needed to go on after this epoch: options, what is trained of the model, and others' states."""
    if checkpoint is None:
        return
    changed = {name: value for name, value in model.named_parameters() if value.requires_grad}
    state = {
        "epochs": epochs,
        "options": asdict(options),
        "changed": changed,
        "others": [each.state_dict() for each in others],
    }
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    temporary = checkpoint.with_name(f".{checkpoint.name}")
    torch.save(state, temporary)
    temporary.replace(checkpoint)


def resumed(checkpoint: Path | None, options: Any, model: Any, *others: Any) -> int:
    """Take up a checkpoint of the same options, if there is one; how many epochs are done."""
    if checkpoint is None or not checkpoint.exists():
        return 0
    state = load_tensors(checkpoint)
    if state["options"] != asdict(options):
        return 0
    model.load_state_dict(state["changed"], strict=False)
    for other, kept in zip(others, state["others"], strict=True):
        other.load_state_dict(kept)
    return int(state["epochs"])
