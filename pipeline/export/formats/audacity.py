"""Audacity label tracks: one file per speech and tier."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.export.formats import FolderFormat, write
from pipeline.export.speech import annotated_speeches
from pipeline.export.tiers import Tier
from pipeline.run.finished import FinishedRun


def audacity(tier: Tier) -> str:
    """One tier as a label track: start and end in seconds, label."""
    return "".join(f"{each.start:.6f}\t{each.end:.6f}\t{' '.join(each.text.split())}\n" for each in tier.intervals)


def _files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    for speech in annotated_speeches(run):
        for tier in speech.tiers:
            yield write(folder / f"{run.file_names[speech.id]}.{tier.name}.txt", audacity(tier))


FORMAT = FolderFormat(_files)
