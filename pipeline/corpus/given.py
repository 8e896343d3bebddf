"""The records that a corpus gives to stages: those of kinds that no stage makes."""

from collections.abc import Callable
from typing import Any, TypeVar

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.transcripts import read_spoken, read_words
from pipeline.records import (
    Arguments,
    AudioFile,
    ExpectedTexts,
    GivenTranscript,
    GivenTurns,
    Motion,
    Record,
    ReferenceTranscript,
    SpeakerCount,
    Speech,
    Speeches,
)

R = TypeVar("R", bound=Record)

# How many of the best-scored speeches may serve as references for the others.
_BEST_SCORED = 8


def given(corpus: Corpus, kind: type[R], of: Entry | Motion) -> R | None:
    """The record of that kind that the corpus has for a speech or motion; None if it has none."""
    table: dict[type[Record], Callable[[Corpus, Any], Record | None]]
    table = _OF_SPEECH if isinstance(of, Entry) else _OF_MOTION
    if kind not in table:
        raise TypeError(f"no stage makes a {kind.__name__}, and no corpus gives one")
    record = table[kind](corpus, of)
    assert record is None or isinstance(record, kind)
    return record


def how_to_give(kind: type[Record]) -> str:
    """How a person adds records of this kind to a corpus, in one sentence."""
    return _HOW_TO_GIVE.get(kind, "")


_HOW_TO_GIVE: dict[type[Record], str] = {
    AudioFile: "name the recording in the column file of speeches.csv",
    ReferenceTranscript: "write what was said into a .txt file of the same name beside the recording",
    GivenTranscript: "name a .ctm or .asr file in the column transcript of speeches.csv",
    SpeakerCount: "name everybody who speaks in the column speaker of speeches.csv",
    GivenTurns: "write who spoke when into an .rttm file of the same name beside the recording",
    Motion: "list the motions in motions.csv, and fill in the column motion of speeches.csv",
    Speeches: "fill in the column motion of speeches.csv",
    Arguments: "list the known arguments of the motion in arguments.csv",
    ExpectedTexts: "write into references.csv what a good speech on the motion covers",
}


def _audio(_: Corpus, entry: Entry) -> AudioFile | None:
    return AudioFile(path=entry.audio) if entry.audio else None


def _reference(_: Corpus, entry: Entry) -> ReferenceTranscript | None:
    return ReferenceTranscript(text=read_spoken(entry.reference)) if entry.reference else None


def _transcript(_: Corpus, entry: Entry) -> GivenTranscript | None:
    correction = entry.correction if entry.correction and entry.correction.words is not None else None
    if entry.transcript is None:
        return GivenTranscript(words=(), source="corrected", correction=correction) if correction else None
    is_of_ibm = entry.transcript.suffix.lower() == ".asr"  # in English, and read without hesitations
    return GivenTranscript(
        words=read_words(entry.transcript),
        source=f"given: {entry.transcript.name}",
        language="en" if is_of_ibm else None,
        keeps_hesitations=not is_of_ibm,
        correction=correction,
    )


def _turns(_: Corpus, entry: Entry) -> GivenTurns | None:
    if entry.correction and entry.correction.turns is not None:
        return GivenTurns(turns=entry.correction.turns)
    if entry.turns is None:
        return None
    from pipeline.formats import read_rttm

    return GivenTurns(turns=tuple(read_rttm(entry.turns)))


def _references(corpus: Corpus, entry: Entry) -> ExpectedTexts | None:
    """The expected texts of the speech's side, then the reference transcripts of its best-scored other speeches."""
    speech = entry.speech
    best = [each for each in corpus.best_scored(speech.motion or "", speech.stance) if each is not entry]
    said = [read_spoken(each.reference) for each in best[:_BEST_SCORED] if each.reference]
    texts = (*corpus.expected_of(speech), *said)
    return ExpectedTexts(texts=texts) if texts else None


_OF_SPEECH: dict[type[Record], Callable[[Corpus, Entry], Record | None]] = {
    Speech: lambda _, entry: entry.speech,
    SpeakerCount: lambda _, entry: SpeakerCount(count=len(entry.speech.speakers)) if entry.speech.speakers else None,
    Motion: lambda corpus, entry: corpus.motions.get(entry.speech.motion or ""),
    Arguments: lambda corpus, entry: corpus.arguments_on(entry.speech.motion),
    AudioFile: _audio,
    ReferenceTranscript: _reference,
    ExpectedTexts: _references,
    GivenTranscript: _transcript,
    GivenTurns: _turns,
}
_OF_MOTION: dict[type[Record], Callable[[Corpus, Motion], Record | None]] = {
    Motion: lambda _, motion: motion,
    Arguments: lambda corpus, motion: corpus.arguments_on(motion.id),
    Speeches: lambda corpus, motion: Speeches(items=tuple(each.speech for each in corpus.speeches_on(motion.id))),
}
