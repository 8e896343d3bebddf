"""Tables of what was said, by whom, and how it sounded."""

from collections.abc import Iterator
from typing import Any

from pipeline.diarize.record import Turns
from pipeline.export.table import Column, Table, each_of_speech, flag, integer, number, text
from pipeline.prosody.features import FEATURES
from pipeline.prosody.record import Prosody
from pipeline.run.finished import FinishedRun
from pipeline.score.record import WordErrors
from pipeline.segment.record import Sentences
from pipeline.transcribe.record import Transcript

SPEECH = text("speech", "id of the speech")
START, END = number("start", "seconds"), number("end", "seconds")


def _words(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.speeches:
        transcript = run.of_speech(Transcript, speech.id)
        sentence_of = _sentence_of_word(run.of_speech(Sentences, speech.id))
        prosody = run.of_speech(Prosody, speech.id)
        emphasis = [each.emphasis for each in prosody.words] if prosody else []
        for place, word in enumerate(transcript.words if transcript else ()):
            yield (
                speech.id,
                place,
                word.start,
                word.end,
                word.text,
                word.probability,
                word.speaker,
                sentence_of.get(place),
                emphasis[place] if emphasis else None,
            )


def _sentence_of_word(sentences: Sentences | None) -> dict[int, int]:
    found = enumerate(sentences.sentences if sentences else ())
    return {word: place for place, sentence in found for word in range(sentence.first, sentence.last)}


def _sentences(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, (place, each) in each_of_speech(run, Sentences, lambda record: enumerate(record.sentences)):
        yield speech, place, each.start, each.end, each.text, each.speaker, each.first, each.last


def _turns(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, record in each_of_speech(run, Turns, lambda record: (record,)):
        for is_exclusive, turns in ((False, record.turns), (True, record.exclusive)):
            yield from ((speech, turn.start, turn.end, turn.speaker, is_exclusive) for turn in turns)


def _word_errors(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, record in each_of_speech(run, WordErrors, lambda record: (record,)):
        for chunk in record.alignment:
            said = " ".join(record.reference[slice(*chunk.reference)])
            heard = " ".join(record.hypothesis[slice(*chunk.hypothesis)])
            yield speech, chunk.type, *chunk.reference, *chunk.hypothesis, said, heard


def _prosody(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech, (place, row) in each_of_speech(run, Prosody, lambda record: enumerate(record.sentences)):
        values = (row.values.get(feature.name) for feature in FEATURES)
        normalised = (row.normalised.get(feature.name) for feature in FEATURES)
        yield speech, place, row.start, row.end, row.speaker, *values, *normalised


_SENTENCE_COLUMNS: tuple[Column, ...] = (
    SPEECH,
    integer("sentence", "its place in the speech, from 0"),
    START,
    END,
    text("text", "the sentence"),
    text("speaker", "who says it"),
    integer("first", "its first word"),
    integer("last", "the word after its last"),
)

SPOKEN = (
    Table(
        "words",
        "a word as it was recognised",
        (
            SPEECH,
            integer("word", "its place in the speech, from 0"),
            START,
            END,
            text("text", "the word, with its punctuation"),
            number("probability", "the recogniser's confidence"),
            text("speaker", "who says it"),
            integer("sentence", "place of its sentence in the speech"),
            number("emphasis", "how much it is stressed: standard deviations from the speaker's mean"),
        ),
        _words,
    ),
    Table("sentences", "a sentence", _SENTENCE_COLUMNS, _sentences),
    Table(
        "prosody",
        "a sentence as it sounds",
        (
            SPEECH,
            integer("sentence", "its place in the speech, from 0"),
            START,
            END,
            text("speaker", "who says it"),
            *(number(each.name, f"{each.meaning.rstrip('.')} ({each.unit})") for each in FEATURES),
            *(
                number(f"{each.name}_z", f"{each.name}, standard deviations from its speaker's mean")
                for each in FEATURES
            ),
        ),
        _prosody,
    ),
    Table(
        "turns",
        "a speaker turn",
        (
            SPEECH,
            START,
            END,
            text("speaker", "who speaks; empty if only speech was detected"),
            flag("exclusive", "false: turns as found, which may overlap; true: the same without overlap"),
        ),
        _turns,
    ),
    Table(
        "word_errors",
        "a part of the alignment of transcript and reference, both normalised",
        (
            SPEECH,
            text("type", "equal, substitute, delete (missed) or insert (added)"),
            integer("reference_first", "its first word in the reference"),
            integer("reference_last", "the word after its last in the reference"),
            integer("transcript_first", "its first word in the transcript"),
            integer("transcript_last", "the word after its last in the transcript"),
            text("reference", "what was said"),
            text("transcript", "what was heard"),
        ),
        _word_errors,
    ),
)
