"""The results of a run as pandas frames: one row per thing, every column documented."""

from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import hint
from pipeline.export.speech import annotated_speech
from pipeline.export.table import Column, Table, flag, frame, integer, number, text
from pipeline.export.transcripts import TranscribedSpeech
from pipeline.ingest import Recording
from pipeline.report.formatting import counted
from pipeline.run.finished import FinishedRun
from pipeline.run.summary import SPEECH_FIGURES, speech_figures
from pipeline.speakers import Speakers
from pipeline.transcribe import Transcript

if TYPE_CHECKING:
    import pandas as pd


# The stages whose `show` has tables, in the order in which the tables are listed.
_STAGES_WITH_TABLES = (
    *("transcribe", "segment", "prosody", "diarize", "score", "speakers"),
    *("mentions", "counter", "keypoints", "content", "convincing"),
)
# How many speeches a notebook shows, and which columns.
_SHOWN = 50
_SHOWN_COLUMNS = ["speech", "motion", "stance", "speakers", "duration", "words", "language", "wer"]


class Frames(Mapping[str, "pd.DataFrame"]):
    """The tables of a run by name: `run["words"]`, or `run.words`. Each is made when it is first used.

    A notebook shows it as a table of the speeches.
    """

    def __init__(self, run: FinishedRun) -> None:
        self.run = run
        self._made: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self._made:
            self._made[name] = frame(tables()[name], self.run)
        return self._made[name]

    def __getattr__(self, name: str) -> "pd.DataFrame":
        if name in tables():
            return self[name]
        raise AttributeError(f"there is no table {name!r}; there are {', '.join(tables())}")

    def __iter__(self) -> Iterator[str]:
        return iter(tables())

    def __len__(self) -> int:
        return len(tables())

    def columns(self, name: str) -> "pd.DataFrame":
        """The columns of a table, one row per column: name, meaning, type."""
        import pandas as pd

        columns = tables()[name].columns
        rows = [(column.name, column.meaning, column.kind) for column in columns]
        return pd.DataFrame(rows, columns=["column", "meaning", "type"]).set_index("column")

    def transcript(self, speech: str) -> TranscribedSpeech:
        """The transcript of a speech. In a notebook it plays, unless the run is anonymised."""
        known = [recording.id for recording in self.run.recordings]
        if speech not in known:
            raise KeyError(f"there is no speech {speech!r}; {hint(speech, known)}")
        results = self.run.speech(speech)
        annotated = annotated_speech(results)
        if annotated is None:
            raise KeyError(f"{speech} has no transcript")
        recording = None if self.run.pseudonyms else results.get(Recording)
        return TranscribedSpeech(annotated, recording.audio.path if recording else None)

    def __repr__(self) -> str:
        recordings = counted(len(self.run.recordings), "recording")
        return f"<run over {self.run.summary.corpus}: {recordings}; tables: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        summary, speeches = self.run.summary, self["speeches"][_SHOWN_COLUMNS].dropna(axis="columns", how="all")
        rest = len(speeches) - _SHOWN
        more = f"<p>and {counted(rest, 'other speech', 'other speeches')}</p>" if rest > 0 else ""
        failed = f", {len(summary.failures)} failed" if summary.failures else ""
        about = f"{counted(len(speeches), 'speech', 'speeches')}{failed}, {summary.started[:10]}"
        listed = "".join(f"<li><code>{name}</code>: {table.meaning}</li>" for name, table in tables().items())
        shown = speeches.head(_SHOWN).astype(object)
        table = shown.where(shown.notna(), "").to_html(index=False, float_format="{:.3g}".format)
        return (
            f"<p><b>{escape(summary.corpus)}</b> ({about})</p>{table}{more}"
            f"<details><summary>Tables, one row per ...</summary><ul>{listed}</ul></details>"
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *tables()]


def load(run: str | Path, *, anonymise: bool = False) -> Frames:
    """The tables of a run folder (or s3:// URL). With `anonymise`, names of speakers and files are replaced."""
    return Frames(FinishedRun(run, anonymise=anonymise))


@cache
def tables() -> dict[str, Table]:
    """All tables, by name."""
    rooms = (import_module(f"pipeline.{stage}.show").TABLES for stage in _STAGES_WITH_TABLES)
    return {table.name: table for table in (*_CORPUS, *(table for tables in rooms for table in tables))}


def _speeches(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.recordings:
        results = run.speech(speech.id)
        transcript, people = results.get(Transcript), results.get(Speakers)
        speakers = speech.speakers or tuple(person.name for person in (people.people if people else ()) if person.name)
        yield (
            *(speech.id, speech.motion, speech.stance, "; ".join(speakers) or None),
            *(speech.answers, speech.response),
            *((transcript.language, transcript.recogniser) if transcript else (None, None)),
            *speech_figures(results.numbers, len(speech.speakers)).values(),
        )


def _labels(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    speakers = {speech.id: "; ".join(speech.speakers) or None for speech in (*run.recordings, *run.speeches)}
    for label in run.known.labels:
        who = (label.speech, speakers.get(label.speech))
        yield *who, label.argument, label.mentioned, label.how, label.votes_yes, label.votes_no


_CORPUS = (
    Table(
        "speeches",
        "a speech",
        (
            text("speech", "its id"),
            text("motion", "id of the motion it speaks on"),
            text("stance", "pro or con"),
            text("speakers", "who speaks, separated by '; '"),
            text("answers", "id of the speech that it was recorded in answer to, if the corpus says so"),
            text("response", "explicit or implicit: how it answers, if the corpus says so"),
            text("language", "the language recognised"),
            text("recogniser", "the recogniser"),
            *(Column(figure.name, figure.kind, figure.meaning) for figure in SPEECH_FIGURES),
        ),
        _speeches,
    ),
    Table(
        "motions",
        "a motion",
        (text("motion", "its id"), text("text", "what is debated")),
        lambda run: ((motion.id, motion.text) for motion in run.motions),
    ),
    Table(
        "votes",
        "a motion on which the audience voted",
        (
            text("motion", "id of the motion"),
            number("for_before", "votes for it before the debate, in per cent"),
            number("against_before", "votes against it before the debate, in per cent"),
            number("for_after", "votes for it after the debate, in per cent"),
            number("against_after", "votes against it after the debate, in per cent"),
            number("gain", "by how many points the side for it gained more than the other one"),
        ),
        lambda run: (
            (cast.motion, cast.for_before, cast.against_before, cast.for_after, cast.against_after, cast.gain)
            for cast in run.known.votes
        ),
    ),
    Table(
        "arguments",
        "a known argument",
        (
            text("argument", "its id"),
            text("motion", "id of its motion"),
            text("stance", "pro or con"),
            text("title", "the claim in one sentence"),
            text("text", "the argument in a few sentences"),
            text("counter", "id of the argument that rebuts it"),
            text("rebuttal", "a text that rebuts it, where no known argument does"),
        ),
        lambda run: (
            (known.id, known.motion, known.stance, known.title, known.text or None, known.counter, known.rebuttal)
            for known in run.known.arguments
        ),
    ),
    Table(
        "labels",
        "a speech and an argument, and the label that the corpus has of them",
        (
            text("speech", "id of the speech"),
            text("speaker", "who speaks, if it is known"),
            text("argument", "id of the argument"),
            flag("mentioned", "whether the speech makes the argument"),
            text("how", "explicit or implicit"),
            integer("votes_yes", "people who said yes"),
            integer("votes_no", "people who said no"),
        ),
        _labels,
    ),
)
