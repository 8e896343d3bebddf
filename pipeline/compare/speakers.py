"""Errors in words and in who says them, together: cpWER and tcpWER, computed by meeteval."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.export.formats.scoring import segments
from pipeline.export.speech import UNKNOWN, annotated_speeches
from pipeline.formats import field
from pipeline.grouping import grouped
from pipeline.records import Word
from pipeline.run.finished import FinishedRun
from pipeline.run.summary import Row
from pipeline.score import normaliser
from pipeline.text.language import UNKNOWN_LANGUAGE
from pipeline.text.sentences import speaker_runs
from pipeline.transcribe import Transcript

# In tcpWER, a word may be so many seconds away, as in the CHiME challenges.
COLLAR = 5.0
# A SegLST segment: who says what, from when to when. And the segments of each session.
Segment = dict[str, Any]
Sessions = dict[str, tuple[Segment, ...]]


class MissingPackage(RostrumError):
    """A package that only this needs is not installed."""


def speaker_errors(runs: Sequence[FinishedRun], names: Sequence[str], reference: Path | None) -> list[Row]:
    """One row per run: cpWER and tcpWER of the speeches that all runs have. No rows if nobody knows who said what.

    `reference` is a file in STM or SegLST whose sessions have the ids of the speeches. Without it, the reference are
    corrected transcripts with several speakers. cpWER joins the words of each speaker, and takes the best assignment of
    speakers. In tcpWER, a word can only match one that is said at most 5 s away.
    """
    languages = _languages(runs)
    said = _by_session(_read(reference) if reference else _corrected(runs), languages)
    heard = [_by_session(_recognised(run), languages) for run in runs] if said else []
    for name, each in zip(names, heard, strict=bool(said)):
        if reference and not set(said) & set(each):
            raise RostrumError(f"{reference}: none of its recordings is a speech of {name}; the ids must match")
    sessions = set(said).intersection(*heard)
    if not sessions:
        return []
    return [
        {"run": name, "speeches": len(sessions), **_rates(said, each, sessions)}
        for name, each in zip(names, heard, strict=True)
    ]


def _rates(said: Sessions, heard: Sessions, sessions: set[str]) -> Row:
    meeteval = _meeteval()
    row: Row = {}
    for measure, options in (("cpwer", {}), ("tcpwer", {"collar": COLLAR})):
        errors = getattr(meeteval.wer, measure)(_joined(said, sessions), _joined(heard, sessions), **options)
        total = meeteval.wer.combine_error_rates(errors)
        row |= {measure: total.error_rate, f"{measure}_words": total.length}
        row |= {f"{measure}_{kind}": getattr(total, kind) for kind in ("substitutions", "deletions", "insertions")}
    return row


def _recognised(run: FinishedRun) -> Iterator[Segment]:
    """What the run's recogniser wrote, by sentence. If its words were replaced by a person's, by turn."""
    for speech in annotated_speeches(run):
        transcript = run.of_speech(Transcript, speech.id)
        if transcript and transcript.recognised is not None:
            yield from _turns(speech.id, transcript.recognised)
        else:
            yield from segments([speech])


def _corrected(runs: Sequence[FinishedRun]) -> Iterator[Segment]:
    """The corrected transcripts with several speakers, each speech once."""
    known: set[str] = set()
    for run in runs:
        for speech in run.recordings:
            transcript = run.of_speech(Transcript, speech.id)
            if speech.id in known or transcript is None or not transcript.is_corrected:
                continue
            if len({word.speaker for word in transcript.words} - {None}) > 1:
                known.add(speech.id)
                yield from _turns(speech.id, transcript.words)


def _turns(session: str, words: Sequence[Word]) -> Iterator[Segment]:
    for first, last, speaker in speaker_runs(words):
        turn = words[first:last]
        yield {
            "session_id": session,
            "speaker": speaker or UNKNOWN,
            "start_time": turn[0].start,
            "end_time": max(word.end for word in turn),
            "words": " ".join(word.text for word in turn),
        }


def _read(path: Path) -> Iterable[Segment]:
    try:
        loaded: Iterable[Segment] = _meeteval().io.load(path).to_seglst()
    except Exception as error:  # meeteval has no error of its own
        raise RostrumError(f"{path}: meeteval cannot read it: {' '.join(str(error).split())}") from error
    return loaded


def _languages(runs: Sequence[FinishedRun]) -> dict[str, str]:
    """The language of each speech, by the name of its session, as far as a run knows it."""
    languages: dict[str, str] = {}
    for run in runs:
        for speech in run.recordings:
            transcript = run.of_speech(Transcript, speech.id)
            if transcript and transcript.language != UNKNOWN_LANGUAGE:
                languages.setdefault(field(speech.id), transcript.language)
    return languages


def _by_session(segments: Iterable[Segment], languages: Mapping[str, str]) -> Sessions:
    """The segments of each session, with words normalised in its language (if unknown, as English, like `score`).

    STM has no spaces in a session's name.
    """
    normalised: list[Segment] = []
    for segment in segments:
        session = field(segment["session_id"])
        if words := normaliser("whisper", languages.get(session, "en"))(segment["words"]):
            times = {name: float(segment[name]) for name in ("start_time", "end_time")}
            normalised.append({**segment, **times, "session_id": session, "words": words})
    return grouped((segment["session_id"], segment) for segment in normalised)


def _joined(sessions: Sessions, wanted: set[str]) -> Any:
    meeteval = _meeteval()
    return meeteval.io.SegLST([segment for name in sorted(wanted) for segment in sessions[name]])


def _meeteval() -> Any:
    try:
        import meeteval.io
        import meeteval.wer
    except ImportError as error:
        raise MissingPackage("cpWER needs meeteval: pip install 'rostrum[speakers]'") from error
    return meeteval
