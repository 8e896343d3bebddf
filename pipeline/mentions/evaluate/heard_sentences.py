"""Claims and the very sentences in which people heard them, and how often the passage that is shown is one of these.

IBM's release has two tables: one of general-purpose claims, one of arguments of iDebate. Both refer to sentences of one
more transcript. A passage is a sentence or a window of up to four sentences, as in the stage. A chooser scores all
passages of a speech.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from pipeline.arrays import Mask, Vector
from pipeline.corpus.ibm import CLAIMS, read_table
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.matching.passages import word_recalls
from pipeline.measures import area_under_curve, bootstrap_interval, mean
from pipeline.mentions.evaluate.data import Listening, Pair
from pipeline.mentions.evaluate.encoders import WordMeanEncoder, inverse_document_frequencies
from pipeline.mentions.evaluate.methods import CANDIDATES, Resources
from pipeline.mentions.features import passages, speech_vectors
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
    """One row per way of choosing a passage."""
    carried = [claim for claim in heard if claim.is_mentioned]
    base: Row = {"claims": claims, "transcript": TRANSCRIPT, "pairs": len(carried)}
    chance = [mean(claim.carries(passages(len(claim.sentences))).tolist()) for claim in carried]
    yield {**base, "method": "random", "config": "passage", **_share_right(chance, resources.seed)}
    for method, chooser in choosers(heard, resources).items():
        yield {**base, "method": method, "config": "passage", **_figures(heard, chooser, resources.seed)}


def _share_right(right: Sequence[float], seed: int) -> Row:
    low, high = bootstrap_interval(right, seed=seed)
    return {"carrier": mean(right), "carrier_low": low, "carrier_high": high}


def _figures(heard: Sequence[HeardSentences], chooser: Chooser, seed: int) -> Row:
    """How often the best passage and the best sentence are right, and how well labelled sentences are told apart."""
    shown, sentences, values = [], [], []
    labels: list[bool] = []
    for claim in heard:
        spans = passages(len(claim.sentences))
        scores = chooser(claim, spans)
        values += [scores[index] for index in claim.heard]
        labels += claim.heard.values()
        if claim.is_mentioned:
            shown.append(bool(claim.carries(spans)[scores.argmax()]))
            sentences.append(claim.heard.get(int(scores[: len(claim.sentences)].argmax()), False))
    return {
        **_share_right(shown, seed),
        "carrier_sentence": mean(sentences),
        "auc": area_under_curve(np.array(values), np.array(labels)),
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
