"""A speech of a finished run, as the export formats take it."""

from collections.abc import Iterator

from pipeline.engine.finished import FinishedRun
from pipeline.formats.annotation import AnnotatedSpeech, Interval
from pipeline.records import Mentions, Recording, Sentence, Sentences, Speech, Transcript, Turns
from pipeline.settings import SegmentSettings
from pipeline.text.sentences.cutting import cut, cut_at_pauses, sentences


def annotated(run: FinishedRun, speech: Speech) -> AnnotatedSpeech | None:
    """The speech with all that the run found in it, or None where it has no transcript."""
    transcript = run.of_speech(Transcript, speech.id)
    if transcript is None:
        return None
    segmented, turns = run.of_speech(Sentences, speech.id), run.of_speech(Turns, speech.id)
    recording = run.of_speech(Recording, speech.id)
    return AnnotatedSpeech(
        id=speech.id,
        duration=recording.duration if recording else max((word.end for word in transcript.words), default=0.0),
        words=transcript.words,
        sentences=segmented.sentences if segmented else _at_pauses(transcript),
        turns=turns.turns if turns else (),
        exclusive=turns.exclusive if turns else (),
        mentions=tuple(_carried(segmented, run.of_speech(Mentions, speech.id))),
    )


def _carried(segmented: Sentences | None, mentions: Mentions | None) -> Iterator[Interval]:
    """Every sentence that carries a mentioned argument best, with the argument's title."""
    for mention in mentions.mentions if mentions and segmented else ():
        for carrier in mention.carriers[:1] if mention.mentioned else ():
            for sentence in segmented.sentences[carrier.first : carrier.last] if segmented else ():
                yield Interval(sentence.start, sentence.end, mention.title)


def _at_pauses(transcript: Transcript) -> tuple[Sentence, ...]:
    """Stand-ins for the sentences of a run that cut none."""
    pause = SegmentSettings().pause
    return sentences(transcript.words, cut(transcript.words, lambda words: cut_at_pauses(words, pause)))
