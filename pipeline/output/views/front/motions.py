"""What was argued: for every motion its leading key points, who answers whom, and the most disputed point."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.output.views.key_points import PointSide, ShownPoint
from pipeline.output.views.links import MotionLink, SpeechLink
from pipeline.output.views.motion.answers import AnswerMatrix
from pipeline.output.views.page import Page, Panel
from pipeline.output.views.run_data import ReportData
from pipeline.records import Motion, Stance

# (number of motions, key points of each side on a card): with more motions, cards show fewer key points.
_MOST_POINTS = ((3, 4), (10, 3))
_FEWEST_POINTS = 2
_MOST_EXCHANGES = 6


@dataclass(frozen=True)
class CardSide:
    """The leading points of one side. `more` is how many are left out."""

    stance: Stance | None
    points: tuple[ShownPoint, ...]
    more: int


@dataclass(frozen=True)
class Exchange:
    """An opposing speech, and the supporting speech that it most probably answers."""

    opposing: SpeechLink
    supporting: SpeechLink
    is_known: bool


@dataclass(frozen=True)
class MotionCard:
    """A motion: how many speak on each side, what they say, and what is disputed."""

    link: MotionLink
    speeches: tuple[tuple[Stance | None, int], ...]
    minutes: float
    sides: tuple[CardSide, ...]
    exchanges: tuple[Exchange, ...]
    more_exchanges: int
    disputed: ShownPoint | None


def _view(data: ReportData) -> tuple[MotionCard, ...]:
    return tuple(_card(data, motion) for motion in data.run.motions)


def _card(data: ReportData, motion: Motion) -> MotionCard:
    page, own = data.motion_page(motion), data.facts_on(motion.id)
    stances = [each.speech.stance for each in own]
    exchanges = list(_exchanges(page["answers"]))
    sides: tuple[PointSide, ...] = page["key-points"]
    most = next((points for motions, points in _MOST_POINTS if len(data.motions) <= motions), _FEWEST_POINTS)
    return MotionCard(
        link=data.motions[motion.id],
        speeches=tuple((stance, stances.count(stance)) for stance in ("pro", "con", None) if stance in stances),
        minutes=sum(each.duration or 0.0 for each in own) / 60,
        sides=tuple(CardSide(each.side.stance, each.points[:most], len(each.points[most:])) for each in sides),
        exchanges=tuple(exchanges[:_MOST_EXCHANGES]),
        more_exchanges=len(exchanges[_MOST_EXCHANGES:]),
        disputed=_most_disputed(page),
    )


def _exchanges(matrix: AnswerMatrix | None) -> Iterator[Exchange]:
    for row in matrix.rows if matrix else ():
        for link, cell in zip(matrix.opposing if matrix else (), row.cells, strict=True):
            if cell and cell.is_best:
                yield Exchange(link, row.link, cell.is_known)


def _most_disputed(page: Page) -> ShownPoint | None:
    """The key point that most speeches make or answer; None if no point is answered."""
    answered = [point for side in page["key-points"] for point in side.points if point.answered_in]
    return max(answered, key=lambda point: len(point.made_in) + len(point.answered_in), default=None)


PANEL = Panel(place=10, view=_view, title="What was argued")
