"""Audacity label tracks: one file per speech and tier."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.engine.finished import FinishedRun
from pipeline.output.annotation.speech import annotated_speeches
from pipeline.output.annotation.tiers import Tier
from pipeline.output.exports import FolderFormat, write


def audacity(tier: Tier) -> str:
    """One tier as a label track: start and end in seconds, label."""
    return "".join(f"{each.start:.6f}\t{each.end:.6f}\t{' '.join(each.text.split())}\n" for each in tier.intervals)


def _files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    for speech in annotated_speeches(run):
        for tier in speech.tiers:
            yield write(folder / f"{run.file_names[speech.id]}.{tier.name}.txt", audacity(tier))


FORMAT = FolderFormat(_files)
