"""Who answers whom: the score of every pair of a supporting and an opposing speech."""

from dataclasses import dataclass

from pipeline.output.views.links import SpeechLink
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import CounterScores, Motion


@dataclass(frozen=True)
class AnswerCell:
    """A pair of speeches. `shade` is 0 for the lowest score of the motion, and 1 for the highest."""

    href: str
    score: float
    rank: int
    shade: float
    is_known: bool

    @property
    def is_best(self) -> bool:
        """Whether this is the likeliest answer to the supporting speech."""
        return self.rank == 1


@dataclass(frozen=True)
class AnswerRow:
    """A supporting speech, and a cell for each opposing speech."""

    link: SpeechLink
    cells: tuple[AnswerCell | None, ...]


@dataclass(frozen=True)
class AnswerMatrix:
    """The scores of all pairs: one row per supporting speech, one column per opposing speech."""

    opposing: tuple[SpeechLink, ...]
    rows: tuple[AnswerRow, ...]
    ranker: str
    assignment: bool

    @property
    def has_known(self) -> bool:
        """Whether the manifest names any of these pairs."""
        return any(cell.is_known for row in self.rows for cell in row.cells if cell)


def _view(data: ReportData, motion: Motion) -> AnswerMatrix | None:
    scores = data.run.of_motion(CounterScores, motion.id)
    if scores is None or not scores.pairs:
        return None
    every_score = [pair.score for pair in scores.pairs]
    lowest, spread = min(every_score), max(every_score) - min(every_score)
    cells = {
        (pair.supporting, pair.opposing): AnswerCell(
            href=data.links[pair.opposing].href,
            score=pair.score,
            rank=pair.rank,
            shade=(pair.score - lowest) / (spread or 1.0),
            is_known=data.is_confirmed(pair),
        )
        for pair in scores.pairs
    }
    supporting = list(dict.fromkeys(pair.supporting for pair in scores.pairs))
    opposing = sorted({pair.opposing for pair in scores.pairs})
    rows = [AnswerRow(data.links[one], tuple(cells.get((one, other)) for other in opposing)) for one in supporting]
    return AnswerMatrix(
        tuple(data.links[other] for other in opposing), tuple(rows), scores.ranker, scores.assignment != "off"
    )


PANEL = Panel(place=20, view=_view, title="Who answers whom")
