"""The transcript, sentence by sentence, with its doubtful and emphasised words, errors and mentioned arguments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.grouping import grouped
from pipeline.output.annotation.speech import AnnotatedSpeech, annotated_speech
from pipeline.output.views.links import SpeechLink
from pipeline.output.views.marks import Mark, Marks, marks
from pipeline.output.views.page import Panel
from pipeline.output.views.run_data import ReportData
from pipeline.output.views.speech_facts import SpeechFacts
from pipeline.records import Mention, Mentions, Prosody, Transcript, Word, WordErrors

DOUBTFUL, VERY_DOUBTFUL = 0.8, 0.5
# In standard deviations above the speaker's own mean.
EMPHASISED, VERY_EMPHASISED = 1.0, 1.75


@dataclass(frozen=True)
class ShownWord:
    """A word and its marks. The reference has `said` in its place, and the words `missed` before it."""

    place: int
    text: str
    classes: str
    said: str
    missed: str


@dataclass(frozen=True)
class Note:
    """An argument that a sentence carries, and the speeches that make the argument that rebuts it."""

    mention: Mention
    rebutted_in: tuple[SpeechLink, ...]


@dataclass(frozen=True)
class ShownSentence:
    """A sentence. `speaker` is given only if somebody else spoke before."""

    start: float
    end: float
    speaker: str | None
    words: tuple[ShownWord, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class TranscriptView:
    """The sentences of a speech, and its word errors if it has a reference."""

    sentences: tuple[ShownSentence, ...]
    has_emphasis: bool
    errors: WordErrors | None
    missed_at_end: str
    has_audio: bool
    is_corrected: bool


def _view(data: ReportData, facts: SpeechFacts) -> TranscriptView | None:
    found = annotated_speech(data.run, facts.speech)
    if found is None or not found.sentences:
        return None
    prosody = data.run.of_speech(Prosody, found.id)
    errors, places = _errors(data, found.id)
    emphasis = [word.emphasis for word in prosody.words] if prosody else []
    words = [_shown(*each, emphasis, places) for each in enumerate(found.words)]
    return TranscriptView(
        sentences=tuple(_sentences(found, words, _notes(data, found.id))),
        has_emphasis=any(each is not None for each in emphasis),
        errors=errors,
        missed_at_end=places.missed_at_end,
        has_audio=data.links[found.id].audio is not None,
        is_corrected=found.is_corrected,
    )


def _errors(data: ReportData, speech: str) -> tuple[WordErrors | None, Marks]:
    """The speech's word errors, and their places in its transcript. A corrected transcript has none."""
    errors, transcript = data.run.of_speech(WordErrors, speech), data.run.of_speech(Transcript, speech)
    if transcript and transcript.is_corrected:
        return None, Marks({}, "")
    return errors, marks(transcript, errors) if transcript and errors else Marks({}, "")


def _sentences(
    found: AnnotatedSpeech, words: Sequence[ShownWord], notes: Mapping[int, Sequence[Note]]
) -> Iterator[ShownSentence]:
    before = found.speakers[0] if len(found.speakers) == 1 else None
    for place, sentence in enumerate(found.sentences):
        speaker = sentence.speaker if sentence.speaker != before else None
        before = sentence.speaker
        own = tuple(words[sentence.first : sentence.last])
        yield ShownSentence(sentence.start, sentence.end, speaker, own, tuple(notes.get(place, ())))


def _notes(data: ReportData, speech: str) -> Mapping[int, Sequence[Note]]:
    """The arguments that the speech mentions, by the sentence where the best carrier of each begins."""
    mentions = data.run.of_speech(Mentions, speech)
    return grouped(
        (each.carriers[0].first, Note(each, tuple(data.mentioned_in.get(each.counter or "", ()))))
        for each in (mentions.mentions if mentions else ())
        if each.mentioned and each.carriers
    )


def _shown(place: int, word: Word, emphasis: Sequence[float | None], places: Marks) -> ShownWord:
    mark = places.words.get(place, Mark())
    stress = (emphasis[place] if place < len(emphasis) else None) or 0.0
    classes = []
    if word.probability is not None and word.probability < DOUBTFUL:
        classes.append("doubt strong" if word.probability < VERY_DOUBTFUL else "doubt")
    if stress >= EMPHASISED:
        classes.append("loud2" if stress >= VERY_EMPHASISED else "loud1")
    if mark.kind:
        classes.append({"substitute": "substituted", "insert": "inserted"}[mark.kind])
    return ShownWord(place, word.text, " ".join(classes), mark.said, mark.missed)


PANEL = Panel(place=30, view=_view, title="Transcript")
