"""Compares runs: error rates with the interval of their difference, and where they decide differently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.compare import heard
from pipeline.compare.heard import ComparedSpeech, compared_columns
from pipeline.compare.speakers import MissingPackage, speaker_errors
from pipeline.counter import CounterScores
from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.ingest import Recording
from pipeline.keypoints import KeyPoints
from pipeline.measures import pooled_rate, with_interval, word_error_rates
from pipeline.mentions import Mention, Mentions
from pipeline.records import ErrorCounts, Speech
from pipeline.report.speech_facts import stretches
from pipeline.run.finished import FinishedRun
from pipeline.run.summary import Row
from pipeline.score import WordErrors
from pipeline.transcribe import Transcript

_MINUTES = (1, 3, 10, 30)
_DECIBELS = (10, 20, 30, 40)


@dataclass(frozen=True)
class Comparison:
    """Runs side by side. `tables` has the rows of each table by its name. `notes` say what was left out, and why."""

    names: tuple[str, ...]
    speeches: tuple[ComparedSpeech, ...]
    tables: Mapping[str, list[Row]]
    settings: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]


def compare(runs: Sequence[FinishedRun], speakers: Path | None = None) -> Comparison:
    """Compare runs over the speeches that all of them scored against the same reference.

    `speakers` is a file with who said what, for errors in words and speakers together; see `speaker_errors`.
    """
    names = run_names(runs)
    speeches, notes = [], []
    for speech in runs[0].recordings:
        compared = _compared(runs, speech)
        if isinstance(compared, str):
            notes.append(f"{speech.id}: {compared}")
        else:
            speeches.append(compared)
    tables = _tables(runs, names, speeches)
    try:
        tables["words and speakers"] = speaker_errors(runs, names, speakers)
    except MissingPackage as error:
        if speakers:
            raise
        notes.append(f"words and speakers: {error}")
    notes += [why for run in runs for why in run.damaged.values()]
    shown = {name: rows for name, rows in tables.items() if rows}
    if not shown:
        raise RostrumError("nothing to compare: no speech has a reference transcript in all of these runs")
    return Comparison(names, tuple(speeches), shown, settings_that_differ(runs), tuple(notes))


def _tables(
    runs: Sequence[FinishedRun], names: Sequence[str], speeches: Sequence[ComparedSpeech]
) -> dict[str, list[Row]]:
    """All tables that need no other package, by name, in the order in which they are shown."""
    return {
        "word errors": _rates(speeches, names),
        "by speaker": _groups(speeches, names, _speaker),
        "by length": _groups(
            speeches, names, lambda speech: _bin(speech.duration and speech.duration / 60, _MINUTES, "min")
        ),
        "by noise": _groups(speeches, names, lambda speech: _bin(speech.snr_db, _DECIBELS, "dB over the noise")),
        "only one is right": heard.only_one_is_right(speeches, names),
        "worst words": heard.worst_words(speeches, names),
        "confusions": heard.confusions(speeches, names),
        "worst passages": heard.worst_passages(speeches, names),
        "mentions": _other_mentions(runs, names),
        "answers": _other_answers(runs, names),
        "key points": _key_points(runs, names),
    }


def run_names(runs: Sequence[FinishedRun]) -> tuple[str, ...]:
    """The name of each run's folder; its path if two folders have the same name."""
    roots = [str(run.store.root).rstrip("/") for run in runs]
    short = [root.rpartition("/")[2] for root in roots]
    names = short if len(set(short)) == len(short) else roots
    return tuple(names) if len(set(names)) == len(names) else tuple(f"{n}. {name}" for n, name in enumerate(names, 1))


def settings_that_differ(runs: Sequence[FinishedRun]) -> dict[str, tuple[str, ...]]:
    """The settings that are not the same in all runs, with the value of each run."""
    flat = [_flat(run.summary.settings.model_dump(mode="json")) for run in runs]
    return {
        name: values for name in flat[0] if len(set(values := tuple(str(settings.get(name)) for settings in flat))) > 1
    }


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{stage}.{name}": value for stage, own in settings.items() for name, value in own.items()}


def _compared(runs: Sequence[FinishedRun], speech: Speech) -> ComparedSpeech | str:
    """The speech with the results of all runs, or the reason why it cannot be compared."""
    results = [run.speech(speech.id) for run in runs if speech.id in run.file_names]
    errors = [errors for result in results if (errors := result.get(WordErrors)) is not None]
    if len(errors) < len(runs):
        return "not scored in all runs"
    if len({error.normaliser for error in errors}) > 1:
        return "normalised differently (score.normaliser)"
    if len({error.reference for error in errors}) > 1:
        return "the reference transcript has changed between the runs"
    transcripts = [result.get(Transcript) for result in results]
    if len(runs) > 1 and all(transcript is not None and transcript.is_corrected for transcript in transcripts):
        return (
            "was corrected, so all runs have the words of one recogniser; "
            "run with --set transcribe.use_corrected=false to transcribe it again"
        )
    recording = results[0].get(Recording)
    return ComparedSpeech(
        speech,
        tuple(errors),
        compared_columns(transcripts[0], errors),
        recording.duration if recording else None,
        recording.snr_db if recording else None,
    )


