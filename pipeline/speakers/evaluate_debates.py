"""Who is who in recorded debates: sides, roles and replies (Intelligence Squared)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.progress import Progress, no_progress
from pipeline.speakers.evaluate.arguments import (
    argument_rows,
    has_labelled_sentences,
    of_debaters_and_moderators,
    read_labelled_sentences,
)
from pipeline.speakers.evaluate.data import KnownDebate, read_debates, without_names
from pipeline.speakers.evaluate.rows import reply_rows, role_rows, vote_rows
from pipeline.speakers.evaluate.sides import side_rows
from pipeline.speakers.stage import Speakers, SpeakersSettings
from pipeline.speakers.stance_model import StanceModel, load_stance_model
from pipeline.speakers.who_is_who import who_is_who


@click.command()
@click.option("--rules", "rules_only", is_flag=True, help="Only rules, without the model of a text's side.")
def command(data: Path, test: Path | None, progress: Progress, rules_only: bool) -> Evaluation:
    """Who is who in recorded debates: sides, roles and replies.

    DIR has one JSON file per debate: motion, for, against and moderator (names), turns of {speaker, sentences}, and the
    votes before and after. Or it has sentences.jsonl, with text and kind (Claim, Premise or none): then the table says
    how well sentences that argue are recognised.
    """
    return evaluate(data, test, rules_only=rules_only, progress=progress)


_TITLES = {
    "sides": "Side of each debater",
    "roles": "Role of each voice",
    "replies": "Whom debaters reply to",
    "arguments": "Sentences that argue",
    "votes": "What goes with winning votes",
}
NOTES = (
    "accuracy: sides: of debaters, the more probable side; roles: of voices, the most probable role; an answer that is "
    "missing is wrong; replies: of turns that name one earlier speaker, whose name is hidden",
    "transcript: whole: with speakers' names; unnamed: an arbitrary label per voice; own words: only what the debater "
    "says",
    "votes: how often the side that does more of it wins (Zhang et al. 2016); a report without a goal",
    "arguments: of sentences, which argue (claims and premises, or what debaters say); thresholds of length and words "
    "are the best there are, that of the classifier was not chosen here",
    "intervals are a bootstrap over debates, or over 200 sentences that follow one another",
)


def evaluate(
    data: Path, test: Path | None, *, rules_only: bool = False, progress: Progress = no_progress
) -> Evaluation:
    """The figures of all debates of `test`, or of `data` without it. Only the majority is learned from `data`.

    A folder of sentences with claims and premises has the table of sentences alone.
    """
    if has_labelled_sentences(test or data):
        rows = tuple(argument_rows(read_labelled_sentences(test or data)))
        return _evaluation(rows, _signature(None, data, test))
    learned_from = read_debates(data)
    debates = read_debates(test) if test else learned_from
    model = None if rules_only else load_stance_model()
    settings = SpeakersSettings(role_threshold=0, side_threshold=0.5, own_words="rules" if rules_only else "model")
    results = _results(debates, settings, progress)
    progress(0.8, "own words")
    rows = (
        *side_rows(debates, learned_from, results, model),
        *role_rows(debates, results),
        *reply_rows(debates, results["whole"]),
        *vote_rows(debates),
        *(() if rules_only else argument_rows(of_debaters_and_moderators(debates))),
    )
    return _evaluation(rows, _signature(model, data, test))


def _evaluation(rows: tuple[Row, ...], facts: dict[str, object]) -> Evaluation:
    return Evaluation(
        name="debates",
        signature=facts,
        rows=rows,
        notes=NOTES,
        tables=tuple((title, own) for table, title in _TITLES.items() if (own := _without_name(rows, table))),
    )


def _results(
    debates: Sequence[KnownDebate], settings: SpeakersSettings, progress: Progress
) -> dict[str, dict[str, Speakers]]:
    """What is found in each debate, by transcript and debate; voices have their names again."""
    results: dict[str, dict[str, Speakers]] = {"whole": {}, "unnamed": {}}
    for number, debate in enumerate(debates):
        progress(0.8 * number / len(debates), debate.name)
        results["whole"][debate.name] = who_is_who(debate.motion_record, debate.said, settings=settings)
        said, labels = without_names(debate)
        results["unnamed"][debate.name] = _named(who_is_who(debate.motion_record, said, settings=settings), labels)
    return results


def _named(speakers: Speakers, labels: Mapping[str, str]) -> Speakers:
    names = {label: name for name, label in labels.items()}
    people = tuple(person.model_copy(update={"voice": names[person.voice]}) for person in speakers.people)
    return speakers.model_copy(update={"people": people})


def _signature(model: StanceModel | None, data: Path, test: Path | None) -> dict[str, object]:
    models = {"sides": model.digest[:12]} if model else {}
    folders = {"data": data.resolve().name, "test": test.resolve().name if test else "data"}
    return signature("numpy", models=models, **folders)


def _without_name(rows: Sequence[Row], table: str) -> tuple[Row, ...]:
    return tuple(
        {name: value for name, value in row.items() if name != "table"} for row in rows if row["table"] == table
    )
