"""IBM's Recorded Debating Dataset as a corpus folder."""

import csv
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.corpus.ibm_debates import IbmSpeech, answered, find_speeches, rows
from pipeline.corpus.manifest import MANIFESTS
from pipeline.errors import RostrumError

CLAIMS = "GP-claims-mentioned-in-speeches.csv"


def import_ibm_debates(source: Path, destination: Path) -> dict[str, int]:
    """Copy the speeches and write the manifests; returns how many of each there are.

    A general-purpose claim becomes an argument of every motion and side whose speeches were asked about it; a claim is
    mentioned where the data set says so, and its votes are those for and against.
    """
    if destination.exists() and any(destination.iterdir()):
        raise RostrumError(f"{destination}: is not empty; name a new folder")
    speeches = find_speeches(source)
    motions = _motions(source, speeches)
    labels, arguments = _claims(source, {speech.id: speech for speech in speeches})
    destination.mkdir(parents=True, exist_ok=True)
    tables: dict[str, list[dict[str, str]]] = {
        "motions.csv": motions,
        "speeches.csv": [_speech_row(speech, speeches, destination) for speech in speeches],
        "arguments.csv": arguments,
        "labels.csv": labels,
    }
    for name, table in tables.items():
        _write(destination / name, [column.name for column in MANIFESTS[name]], table)
    return {name.removesuffix(".csv"): len(table) for name, table in tables.items()}


def _motions(source: Path, speeches: Iterable[IbmSpeech]) -> list[dict[str, str]]:
    """Motions with their texts; a motion that the claims do not speak of is called by its topic."""
    texts = {speech.motion: speech.topic.replace("-", " ") for speech in speeches}
    if (source / "GPR-KB-55").exists():
        texts |= {row["motion-id"]: row["motion-text"] for row in rows(source, CLAIMS) if row["motion-id"] in texts}
    return [{"id": motion, "text": text} for motion, text in sorted(texts.items(), key=lambda pair: int(pair[0]))]


def _speech_row(speech: IbmSpeech, speeches: list[IbmSpeech], destination: Path) -> dict[str, str]:
    other = answered(speech, speeches)
    copied = {kind: _copied(speech, kind, destination) for kind in ("wav", "asr", "trs")}
    return {
        "id": speech.id,
        "file": copied["wav"],
        "motion": speech.motion,
        "stance": speech.stance,
        "speaker": speech.speaker,
        "answers": other.id if other else "",
        "reference": copied["trs"],
        "transcript": copied["asr"],
    }


def _copied(speech: IbmSpeech, kind: str, destination: Path) -> str:
    """Copy one of the speech's files, if the release has it; its path in the corpus."""
    source = speech.files.get(kind)
    if source is None:
        return ""
    target = destination / "speeches" / f"{speech.id}.{kind}"
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(source, target)
    return target.relative_to(destination).as_posix()


def _claims(source: Path, speeches: Mapping[str, IbmSpeech]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    if not (source / "GPR-KB-55").exists():
        return [], []
    labels: list[dict[str, str]] = []
    arguments: dict[str, dict[str, str]] = {}
    for row in rows(source, CLAIMS):
        speech = speeches.get(row["speech-id"])
        if speech is None:
            continue
        argument = f"{row['GPR-KB-id']}-{speech.motion}-{speech.stance}"
        arguments[argument] = {
            "id": argument,
            "motion": speech.motion,
            "stance": speech.stance,
            "title": row["GP-claim-text-for-motion"],
        }
        labels.append(_label(speech, argument, row))
    return labels, list(arguments.values())


def _label(speech: IbmSpeech, argument: str, row: Mapping[str, str]) -> dict[str, str]:
    mentioned = row["is-claim-mentioned-in-speech"].lower() == "true"
    return {
        "speech": speech.id,
        "argument": argument,
        "mentioned": "1" if mentioned else "0",
        "how": row["label"].lower() if mentioned else "",
        "votes_yes": str(int(row["explicit-count"]) + int(row["implicit-count"])),
        "votes_no": row["reject-count"],
    }


def _write(path: Path, columns: list[str], table: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(table)
