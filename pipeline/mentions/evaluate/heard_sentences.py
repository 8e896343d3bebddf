"""Claims and the very sentences in which people heard them, and how often the passage that is shown is one of these.

IBM's release has two tables: one of general-purpose claims, one of arguments of iDebate. Both refer to sentences of one
more transcript. The stage shows a sentence, or nothing where no sentence carries the claim. Baselines choose among the
sentences of a speech and its windows of up to four sentences.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.content import word_recalls
from pipeline.corpus.datasets import CLAIMS, read_table
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.measures import area_under_curve, bootstrap_interval, mean, pooled_mean
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, inverse_document_frequencies
from pipeline.mentions.evaluate.methods import CANDIDATES, Resources
from pipeline.mentions.features import passages, speech_vectors
from pipeline.mentions.passages import PassageReader
from pipeline.records import Stance
from pipeline.text.encoders.cross_encoder import CrossEncoder
from pipeline.text.encoders.sentence_encoder import Encoder
from pipeline.text.terms import stem, stems

ClaimsFrom = Literal["general-purpose", "iDebate"]
_SPEECHES = "speech-transcripts.csv"
_TABLES: dict[ClaimsFrom, tuple[str, str, str]] = {
    "general-purpose": ("GP-claim-to-sentence-matching.csv", "GPR-KB-id", "GP-claim-text-for-motion"),
    "iDebate": ("idebate-claim-to-sentence-matching.csv", "idebate-point-id", "claim-text"),
}
_LABEL = ("sentence-index", "is-claim-mentioned-in-sentence")
# The name of the transcript that the tables refer to.
TRANSCRIPT = "speech-transcripts"
Span = tuple[int, int]


@dataclass(frozen=True)
class HeardSentences:
    """A claim and a speech: `heard` says of the sentences that people were asked about whether they carry it."""

    motion: str
    motion_text: str
    stance: Stance
    speech: str
    claim: str
    title: str
    sentences: tuple[str, ...]
    heard: dict[int, bool]

    @property
    def is_mentioned(self) -> bool:
        """Whether people heard the claim in any sentence."""
        return any(self.heard.values())

    def carries(self, spans: Sequence[Span]) -> Mask:
        """Whether each passage has a sentence in which people heard the claim."""
        return np.array([any(self.heard.get(index, False) for index in range(*span)) for span in spans])


def has_heard_sentences(folder: Path) -> bool:
    """Whether the folder has the tables."""
    return all((folder / CLAIMS / name).is_file() for name, _, _ in _TABLES.values())


@dataclass(frozen=True)
class Spoken:
    """A speech as the release's own transcript has it: its side, and its sentences."""

    stance: Stance
    sentences: tuple[str, ...]


def read_speeches(folder: Path) -> dict[str, Spoken]:
    """Every speech of the release's transcripts, by its id."""
    return {
        row["speech-id"]: Spoken(
            "pro" if row["speech-to-motion-polarity"] == "PRO" else "con",
            tuple(part.strip() for part in row["speech-text"].split("\n\n")),
        )
        for _, row in read_table(folder, _SPEECHES, "speech-id", "speech-text", "speech-to-motion-polarity")
    }


def read_heard_sentences(folder: Path, claims: ClaimsFrom) -> list[HeardSentences]:
    """The pairs of a speech and a claim in one table, each once, in the table's order."""
    name, id_column, title_column = _TABLES[claims]
    speeches = read_speeches(folder)
    columns = ("motion-id", "motion-text", "speech-id", id_column, title_column, *_LABEL)
    rows = grouped(
        ((row["speech-id"], row[id_column]), (line, row)) for line, row in read_table(folder, name, *columns)
    )
    for (speech, _), ((line, _), *_) in rows.items():
        if speech not in speeches:
            raise RostrumError(f"{name}:{line}: there is no speech {speech} in {_SPEECHES}")
    return [
        HeardSentences(
            motion=labelled[0][1]["motion-id"],
            motion_text=labelled[0][1]["motion-text"],
            stance=speeches[speech].stance,
            speech=speech,
            claim=claim,
            title=labelled[0][1][title_column].strip(),
            sentences=speeches[speech].sentences,
            heard=dict(_labels(name, labelled, len(speeches[speech].sentences))),
        )
        for (speech, claim), labelled in rows.items()
    ]


