"""How much of the expected content is covered (ROUGE for spoken content).

A folder of `target*.txt` and `prediction*.txt`, one text per line, is scored with ROUGE-1.5.5's own counting. A folder
with a table of responses and human scores, or a run of scored speeches, is studied as in an ETS paper: correlation with
the scores, correlation at equal length, and agreement of a linear prediction, by manual and by recognised transcripts
side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from pipeline.content.evaluate.data import ScoredResponses, read_responses
from pipeline.content.evaluate.study import (
    Sample,
    StudiedResponse,
    cases,
    content_measures,
    delivery_measures,
    figures,
    idf_of,
    language_measures,
    lengths,
    predicted,
    scores_of,
)
from pipeline.content.rouge import Terms, rouge_155
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures import pearson, prediction_kappa, with_interval
from pipeline.progress import Progress, no_progress
from pipeline.report.figures import Figure, files
from pipeline.system.files import read_text
from pipeline.text import noise
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, Encoder, load_encoder

LONGEST_CURVE = 8
# The middle of the study's word error rates.
STUDY_WER = 0.28
# What the curve, the random draws and the comparison of terms are shown for.
FEW = ("base ROUGE-1", "new ROUGE-1", "best ROUGE-1", "CVA")
_LEGEND = (
    "pearson: of one measure as it is, of several as a linear prediction from other prompts' responses; partial: the "
    "same with length held constant; predicted: of the linear prediction, for one measure, too; kappa: quadratic "
    "weighted, of the rounded prediction; references: those given, "
    "then the best-scored responses, which are not scored themselves. base ROUGE: mean over the references. curve: the "
    "same responses at every count."
)


@dataclass(frozen=True)
class StudyOptions:
    """What counts as a word, how many references, which encoder, and how recognition is simulated."""

    terms: Terms = Terms("stems")
    references: int = 4
    encoder: str | None = DEFAULT_ENCODER
    confusions: noise.Confusions | None = None
    wer: float = STUDY_WER
    draws: int = 20
    figures: Path | None = None
    seed: int = 0


@click.command()
@click.option(
    "--references",
    default=4,
    show_default=True,
    type=click.IntRange(1),
    help="How many reference texts of a response are used.",
)
@click.option(
    "--terms",
    "unit",
    type=click.Choice(["words", "stems", "lemmas"]),
    default="stems",
    show_default=True,
    help="The terms to compare: words as they are, their stems or lemmas.",
)
@click.option("--stop-words/--no-stop-words", default=True, show_default=True, help="Whether stop words count.")
@click.option(
    "--disfluencies/--no-disfluencies",
    default=True,
    show_default=True,
    help="Whether filled pauses, words cut off and words said twice in a row count.",
)
@click.option(
    "--draws", default=20, show_default=True, type=click.IntRange(0), help="Random draws of references to average over."
)
@result.compares_meanings
@click.option(
    "--noise",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Word errors by which recognition is simulated. Default: those of rostrum train noise, else those that come "
    "with rostrum.",
)
@click.option("--wer", default=0.28, show_default=True, type=click.FloatRange(0), help="The simulated word error rate.")
@click.option("--figures", type=click.Path(file_okay=False, path_type=Path), help="Draw the curve into this folder.")
@click.option("--seed", default=0, show_default=True, help="Seed of intervals, simulated errors and the random row.")
def command(
    data: Path,
    test: Path | None,
    progress: Progress,
    unit: Literal["words", "stems", "lemmas"],
    stop_words: bool,
    disfluencies: bool,
    encoder: str,
    table: Path | None,
    **options: Any,
) -> Evaluation:
    """How much of the expected content is covered (ROUGE for spoken content).

    DIR has one table of responses with human scores, or target*.txt and prediction*.txt with one text per line, or is
    the folder of a run whose speeches have scores.
    """
    study = StudyOptions(
        terms=Terms(unit, stop_words, disfluencies),
        encoder=result.or_none(encoder),
        confusions=noise.load(table or noise.default_path()),
        **options,
    )
    return evaluate(data, test, study, progress)


def evaluate(
    data: Path, test: Path | None = None, options: StudyOptions = StudyOptions(), progress: Progress = no_progress
) -> Evaluation:
    """The tables on `test`, predictions fitted on `data`; without `test`, prompt by prompt in turn."""
    folder = test or data
    if pairs := read_pairs(folder):
        return evaluate_rouge(folder, pairs, options.seed)
    return _Study(data, test, options).evaluation(progress)


class _Study:
    """The study's tables. `train` is what predictions are fitted on; None where prompts take turns."""

    def __init__(self, data: Path, test: Path | None, options: StudyOptions) -> None:
        self.options = options
        self.folder = test or data
        self.train = read_responses(data) if test else None
        self.table = read_responses(self.folder)
        self.idf = idf_of(self.train or self.table, options.terms)
        self.encoder: Encoder | None = load_encoder(options.encoder) if options.encoder else None
        self.notes: list[str] = []

    def evaluation(self, progress: Progress) -> Evaluation:
        rows = self._people()
        curve: list[Row] = []
        transcripts = self._transcripts()
        for number, transcript in enumerate(transcripts):
            progress(number / len(transcripts), transcript)
            rows += self._methods(transcript)
            rows += self._drawn_references(transcript)
            rows += self._compared_terms(transcript)
            curve += self._curve(transcript)
        drawn = (str(draw_curve(curve, self.options.figures)),) if self.options.figures and curve else ()
        terms = self.options.terms
        facts: dict[str, Any] = {
            "data": self.folder.resolve().name,
            "split": "data, test" if self.train else "10 folds by prompt",
            "terms": f"{terms.unit} stop_words={terms.stop_words} disfluencies={terms.disfluencies}",
            "encoder": f"{self.encoder.name}@{self.encoder.digest[:12]}" if self.encoder else None,
            "seed": self.options.seed,
        }
        return Evaluation(
            name="content",
            signature=signature("nltk", "numpy", **facts),
            rows=(*rows, *curve),
            notes=(*dict.fromkeys(self.notes), _LEGEND),
            figures=drawn,
            tables=tuple(grouped((_title(row), row) for row in (*rows, *curve)).items()),
        )

    def _transcripts(self) -> list[str]:
        if any(response.asr is not None for response in self.table.responses):
            return ["manual", "asr"]
        if self.options.confusions is not None:
            return ["manual", f"simulated, WER {self.options.wer:.2f}"]
        self.notes.append(
            "no recognised transcripts: the table has no column 'asr', and no word confusions were learned to simulate "
            "them (rostrum train noise)"
        )
        return ["manual"]

    def _texts(self, studied: Sequence[StudiedResponse], transcript: str) -> list[str]:
        if transcript == "manual":
            return [case.response.text for case in studied]
        if transcript == "asr":
            return [case.response.asr or "" for case in studied]
        assert self.options.confusions is not None
        return [
            " ".join(noise.add_noise(case.response.text.split(), self.options.confusions, self.options.wer, seed))
            for seed, case in enumerate(studied, start=self.options.seed)
        ]

    def _sample(self, table: ScoredResponses, transcript: str) -> Sample:
        count = self.options.references
        studied = cases(table, count)
        texts = self._texts(studied, transcript)
        chance = np.random.default_rng(self.options.seed).random(len(studied))
        return Sample(
            studied,
            scores_of(studied),
            content_measures(studied, texts, self.options.terms, self.idf, count, self.encoder),
            language_measures(texts),
            delivery_measures(studied),
            {"length": lengths(studied, texts), "random": chance},
        )

    def _methods(self, transcript: str) -> list[Row]:
        sample = self._sample(self.table, transcript)
        train = self._sample(self.train, transcript) if self.train else None
        setting: Row = {"transcript": transcript, "references": self.options.references}
        rows: list[Row] = [self._majority(sample, train, setting)]
        for method, names in sample.methods().items():
            predictions = predicted(sample, train, names)
            values = sample.measures[names[0]] if len(names) == 1 else predictions
            rows.append({"method": method, **setting, **figures(sample, values, predictions, self.options.seed)})
        return rows

    def _majority(self, sample: Sample, train: Sample | None, setting: Row) -> Row:
        """The most frequent score for every response."""
        known = (train or sample).scores
        values, counts = np.unique(known, return_counts=True)
        constant = np.full(len(sample.scores), values[counts.argmax()])
        return {"method": "majority", **setting, **figures(sample, constant, constant, self.options.seed)}

    def _people(self) -> list[Row]:
        """Human ceiling: how well a second person's scores agree with the first one's."""
        raters = np.array([response.raters for response in self.table.responses if response.raters])
        if not len(raters):
            return []
        one, other = raters[:, 0], raters[:, 1]
        row: Row = {"method": "second person", "transcript": "manual", "references": None}
        row |= {"pearson": pearson(other, one), "kappa": prediction_kappa(other, one), "responses": len(raters)}
        return [row]

    def _drawn_references(self, transcript: str) -> Iterator[Row]:
        """Correlation with references drawn at random: its mean and the range of 95 % of the draws."""
        values: dict[str, list[float]] = {name: [] for name in FEW}
        for draw in range(self.options.draws):
            studied = cases(self.table, self.options.references, draw)
            measured = content_measures(
                studied, self._texts(studied, transcript), self.options.terms, self.idf, self.options.references
            )
            for name in FEW:
                value = pearson(measured[name], scores_of(studied))
                values[name] += [] if value is None else [value]
        setting: Row = {"transcript": transcript, "references": self.options.references, "config": "random references"}
        for name, drawn in values.items():
            if drawn:
                low, high = map(float, np.quantile(drawn, [0.025, 0.975]))
                figures = {"pearson": float(np.mean(drawn)), "pearson_low": low, "pearson_high": high}
                yield {"method": name, **setting, **figures, "draws": len(drawn)}

    def _compared_terms(self, transcript: str) -> Iterator[Row]:
        """Correlation by what counts as a word."""
        studied = cases(self.table, self.options.references)
        texts, scores = self._texts(studied, transcript), scores_of(studied)
        units: tuple[Literal["words", "stems", "lemmas"], ...] = ("words", "stems", "lemmas")
        for unit, stop_words, disfluencies in product(units, (True, False), (True, False)):
            terms = Terms(unit, stop_words, disfluencies)
            try:
                idf = idf_of(self.train or self.table, terms)
                measured = content_measures(studied, texts, terms, idf, self.options.references)
            except RostrumError as error:  # lemmas need a model that is not everywhere
                self.notes.append(f"not compared: {unit}: {error}")
                continue
            config = unit + ("" if stop_words else ", no stop words") + ("" if disfluencies else ", no disfluencies")
            setting: Row = {"transcript": transcript, "references": self.options.references, "config": config}
            for name in FEW:
                row: Row = {"method": name, **setting, "pearson": pearson(measured[name], scores)}
                yield {**row, "responses": len(studied)}

    def _curve(self, transcript: str) -> list[Row]:
        """Correlation by the number of references, on the same responses, up to as many as every prompt has."""
        studied = cases(self.table, LONGEST_CURVE)
        texts, scores = self._texts(studied, transcript), scores_of(studied)
        rows: list[Row] = []
        for count in range(1, min(len(case.references) for case in studied) + 1):
            measures = content_measures(studied, texts, self.options.terms, self.idf, count)
            for method in FEW[1:]:
                row: Row = {"method": method, "transcript": transcript, "references": count, "config": "curve"}
                row |= {"pearson": pearson(measures[method], scores), "responses": len(studied)}
                rows.append(row)
        return rows


