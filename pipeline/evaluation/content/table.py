"""How much of the expected content is covered: ROUGE as its script counts it, and the scoring study of an ETS paper.

A folder of `target*.txt` and `prediction*.txt`, a text a line, is scored with ROUGE-1.5.5's own counting. A folder
with a table of responses and human scores (`responses.COLUMNS`) is studied: correlation with the scores, correlation
at equal length, and agreement of a linear prediction, by manual and by recognised transcripts side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.argue.coverage import Terms, rouge_155
from pipeline.arrays import Floats
from pipeline.errors import RostrumError
from pipeline.evaluation.content.data import ScoredResponses, read_responses
from pipeline.evaluation.content.study import (
    Measures,
    StudiedResponse,
    cases,
    content_measures,
    delivery_measures,
    idf_of,
    lengths,
    prompts_of,
    scores_of,
    soft_measure,
    stacked,
)
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.intervals import bootstrap_interval
from pipeline.measures.prediction import (
    cross_validated,
    linear_fit,
    partial_correlation,
    pearson,
    quadratic_weighted_kappa,
    rounded,
    undefined,
)
from pipeline.output.figures.drawing import Figure, files
from pipeline.text.encoders.sentence_encoder import DEFAULT_ENCODER, Encoder
from pipeline.text.noise import Confusions, add_noise

CURVE = (1, 2, 3, 4, 5, 6, 7, 8)
# The middle of the study's word error rates.
STUDY_WER = 0.28


@dataclass(frozen=True)
class Options:
    """What counts as a word, how many references, which encoder, and how recognition is simulated."""

    terms: Terms = Terms(stems=True)
    references: int = 4
    encoder: str | None = DEFAULT_ENCODER
    confusions: Confusions | None = None
    wer: float = STUDY_WER
    figures: Path | None = None
    seed: int = 0


def evaluate(data: Path, test: Path | None = None, options: Options = Options()) -> Evaluation:
    """The tables on `test`, predictions fitted on `data`; without `test`, prompt by prompt in turn."""
    folder = test or data
    if pairs := _pairs(folder):
        return _rouge(folder, pairs, options)
    return _Study(data, test, options).evaluation()


def _pairs(folder: Path) -> list[tuple[str, str]]:
    targets, predictions = (sorted(folder.glob(f"{name}*.txt")) for name in ("target", "prediction"))
    if not targets and not predictions:
        return []
    if len(targets) != 1 or len(predictions) != 1:
        raise RostrumError(f"{folder}: there must be one target*.txt and one prediction*.txt")
    lines = [path.read_text(encoding="utf-8").removesuffix("\n").split("\n") for path in (*targets, *predictions)]
    if len(lines[0]) != len(lines[1]):
        raise RostrumError(f"{folder}: {len(lines[0])} targets, but {len(lines[1])} predictions; a line is a text")
    return list(zip(*lines, strict=True))


def _rouge(folder: Path, pairs: Sequence[tuple[str, str]], options: Options) -> Evaluation:
    rows: list[Row] = []
    for n in (1, 2, 3):
        found = np.array([rouge_155(prediction, target, n) for target, prediction in pairs])
        row: Row = {"method": f"ROUGE-{n}", "config": "as ROUGE-1.5.5", "pairs": len(pairs)}
        for column, name in enumerate(("precision", "recall", "f1")):
            values = found[:, column].tolist()
            low, high = bootstrap_interval(values, lambda some: float(np.mean(some)), seed=options.seed)
            row |= {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return Evaluation(
        name="content", signature=signature("numpy", data=folder.name, seed=options.seed), rows=tuple(rows)
    )


@dataclass(frozen=True)
class _Sample:
    """The cases of a table in one kind of transcript, measured."""

    found: Sequence[StudiedResponse]
    scores: Floats
    length: Floats
    measures: Measures

    def grouped(self, values: Floats) -> list[tuple[Floats, Floats]]:
        """(values, scores), prompt by prompt."""
        _, index = np.unique(prompts_of(self.found), return_inverse=True)
        return [(values[index == each], self.scores[index == each]) for each in range(index.max() + 1)]


class _Study:
    """The study's tables. `train` is what predictions are fitted on; None where prompts take turns."""

    def __init__(self, data: Path, test: Path | None, options: Options) -> None:
        self.options = options
        self.folder = test or data
        self.train = read_responses(data) if test else None
        self.table = read_responses(self.folder)
        self.idf = idf_of(self.train or self.table, options.terms)
        self.encoder = _encoder(options.encoder)
        self.notes: list[str] = []

    def evaluation(self) -> Evaluation:
        rows = self._people()
        curve: list[Row] = []
        for transcript in self._transcripts():
            rows += self._methods(transcript)
            curve += self._curve(transcript)
        figures = (str(_drawn(curve, self.options.figures)),) if self.options.figures else ()
        options = self.options
        facts: dict[str, Any] = {
            "data": self.folder.name,
            "split": "data, test" if self.train else "10 folds by prompt",
            "terms": f"stems={options.terms.stems} stop_words={options.terms.stop_words}",
            "encoder": f"{self.encoder.name}@{self.encoder.digest[:12]}" if self.encoder else None,
            "seed": options.seed,
        }
        return Evaluation(
            name="content",
            signature=signature("nltk", "numpy", **facts),
            rows=(*rows, *curve),
            notes=(*self.notes, _LEGEND),
            figures=figures,
        )

    def _transcripts(self) -> list[str]:
        if any(response.asr is not None for response in self.table.responses):
            return ["manual", "asr"]
        if self.options.confusions is not None:
            return ["manual", f"simulated, WER {self.options.wer:.2f}"]
        self.notes.append(
            "no recognised transcripts: the table has no column 'asr', and no word confusions were learnt to simulate "
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

    def _sample(self, table: ScoredResponses, transcript: str) -> _Sample:
        count = self.options.references
        found = cases(table, count)
        texts = self._texts(found, transcript)
        measures = content_measures(found, texts, self.options.terms, self.idf, count)
        if self.encoder:
            measures |= soft_measure(found, texts, self.encoder, count)
        length = lengths(found, texts)
        chance = np.random.default_rng(self.options.seed).random(len(found))
        measures |= {"length": length, "random": chance, **delivery_measures(found)}
        return _Sample(found, scores_of(found), length, measures)

    def _methods(self, transcript: str) -> list[Row]:
        sample = self._sample(self.table, transcript)
        train = self._sample(self.train, transcript) if self.train else None
        delivery = [name for name in sample.measures if name.startswith("delivery_")]
        content = [name for name in sample.measures if name not in ("length", "random", *delivery)]
        single = {name: [name] for name in ("random", "length", *content)}
        together = {"all content measures": content, "all content measures and length": [*content, "length"]}
        if delivery:
            together |= {"delivery": delivery} | {f"{name} and delivery": [name, *delivery] for name in content}
        setting: Row = {"transcript": transcript, "references": self.options.references}
        rows: list[Row] = [self._majority(sample, train, setting)]
        for method, names in (single | together).items():
            predictions = _predicted(sample, train, names)
            values = sample.measures[names[0]] if len(names) == 1 else predictions
            rows.append({"method": method, **setting, **self._figures(sample, values, predictions)})
        return rows

    def _figures(self, sample: _Sample, values: Floats | None, predictions: Floats | None) -> Row:
        row: Row = {"pearson": None, "pearson_low": None, "pearson_high": None, "partial": None, "kappa": None}
        row["responses"] = len(sample.scores)
        if values is None or predictions is None:
            row["note"] = "one prompt only: nothing to fit a prediction on"
        if values is not None:
            row["pearson"] = pearson(values, sample.scores)
            row["partial"] = partial_correlation(values, sample.scores, sample.length)
            if reason := undefined(values, sample.scores):
                row["note"] = reason
            else:
                row["pearson_low"], row["pearson_high"] = bootstrap_interval(
                    sample.grouped(values), _pooled_pearson, seed=self.options.seed
                )
        if predictions is not None:
            row["kappa"] = _kappa(predictions, sample.scores)
        return row

    def _majority(self, sample: _Sample, train: _Sample | None, setting: Row) -> Row:
        """The most frequent score for everybody."""
        known = (train or sample).scores
        values, counts = np.unique(known, return_counts=True)
        constant = np.full(len(sample.scores), values[counts.argmax()])
        return {"method": "majority", **setting, **self._figures(sample, constant, constant)}

    def _people(self) -> list[Row]:
        """How well a second person predicts the first."""
        raters = np.array([response.raters for response in self.table.responses if response.raters])
        if not len(raters):
            return []
        one, other = raters[:, 0], raters[:, 1]
        row: Row = {"method": "second person", "transcript": "manual", "references": None}
        row |= {"pearson": pearson(other, one), "kappa": _kappa(other, one), "responses": len(raters)}
        return [row]

    def _curve(self, transcript: str) -> list[Row]:
        """Correlation by the number of references, on the same responses throughout."""
        found = cases(self.table, CURVE[-1])
        texts, scores = self._texts(found, transcript), scores_of(found)
        rows: list[Row] = []
        for count in CURVE:
            measures = content_measures(found, texts, self.options.terms, self.idf, count)
            for method in ("new ROUGE-1", "best ROUGE-1", "CVA"):
                row: Row = {"method": method, "transcript": transcript, "references": count, "config": "curve"}
                row |= {"pearson": pearson(measures[method], scores), "responses": len(found)}
                rows.append(row)
        return rows


_LEGEND = (
    "pearson: of one measure as it is, of several as a linear prediction from other prompts' responses; partial: the "
    "same with length held constant; kappa: quadratic weighted, of the rounded prediction; references: those given, "
    "then the best-scored responses, which are not scored themselves. curve: the same responses at every count."
)


def _encoder(name: str | None) -> Encoder | None:
    from pipeline.text.encoders.sentence_encoder import load_encoder

    return load_encoder(name) if name else None


def _predicted(sample: _Sample, train: _Sample | None, names: Sequence[str]) -> Floats | None:
    features = stacked(sample.measures, names)
    if train is None:
        return cross_validated(features, sample.scores, prompts_of(sample.found))
    return linear_fit(stacked(train.measures, names), train.scores)(features)


def _kappa(predictions: Floats, scores: Floats) -> float | None:
    return quadratic_weighted_kappa(rounded(predictions, scores).tolist(), rounded(scores, scores).tolist())


def _pooled_pearson(groups: Sequence[tuple[Floats, Floats]]) -> float:
    value = pearson(*(np.concatenate(column) for column in zip(*groups, strict=True)))
    return float("nan") if value is None else value


def _drawn(curve: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """The curve as an image."""

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
