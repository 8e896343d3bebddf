"""The front page and the motions' pages in short, as Markdown: what the Prefect UI shows of a run."""

from collections.abc import Iterable, Iterator

from pipeline.output.markdown import escaped, table
from pipeline.output.report.answers import Cell, Matrix
from pipeline.output.report.debate import Debate
from pipeline.output.report.front_page import FrontPage, MotionCard, StageRow, front_page
from pipeline.output.report.links import SpeechLink
from pipeline.output.report.motion_page import MotionPage, ShownRanking, motion_page
from pipeline.output.report.templating import clock, decimal, duration, number, percent, share
from pipeline.records import Motion, Stance

_MOST = 10
_SIDES: dict[Stance | None, str] = {"pro": "for", "con": "against", None: "–"}


def run_markdown(debate: Debate) -> str:
    """The run at a glance: figures, what failed or was skipped and why, motions, stages."""
    page = front_page(debate.run, debate.facts, debate.motion_headers, debate.links, [*debate.motions.values()])
    return "\n\n".join(_run(page))


def motion_markdown(debate: Debate, motion: Motion) -> str:
    """The motion at a glance: who speaks and answers whom, key points, arguments, ranking."""
    page = motion_page(debate.run, motion, debate.facts_on(motion.id), debate.links)
    return "\n\n".join(_motion(page))


def _run(page: FrontPage) -> Iterator[str]:
    yield "\n".join(f"- **{tile.name}**: {tile.value}{f' ({tile.note})' if tile.note else ''}" for tile in page.tiles)
    if page.failures:
        yield f"## {len(page.failures)} failed"
        yield _list(page.failures)
    if page.motions:
        yield "## Motions"
        yield _motions(page.motions)
    if page.stages:
        yield "## Stages"
        yield _stages(page.stages)
        yield "## Models"
        models = ((stage.name, model.name, model.digest[:12]) for stage in page.stages for model in stage.models)
        yield table(("stage", "model", "digest or version"), models)
    if page.skips:
        yield "## Skipped, and why"
        header = ("stage", "why", "how many", "such as")
        yield table(header, ((skip.stage, skip.reason, skip.count, skip.example) for skip in page.skips))


def _motions(cards: Iterable[MotionCard]) -> str:
    rows = ((card.text, card.pro, card.con, card.other, percent(card.wer)) for card in cards)
    return table(("motion", "for", "against", "without a side", "WER"), rows)


def _stages(stages: Iterable[StageRow]) -> str:
    rows = (
        (
            stage.name,
            duration(stage.seconds),
            number(stage.speed),
            stage.made,
            stage.skipped,
        )
        for stage in stages
    )
    return table(("stage", "time", "× realtime", "made", "skipped"), rows)


def _motion(page: MotionPage) -> Iterator[str]:
    yield "## Speeches"
    yield _speeches(page)
    if page.matrix:
        yield "## Who answers whom"
        yield _matrix(page.matrix)
        yield "Supporting speeches down, opposing ones across. ●: the likeliest answer to the supporting speech."
    if page.point_sides:
        yield "## What it comes down to"
        yield _points(page)
    if page.argument_sides:
        yield "## Known arguments"
        yield _arguments(page)
    if page.ranking:
        yield "## What convinces"
        yield from _ranking(page.ranking)


def _speeches(page: MotionPage) -> str:
    rows = (
        (
            _SIDES[side.stance],
            each.link.id,
            each.speakers,
            clock(each.duration),
            percent(each.wer),
            f"{each.answers.id} ({decimal(each.answers_score)})" if each.answers else None,
        )
        for side in page.sides
        for each in side.speeches
    )
    return table(("side", "speech", "speaker", "length", "WER", "answers (score)"), rows)


def _matrix(matrix: Matrix) -> str:
    header = ("", *(escaped(link.id) for link in matrix.opposing))
    return table(header, ((row.link.id, *(_cell(cell) for cell in row.cells)) for row in matrix.rows))


def _cell(cell: Cell | None) -> str | None:
    return f"{cell.score:z.2f}{' ●' if cell.is_best else ''}" if cell else None


def _points(page: MotionPage) -> str:
    rows = (
        (
            _SIDES[side.stance],
            point.text,
            share(point.share),
            _names(said.link for said in point.said),
        )
        for side in page.point_sides
        for point in side.points
    )
    return table(("side", "key point", "of its speeches", "made by"), rows)


def _arguments(page: MotionPage) -> str:
    rows = (
        (_SIDES[side.stance], each.title, _names(mention.link for mention in each.mentions) or "nobody", each.counter)
        for side in page.argument_sides
        for each in side.arguments
    )
    return table(("side", "argument", "mentioned by", "rebutted by"), rows)


def _ranking(ranking: ShownRanking) -> Iterator[str]:
    shown = ranking.points[:_MOST]
    rows = (
        (place, _SIDES[point.stance], point.title, point.link.id, clock(point.said.start))
        for place, point in enumerate(shown, 1)
    )
    yield table(("place", "side", "point", "speech", "at"), rows)
    if len(ranking.points) > len(shown):
        yield f"The first {len(shown)} of {len(ranking.points)}."
    if ranking.accuracy is not None:
        agreed = share(ranking.accuracy)
        yield f"The opinion of a model that agreed with people on {agreed} of pairs on topics it had not seen."


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines)


def _names(links: Iterable[SpeechLink]) -> str:
    return ", ".join(link.id for link in links)
