"""What trainings of sentence encoders share: the odds of matches, a step of descent, and checkpoints.

Every finished epoch is kept, so that a run that was killed goes on from there.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from pipeline.models.tensors import load_tensors


class Matches(nn.Module):
    """A sentence-transformers model, and what turns the cosine of two of its vectors into the odds of a match.

    Learning begins with even odds at the cosine `centre`.
    """

    def __init__(self, encoder: Any, centre: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.centre = nn.Parameter(torch.tensor(centre))
        self.log_scale = nn.Parameter(torch.tensor(10.0).log())

    def vectors(self, texts: list[str]) -> torch.Tensor:
        """One row of length 1 per text."""
        features = self.encoder.tokenizer(
            texts, padding=True, truncation=True, max_length=self.encoder.max_seq_length, return_tensors="pt"
        )
        return functional.normalize(self.encoder(dict(features))["sentence_embedding"], dim=1)

    def odds(self, cosines: torch.Tensor) -> torch.Tensor:
        """The logarithms of the odds."""
        return self.log_scale.exp() * (cosines - self.centre)


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> float:
    """Go a step down the loss, and return it. The gradients of the optimizer's first group are kept short."""
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
    optimizer.step()
    return float(loss.detach())


def use_threads(number: int) -> None:
    """How many CPU threads torch takes, for the whole process."""
    torch.set_num_threads(number)


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
