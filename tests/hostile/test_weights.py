"""Weights that run code when they are read: whichever setting names them, and in whatever layout, no code is run."""

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rostrum
from pipeline import models
from pipeline.errors import RostrumError
from tests.models import needs
from tests.sounds import write_speech

Weights = Callable[[Path], Path]


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.made),)


def checkpoint(folder: Path) -> Path:
    """As torch writes it, with what each library asks for first."""
    import torch

    trap = Trap(folder / "executed")
    keys = ("state_dict", "model_state_dict", "dims", "pyannote.audio", "pytorch-lightning_version", "weight")
    torch.save(dict.fromkeys(keys, trap), folder / "weights.pt")
    return folder / "weights.pt"


def plain_pickle(folder: Path) -> Path:
    (folder / "weights.bin").write_bytes(pickle.dumps(Trap(folder / "executed")))
    return folder / "weights.bin"


def arrays(folder: Path) -> Path:
    """An array of objects, which numpy reads by pickle."""
    array = np.array([Trap(folder / "executed")], dtype=object)
    names = ("points", "weights", "scales", "columns", "settings", "mean", "words", "vectors")
    np.savez(folder / "weights.npz", **dict.fromkeys(names, array), allow_pickle=True)
    return folder / "weights.npz"


def encoder_with_a_pickle(folder: Path) -> Path:
    """An encoder's folder whose weights are a pickle, with and without torch's archive around it."""
    (folder / "encoder").mkdir()
    for file in models.find("all-MiniLM-L6-v2").path.rglob("*"):
        if file.is_file() and file.suffix != ".safetensors" and not file.name.startswith("."):
            copy = folder / "encoder" / file.relative_to(models.find("all-MiniLM-L6-v2").path)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    checkpoint(folder).rename(folder / "encoder" / "pytorch_model.bin")
    return folder / "encoder"


def folder_that_names_code(folder: Path) -> Path:
    """A model's folder with a module of its own, and a class that reads pickles."""
    (folder / "model").mkdir()
    plain_pickle(folder).rename(folder / "model" / "weights.pkl")
    code = f"import os\nos.mkdir({str(folder / 'executed')!r})\nclass Model: pass\n"
    (folder / "model" / "own.py").write_text(code)
    modules = [{"idx": 0, "name": "0", "path": "weights.pkl", "type": kind} for kind in ("pickle.load", "own.Model")]
    (folder / "model" / "modules.json").write_text(json.dumps(modules))
    automatic = {"AutoModel": "own.Model", "AutoConfig": "own.Model", "AutoModelForSequenceClassification": "own.Model"}
    (folder / "model" / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": automatic}))
    (folder / "model" / "config.yaml").write_text("pipeline: {name: own.Model, params: {}}\n")
    (folder / "model" / "model.onnx").write_bytes(plain_pickle(folder).read_bytes())
    (folder / "model" / "tokenizer.json").write_text("{}")
    return folder / "model"


LAYOUTS = [checkpoint, plain_pickle, arrays, encoder_with_a_pickle, folder_that_names_code]


# What a setting needs to be used.
BESIDES = {"counter.vectors": {"counter.ranker": "SD-e"}, "segment.tagger": {"segment.method": "tagger"}}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two speeches of a debate, as transcripts."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for side, text in {
        "pro": "Zoos are cruel and animals suffer.",
        "con": "Zoos teach children what animals need.",
    }.items():
        lines = (f"{side} 1 {at * 0.4:.1f} 0.3 {word} 0.9\n" for at, word in enumerate(text.split()))
        (folder / f"{side}.ctm").write_text("".join(lines))
    rows = "pro,zoos,pro,pro.ctm\ncon,zoos,con,con.ctm\n"
    (folder / "speeches.csv").write_text(f"id,motion,stance,transcript\n{rows}")
    (folder / "motions.csv").write_text("id,text\nzoos,We should ban zoos\n")
    (folder / "arguments.csv").write_text("id,motion,stance,title,text\na,zoos,pro,Cruelty,Animals suffer\n")
    return folder


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize(
    "setting",
    [
        "diarize.pipeline",
        "diarize.segmentation",
        "diarize.embedding",
        "transcribe.model",
        "segment.tagger",
        "grade.model",
        "mentions.encoder",
        "mentions.detector",
        "mentions.passage_matcher",
        "mentions.cross_encoder",
        "counter.encoder",
        "counter.inference",
        "counter.ranker",
        "counter.vectors",
        "keypoints.matcher",
        "convincing.model",
        "content.encoder",
    ],
)
@needs("all-MiniLM-L6-v2", "bge-small-en-v1.5-int8", "segmentation-3.0", "campplus", "base.en", "glove-6B-50d")
def test_a_setting(setting: str, layout: Weights, corpus: Path, tmp_path: Path) -> None:
    path = layout(tmp_path)
    stage = setting.partition(".")[0]
    settings = {setting: str(path), **BESIDES.get(setting, {})}
    if stage in ("diarize", "transcribe"):
        corpus = write_speech(tmp_path / "spoken.wav")
    try:
        told = rostrum.run(corpus, tmp_path / "run", [stage], settings).failures
    except RostrumError as error:  # said before the run begins
        told = [str(error)]
    assert not (tmp_path / "executed").exists()
    assert any(str(path) in line for line in told), told
    assert not [line for line in told if "a mistake in rostrum" in line or "Traceback" in line]
