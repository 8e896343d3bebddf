"""A speech of a finished run, as the export formats take it, and its annotation tiers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.corpus import open_corpus
from pipeline.diarize import Turns
from pipeline.grouping import grouped
from pipeline.ingest import Recording
from pipeline.mentions import Mentions
from pipeline.records import ReferenceTranscript, Role, Sentence, Speech, Turn, Word
from pipeline.report.formatting import clock, side
from pipeline.run.finished import FinishedRun, Results
from pipeline.segment import SegmentSettings, Sentences
from pipeline.speakers import Speakers
from pipeline.text.sentences import cut_at_pauses, cut_into_sentences, sentences
from pipeline.transcribe import Transcript

# The name of a speaker whom nobody knows.
UNKNOWN = "unknown"
# No program shows a shorter interval, and some refuse a file that has one.
_SHORTEST_MS = 1


class Interval(NamedTuple):
    """A text from start to end, in seconds."""

    start: float
    end: float
    text: str


class Tier(NamedTuple):
    """Intervals of one kind, in order and without overlap, at whole milliseconds."""

    name: str
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class AnnotatedSpeech:
    """A speech with its words, sentences, turns and mentions.

    `turns` may overlap, `exclusive` ones do not. `mentions` are the sentences that carry an argument, with its title.
    `created` is when the run began, as ISO 8601. `facts` are lines about the speech: its motion, and who speaks for how
    long.
    """

    id: str
    duration: float
    words: tuple[Word, ...]
    sentences: tuple[Sentence, ...]
    turns: tuple[Turn, ...] = ()
    exclusive: tuple[Turn, ...] = ()
    mentions: tuple[Interval, ...] = ()
    created: str = ""
    facts: tuple[str, ...] = ()
    language: str = ""
    recogniser: str = ""
    is_corrected: bool = False
    """Whether a person corrected the words, their speakers or the sentences."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What each named person does in the debate, as far as it is known."""
    doubt: str | None = None
    """Why the transcript is not to be trusted. None if it is."""
    translated_by: str | None = None
    """The model that translated the sentences into English. None if they are not translated."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines about the speech, and its doubt in brackets."""
        return (*self.facts, f"[{self.doubt}]") if self.doubt else self.facts

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers, in the order in which they first speak."""
        return tuple(dict.fromkeys(word.speaker for word in self.words if word.speaker is not None))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers of words, sentences, speakers and mentions, without overlap. Empty ones are left out."""
        content = {
            "words": [Interval(word.start, word.end, word.text) for word in self.words],
            "sentences": [Interval(sentence.start, sentence.end, sentence.text) for sentence in self.sentences],
            "translation": [
                Interval(sentence.start, sentence.end, sentence.translation_line)
                for sentence in self.sentences
                if sentence.translation
            ],
            "speakers": [Interval(turn.start, turn.end, turn.speaker or "speech") for turn in self.exclusive],
            "mentions": joined(self.mentions),
        }
        fitted = (Tier(name, without_overlap(intervals, self.duration)) for name, intervals in content.items())
        return tuple(tier for tier in fitted if tier.intervals)


def annotated_speech(results: Results[Speech]) -> AnnotatedSpeech | None:
    """The speech with everything that the run found in it; None if it has no transcript."""
    run, speech, transcript = results.run, results.subject, results.get(Transcript)
    if transcript is None:
        return None
    segmented, turns, recording = results.get(Sentences), results.get(Turns), results.get(Recording)
    people, mentions = results.get(Speakers), results.get(Mentions)
    duration = recording.duration if recording else max((word.end for word in transcript.words), default=0.0)
    return AnnotatedSpeech(
        id=speech.id,
        duration=duration,
        words=transcript.words,
        sentences=segmented.sentences if segmented else _cut(transcript, segment_settings(run)),
        turns=turns.turns if turns else (),
        exclusive=turns.exclusive if turns else (),
        mentions=tuple(_carriers(segmented.sentences, mentions)) if segmented and mentions else (),
        created=run.summary.started,
        facts=tuple(_facts(run, speech, duration)),
        language=transcript.language,
        recogniser=transcript.recogniser,
        is_corrected=transcript.is_corrected,
        roles={person.name: person.role for person in people.people if person.name and person.role} if people else {},
        doubt=transcript.doubt,
        translated_by=segmented.translated_by if segmented else None,
    )


