"""A BERT of one layer with random weights, which knows a few words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.system.environment import import_torchaudio

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def save_tiny_bert(folder: Path, words: Sequence[str], kind: str = "BertModel", **config: Any) -> Path:
    """The folder of such a model, of a class of transformers, with its tokenizer."""
    import torch

    import_torchaudio()
    import transformers

    torch.manual_seed(0)
    folder.mkdir()
    vocabulary = [*_SPECIAL, *words, "."]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    model = getattr(transformers, kind)(transformers.BertConfig(vocab_size=len(vocabulary), **sizes, **config))
    model.save_pretrained(folder)
    return folder
