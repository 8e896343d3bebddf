"""Who speaks, on which motion, and in which order: further uses of recorded debates.

The makers of the recorded debates name tasks that their data allows beside the papers' own. Three are here, as far as
the stages have what they need: the speaker of a speech by its words, its motion by its words, and the order of its
sentences by words and prosody. Every motion is judged by what the others teach.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from pipeline.arrays import Floats, Integers, Matrix
from pipeline.corpus import Entry, open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.data import sentences_of
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.grouping import grouped
from pipeline.measures import pooled_mean, with_interval
from pipeline.progress import Progress, no_progress
from pipeline.segment.human_marks import ends_of
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

TRANSCRIPT = "asr.txt"
# What opens a speech often reads the motion out: the motion is also asked about without it.
OPENING = 5
_FOLDS = 5
_SHORTEST = 0.05


@click.command()
@result.compares_meanings
def command(data: Path, test: Path | None, progress: Progress, encoder: str) -> Evaluation:
    """Who speaks, on which motion, and in which order: further uses of recorded debates.

    DIR has the layout of IBM's recorded debates, with .asr and .asr.txt below speeches/. Motions take turns as test
    data, so that --test only names another folder.
    """
    name = result.or_none(encoder)
    return evaluate(test or data, load_encoder(name) if name else None, progress=progress)


@dataclass(frozen=True)
class TimedSpeech:
    """A recognised speech: who holds it on which motion, its text in lines, and its sentences with each one's prosody.

    `sentences` are as timed words have them. The columns of `prosody` are the pause before a sentence, its words per
    second, and its length in seconds.
    """

    speaker: str
    motion: str
    motion_text: str
    lines: tuple[str, ...]
    sentences: tuple[str, ...]
    prosody: Matrix


def evaluate(folder: Path, encoder: Encoder | None, *, progress: Progress = no_progress) -> Evaluation:
    """The three tables."""
    speeches = read_speeches(folder)
    motions = sorted({speech.motion for speech in speeches})
    if len(motions) < 2:
        raise RostrumError(f"{folder}: recognised speeches on one motion only; others are needed to learn from")
    folds = np.array([motions.index(speech.motion) % min(_FOLDS, len(motions)) for speech in speeches])
    rows: list[Row] = []
    for number, table in enumerate((_who(speeches, folds), _which_motion(speeches, encoder), _order(speeches, folds))):
        progress(number / 3, "speeches")
        rows += table
    return Evaluation(
        name="speeches",
        signature=signature(
            "scikit-learn",
            speeches=len(speeches),
            motions=len(motions),
            split=f"{_FOLDS} folds by motion",
            encoder=f"{encoder.name}@{encoder.digest[:12]}" if encoder else None,
        ),
        rows=tuple(rows),
        notes=(
            "order: the share of pairs of sentences of a speech, and of neighbours, put right; intervals over motions",
        ),
        tables=tuple(grouped((str(row["task"]), row) for row in rows).items()),
    )


def read_speeches(folder: Path) -> list[TimedSpeech]:
    """The speeches of a folder that have recognised words with times, and sentences of them."""
    corpus = open_corpus(folder).without_problems()
    entries = corpus.with_transcripts("asr", TRANSCRIPT)
    speeches = [
        TimedSpeech(
            entry.speech.speakers[0],
            entry.speech.motion,
            corpus.motions[entry.speech.motion].text,
            *_timed(entry),
        )
        for entry in sorted(entries, key=lambda entry: entry.speech.id)
        if entry.speech.motion and entry.speech.speakers
    ]
    if not speeches:
        raise RostrumError(f"{folder}: no speech has both .asr (word times) and .asr.txt (its sentences)")
    return speeches


def _timed(entry: Entry) -> tuple[tuple[str, ...], tuple[str, ...], Matrix]:
    words, sentences = entry.words(), sentences_of(entry, TRANSCRIPT)
    ends = np.unique(np.clip([0, *(int(end) for end in ends_of(words, sentences)), len(words)], 0, len(words)))
    texts, rows = [], []
    for start, end in zip(ends[:-1], ends[1:], strict=True):
        said = words[start:end]
        length = max(said[-1].end - said[0].start, _SHORTEST)
        texts.append(" ".join(word.text for word in said))
        rows.append((said[0].start - words[start - 1].end if start else 0.0, len(said) / length, length))
    return sentences, tuple(texts), np.array(rows, dtype=np.float64).reshape(-1, 3)


def _row(task: str, method: str, right: Sequence[float], motions: Sequence[str], **more: Any) -> Row:
    return {"task": task, "method": method, **_figure("accuracy", right, motions), **more}


def _figure(name: str, right: Sequence[float], motions: Sequence[str]) -> Row:
    """The mean over speeches, with its interval over motions."""
    return {**with_interval(name, list(grouped(zip(motions, right, strict=True)).values()), pooled_mean)}


# Who speaks.


def _who(speeches: Sequence[TimedSpeech], folds: Integers) -> Iterator[Row]:
    speakers = np.array([speech.speaker for speech in speeches])
    motions = [speech.motion for speech in speeches]
    texts = [" ".join(speech.lines) for speech in speeches]
    more = {"asked": len(speeches), "choices": len(set(speakers))}
    methods: dict[str, Callable[[], Any]] = {
        "majority": _frequent,
        "words": lambda: _linear(analyzer="word", ngram_range=(1, 2)),
        "function words": lambda: _linear(analyzer="word", vocabulary=_function_words()),
        "characters": lambda: _linear(analyzer="char_wb", ngram_range=(2, 4)),
    }
    for name, make in methods.items():
        predicted = np.empty(len(speeches), dtype=speakers.dtype)
        for fold in np.unique(folds):
            model = make().fit(
                [text for text, own in zip(texts, folds, strict=True) if own != fold], speakers[folds != fold]
            )
            predicted[folds == fold] = model.predict(
                [text for text, own in zip(texts, folds, strict=True) if own == fold]
            )
        yield _row("who speaks", name, (predicted == speakers).astype(float).tolist(), motions, **more)


def _frequent() -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier()


def _linear(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    return make_pipeline(
        TfidfVectorizer(sublinear_tf=True, **options), LinearSVC(class_weight="balanced", random_state=0)
    )


def _function_words() -> list[str]:
    from pipeline.text.terms import stop_words

    return sorted(stop_words())


# On which motion.


def _which_motion(speeches: Sequence[TimedSpeech], encoder: Encoder | None) -> Iterator[Row]:
    texts = {speech.motion: speech.motion_text for speech in speeches}
    ids = sorted(texts)
    motions = [speech.motion for speech in speeches]
    wanted = np.array([ids.index(motion) for motion in motions])
    for part, start in (("whole speech", 0), (f"without the first {OPENING} sentences", OPENING)):
        more = {"part": part, "asked": len(speeches), "choices": len(ids)}
        yield _row("which motion", "chance", [1 / len(ids)] * len(speeches), motions, **more)
        said = [speech.lines[start:] for speech in speeches]
        yield _row("which motion", "tf-idf", _right(_by_words(said, [texts[i] for i in ids]), wanted), motions, **more)
        if encoder:
            scores = _by_meaning(said, [texts[i] for i in ids], encoder)
            yield _row("which motion", encoder.name, _right(scores, wanted), motions, **more)


def _right(scores: Matrix, wanted: Integers) -> list[float]:
    return [float(right) for right in scores.argmax(axis=1) == wanted]


def _by_words(said: Sequence[Sequence[str]], motions: Sequence[str]) -> Matrix:
    """The cosine of tf-idf weighted words of each speech (row) with each motion."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    documents = [" ".join(sentences) for sentences in said]
    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit([*documents, *motions])
    return np.asarray((vectorizer.transform(documents) @ vectorizer.transform(motions).T).toarray())


