"""Word error rate of existing transcripts, or of a recogniser on recordings, against what people wrote down."""

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click
import numpy as np

from pipeline.arrays import Samples
from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus
from pipeline.errors import RostrumError
from pipeline.evaluation.data import corpus_of, is_run, recordings_by_name
from pipeline.evaluation.result import Evaluation, Row, signature
from pipeline.ingest import ingested
from pipeline.measures import word_error_rates
from pipeline.progress import Progress, no_progress
from pipeline.run.finished import FinishedRun
from pipeline.score.stage import NormaliserName, WordErrors, word_errors
from pipeline.system.files import read_text
from pipeline.transcribe import TranscribeSettings, Transcript, keeps_recognitions


@click.command()
@click.option(
    "--normaliser",
    type=click.Choice(["plain", "whisper", "verbatim"]),
    default="whisper",
    show_default=True,
    help="What does not count as an error.",
)
@click.option(
    "--model", "models", multiple=True, help="Transcribe recordings with this model; repeat it to compare several."
)
def command(
    data: Path, test: Path | None, progress: Progress, normaliser: NormaliserName, models: tuple[str, ...]
) -> Evaluation:
    """Compute the word error rate of existing transcripts, or of a recogniser.

    DIR is a corpus with references and transcripts, such as IBM's debates, or one with references and recordings. A
    file transcripts.tsv (name, tab, text), or a .stm file for each recording, may give the references. DIR may also be
    a run: what it recognised is then compared with the references of its corpus. Nothing is tuned: --test only names
    another folder.

    With ROSTRUM_TRANSCRIPTS=off in the environment, nothing that was recognised before is used, and the table has the
    processor seconds of finding and recognising speech, and the most memory that the process had: one --model at a
    time.
    """
    return evaluate(test or data, normaliser, progress, [TranscribeSettings(model=model) for model in models])


TABLE = "transcripts.tsv"
# The recogniser's words as they are, and as IBM cleaned them, against both forms of IBM's reference; in any other
# corpus, the given transcripts against the references.
PAIRS = (("asr", "trs"), ("asr", "trs.txt"), ("asr.txt", "trs.txt"), ("transcript", "reference"))


class Recorded(NamedTuple):
    """A recording and what is said in it."""

    audio: Path
    said: str


def recorded(corpus: Corpus) -> list[Recorded]:
    """The recordings with what is said in them, by `transcripts.tsv`, by their references, or by `.stm` files."""
    table = corpus.folder / TABLE
    if table.exists():
        return _by_table(corpus, table)
    with_reference = [
        Recorded(entry.audio, entry.text("reference")) for entry in corpus.entries if entry.audio and entry.reference
    ]
    return with_reference or list(_by_segments(corpus))


def _by_segments(corpus: Corpus) -> Iterator[Recorded]:
    """The recordings that have a NIST `.stm` file beside them, with the text of all its segments."""
    for entry in corpus.entries:
        segments = sorted(entry.audio.parent.glob(f"{entry.audio.stem}*.stm")) if entry.audio else []
        if entry.audio and segments:
            lines = [line for line in read_text(segments[0]).splitlines() if line.strip() and line[:2] != ";;"]
            yield Recorded(entry.audio, " ".join(line.split(maxsplit=5)[5] for line in lines))


def _by_table(corpus: Corpus, table: Path) -> list[Recorded]:
    lines = [(number, *line.partition("\t")) for number, line in enumerate(read_text(table).splitlines(), 1) if line]
    audio = recordings_by_name(corpus, {name for _, name, _, _ in lines})
    recordings = []
    for number, name, tab, text in lines:
        if not tab:
            raise RostrumError(f"{table}:{number}: no tab between the recording's name and what is said in it")
        if name not in audio:
            raise RostrumError(f"{table}:{number}: there is no recording called {name}")
        recordings.append(Recorded(audio[name], text))
    return recordings


# Transcripts of recordings, as they are or with other people talking in the background.

_VOICES_BEHIND = 3


def transcript(audio: Path, settings: TranscribeSettings | None = None) -> Transcript:
    """The transcript of a recording, of the speech that voice activity finds."""
    from pipeline.diarize import DiarizeSettings, diarize
    from pipeline.transcribe import transcribe

    with ingested(audio) as recording:
        turns = diarize(None, recording, None, settings=DiarizeSettings(mode="vad"))
        return transcribe(recording, turns, None, None, settings=settings or TranscribeSettings())


def recognised(
    recordings: Sequence[Recorded], levels: Sequence[float], progress: Progress = no_progress
) -> Iterator[tuple[str, str]]:
    """(said, heard) of every recording as it is, and with the recordings after it so many decibels below it."""
    total, done = len(recordings) * (1 + len(levels)), 0
    for number, recording in enumerate(recordings):
        progress(done / total, recording.audio.name)
        yield recording.said, transcript(recording.audio).text
        for level in levels:
            yield recording.said, _transcript_with(recording.audio, voices_behind(recordings, number), level)
        done += 1 + len(levels)


def voices_behind(recordings: Sequence[Recorded], number: int) -> list[Path]:
    """The recordings to mix into one of them: the next ones, without itself."""
    others = [*recordings[number + 1 :], *recordings[:number]]
    return [other.audio for other in others[:_VOICES_BEHIND]]


