"""How good a speech or a spoken answer is, by a rubric.

The rubric of the default has the four levels that raters of spoken answers are given; `--rubric` takes one's own.
"""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.corpus import Entry
from pipeline.errors import RostrumError
from pipeline.evaluation.data import write_rows
from pipeline.records import Speech
from pipeline.studies.collect import Collected
from pipeline.studies.items import Answers, Item, Question, options
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output, write_corpus
from pipeline.studies.source import Source, side_of
from pipeline.studies.tasks import Options
from pipeline.system.files import read_text

TITLE = "How good is the speech?"
OPTIONS = ("medium", "seek", "rubric")
NOTHING = "it has no {medium} with a motion in speeches.csv"


class Rated(BaseModel):
    """One question of a rubric. `levels` describe the scores from the lowest, 1, to the highest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^\w+$")
    text: str
    levels: tuple[str, ...] = Field(min_length=2, max_length=9)


OVERALL = Rated(
    id="overall",
    text="How good is it as a whole?",
    levels=(
        "1: hardly any of it is to the point, or it can hardly be followed",
        "2: part of it is to the point; few points are developed, or they are hard to follow",
        "3: to the point and mostly developed; some lapses, which do not get in the way",
        "4: to the point, well developed and coherent; easily followed throughout",
    ),
)


def read_rubric(path: Path) -> tuple[Rated, ...]:
    """The questions of a rubric in a TOML file: tables [[question]] with id, text and levels."""
    try:
        content = tomllib.loads(read_text(path))
        rubric = tuple(Rated.model_validate(table) for table in content["question"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValidationError) as error:
        raise RostrumError(f"{path}: not a rubric; it needs tables [[question]] with id, text and levels") from error
    if not rubric or len({rated.id for rated in rubric}) < len(rubric):
        raise RostrumError(f"{path}: a rubric has one question or more, each with an id of its own")
    return rubric


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per speech."""
    as_audio = asked.medium != "text"
    rubric = read_rubric(asked.rubric) if asked.rubric else (OVERALL,)
    entries = shuffled(list(source.entries(needs_audio=as_audio)), asked.random)
    return [_item(source, entry, rubric, asked, as_audio=as_audio) for entry in entries]


def _item(source: Source, entry: Entry, rubric: Sequence[Rated], asked: Options, *, as_audio: bool) -> Item:
    return source.item(
        "scores",
        entry,
        lead=side_of(entry.speech),
        shown=(source.shown(entry, "speech", as_audio=as_audio),),
        questions=tuple(
            Question(
                id=rated.id,
                text=rated.text,
                kind="choice",
                options=options([(str(score), text) for score, text in enumerate(rated.levels, 1)]),
                ordinal=True,
            )
            for rated in rubric
        ),
        seek=asked.seek,
        known=_known(entry, rubric[0]),
    )


def _known(entry: Entry, rated: Rated) -> Answers:
    """The corpus's score, if it is a level of the first question."""
    score = entry.speech.score
    is_level = score is not None and score == round(score) and 1 <= score <= len(rated.levels)
    return {rated.id: str(round(score))} if is_level and score is not None else {}


def write(collected: Collected, output: Output) -> None:
    """Write a table of responses with scores, for `evaluate content` and `train grade`, and a corpus with scores."""
    main = collected.study.items[0].questions[0].id
    scores = {
        item.subject: [float(str(given.answers[main])) for given in collected.answers_to(item)]
        for item, _ in collected.labelled()
    }
    entries = {entry.speech.id: entry for entry in collected.source.corpus.entries}
    rows = list(_responses(collected.source, [entries[speech] for speech in scores], scores))
    columns = ("prompt", "response", "score", "score_one", "score_other", "reference")
    write_rows(output.new("responses/responses.csv"), columns, rows)

    def facts(speech: Speech) -> dict[str, object]:
        return {"score": f"{fmean(scores[speech.id]):.4g}"}

    write_corpus(output, collected.source, scores, facts=facts)


def _responses(
    source: Source, entries: Sequence[Entry], scores: dict[str, list[float]]
) -> Iterator[tuple[str, str, str, str, str, str]]:
    """A row for each speech. The two first raters stand beside the mean, if all speeches have two."""
    two = all(len(of_speech) > 1 for of_speech in scores.values())
    for entry in entries:
        own = scores[entry.speech.id]
        prompt = " ".join(filter(None, (entry.speech.motion, entry.speech.stance)))
        raters = (str(own[0]), str(own[1])) if two else ("", "")
        expected = " ".join(source.corpus.expected_of(entry.speech))
        yield prompt, " ".join(source.sentences(entry)), f"{fmean(own):.4g}", *raters, expected