def annotated_speeches(run: FinishedRun) -> Iterator[AnnotatedSpeech]:
    """Every speech of the run that has a transcript."""
    speeches = (annotated_speech(run.speech(speech.id)) for speech in run.recordings)
    return (speech for speech in speeches if speech)


def recorded_speeches(run: FinishedRun) -> Iterator[tuple[Speech, Recording, AnnotatedSpeech]]:
    """Every speech of the run that has audio and a transcript, with both."""
    for speech in run.recordings:
        results = run.speech(speech.id)
        recording, annotated = results.get(Recording), annotated_speech(results)
        if recording and annotated:
            yield speech, recording, annotated


def reference_texts(run: FinishedRun) -> dict[str, str]:
    """What a person wrote down of each speech, as far as the corpus is on this machine and has it."""
    if not run.corpus_path.exists():
        return {}
    corpus = open_corpus(run.corpus_path)
    given = {entry.speech.id: corpus.given(ReferenceTranscript, entry) for entry in corpus.entries}
    if run.pseudonyms:
        names, applied = run.pseudonyms.speeches, run.pseudonyms.applied
        given = {names[id]: applied(text) if text else None for id, text in given.items() if id in names}
    return {id: text.text for id, text in given.items() if text}


def _facts(run: FinishedRun, speech: Speech, duration: float) -> Iterator[str]:
    """Two lines: the motion and the side; the speakers and the duration."""
    motion = next((motion.text for motion in run.known.motions if motion.id == speech.motion), None)
    if motion:
        yield f"{motion} ({side(speech.stance)})" if speech.stance else motion
    yield ", ".join([*speech.speakers, clock(duration)])


def _carriers(sentences: Sequence[Sentence], mentions: Mentions) -> Iterator[Interval]:
    """The sentences of the best carrier of each mentioned argument, with the argument's title."""
    for mention in mentions.mentions:
        for carrier in mention.carriers[:1] if mention.mentioned else ():
            for sentence in sentences[carrier.first : carrier.last]:
                yield Interval(sentence.start, sentence.end, mention.title)


def segment_settings(run: FinishedRun) -> SegmentSettings:
    """The settings of the run for cutting sentences."""
    settings = run.summary.settings.of("segment")
    return settings if isinstance(settings, SegmentSettings) else SegmentSettings()


def _cut(transcript: Transcript, settings: SegmentSettings) -> tuple[Sentence, ...]:
    """Sentences for a run without the stage `segment`: as they were corrected, or cut at pauses by its settings."""
    words = transcript.words
    if transcript.sentence_ends is not None:
        return sentences(words, transcript.sentence_ends)
    return cut_into_sentences(words, lambda run: cut_at_pauses(run, settings.pause))


def without_overlap(intervals: Iterable[Interval], duration: float) -> tuple[Interval, ...]:
    """The intervals in order, cut so that none overlaps the one before, is empty, or ends after the recording.

    The text of an interval that begins after the end of the recording is added to the interval before.

    >>> without_overlap([Interval(0, 2, "one"), Interval(1.5, 3, "two")], duration=2.5)
    (Interval(start=0.0, end=2.0, text='one'), Interval(start=2.0, end=2.5, text='two'))
    """
    last = round(duration * 1000)
    fitted: list[tuple[int, int, str]] = []
    for interval in sorted(intervals, key=lambda interval: (interval.start, interval.end)):
        begins = max(round(interval.start * 1000), fitted[-1][1] if fitted else 0)
        ends = min(max(round(interval.end * 1000), begins + _SHORTEST_MS), last)
        if ends > begins:
            fitted.append((begins, ends, interval.text))
        elif fitted:
            fitted[-1] = (*fitted[-1][:2], f"{fitted[-1][2]} {interval.text}")
    return tuple(Interval(start / 1000, end / 1000, text) for start, end, text in fitted)


def joined(intervals: Sequence[Interval]) -> list[Interval]:
    """The intervals, with those of the same start and end joined into one.

    >>> joined([Interval(0, 1, "focus"), Interval(0, 1, "rest")])
    [Interval(start=0, end=1, text='focus; rest')]
    """
    texts = grouped(((interval.start, interval.end), interval.text) for interval in intervals)
    return [Interval(start, end, "; ".join(together)) for (start, end), together in texts.items()]