def _title(row: Row) -> str:
    """The table that a row is in: the study, random references, what counts as a word, or the curve."""
    if "draws" in row:
        return "references drawn at random"
    if "config" not in row:
        return "content"
    return "by number of references" if row["config"] == "curve" else "what counts as a word"


def draw_curve(curve: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Draw the correlation by the number of references. Returns the image's path."""

    def draw(axes: Any) -> None:
        for method, transcript in dict.fromkeys((row["method"], row["transcript"]) for row in curve):
            line = [row for row in curve if (row["method"], row["transcript"]) == (method, transcript)]
            axes.plot(
                [row["references"] for row in line],
                [np.nan if row["pearson"] is None else row["pearson"] for row in line],
                "-o" if transcript == "manual" else "--s",
                label=f"{method}, {transcript}",
            )
        axes.set_xlabel("references")
        axes.set_ylabel("Pearson r with the human score")
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))

    caption = "Correlation with human scores by the number of references"
    figure = Figure("content-references", caption, caption, rows=12, draw=draw)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{figure.name}.svg"
    path.write_bytes(files(figure)[0])
    return path


# ROUGE as the script ROUGE-1.5.5 counts it, over pairs of texts in two files.


def read_pairs(folder: Path) -> list[tuple[str, str]]:
    """(target, prediction), one per line of the two files; none where the folder has no such files."""
    targets, predictions = (sorted(folder.glob(f"{name}*.txt")) for name in ("target", "prediction"))
    if not targets and not predictions:
        return []
    if len(targets) != 1 or len(predictions) != 1:
        raise RostrumError(f"{folder}: there must be one target*.txt and one prediction*.txt")
    texts = [read_text(path).replace("\r\n", "\n") for path in (*targets, *predictions)]
    lines = [text.removesuffix("\n").split("\n") for text in texts]
    if len(lines[0]) != len(lines[1]):
        raise RostrumError(
            f"{folder}: {len(lines[0])} targets, but {len(lines[1])} predictions; give one text per line"
        )
    return list(zip(*lines, strict=True))


def evaluate_rouge(folder: Path, pairs: Sequence[tuple[str, str]], seed: int) -> Evaluation:
    """Precision, recall and F1 of ROUGE-1 to ROUGE-3, means over the pairs."""
    rows: list[Row] = []
    for n in (1, 2, 3):
        overlaps = np.array([rouge_155(prediction, target, n) for target, prediction in pairs])
        row: Row = {"method": f"ROUGE-{n}", "config": "as ROUGE-1.5.5", "pairs": len(pairs)}
        for column, name in enumerate(("precision", "recall", "f1")):
            row |= with_interval(name, overlaps[:, column].tolist(), seed=seed)
        rows.append(row)
    return Evaluation(name="content", signature=signature("numpy", data=folder.name, seed=seed), rows=tuple(rows))
