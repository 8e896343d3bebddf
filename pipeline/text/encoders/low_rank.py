"""Low-rank changes to an encoder's weights (Hu et al., 2022): small enough to be shared, merged into it to be used.

A change to a linear layer is `up @ down`, two thin matrices. What a file holds of them is a fraction of the encoder.
"""

import re
from collections.abc import Iterator, Mapping

import torch
from torch import nn

from pipeline.arrays import Floats32
from pipeline.errors import RostrumError
from pipeline.text.encoders.onnx_encoder import added

_LAYER = re.compile(r"\blayer\.(\d+)\.")


class Changed(nn.Module):
    """A linear layer with a low-rank change (LoRA). `up` begins at zero, so that at first nothing is changed."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.randn(rank, linear.in_features) * 0.05)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        changed: torch.Tensor = self.linear(inputs) + (inputs @ self.down.T) @ self.up.T
        return changed


def insert(model: nn.Module, *, rank: int, layers: int) -> list[nn.Parameter]:
    """Make the linear layers of the last `layers` of a transformer changeable, and nothing else; the parameters."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    numbered = [(name, int(match[1])) for name, _ in _linears(model) if (match := _LAYER.search(name))]
    if not numbered:
        raise RostrumError("this encoder has no numbered transformer layers to change; give another --encoder")
    first = max(number for _, number in numbered) + 1 - layers
    parameters: list[nn.Parameter] = []
    for name, number in numbered:
        if number >= first:
            parent, _, attribute = name.rpartition(".")
            changed = Changed(getattr(model.get_submodule(parent), attribute), rank)
            setattr(model.get_submodule(parent), attribute, changed)
            parameters += [changed.down, changed.up]
    return parameters


def changes(model: nn.Module) -> dict[str, torch.Tensor]:
    """The changes by the name of the layer and `.down` or `.up`."""
    return {
        f"{name}.{part}": getattr(module, part).detach().clone()
        for name, module in model.named_modules()
        if isinstance(module, Changed)
        for part in ("down", "up")
    }


def merge(model: nn.Module, low_rank: Mapping[str, Floats32]) -> None:
    """Add the changes to an encoder's own weights."""
    linears = dict(_linears(model))
    for name, difference in added(low_rank).items():
        if name not in linears:
            raise RostrumError(f"these weights change {name}, which the encoder has not: they belong to another one")
        with torch.no_grad():
            linears[name].weight += torch.from_numpy(difference)


def _linears(model: nn.Module) -> Iterator[tuple[str, nn.Linear]]:
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            yield name, module
