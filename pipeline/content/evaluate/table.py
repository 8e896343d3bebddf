"""How much of the expected content is covered: ROUGE as its script counts it, and the scoring study of an ETS paper.

A folder of `target*.txt` and `prediction*.txt`, one text per line, is scored with ROUGE-1.5.5's own counting. A folder
with a table of responses and human scores, or a run of scored speeches, is studied: correlation with
the scores, correlation at equal length, and agreement of a linear prediction, by manual and by recognised transcripts
side by side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pipeline.content.coverage import Terms
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
from pipeline.content.evaluate_content import draw_curve, evaluate_rouge, read_pairs
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures.agreement import pearson, prediction_kappa
from pipeline.progress import Progress, no_progress
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, Encoder, load_encoder
from pipeline.text.noise import Confusions, add_noise

LONGEST_CURVE = 8
# The middle of the study's word error rates.
STUDY_WER = 0.28
# What the curve, the random draws and the comparison of terms are shown for.
FEW = ("base ROUGE-1", "new ROUGE-1", "best ROUGE-1", "CVA")


@dataclass(frozen=True)
class StudyOptions:
    """What counts as a word, how many references, which encoder, and how recognition is simulated."""

    terms: Terms = Terms("stems")
    references: int = 4
    encoder: str | None = DEFAULT_ENCODER
    confusions: Confusions | None = None
    wer: float = STUDY_WER
    draws: int = 20
    figures: Path | None = None
    seed: int = 0


DEFAULT_OPTIONS = StudyOptions()


def evaluate(
    data: Path, test: Path | None = None, options: StudyOptions = DEFAULT_OPTIONS, progress: Progress = no_progress
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

    def _texts(self, found: Sequence[StudiedResponse], transcript: str) -> list[str]:
        if transcript == "manual":
            return [case.response.text for case in found]
        if transcript == "asr":
            return [case.response.asr or "" for case in found]
        assert self.options.confusions is not None
        return [
            " ".join(add_noise(case.response.text.split(), self.options.confusions, self.options.wer, seed))
            for seed, case in enumerate(found, start=self.options.seed)
        ]

    def _sample(self, table: ScoredResponses, transcript: str) -> Sample:
        count = self.options.references
        found = cases(table, count)
        texts = self._texts(found, transcript)
        chance = np.random.default_rng(self.options.seed).random(len(found))
        return Sample(
            found,
            scores_of(found),
            content_measures(found, texts, self.options.terms, self.idf, count, self.encoder),
            language_measures(texts),
            delivery_measures(found),
            {"length": lengths(found, texts), "random": chance},
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
            found = cases(self.table, self.options.references, draw)
            measured = content_measures(
                found, self._texts(found, transcript), self.options.terms, self.idf, self.options.references
            )
            for name in FEW:
                value = pearson(measured[name], scores_of(found))
                values[name] += [] if value is None else [value]
        for name, drawn in values.items():
            if drawn:
                low, high = np.quantile(drawn, [0.025, 0.975])
                yield {
                    "method": name,
                    "transcript": transcript,
                    "references": self.options.references,
                    "config": "random references",
                    "pearson": float(np.mean(drawn)),
                    "pearson_low": float(low),
                    "pearson_high": float(high),
                    "draws": len(drawn),
                }

    def _compared_terms(self, transcript: str) -> Iterator[Row]:
        """Correlation by what counts as a word."""
        found = cases(self.table, self.options.references)
        texts, scores = self._texts(found, transcript), scores_of(found)
        units: tuple[Literal["words", "stems", "lemmas"], ...] = ("words", "stems", "lemmas")
        for unit, stop_words, disfluencies in product(units, (True, False), (True, False)):
            terms = Terms(unit, stop_words, disfluencies)
            try:
                idf = idf_of(self.train or self.table, terms)
                measured = content_measures(found, texts, terms, idf, self.options.references)
            except RostrumError as error:  # lemmas need a model that is not everywhere
                self.notes.append(f"not compared: {unit}: {error}")
                continue
            config = unit + ("" if stop_words else ", no stop words") + ("" if disfluencies else ", no disfluencies")
            setting: Row = {"transcript": transcript, "references": self.options.references, "config": config}
            for name in FEW:
                row: Row = {"method": name, **setting, "pearson": pearson(measured[name], scores)}
                yield {**row, "responses": len(found)}

    def _curve(self, transcript: str) -> list[Row]:
        """Correlation by the number of references, on the same responses, up to as many as every prompt has."""
        found = cases(self.table, LONGEST_CURVE)
        texts, scores = self._texts(found, transcript), scores_of(found)
        rows: list[Row] = []
        for count in range(1, min(len(case.references) for case in found) + 1):
            measures = content_measures(found, texts, self.options.terms, self.idf, count)
            for method in FEW[1:]:
                row: Row = {"method": method, "transcript": transcript, "references": count, "config": "curve"}
                row |= {"pearson": pearson(measures[method], scores), "responses": len(found)}
                rows.append(row)
        return rows


_LEGEND = (
    "pearson: of one measure as it is, of several as a linear prediction from other prompts' responses; partial: the "
    "same with length held constant; kappa: quadratic weighted, of the rounded prediction; references: those given, "
    "then the best-scored responses, which are not scored themselves. base ROUGE: mean over the references. curve: the "
    "same responses at every count."
)


def _title(row: Row) -> str:
    """The table that a row is in: the study, random references, what counts as a word, or the curve."""
    if "draws" in row:
        return "references drawn at random"
    if "config" not in row:
        return "content"
    return "by number of references" if row["config"] == "curve" else "what counts as a word"
