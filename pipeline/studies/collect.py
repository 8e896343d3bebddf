"""What the answers of a study say: who is left out, and the labels by the others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.studies.answers import Given, all_given, last_given
from pipeline.studies.items import Item
from pipeline.studies.labels import Decision, Labelled, Labels, Unit, decisions, label
from pipeline.studies.quality import Rules, WorkerQuality, judge
from pipeline.studies.source import Source
from pipeline.studies.study import Study, StudyFolder

COLLECTED = "collected"


@dataclass(frozen=True)
class Collected:
    """The answers of a study without those to training items, and what follows from them.

    `given` are the last answers of everybody; `kept` those of workers who are not left out, and `decided` what they
    decided, also in test questions. `labels` are of the same.
    """

    folder: StudyFolder
    given: tuple[Given, ...]
    kept: tuple[Given, ...]
    decided: tuple[Decision, ...]
    quality: tuple[WorkerQuality, ...]
    labels: Labels

    @property
    def study(self) -> Study:
        return self.folder.study

    @cached_property
    def source(self) -> Source:
        """What the study was made of."""
        return Source(Path(self.study.source), self.folder.path)

    def labelled(self, mode: str = "") -> Iterator[tuple[Item, list[Labelled]]]:
        """The items that somebody has answered, without tests, each with its labels; of one mode, or all."""
        for item in self.study.labelled:
            if item.id in self._by_item and (not mode or item.mode == mode):
                yield item, self._by_item[item.id]

    @cached_property
    def _by_item(self) -> dict[str, list[Labelled]]:
        labelled = grouped((unit.item, label) for unit, label in self.labels.by_unit.items())
        return {item: list(labels) for item, labels in labelled.items()}

    def answers_to(self, item: Item) -> list[Given]:
        """The answers to an item by those who are not left out."""
        return self._kept_by_item.get(item.id, [])

    @cached_property
    def _kept_by_item(self) -> dict[str, list[Given]]:
        on_time = ((one.item, one) for one in self.kept if not one.late)
        return {item: list(given) for item, given in grouped(on_time).items()}

    def label_of(self, item: Item, question: str, row: str = "") -> Labelled | None:
        return self.labels.by_unit.get(Unit(item.id, question, row))


def collect(folder: StudyFolder, rules: Rules) -> Collected:
    """The labels, the workers' quality and who is left out, from the answers so far."""
    study = folder.study
    for name in {*rules.keep, *rules.drop} - study.sheet_of.keys():
        raise RostrumError(f"{folder.path}: there is no worker {name!r}")
    given = tuple(one for one in last_given(list(all_given(folder))) if one.item not in study.training)
    if not any(one.item not in study.tests for one in given):
        raise RostrumError(f"{folder.path}: nobody has answered yet; `rostrum annotate serve` shows the links")
    everything = decisions(study, given)
    quality = judge(study, given, everything, rules)
    out = {worker.worker for worker in quality if worker.left_out}
    kept = tuple(one for one in given if one.worker not in out)
    if not kept:
        raise RostrumError(f"{folder.path}: every worker would be left out; --least-right and --keep say who stays")
    decided = tuple(each for each in everything if each.worker not in out)
    labels = label(study, decided)
    judged = tuple(replace(worker, competence=labels.competence.get(worker.worker)) for worker in quality)
    return Collected(folder, given, kept, decided, judged, labels)
