"""The results of a run as pandas frames: one row per thing, every column documented."""

from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import hint
from pipeline.export.speech import annotated_speech
from pipeline.export.table import Table, frame
from pipeline.export.transcripts import TranscribedSpeech
from pipeline.ingest.record import Recording
from pipeline.report.formatting import counted
from pipeline.run.finished import FinishedRun

if TYPE_CHECKING:
    import pandas as pd


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
        rows = [(each.name, each.meaning, each.kind) for each in columns]
        return pd.DataFrame(rows, columns=["column", "meaning", "type"]).set_index("column")

    def transcript(self, speech: str) -> TranscribedSpeech:
        """The transcript of a speech. In a notebook it plays, unless the run is anonymised."""
        known = {each.id: each for each in self.run.speeches}
        if speech not in known:
            raise KeyError(f"there is no speech {speech!r}; {hint(speech, known)}")
        found = annotated_speech(self.run, known[speech])
        if found is None:
            raise KeyError(f"{speech} has no transcript")
        recording = None if self.run.pseudonyms else self.run.of_speech(Recording, speech)
        return TranscribedSpeech(found, recording.audio.path if recording else None)

    def __repr__(self) -> str:
        speeches = counted(len(self.run.speeches), "speech", "speeches")
        return f"<run over {self.run.summary.corpus}: {speeches}; tables: {', '.join(self)}>"

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
    from pipeline.content.show import COVERED
    from pipeline.counter.show import ANSWERED
    from pipeline.export.frames.argued import ARGUED
    from pipeline.export.frames.corpus import CORPUS
    from pipeline.export.frames.spoken import SPOKEN
    from pipeline.mentions.show import MENTIONED

    return {table.name: table for table in (*CORPUS, *SPOKEN, *MENTIONED, *ANSWERED, *ARGUED, *COVERED)}
