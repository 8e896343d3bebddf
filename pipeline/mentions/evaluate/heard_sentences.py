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
from pipeline.text.terms import stem, stop_words, tokens

ClaimsFrom = Literal["general-purpose", "iDebate"]
_SPEECHES = "speech-transcripts.csv"
_TABLES: dict[ClaimsFrom, tuple[str, str, str]] = {
    "general-purpose": ("GP-claim-to-sentence-matching.csv", "GPR-KB-id", "GP-claim-text-for-motion"),
    "iDebate": ("idebate-claim-to-sentence-matching.csv", "idebate-point-id", "claim-text"),
}
# The name of the transcript that the tables refer to.
TRANSCRIPT = "speech-transcripts"


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


_LABEL = ("sentence-index", "is-claim-mentioned-in-sentence")


def _labels(name: str, rows: Sequence[tuple[int, dict[str, str]]], sentences: int) -> Iterator[tuple[int, bool]]:
    for line, row in rows:
        place, label = row["sentence-index"], row["is-claim-mentioned-in-sentence"].lower()
        if not place.isdecimal() or int(place) >= sentences or label not in ("true", "false"):
            raise RostrumError(f"{name}:{line}: not the number of a sentence of the speech, and true or false")
        yield int(place), label == "true"


def as_listening(heard: list[HeardSentences]) -> Listening:
    """Speeches and claims as for the table: a speech mentions a claim that people heard in one of its sentences.

    Beside the labelled ones a speech's list has all claims of its motion and side.
    """
    claims = grouped(((each.motion, each.stance), (each.claim, each.title)) for each in heard)
    asked = grouped((each.speech, each.claim) for each in heard)
    return Listening(
        pairs=tuple(_pair(each) for each in heard),
        transcripts={TRANSCRIPT: {each.speech: each.sentences for each in heard}},
        unlabelled={
            each.speech: tuple(
                title
                for claim, title in dict(claims[each.motion, each.stance]).items()
                if claim not in asked[each.speech]
            )
            for each in heard
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
        mentioned=any(heard.heard.values()),
    )


Span = tuple[int, int]
# The score of each passage for a title, sentences first.
Chooser = Callable[[HeardSentences, Sequence[Span]], Vector]


def carrier_rows(heard: Sequence[HeardSentences], claims: ClaimsFrom, resources: Resources) -> Iterator[Row]:
    """One row per way of choosing a passage."""
    carried = [each for each in heard if any(each.heard.values())]
    base: Row = {"claims": claims, "transcript": TRANSCRIPT, "pairs": len(carried)}
    chance = [mean(_right(each, passages(len(each.sentences))).tolist()) for each in carried]
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
    for each in heard:
        spans = passages(len(each.sentences))
        scores = chooser(each, spans)
        values += [scores[place] for place in each.heard]
        labels += each.heard.values()
        if any(each.heard.values()):
            shown.append(bool(_right(each, spans)[scores.argmax()]))
            sentences.append(each.heard.get(int(scores[: len(each.sentences)].argmax()), False))
    return {
        **_share_right(shown, seed),
        "carrier_sentence": mean(sentences),
        "auc": area_under_curve(np.array(values), np.array(labels)),
    }


def _right(each: HeardSentences, spans: Sequence[Span]) -> Mask:
    """Whether each passage has a sentence that carries the claim."""
    return np.array([any(each.heard.get(place, False) for place in range(*span)) for span in spans])


def choosers(heard: Sequence[HeardSentences], resources: Resources) -> dict[str, Chooser]:
    """Every way of choosing a passage: words in common, word means, each encoder, and each cross-encoder."""
    sentences = [sentence for each in heard for sentence in each.sentences]
    frequencies = inverse_document_frequencies(sentences)
    found: dict[str, Chooser] = {"words in common": _words_in_common(frequencies)}
    found["w2v"] = _most_similar(WordMeanEncoder(resources.words, frequencies))
    found |= {name: _most_similar(encoder) for name, encoder in resources.encoders.items()}
    first = found[next(iter(resources.encoders))]
    found |= {f"cross-encoder {each.name}": _read_together(each, first) for each in resources.cross_encoders}
    return found


def _most_similar(encoder: Encoder) -> Chooser:
    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        units = speech_vectors(encoder, each.sentences).units
        return np.asarray(units @ encoder.encode([each.title])[0], dtype=np.float64)

    return choose


def _words_in_common(frequencies: Mapping[str, float]) -> Chooser:
    """The share of the title's words that a passage has, rare ones weighing more; of equal ones the shortest."""

    def stems(text: str) -> list[str]:
        return [stem(word) for word in tokens(text) if word not in stop_words()]

    weights = {stem(word): weight for word, weight in frequencies.items()}

    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        said = [stems(" ".join(each.sentences[slice(*span)])) for span in spans]
        recalls = word_recalls([stems(each.title)], said, lambda term: weights.get(term, 1.0))[0]
        return np.asarray(recalls - 1e-6 * np.array([last - first for first, last in spans]))

    return choose


def _read_together(model: CrossEncoder, first: Chooser) -> Chooser:
    """The cross-encoder's probability for the passages that the first encoder holds most similar."""

    def choose(each: HeardSentences, spans: Sequence[Span]) -> Vector:
        scores = first(each, spans) - 2.0  # below every probability
        best = np.argsort(-scores, kind="stable")[:CANDIDATES]
        read = [" ".join(each.sentences[slice(*spans[place])]) for place in best]
        scores[best] = model.probabilities([(passage, each.title) for passage in read])
        return scores

    return choose


# How often a detector is wrong, by the share of people who heard the argument in the speech.