def _transcript_with(audio: Path, others: Sequence[Path], level: float) -> str:
    import soundfile

    voice, rate = _read(audio)
    mixed = with_voices(voice, [_read(other)[0] for other in others], level)
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{audio.stem}.wav"
        soundfile.write(file, mixed, rate)
        return transcript(file).text


def _read(audio: Path) -> tuple[Samples, int]:
    import soundfile

    samples, rate = soundfile.read(audio, dtype="float32", always_2d=True)
    return samples.mean(axis=1), rate


def with_voices(voice: Samples, others: Sequence[Samples], level: float) -> Samples:
    """The voice with others in the background, together `level` decibels weaker. Short recordings are repeated."""
    behind = np.sum([np.resize(other, len(voice)) for other in others], axis=0)
    power = float(np.mean(behind**2))
    if not power:
        return voice
    gain = np.sqrt(np.mean(voice**2) / power / 10 ** (level / 10))
    mixed = voice + gain * behind
    return np.asarray(mixed / max(1.0, float(np.abs(mixed).max())), dtype=np.float32)


def evaluate(
    data: Path,
    normaliser: NormaliserName = "whisper",
    progress: Progress = no_progress,
    recognisers: Sequence[TranscribeSettings] = (),
) -> Evaluation:
    """The table for a corpus whose speeches have transcripts and references, or recordings and references, or of a run.

    Recordings are transcribed by each of the `recognisers`, or with the default settings if none is given, or if they
    have no transcripts. Each row pools all words; `wer_macro` is the mean of the speeches' own rates, which is what
    papers print; the interval is a bootstrap over speeches.
    """
    if is_run(data):
        rows, what = [_of_run(FinishedRun(data), normaliser)], "transcripts of a run"
    else:
        corpus = open_corpus(data)
        given = [] if recognisers else list(_given(corpus, normaliser, progress))
        rows, what = given, "transcripts given by the data set"
        if not rows and (recordings := recorded(corpus)):
            rows = list(_recognised(recordings, recognisers or [TranscribeSettings()], normaliser, progress))
            what = "transcripts made by this program"
    if not rows:
        raise RostrumError(f"{data}: no speech has a reference and a transcript or recording; see also {TABLE}")
    facts = signature("jiwer", "openai-whisper", normaliser=normaliser, seed=0, data=what)
    return Evaluation(name="wer", signature=facts, rows=tuple(rows))


def _given(corpus: Corpus, normaliser: NormaliserName, progress: Progress) -> Iterator[Row]:
    for number, (heard, said) in enumerate(PAIRS):
        errors = []
        for entry in corpus.with_transcripts(heard, said):
            errors.append(word_errors(entry.text(said), entry.text(heard), normaliser))
            progress(number / len(PAIRS), f"{heard} against {said}: {entry.speech.id}")
        if errors:
            yield _row(f"{heard} against {said}", errors)


def _of_run(run: FinishedRun, normaliser: NormaliserName) -> Row:
    """The words that a run recognised, against the references of its corpus."""
    errors, recognisers = [], set()
    for entry in corpus_of(run).with_transcripts("reference"):
        if transcript := run.of_speech(Transcript, entry.speech.id):
            said, heard = entry.text("reference"), transcript.recognised_text
            errors.append(word_errors(said, heard, normaliser, transcript.language))
            recognisers.add(transcript.recogniser)
    if not errors:
        raise RostrumError(f"{run.store.root}: no speech with a reference has a transcript in it")
    return _row(", ".join(sorted(recognisers)), errors)


def _row(method: str, errors: Sequence[WordErrors], took: float | None = None) -> Row:
    """The row of a recogniser; with the processor seconds that it took, and the most memory that this process had."""
    rates = word_error_rates([error.words for error in errors])
    of_characters = word_error_rates([error.characters for error in errors])
    rates |= {f"cer{end}": of_characters[f"wer{end}"] for end in ("", "_low", "_high")}
    if took is not None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rates |= {"processor_seconds": round(took, 1), "peak_mb": round(peak)}
    return {"method": method, "speeches": len(errors), **rates}


def _recognised(
    recordings: Sequence[Recorded],
    recognisers: Sequence[TranscribeSettings],
    normaliser: NormaliserName,
    progress: Progress,
) -> Iterator[Row]:
    """The row of each recogniser. What it takes is measured if `ROSTRUM_TRANSCRIPTS=off`: nothing is then kept."""
    for index, settings in enumerate(recognisers):
        errors, names = [], set()
        if measured := not keeps_recognitions():
            transcript(recordings[0].audio, settings)  # loads the models
        before = time.process_time()
        for number, recording in enumerate(recordings):
            done = (index + number / len(recordings)) / len(recognisers)
            progress(done, f"{settings.model}: {recording.audio.name}")
            heard = transcript(recording.audio, settings)
            names.add(heard.recogniser)
            errors.append(word_errors(recording.said, heard.text, normaliser, heard.language))
        took = time.process_time() - before
        yield _row(", ".join(sorted(names)), errors, took if measured else None)