def _rates(speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> list[Row]:
    """One row per run: its error rate, and the difference to that of the first run."""
    if not speeches:
        return []
    rows: list[Row] = []
    for at, name in enumerate(names):
        row: Row = {"run": name, **word_error_rates([speech.counts[at] for speech in speeches])}
        rows.append(row | (_difference(speeches, at) if at else {}))
    return rows


def _difference(speeches: Sequence[ComparedSpeech], at: int) -> Row:
    """The error rate of a run minus that of the first run, with a paired bootstrap interval over speeches.

    If there is only one speech, the interval is over its stretches of 25 reference words.
    """

    def difference(drawn: Sequence[tuple[ErrorCounts, ErrorCounts]]) -> float:
        return pooled_rate([other for _, other in drawn]) - pooled_rate([first for first, _ in drawn])

    pairs = [(speech.counts[0], speech.counts[at]) for speech in speeches]
    if len(pairs) == 1:
        pairs = list(zip(stretches(speeches[0].errors[0]), stretches(speeches[0].errors[at]), strict=True))
    return {**with_interval("difference", pairs, difference)}


def _groups(
    speeches: Sequence[ComparedSpeech],
    names: Sequence[str],
    group_of: Callable[[ComparedSpeech], tuple[int, str] | None],
) -> list[Row]:
    """One row per group: how much was said, and the error rate of each run. No rows if there is only one group."""
    groups = grouped((group, speech) for speech in speeches if (group := group_of(speech)))
    if len(groups) < 2:
        return []
    return [_group(label, own, names) for (_, label), own in sorted(groups.items())]


def _group(label: str, speeches: Sequence[ComparedSpeech], names: Sequence[str]) -> Row:
    totals = [sum((speech.counts[at] for speech in speeches), ErrorCounts()) for at in range(len(names))]
    row: Row = {"group": label, "speeches": len(speeches), "words": totals[0].length}
    row |= {name: total.rate for name, total in zip(names, totals, strict=True)}
    return row | (_difference(speeches, 1) if len(names) == 2 else {})


def _speaker(compared: ComparedSpeech) -> tuple[int, str] | None:
    return (0, compared.speech.sole_speaker) if compared.speech.sole_speaker else None


def _bin(value: float | None, edges: Sequence[int], unit: str) -> tuple[int, str] | None:
    """(number, name) of the bin of a value."""
    if value is None:
        return None
    at = sum(value >= edge for edge in edges)
    if at == 0:
        return 0, f"under {edges[0]} {unit}"
    return at, f"{edges[at - 1]} {unit} or more" if at == len(edges) else f"{edges[at - 1]} to {edges[at]} {unit}"


def _other_mentions(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """Arguments that some runs find in a speech and others do not, with each probability and the corpus's label."""
    labels = {(label.speech, label.argument): label.mentioned for label in runs[0].known.labels}
    rows: list[Row] = []
    for speech in runs[0].recordings:
        by_run = [_mentions(run, speech.id) for run in runs]
        for argument in by_run[0]:
            own = [mentions.get(argument) for mentions in by_run]
            if len({mention.mentioned for mention in own if mention}) < 2:
                continue
            label = labels.get((speech.id, argument))
            rows.append(
                {
                    "speech": speech.id,
                    "argument": next(mention.title for mention in own if mention),
                    **{
                        name: mention.probability if mention else None for name, mention in zip(names, own, strict=True)
                    },
                    "label": None if label is None else "mentioned" if label else "not mentioned",
                }
            )
    return rows


def _other_answers(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """One row per supporting speech whose likeliest answer differs between the runs."""
    rows: list[Row] = []
    for motion in runs[0].motions:
        by_run = [_answers(run, motion.id) for run in runs]
        for speech in by_run[0] if all(by_run) else ():
            best = [answers.get(speech) for answers in by_run]
            if len(set(best)) > 1:
                rows.append({"speech": speech, **dict(zip(names, best, strict=True))})
    return rows


def _key_points(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """One row per motion: how many key points each run has, and how many of them have the same words in all runs."""
    rows: list[Row] = []
    for motion in runs[0].motions:
        records = [run.of_motion(KeyPoints, motion.id) for run in runs]
        texts = [{point.text.casefold() for point in record.points} for record in records if record]
        if len(texts) == len(runs):
            counts = {name: len(points) for name, points in zip(names, texts, strict=True)}
            rows.append({"motion": motion.id, **counts, "in all": len(set.intersection(*texts))})
    return rows


def _mentions(run: FinishedRun, speech: str) -> dict[str, Mention]:
    record = run.of_speech(Mentions, speech)
    return {mention.argument: mention for mention in record.mentions} if record else {}


def _answers(run: FinishedRun, motion: str) -> dict[str, str]:
    """The likeliest answer to each supporting speech: its pair of rank 1."""
    record = run.of_motion(CounterScores, motion)
    return {pair.supporting: pair.opposing for pair in record.pairs if pair.rank == 1} if record else {}


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as one object: runs, settings that differ, tables, notes."""
    return {
        "name": "compare",
        "runs": list(comparison.names),
        "settings": {name: list(values) for name, values in comparison.settings.items()},
        "rows": comparison.tables.get("word errors", []),
        "tables": dict(comparison.tables),
        "notes": list(comparison.notes),
    }


def lines(comparison: Comparison) -> Iterator[str]:
    """The lines below the tables: settings that differ, and what was left out."""
    for name, values in comparison.settings.items():
        yield f"{name}: " + ", ".join(f"{value} in {run}" for run, value in zip(comparison.names, values, strict=True))
    yield from (f"left out: {note}" for note in comparison.notes)
