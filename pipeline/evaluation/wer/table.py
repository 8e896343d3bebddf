"""Word error rates of given transcripts, or of Whisper on recordings, against what people wrote down."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.corpus import Corpus, open_corpus
from pipeline.engine.finished import FinishedRun
from pipeline.errors import RostrumError
from pipeline.evaluation.corpora import corpus_of, is_run
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.evaluation.wer.data import PAIRS, TABLE, Recorded, recorded
from pipeline.evaluation.wer.recognition import transcript
from pipeline.measures.error_rates import word_error_rates
from pipeline.progress import Progress, no_progress
from pipeline.records import ErrorCounts, Transcript
from pipeline.text.normalise import NormaliserName
from pipeline.text.word_errors import word_errors


def evaluate(data: Path, normaliser: NormaliserName = "whisper", progress: Progress = no_progress) -> Evaluation:
    """The table for a corpus whose speeches have transcripts and references, or recordings and references, or of a run.

    Each row pools all words; `wer_macro` is the mean of the speeches' own rates, which is what papers print; the
    interval is a bootstrap over speeches.
    """
    if is_run(data):
        rows, what = [_of_run(FinishedRun(data), normaliser)], "transcripts of a run"
    else:
        corpus = open_corpus(data)
        rows, what = list(_given(corpus, normaliser, progress)), "transcripts given by the data set"
        if not rows and (recordings := recorded(corpus)):
            rows, what = [_recognised(recordings, normaliser, progress)], "transcripts made by this program"
    if not rows:
        raise RostrumError(f"{data}: no speech has a reference and a transcript or recording; see also {TABLE}")
    facts = signature("jiwer", "openai-whisper", normaliser=normaliser, seed=0, data=what)
    return Evaluation(name="wer", signature=facts, rows=tuple(rows))


def _given(corpus: Corpus, normaliser: NormaliserName, progress: Progress) -> Iterator[Row]:
    for number, (heard, said) in enumerate(PAIRS):
        counts = []
        for entry in corpus.with_transcripts(heard, said):
            counts.append(word_errors(entry.text(said), entry.text(heard), normaliser).words)
            progress(number / len(PAIRS), f"{heard} against {said}: {entry.speech.id}")
        if counts:
            yield _row(f"{heard} against {said}", counts)


def _of_run(run: FinishedRun, normaliser: NormaliserName) -> Row:
    """The words that a run recognised, against the references of its corpus."""
    counts, recognisers = [], set()
    for entry in corpus_of(run).with_transcripts("reference"):
        if made := run.of_speech(Transcript, entry.speech.id):
            counts.append(word_errors(entry.text("reference"), made.recognised_text, normaliser, made.language).words)
            recognisers.add(made.recogniser)
    if not counts:
        raise RostrumError(f"{run.store.root}: no speech with a reference has a transcript in it")
    return _row(", ".join(sorted(recognisers)), counts)


def _row(method: str, counts: Sequence[ErrorCounts]) -> Row:
    return {"method": method, "speeches": len(counts), **word_error_rates(counts)}


def _recognised(recordings: Sequence[Recorded], normaliser: NormaliserName, progress: Progress) -> Row:
    counts = []
    for number, each in enumerate(recordings):
        progress(number / len(recordings), each.audio.name)
        counts.append(word_errors(each.said, transcript(each.audio), normaliser).words)
    return _row("whisper tiny.en", counts)
