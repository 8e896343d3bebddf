"""Responses with human scores: a table in a folder, or the speeches of a finished run that have a score.

The columns of a table; all but the first three are optional:

- `prompt`: the question of the response. Responses to one prompt are kept together in cross-validation.
- `response`: what was said or written, as a person wrote it down. It may be empty.
- `score`: the human score, a number.
- `asr`: what a recogniser heard.
- `reference`: a good response. All references of a prompt are used.
- `score_other`: a second person's score, to compare people with.
- `length`: how long the response is; by default, its number of words.
- `delivery_*`: any number that tells how it was said (rate, pauses, fillers ...).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, is_run
from pipeline.grade import delivery_features
from pipeline.prosody import Prosody
from pipeline.run.finished import FinishedRun
from pipeline.score import WordErrors
from pipeline.segment import Sentences
from pipeline.text.terms import composed

_REQUIRED = ("prompt", "response", "score")
_DELIVERY = "delivery_"
# Mohler et al. 2011: the average of two raters is the score.
_MOHLER = {
    "id": "prompt",
    "desired_answer": "reference",
    "student_answer": "response",
    "score_avg": "score",
    "score_me": "score_one",
    "score_other": "score_other",
}
_SUFFIXES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class ScoredResponse:
    """One response, the person's score, and what is known of how it was given."""

    prompt: str
    text: str
    score: float
    asr: str | None = None
    length: float | None = None
    raters: tuple[float, float] | None = None
    delivery: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoredResponses:
    """Responses, and for each prompt the references that were given."""

    responses: tuple[ScoredResponse, ...]
    references: Mapping[str, tuple[str, ...]]


def read_responses(folder: Path) -> ScoredResponses:
    """The one table of a folder, or the scored speeches of a run; an error says what is missing in which line."""
    if is_run(folder):
        return _of_run(folder)
    tables = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _SUFFIXES]
    if len(tables) != 1:
        raise RostrumError(f"{folder}: {len(tables)} tables (.csv, .tsv, .parquet); there must be one, of responses")
    rows = _rows(tables[0])
    if not rows:
        raise RostrumError(f"{tables[0]}: no responses in it")
    missing = [name for name in _REQUIRED if name not in rows[0]]
    if missing:
        raise RostrumError(f"{tables[0]}: no column {missing[0]!r}; a table of responses has {', '.join(_REQUIRED)}")
    responses = tuple(_response(tables[0], line, row) for line, row in enumerate(rows, start=2))
    references: dict[str, dict[str, None]] = {}
    for row in rows:
        if text := _text(row.get("reference")):
            references.setdefault(_text(row["prompt"]), {})[text] = None
    return ScoredResponses(responses, {prompt: tuple(texts) for prompt, texts in references.items()})


def _rows(path: Path) -> list[dict[str, Any]]:
    """The table with our column names; cells are text, or None where empty."""
    import pandas

    try:
        if path.suffix.lower() == ".parquet":
            table = pandas.read_parquet(path)
        else:
            separator = "\t" if path.suffix.lower() == ".tsv" else ","
            table = pandas.read_csv(
                path, sep=separator, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig"
            )
    except (OSError, ValueError) as error:  # pandas' parser errors, and UnicodeDecodeError, are ValueErrors
        raise RostrumError(f"{path}: cannot be read as a table: {' '.join(str(error).split())}") from error
    if set(_MOHLER) <= set(table.columns):
        table = table.rename(columns=_MOHLER)
    rows: list[dict[str, Any]] = table.astype(object).where(table.notna(), None).to_dict("records")
    return rows


def _response(path: Path, line: int, row: Mapping[str, Any]) -> ScoredResponse:
    def number(name: str) -> float:
        try:
            value = float(row[name])
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise RostrumError(f"{path}:{line}: {name} is {row[name]!r}, which is no number")
        return value

    prompt = _text(row["prompt"])
    if not prompt:
        raise RostrumError(f"{path}:{line}: no prompt")
    rater = "score_one" if "score_one" in row else "score"
    return ScoredResponse(
        prompt=prompt,
        text=_text(row["response"]),
        score=number("score"),
        asr=_text(row["asr"]) if "asr" in row else None,
        length=number("length") if row.get("length") is not None else None,
        raters=(number(rater), number("score_other")) if row.get("score_other") is not None else None,
        delivery={
            name.removeprefix(_DELIVERY).replace("_", " "): number(name) for name in row if name.startswith(_DELIVERY)
        },
    )


def _text(cell: Any) -> str:
    return "" if cell is None else composed(str(cell)).strip()


def _of_run(folder: Path) -> ScoredResponses:
    """Speeches with a score, as the run heard them. Those of one motion and side answer one prompt."""
    run = FinishedRun(folder)
    corpus = corpus_of(run)
    responses = []
    references = {}
    for speech in run.recordings:
        record = run.of_speech(Sentences, speech.id)
        if speech.score is None or record is None:
            continue
        heard = " ".join(sentence.text for sentence in record.sentences)
        errors, prosody = run.of_speech(WordErrors, speech.id), run.of_speech(Prosody, speech.id)
        prompt = " ".join(filter(None, (speech.motion, speech.stance))) or speech.id
        references[prompt] = tuple(map(_text, corpus.expected_of(speech)))
        responses.append(
            ScoredResponse(
                prompt=prompt,
                text=" ".join(errors.reference) if errors else heard,
                score=speech.score,
                asr=heard,
                delivery=delivery_features(prosody) if prosody else {},
            )
        )
    if not responses:
        raise RostrumError(f"{folder}: no speech of this run has a score; give it in the column score of speeches.csv")
    return ScoredResponses(_same_delivery(responses), references)


def _same_delivery(responses: Sequence[ScoredResponse]) -> tuple[ScoredResponse, ...]:
    """The responses with those features of delivery that all of them have."""
    shared = set.intersection(*(set(response.delivery) for response in responses))
    return tuple(
        replace(response, delivery={name: response.delivery[name] for name in response.delivery if name in shared})
        for response in responses
    )
