"""Word error rates of given transcripts, or of Whisper on recordings, against what people wrote down."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.corpus import Entry, open_corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.measures.error_rates import word_error_rates
from pipeline.records import ErrorCounts, WordErrors
from pipeline.text.normalise import NormaliserName
from pipeline.text.word_errors import word_errors

Progress = Callable[[str], None]

# The recogniser's words as they are, and as the data set's authors cleaned them, against both forms of the reference.
_PAIRS = (("asr", "trs"), ("asr", "trs.txt"), ("asr.txt", "trs.txt"))


def evaluate(data: Path, normaliser: NormaliserName = "whisper", progress: Progress = lambda _: None) -> Evaluation:
    """The table for IBM's debates (`speeches/`), or for a folder with recordings and `transcripts.tsv`.

    Each row pools all words; `wer_macro` is the mean of the speeches' own rates, which is what papers print; the
    interval is a bootstrap over speeches.
    """
    if (data / "speeches").is_dir():
        rows, what = _given(open_corpus(data).entries, normaliser, progress), "transcripts given by the data set"
    elif (data / "transcripts.tsv").exists():
        rows, what = [_recognised(data, normaliser, progress)], "transcripts made by this program"
    else:
        raise RostrumError(f"{data}: has neither speeches/ (IBM's debates) nor transcripts.tsv beside recordings")
    facts = signature("jiwer", "openai-whisper", normaliser=normaliser, seed=0, data=what)
    return Evaluation(name="wer", signature=facts, rows=tuple(rows))


def _given(speeches: Sequence[Entry], normaliser: NormaliserName, progress: Progress) -> list[Row]:
    rows: list[Row] = []
    for heard, said in _PAIRS:
        complete = [speech for speech in speeches if {heard, said} <= speech.transcripts.keys()]
        counts = []
        for speech in complete:
            counts.append(word_errors(speech.text(said), speech.text(heard), normaliser).words)
            progress(f"{heard} against {said}: {speech.speech.id}")
        rows.append(_row(f"{heard} against {said}", counts))
    return rows


def _row(method: str, counts: list[ErrorCounts]) -> Row:
    return {"method": method, "speeches": len(counts), **word_error_rates(counts)}


def _recognised(data: Path, normaliser: NormaliserName, progress: Progress) -> Row:
    counts = []
    references = (line.split("\t", 1) for line in (data / "transcripts.tsv").read_text("utf-8").splitlines() if line)
    for name, reference in references:
        counts.append(_recognise(_recording_named(data, name), reference, normaliser).words)
        progress(name)
    return _row("whisper tiny.en", counts)


def _recording_named(data: Path, name: str) -> Path:
    found = next(data.rglob(f"{name}.*"), None)
    if found is None:
        raise RostrumError(f"{data}: transcripts.tsv names {name}, and there is no recording of that name")
    return found


def _recognise(path: Path, reference: str, normaliser: NormaliserName) -> WordErrors:
    from pipeline.records import AudioFile, ReferenceTranscript, Speech
    from pipeline.settings import DiarizeSettings, IngestSettings, ScoreSettings, TranscribeSettings
    from pipeline.stages.diarize import diarize
    from pipeline.stages.ingest import ingest
    from pipeline.stages.score import score
    from pipeline.stages.transcribe import transcribe

    recording = ingest(AudioFile(path=path), settings=IngestSettings())
    try:
        turns = diarize(Speech(id=path.stem), recording, None, settings=DiarizeSettings(mode="vad"))
        transcript = transcribe(recording, turns, None, None, settings=TranscribeSettings())
    finally:
        recording.audio.discard()
    return score(transcript, ReferenceTranscript(text=reference), settings=ScoreSettings(normaliser=normaliser))