def _labels(name: str, rows: Sequence[tuple[int, dict[str, str]]], sentences: int) -> Iterator[tuple[int, bool]]:
    for line, row in rows:
        index, label = row["sentence-index"], row["is-claim-mentioned-in-sentence"].lower()
        if not index.isdecimal() or int(index) >= sentences or label not in ("true", "false"):
            raise RostrumError(f"{name}:{line}: not the number of a sentence of the speech, and true or false")
        yield int(index), label == "true"


def as_listening(heard: list[HeardSentences]) -> Listening:
    """Speeches and claims as for the table: a speech mentions a claim that people heard in one of its sentences.

    Beside the labelled ones a speech's list has all claims of its motion and side.
    """
    claims = grouped(((pair.motion, pair.stance), (pair.claim, pair.title)) for pair in heard)
    asked = grouped((pair.speech, pair.claim) for pair in heard)
    return Listening(
        pairs=tuple(_pair(pair) for pair in heard),
        transcripts={TRANSCRIPT: {pair.speech: pair.sentences for pair in heard}},
        unlabelled={
            pair.speech: tuple(
                title
                for claim, title in dict(claims[pair.motion, pair.stance]).items()
                if claim not in asked[pair.speech]
            )
            for pair in heard
        },
    )


def _pair(heard: HeardSentences) -> Pair:
    return Pair(
        motion=heard.motion,
        motion_text=heard.motion_text,
        stance=heard.stance,
        speech=heard.speech,
        argument=heard.claim,
        title=heard.title,
        text=(),
        mentioned=heard.is_mentioned,
    )


# The score of each passage for a title, sentences first.
Chooser = Callable[[HeardSentences, Sequence[Span]], Vector]


def carrier_rows(heard: Sequence[HeardSentences], claims: ClaimsFrom, resources: Resources) -> Iterator[Row]:
    """One row per way of choosing a passage, then those of the stage."""
    carried = [claim for claim in heard if claim.is_mentioned]
    base: Row = {"claims": claims, "transcript": TRANSCRIPT, "pairs": len(carried)}
    chance = [mean(claim.carries(passages(len(claim.sentences))).tolist()) for claim in carried]
    yield {**base, "method": "random", "config": "passage", **_share_right(carried, chance, resources.seed)}
    for method, chooser in choosers(heard, resources).items():
        yield {**base, "method": method, "config": "passage", **_figures(heard, chooser, resources.seed)}


def _share_right(claims: Sequence[HeardSentences], right: Sequence[float], seed: int) -> Row:
    """How often a passage is right, with its interval by bootstrap over motions."""
    of_motion = grouped((claim.motion, float(value)) for claim, value in zip(claims, right, strict=True))
    low, high = bootstrap_interval(list(of_motion.values()), pooled_mean, seed=seed)
    return {"carrier": mean(right) if right else None, "carrier_low": low, "carrier_high": high}


def _figures(heard: Sequence[HeardSentences], chooser: Chooser, seed: int) -> Row:
    """How often the best passage and the best sentence are right, and how well labelled sentences are told apart."""
    carried, shown, sentences, values = [], [], [], []
    labels: list[bool] = []
    for claim in heard:
        spans = passages(len(claim.sentences))
        scores = chooser(claim, spans)
        values += [scores[index] for index in claim.heard]
        labels += claim.heard.values()
        if claim.is_mentioned:
            carried.append(claim)
            shown.append(bool(claim.carries(spans)[scores.argmax()]))
            sentences.append(claim.heard.get(int(scores[: len(claim.sentences)].argmax()), False))
    return {
        **_share_right(carried, shown, seed),
        "carrier_sentence": mean(sentences),
        "shown": 1.0,
        **_told_apart(values, labels),
    }


