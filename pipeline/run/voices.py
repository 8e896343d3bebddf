"""Voices that people named: a run finds what they sound like, and keeps it in the register of the corpus."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from pipeline.corpus.contents import Corpus, Entry
from pipeline.corpus.voices import VoiceSample, read_register, write_register
from pipeline.diarize import Turns
from pipeline.errors import RostrumError, StorageError
from pipeline.records import TimeSpan
from pipeline.run.scopes import scopes_of_speeches
from pipeline.run.store import Store
from pipeline.speakers import GivenSpeaker, GivenSpeakers
from pipeline.system.logs import logger

# A row of speakers.csv without a voice names the one that speaks most in so many seconds from its start.
_HEARD = 3.0


def with_voices(corpus: Corpus, store: Store) -> Corpus:
    """The corpus with the voices of its register, and those that were named since and are stored in the run."""
    return replace(corpus, voices=read_register(corpus.folder).with_samples(_named_voices(corpus, store)))


def keep_voices(corpus: Corpus, store: Store) -> None:
    """Add the voices that people named in recordings of this run to the register of the corpus."""
    try:
        before = read_register(corpus.folder)
        after = before.with_samples(_named_voices(corpus, store))
        if after != before:
            write_register(corpus.folder, after)
        known = {(each.source, each.voice) for each in corpus.voices.samples}
        if late := [each for each in after.samples if (each.source, each.voice) not in known]:
            names = ", ".join(sorted({each.name for each in late}))
            logger.warning("the voice of %s is known now; run again, to recognise it in other recordings", names)
    except StorageError as error:
        logger.warning("named voices are not kept: %s", error)


def _named_voices(corpus: Corpus, store: Store) -> Iterator[VoiceSample]:
    """A sample of every voice that a row of `speakers.csv` or a correction names."""
    given = ((entry, corpus.given(GivenSpeakers, entry)) for entry in corpus.entries)
    named = [(entry, rows) for entry, people in given if people and (rows := [row for row in people.items if row.name])]
    if not named:
        return
    scopes = scopes_of_speeches(corpus.ids or [entry.speech.id for entry in corpus.entries])
    for entry, rows in named:
        if turns := _turns(store, scopes[entry.speech.id]):
            yield from _samples(entry, rows, turns)


def _turns(store: Store, scope: str) -> Turns | None:
    with suppress(RostrumError):  # made by another version: the run makes it again
        artifact = store.artifact(scope, "diarize")
        return store.record(Turns, scope, artifact) if artifact and artifact.data else None
    return None


def _samples(entry: Entry, rows: list[GivenSpeaker], turns: Turns) -> Iterator[VoiceSample]:
    voices = {voice.speaker: voice for voice in turns.voices}
    for row in rows:
        voice = voices.get(row.voice or _heard_at(turns, row) or "")
        if voice and row.name:
            yield VoiceSample(
                name=row.name,
                source=entry.speech.id,
                voice=voice.speaker,
                embedding=voice.embedding,
                vector=voice.vector,
            )


def _heard_at(turns: Turns, row: GivenSpeaker) -> str | None:
    """The label of the voice that speaks most in the first seconds of a row; None if the row has no start."""
    if row.start is None:
        return None
    last = row.start + _HEARD if row.end is None else min(row.end, row.start + _HEARD)
    span = TimeSpan(start=row.start, end=max(last, row.start))
    heard = dict.fromkeys(turns.speakers, 0.0)
    for turn in turns.turns:
        if turn.speaker is not None:
            heard[turn.speaker] += turn.overlap(span)
    speaker = max(heard, key=heard.__getitem__, default=None)
    return speaker if speaker is not None and heard[speaker] else None