def _by_meaning(said: Sequence[Sequence[str]], motions: Sequence[str], encoder: Encoder) -> Matrix:
    """The mean cosine of a speech's sentences with each motion, less what all speeches have with it on average."""
    vectors = encoder.encode(list(motions))
    rows = [
        (encoder.encode(list(sentences)) @ vectors.T).mean(axis=0) if sentences else np.zeros(len(motions))
        for sentences in said
    ]
    return np.asarray(rows - np.mean(rows, axis=0))


# In which order.


def _order(speeches: Sequence[TimedSpeech], folds: Integers) -> Iterator[Row]:
    long = [speech for speech in speeches if len(speech.sentences) > 1]
    fold_of = [fold for speech, fold in zip(speeches, folds, strict=True) if len(speech.sentences) > 1]
    motions = [speech.motion for speech in long]
    lengths = [np.array([len(text.split()) for text in speech.sentences], dtype=np.float64) for speech in long]
    standard = [_standardised(speech.prosody) for speech in long]
    texts = [speech.sentences for speech in long]
    places = {
        "chance": [np.zeros(len(speech.sentences)) for speech in long],
        "longer first": [-length for length in lengths],
        "words": _places(texts, None, fold_of),
        "prosody": _places(None, standard, fold_of),
        "words and prosody": _places(texts, standard, fold_of),
    }
    for name, of_method in places.items():
        every = [concordant(values) for values in of_method]
        near = [concordant(values, neighbours=True) for values in of_method]
        neighbours = _figure("neighbours", near, motions)
        yield _row("order of sentences", name, every, motions, **neighbours, asked=len(long))


def concordant(places: Floats, *, neighbours: bool = False) -> float:
    """The share of pairs of sentences whose predicted places are in their order; equal places count half.

    >>> concordant(np.array([0.1, 0.3, 0.2])), concordant(np.array([0.1, 0.3, 0.2]), neighbours=True)
    (0.6666666666666666, 0.5)
    """
    one, other = np.triu_indices(len(places), 1)
    if neighbours:
        one, other = one[other - one == 1], other[other - one == 1]
    return float(np.mean(np.sign(places[other] - places[one]) / 2 + 0.5))


def _standardised(values: Matrix) -> Matrix:
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _places(
    texts: Sequence[Sequence[str]] | None, prosody: Sequence[Matrix] | None, folds: Sequence[int]
) -> list[Floats]:
    """The predicted place of each sentence in its speech, 0 to 1, by a regression on the other folds."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import Ridge

    counts = [len(speech) for speech in (texts if texts is not None else prosody or ())]
    parts: list[Any] = []
    if texts is not None:
        hashing = HashingVectorizer(n_features=2**15, ngram_range=(1, 2), alternate_sign=False)
        parts.append(hashing.transform([text for speech in texts for text in speech]))
    if prosody is not None:
        parts.append(csr_matrix(np.vstack(prosody) / 10))
    table = hstack(parts).tocsr()
    target = np.concatenate([np.linspace(0, 1, count) for count in counts])
    fold_of = np.repeat(folds, counts)
    probabilities = np.zeros(len(target))
    for fold in np.unique(fold_of):
        model = Ridge(alpha=1.0, random_state=0).fit(table[fold_of != fold], target[fold_of != fold])
        probabilities[fold_of == fold] = model.predict(table[fold_of == fold])
    return list(np.split(probabilities, np.cumsum(counts)[:-1]))
