"""What trainings of encoders share: the base model, the odds of matches, a step of descent, and checkpoints.

Every finished epoch is kept, so that a training that was killed continues there.
"""

import shutil
from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from pipeline import models
from pipeline.errors import RostrumError
from pipeline.models.stored import load_tensors
from pipeline.system.files import write_file
from pipeline.text.encoders.onnx_encoder import float_weights, onnx_file, pools_by_mean
from pipeline.text.encoders.sentence_encoder import is_onnx, load_sentence_transformer


def load_base(name: str) -> tuple[Any, str]:
    """(a sentence-transformers model by catalogue name or path, the digest of its weights).

    Of an 8-bit ONNX file it has the weights as floats.
    """
    model = models.find(name)
    return _floats_of(model.path) if is_onnx(model.path) else load_sentence_transformer(model.path), model.digest


def _floats_of(folder: Path) -> Any:
    """The encoder of an ONNX file as a sentence-transformers model."""
    from pipeline.system.environment import import_torchaudio

    import_torchaudio()
    from safetensors.numpy import save_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Normalize, Pooling, Transformer
    from transformers.utils import logging

    weights = float_weights(onnx_file(folder))
    with TemporaryDirectory() as temporary:
        for file in (*folder.glob("*.json"), *folder.glob("vocab.txt")):
            shutil.copy(file, temporary)
        save_file(weights, Path(temporary, "model.safetensors"), metadata={"format": "pt"})
        logging.set_verbosity_error()  # it would report the pooling layer, which no sentence's vector needs
        logging.disable_progress_bar()
        transformer = Transformer(temporary)
    needed = {name for name, _ in transformer.model.named_parameters() if not name.startswith("pooler.")}
    if lacking := sorted(needed - weights.keys()):
        raise RostrumError(
            f"{folder}: its ONNX file has no 8-bit {lacking[0]}; give an encoder of sentence-transformers"
        )
    mode = "mean" if pools_by_mean(folder) else "cls"
    pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode=mode)
    return SentenceTransformer(modules=[transformer, pooling, Normalize()], device="cpu")


class Trainable(nn.Module):
    """A sentence-transformers model that reads at most so many tokens of a text, by default as many as it can.

    If it `tells_sides`, it has a head that makes odds of a vector: for its topic, against it, or neither.
    """

    def __init__(self, encoder: Any, longest: int | None = None, *, tells_sides: bool = False) -> None:
        super().__init__()
        self.encoder = encoder
        self._longest = longest
        if tells_sides:
            self.side = nn.Linear(int(encoder.get_embedding_dimension()), 3)

    def vectors(self, texts: list[str]) -> torch.Tensor:
        """One row of length 1 per text."""
        longest = self._longest or self.encoder.max_seq_length
        features = self.encoder.tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
        return functional.normalize(self.encoder(dict(features))["sentence_embedding"], dim=1)


class Matches(Trainable):
    """An encoder with the parameters that turn the cosine of two vectors into odds of a match.

    Learning begins with even odds at the cosine `centre`, from which they rise by `scale` times the cosine.
    """

    def __init__(self, encoder: Any, centre: float, scale: float = 10.0, *, tells_sides: bool = False) -> None:
        super().__init__(encoder, tells_sides=tells_sides)
        self.centre = nn.Parameter(torch.tensor(centre))
        self.log_scale = nn.Parameter(torch.tensor(scale).log())

    def odds(self, cosines: torch.Tensor) -> torch.Tensor:
        """The logarithms of the odds."""
        return self.log_scale.exp() * (cosines - self.centre)


def stored_head(head: nn.Linear, scale: float) -> tuple[list[list[float]], list[float]]:
    """(weights times `scale`, biases) of a head, rounded so that equal trainings write equal files."""
    weights = [[round(float(value) * scale, 5) for value in row] for row in head.weight.tolist()]
    return weights, [round(float(value), 5) for value in head.bias.tolist()]


def optimizer_of(changed: list[nn.Parameter], heads: list[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    """AdamW over changes to an encoder and over heads, which do not decay."""
    groups: list[dict[str, Any]] = [{"params": changed}, {"params": heads, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, weight_decay=0.01)


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of all parameters."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> float:
    """Take one step of descent, the gradients of the first group clipped to norm 1. Returns the loss."""
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 1.0)
    optimizer.step()
    return float(loss.detach())


def warmed_up(step: int, total: int) -> float:
    """Linear warm-up over a tenth of the steps, then decay to 0, as a share of the highest learning rate."""
    return min((step + 1) / (0.1 * total), 1.0) * max(total - step, 0) / total


def epochs(checkpoint: Path | None, options: Any, model: Any, *others: Any) -> Iterator[int]:
    """The epochs that are left to do, each with the same random numbers after a restart.

    `options` has `epochs` and `seed`. After each epoch, the trained parameters of `model` and the states of `others`
    (an optimizer, a schedule) are written to the checkpoint, which is removed at the end.
    """
    for epoch in range(_resumed(checkpoint, options, model, *others), options.epochs):
        torch.manual_seed(options.seed * 1000 + epoch)
        model.train()
        yield epoch
        _keep(checkpoint, epoch + 1, options, model, *others)
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    model.eval()


def _keep(checkpoint: Path | None, epochs: int, options: Any, model: Any, *others: Any) -> None:
    """Write what is needed to go on after this epoch: the options, the trained parameters, and others' states."""
    if checkpoint is None:
        return
    changed = {name: value for name, value in model.named_parameters() if value.requires_grad}
    state = {
        "epochs": epochs,
        "options": asdict(options),
        "changed": changed,
        "others": [other.state_dict() for other in others],
    }
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    content = BytesIO()
    torch.save(state, content)
    write_file(checkpoint, content.getvalue(), replace=True)


def _resumed(checkpoint: Path | None, options: Any, model: Any, *others: Any) -> int:
    """Load a checkpoint of the same options, if there is one. Returns how many epochs are done."""
    if checkpoint is None or not checkpoint.exists():
        return 0
    state = load_tensors(checkpoint)
    if state["options"] != asdict(options):
        return 0
    model.load_state_dict(state["changed"], strict=False)
    for other, kept in zip(others, state["others"], strict=True):
        other.load_state_dict(kept)
    return int(state["epochs"])