def _told_apart(values: Sequence[float], labels: Sequence[bool]) -> Row:
    """How well scores tell the sentences in which people heard a claim from the others they were asked about."""
    from sklearn.metrics import average_precision_score

    scores, heard = np.array(values), np.array(labels)
    return {"auc": area_under_curve(scores, heard), "ap": float(average_precision_score(heard, scores))}


def stage_rows(heard: Sequence[HeardSentences], claims: ClaimsFrom, reader: PassageReader, seed: int) -> Iterator[Row]:
    """The stage's sentences: the best one of every pair, and those that it shows because they carry the claim."""
    lists = grouped(((claim.motion, claim.stance), claim.title) for claim in heard)
    carried, scores, best = [], [], []
    values: list[float] = []
    labels: list[bool] = []
    for claim in heard:
        titles = list(dict.fromkeys(lists[claim.motion, claim.stance]))
        column = reader.scores(claim.motion_text, claim.sentences, titles, claim.stance)[:, titles.index(claim.title)]
        values += [column[index] for index in claim.heard]
        labels += claim.heard.values()
        if claim.is_mentioned:
            place = int(column.argmax())
            carried.append(claim)
            scores.append(column[place])
            best.append(claim.heard.get(place, False))
    base: Row = {"claims": claims, "transcript": TRANSCRIPT, "pairs": len(carried), "method": "rostrum"}
    right = {"carrier_sentence": mean(best), **_told_apart(values, labels)}
    yield {**base, "config": "best sentence", **_share_right(carried, best, seed), "shown": 1.0, **right}
    shown = [place for place, score in enumerate(scores) if score >= reader.threshold]
    figures = _share_right([carried[place] for place in shown], [best[place] for place in shown], seed)
    yield {
        **base,
        "config": "shown",
        **figures,
        "shown": len(shown) / len(carried),
        "without": len(carried) - len(shown),
    }


def choosers(heard: Sequence[HeardSentences], resources: Resources) -> dict[str, Chooser]:
    """Every way of choosing a passage: words in common, word means, each encoder, and each cross-encoder."""
    frequencies = inverse_document_frequencies(sentence for claim in heard for sentence in claim.sentences)
    similar: dict[str, Encoder] = {"w2v": WordMeanEncoder(resources.words, frequencies), **resources.encoders}
    first = _most_similar(resources.first_encoder)
    return {
        "words in common": _words_in_common(frequencies),
        **{name: _most_similar(encoder) for name, encoder in similar.items()},
        **{f"cross-encoder {model.name}": _read_together(model, first) for model in resources.cross_encoders},
    }


def _most_similar(encoder: Encoder) -> Chooser:
    def choose(claim: HeardSentences, spans: Sequence[Span]) -> Vector:
        units = speech_vectors(encoder, claim.sentences).units
        return np.asarray(units @ encoder.encode([claim.title])[0], dtype=np.float64)

    return choose


def _words_in_common(frequencies: Mapping[str, float]) -> Chooser:
    """The share of the title's words that a passage has, rare ones weighing more; of equal ones the shortest."""
    weights = {stem(word): weight for word, weight in frequencies.items()}

    def choose(claim: HeardSentences, spans: Sequence[Span]) -> Vector:
        said = [stems(" ".join(claim.sentences[slice(*span)]), without_stop_words=True) for span in spans]
        recalls = word_recalls(
            [stems(claim.title, without_stop_words=True)], said, lambda term: weights.get(term, 1.0)
        )[0]
        return np.asarray(recalls - 1e-6 * np.array([last - first for first, last in spans]))

    return choose


def _read_together(model: CrossEncoder, first: Chooser) -> Chooser:
    """The cross-encoder's probability for the passages that the first encoder holds most similar."""

    def choose(claim: HeardSentences, spans: Sequence[Span]) -> Vector:
        scores = first(claim, spans) - 2.0  # below every probability
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        read = [" ".join(claim.sentences[slice(*spans[index])]) for index in best]
        scores[best] = model.probabilities([(passage, claim.title) for passage in read])
        return scores

    return choose
