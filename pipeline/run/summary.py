"""The summary of a run, the figures of its speeches, and the rows of its tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel

from pipeline.corpus.contents import Corpus
from pipeline.grouping import grouped
from pipeline.records import TRANSLATED, Argument, ErrorCounts, Judgement, Label, Motion, Speech, Votes
from pipeline.run.configuration import Settings
from pipeline.run.job import Outcome
from pipeline.run.scopes import MOTIONS, Place, is_scope
from pipeline.segment import ANOTHER_LANGUAGE

# Speeches that one line names.
_NAMED = 5
# A row of a table: one cell per column.
Row = dict[str, float | int | str | None]


def _scope(text: str) -> str:
    if not is_scope(text):
        raise ValueError(f"{text!r} is not a folder of a run")
    return text


class ItemSummary(BaseModel):
    """How the stages of one speech or motion ended."""

    id: str
    scope: Annotated[str, AfterValidator(_scope)]
    motion: str | None
    outcomes: list[Outcome]

    def is_up_to_date(self, stage: str) -> bool:
        """Whether the stored artifact of a stage belongs to this run."""
        return any(outcome.stage == stage and outcome.state != "failed" for outcome in self.outcomes)

    @property
    def is_motion(self) -> bool:
        return self.scope.startswith(f"{MOTIONS}/")

    @property
    def is_idle(self) -> bool:
        """Whether every stage was skipped."""
        return bool(self.outcomes) and all(outcome.state == "skipped" for outcome in self.outcomes)

    @property
    def failure(self) -> Outcome | None:
        return next((outcome for outcome in self.outcomes if outcome.state == "failed"), None)

    @property
    def figures(self) -> dict[str, float]:
        """The numbers that tables show, from the records of all stages."""
        return {name: value for outcome in self.outcomes for name, value in outcome.figures.items()}

    @property
    def errors(self) -> ErrorCounts | None:
        """Word errors, if the speech was scored."""
        return error_counts_in(self.figures)


class CorpusFacts(BaseModel):
    """What the corpus says about the speeches of a run, so that the run can be read without its corpus."""

    speeches: tuple[Speech, ...] = ()
    motions: tuple[Motion, ...] = ()
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()
    votes: tuple[Votes, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> "CorpusFacts":
        return cls(
            speeches=tuple(entry.speech for entry in corpus.entries),
            motions=tuple(corpus.motions.values()),
            arguments=corpus.arguments,
            labels=corpus.labels,
            votes=corpus.votes,
            judgements=corpus.judgements,
        )


class RunSummary(BaseModel):
    """The last run over a corpus. `corpus` is the folder as the user wrote it, `corpus_path` its full path."""

    corpus: str
    corpus_path: str = ""
    started: str
    seconds: float
    flow_run: str | None
    settings: Settings
    problems: list[str]
    # The part of the corpus that the run was over, such as 3/16; empty if it was all of it.
    shard: str = ""
    items: list[ItemSummary] = []
    known: CorpusFacts = CorpusFacts()

    def __repr__(self) -> str:
        count = sum(not item.is_motion for item in self.items)
        recordings = f"{count} recording{'' if count == 1 else 's'}"
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<run of {self.corpus}: {recordings} in {self.seconds:.0f} s{failed}; read it with rostrum.load>"

    __str__ = __repr__

    @property
    def broken(self) -> dict[Place, Outcome]:
        """The stages that failed, and would fail again with the same files and settings."""
        failed = (outcome for item in self.items for outcome in item.outcomes if outcome.fingerprint)
        return {Place(outcome.scope, outcome.stage): outcome for outcome in failed if outcome.state == "failed"}

    @property
    def failures(self) -> list[str]:
        """Everything that went wrong, one line per failure."""
        failed = [f"{each.id}: {each.failure.stage}: {each.failure.reason}" for each in self.items if each.failure]
        return self.problems + failed

    @property
    def doubts(self) -> list[str]:
        """The speeches whose transcripts are mostly doubtful, one line each."""
        model = getattr(self.settings.of("transcribe"), "model", "")
        hint = "; another language than English needs transcribe.model=small" if model.endswith(".en") else ""
        return [f"{each.id}: most words are doubtful{hint}" for each in self.items if is_mostly_doubtful(each.figures)]

    @property
    def remarks(self) -> list[str]:
        """What a reader must know, one line each: which speeches are doubtful, empty, translated, or not read."""
        translated = [each.id for each in self.items if each.figures.get("translated")]
        not_read = [
            each.id for each in self.items if any(one.reason.startswith(ANOTHER_LANGUAGE) for one in each.outcomes)
        ]
        lines = [f"doubtful: {doubt}" for doubt in self.doubts]
        lines += [f"no words: {_some(names)}: {reason}" for reason, names in self._without_words.items()]
        if translated:
            lines.append(f"translated into English: {_some(translated)}; quotes of them begin with {TRANSLATED}")
        if not_read:
            lines.append(
                f"not read by the stages of arguments, as in another language: {_some(not_read)}; "
                "transcribe.translate=true translates them"
            )
        return lines

    @property
    def _without_words(self) -> dict[str, tuple[str, ...]]:
        """The speeches of which nothing could be made for want of words, by reason."""
        idle = [item for item in self.items if item.is_idle]
        return grouped((one.reason, item.id) for item in idle for one in item.outcomes if one.stage == "transcribe")


def _some(names: Sequence[str]) -> str:
    """The first names, and how many others there are."""
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if names[_NAMED:] else "")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# The numbers that the records of a speech's stages have, by name; see `Record.figures`.
Numbers = Mapping[str, float]


def is_mostly_doubtful(numbers: Numbers) -> bool:
    """Whether more than half of the recognised words are doubtful."""
    return numbers.get("doubtful", 0.0) > 0.5


def error_counts_in(numbers: Numbers) -> ErrorCounts | None:
    """The word errors among the numbers of a speech; None if it was not scored."""
    counts = {name: round(numbers[name]) for name in ErrorCounts.model_fields if name in numbers}
    return ErrorCounts(**counts) if counts else None


@dataclass(frozen=True)
class SpeechFigure:
    """A figure of a speech, and how it follows from the numbers of the speech's records.

    `name` and `meaning` are those of its column in data frames. With a `heading`, it is a column on the report's front
    page, where `shown` says how it is written. Without a `value`, it is the number of its name. A figure `of_one_voice`
    is left out of speeches with several speakers.
    """

    name: str
    meaning: str
    kind: Literal["Int64", "Float64"]
    heading: str = ""
    shown: Literal["clock", "number", "percent"] = "number"
    value: Callable[[Numbers], float | None] | None = None
    of_one_voice: bool = False

    def value_in(self, numbers: Numbers) -> float | None:
        """The figure of a speech with these numbers; None if it has none."""
        return self.value(numbers) if self.value else numbers.get(self.name)


def _count(name: str) -> Callable[[Numbers], float | None]:
    """A function that returns a count or a rate of the word errors."""

    def value(numbers: Numbers) -> float | None:
        counts = error_counts_in(numbers)
        return getattr(counts, name) if counts else None

    return value


def _words_per_minute(numbers: Numbers) -> float | None:
    return 60 * numbers["words"] / numbers["spoken"] if "words" in numbers and numbers.get("spoken") else None


# Every figure of a speech. The table at the end of a run, data frames and the report take them from here.
SPEECH_FIGURES = (
    SpeechFigure("duration", "seconds", "Float64", "Length", "clock"),
    SpeechFigure("loudness", "integrated loudness, LUFS", "Float64"),
    SpeechFigure("snr", "speech over noise, decibels, estimated", "Float64"),
    SpeechFigure("clipped", "share of samples that are clipped", "Float64"),
    SpeechFigure("words", "words recognised", "Int64", "Words"),
    SpeechFigure("doubtful", "share of doubtful words", "Float64"),
    SpeechFigure("translated", "1 if a model translated it", "Int64"),
    SpeechFigure("wer", "word error rate", "Float64", "WER", "percent", _count("rate")),
    SpeechFigure("cer", "character error rate", "Float64"),
    SpeechFigure("reference_words", "words of the reference, normalised", "Int64", value=_count("length")),
    SpeechFigure("substitutions", "words misheard", "Int64", value=_count("substitutions")),
    SpeechFigure("deletions", "words missed", "Int64", value=_count("deletions")),
    SpeechFigure("insertions", "words inserted", "Int64", value=_count("insertions")),
    SpeechFigure("words_per_minute", "words per minute of speech", "Float64", "Words/min", value=_words_per_minute),
    SpeechFigure(
        "pitch",
        "median pitch of the sentences, Hz; empty if there are several speakers",
        "Float64",
        "Pitch, Hz",
        of_one_voice=True,
    ),
)


def speech_figures(numbers: Numbers, speakers: int = 1) -> dict[str, float | None]:
    """The figures of a speech with so many speakers, by name. One that the run does not have is None.

    The numbers may say that there are more voices than named speakers.
    """
    speakers = max(speakers, round(numbers.get("voices", 1)))
    return {
        figure.name: None if figure.of_one_voice and speakers > 1 else figure.value_in(numbers)
        for figure in SPEECH_FIGURES
    }


def speech_rows(summary: RunSummary) -> list[Row]:
    """One row per speech, for the table at the end of a run."""
    return [_row(item) for item in summary.items if not item.is_motion]


def motion_rows(summary: RunSummary) -> list[Row]:
    """One row per motion: how each of its stages ended."""
    return [
        {"motion": item.id, **{outcome.stage: outcome.state for outcome in item.outcomes}}
        for item in summary.items
        if item.is_motion and item.outcomes
    ]


def _row(item: ItemSummary) -> Row:
    figures, errors = speech_figures(item.figures), item.errors
    duration, words, rate = figures["duration"], figures["words"], figures["wer"]
    seconds = sum(outcome.seconds for outcome in item.outcomes)
    states = {outcome.state for outcome in item.outcomes} - {"skipped"}
    otherwise = "skipped" if item.is_idle else "cached" if item.outcomes else "unfinished"  # the run was killed
    return {
        "speech": item.id,
        "duration": round(duration, 1) if duration else None,
        "words": None if words is None else round(words),
        "WER %": None if rate is None else round(100 * rate, 1),
        "S/D/I": f"{errors.substitutions}/{errors.deletions}/{errors.insertions}" if errors else None,
        "seconds": round(seconds, 1) if seconds else None,
        "x realtime": round(duration / seconds, 1) if duration and seconds else None,
        "status": next((state for state in ("failed", "run") if state in states), otherwise)
        + (", doubtful words" if is_mostly_doubtful(item.figures) else ""),
    }


def error_counts(summary: RunSummary) -> list[ErrorCounts]:
    """The word errors of every speech that was scored."""
    return [item.errors for item in summary.items if item.errors]
