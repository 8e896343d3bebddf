"""Tables of the corpus: its speeches with their figures, motions, arguments and labels."""

from collections.abc import Iterator
from typing import Any

from pipeline.export.table import Table, flag, integer, number, text
from pipeline.ingest.record import Recording
from pipeline.run.finished import FinishedRun
from pipeline.score.record import WordErrors
from pipeline.transcribe.record import Transcript


def _speeches(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.speeches:
        recording = run.of_speech(Recording, speech.id)
        transcript = run.of_speech(Transcript, speech.id)
        errors = run.of_speech(WordErrors, speech.id)
        yield (
            speech.id,
            speech.motion,
            speech.stance,
            "; ".join(speech.speakers) or None,
            speech.answers,
            speech.response,
            recording.duration if recording else None,
            recording.loudness_lufs if recording else None,
            recording.snr_db if recording else None,
            recording.clipped_share if recording else None,
            len(transcript.words) if transcript else None,
            transcript.language if transcript else None,
            transcript.recogniser if transcript else None,
            errors.wer if errors else None,
            *_counts(errors),
        )


def _counts(errors: WordErrors | None) -> tuple[int | None, ...]:
    if errors is None:
        return None, None, None, None
    words = errors.words
    return words.length, words.substitutions, words.deletions, words.insertions


CORPUS = (
    Table(
        "speeches",
        "a speech",
        (
            text("speech", "its id"),
            text("motion", "id of the motion it speaks on"),
            text("stance", "pro or con"),
            text("speakers", "who speaks, separated by '; '"),
            text("answers", "id of the speech that it was recorded in answer to, if the corpus says so"),
            text("response", "explicit or implicit: how it answers, if the corpus says so"),
            number("duration", "seconds"),
            number("loudness", "integrated loudness, LUFS"),
            number("snr", "speech over noise, decibels, estimated"),
            number("clipped", "share of samples that are clipped"),
            integer("words", "words recognised"),
            text("language", "the language recognised"),
            text("recogniser", "the recogniser"),
            number("wer", "word error rate"),
            integer("reference_words", "words of the reference, normalised"),
            integer("substitutions", "words misheard"),
            integer("deletions", "words missed"),
            integer("insertions", "words inserted"),
        ),
        _speeches,
    ),
    Table(
        "motions",
        "a motion",
        (text("motion", "its id"), text("text", "what is debated")),
        lambda run: ((motion.id, motion.text) for motion in run.motions),
    ),
    Table(
        "arguments",
        "a known argument",
        (
            text("argument", "its id"),
            text("motion", "id of its motion"),
            text("stance", "pro or con"),
            text("title", "the claim in one sentence"),
            text("text", "the argument in a few sentences"),
            text("counter", "id of the argument that rebuts it"),
        ),
        lambda run: (
            (each.id, each.motion, each.stance, each.title, each.text or None, each.counter)
            for each in run.known.arguments
        ),
    ),
    Table(
        "labels",
        "a speech and an argument, as people judged them",
        (
            text("speech", "id of the speech"),
            text("argument", "id of the argument"),
            flag("mentioned", "whether the speech makes the argument"),
            text("how", "explicit or implicit"),
            integer("votes_yes", "people who said yes"),
            integer("votes_no", "people who said no"),
        ),
        lambda run: (
            (each.speech, each.argument, each.mentioned, each.how, each.votes_yes, each.votes_no)
            for each in run.known.labels
        ),
    ),
)
