"""Claims with their stance: IBM's claim stance data and Perspectrum, each in its parts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipeline.errors import RostrumError
from pipeline.evaluation.csv_rows import read_rows

PartName = Literal["train", "dev", "test"]


@dataclass(frozen=True)
class Stand:
    """Texts that say the same of a topic, and whether they are for it."""

    texts: tuple[str, ...]
    supports: bool


@dataclass(frozen=True)
class Debated:
    """A topic and everything that is said for and against it."""

    topic: str
    stands: tuple[Stand, ...]


def read_claim_stance(folder: Path, part: PartName) -> list[Debated]:
    """IBM's claims of one part, by topic. It has no dev part."""
    topics: dict[str, list[Stand]] = {}
    columns = ("split", "topicText", "claims.claimCorrectedText", "claims.stance")
    for _, row in read_rows(folder / "claim_stance_dataset.csv", columns):
        if row["split"] == part:
            stand = Stand((row["claims.claimCorrectedText"],), row["claims.stance"] == "PRO")
            topics.setdefault(row["topicText"], []).append(stand)
    return [Debated(topic, tuple(stands)) for topic, stands in topics.items()]


def read_perspectrum(folder: Path, part: PartName) -> list[Debated]:
    """Perspectrum's claims of one part; a stand is a cluster of perspectives."""
    texts = {each["pId"]: each["text"].strip() for each in _json(folder / "perspective_pool_v1.0.json")}
    parts = _json(folder / "dataset_split_v1.0.json")
    return [
        Debated(claim["text"].strip(), tuple(_stands(claim["perspectives"], texts)))
        for claim in _json(folder / "perspectrum_with_answers_v1.0.json")
        if parts[str(claim["cId"])] == part
    ]


def _stands(clusters: list[dict[str, Any]], texts: dict[int, str]) -> Iterator[Stand]:
    for cluster in clusters:
        said = tuple(dict.fromkeys(texts[number] for number in cluster["pids"] if texts[number]))
        if said and cluster["stance_label_3"] in ("SUPPORT", "UNDERMINE"):
            yield Stand(said, cluster["stance_label_3"] == "SUPPORT")


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RostrumError(f"{file}: cannot be read: {error.strerror}; DIR has the data sets' folders") from error
    except ValueError as error:
        raise RostrumError(f"{file}: not JSON: {error}; copy the data set again") from error
