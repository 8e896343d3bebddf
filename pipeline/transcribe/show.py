"""The transcript of a speech."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.export.speech import AnnotatedSpeech, annotated_speech
from pipeline.export.table import Table, integer, number, text
from pipeline.grouping import grouped
from pipeline.mentions import Mention, Mentions
from pipeline.prosody import Prosody
from pipeline.records import Word
from pipeline.report.formatting import clock, counted
from pipeline.report.links import SpeechLink
from pipeline.report.markdown import escaped, table
from pipeline.report.page import Panel
from pipeline.report.run_data import ReportData
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.finished import FinishedRun
from pipeline.score import WordErrors
from pipeline.segment import Sentences
from pipeline.transcribe.stage import DOUBTFUL, Transcript

PARAGRAPH_SECONDS = 15.0


def headline(record: Transcript) -> str:
    """How many words, the recogniser, and whether a person corrected them."""
    corrected = ", corrected by a person" if record.is_corrected else ""
    doubt = f", {record.doubt}" if record.doubt else ""
    translated = ", translated into English" if record.translation else ""
    return f"{counted(len(record.words), 'word')}, {record.recogniser}{corrected}{translated}{doubt}"


def page(record: Transcript) -> str:
    """The transcript in paragraphs with their times. Words of low confidence are in italics."""
    doubtful = sum(_is_doubtful(word) for word in record.words)
    facts = table(
        ("words", "language", "recogniser", "device", f"confidence below {DOUBTFUL}"),
        [(len(record.words), _language(record), record.recogniser, record.device, doubtful)],
    )
    warning = [f"**{escaped(record.doubt)}**"] if record.doubt else []
    return "\n\n".join([facts, *warning, *_paragraphs(record)])


def _language(record: Transcript) -> str:
    """The code of the language, and how sure the model was if it detected it."""
    sure = record.language_probability
    return record.language if sure is None else f"{record.language} ({sure:.2f})"


def _paragraphs(record: Transcript) -> list[str]:
    return [
        f"**{clock(words[0].start)}** {f'{escaped(words[0].speaker)}: ' if words[0].speaker else ''}"
        + " ".join(map(_shown, words))
        for words in _cut(record.words)
    ]


def _cut(words: Iterable[Word]) -> list[list[Word]]:
    """The words in paragraphs of about 15 s, cut at the end of a sentence, or after 45 s if no sentence ends."""
    parts: list[list[Word]] = []
    for word in words:
        own = parts[-1] if parts else []
        seconds = word.start - own[0].start if own else 0.0
        ends = bool(own) and own[-1].text.endswith((".", "?", "!"))
        is_next = seconds >= (PARAGRAPH_SECONDS if ends else 3 * PARAGRAPH_SECONDS)
        if not own or is_next or word.speaker != own[0].speaker:
            parts.append([word])
        else:
            own.append(word)
    return parts


def _is_doubtful(word: Word) -> bool:
    return word.probability is not None and word.probability < DOUBTFUL


def _shown(word: Word) -> str:
    text = escaped(word.text)
    return f"*{text}*" if _is_doubtful(word) else text


# Recognition errors at the words of a transcript.


@dataclass
class Mark:
    """The errors at a word: it was inserted, or it replaces the word `said`, or words before it were `missed`."""

    kind: Literal["substitute", "insert"] | None = None
    said: str = ""
    missed: str = ""


@dataclass(frozen=True)
class Marks:
    """Marks by the index of the word in the transcript, and the words that were missed after the last one."""

    words: Mapping[int, Mark]
    missed_at_end: str


def marks(errors: WordErrors) -> Marks:
    """The errors at the words of the transcript. An error in a number of several words marks each of them."""
    at: defaultdict[int, Mark] = defaultdict(Mark)
    missed_at_end: list[str] = []
    for chunk in errors.alignment:
        said = errors.reference[slice(*chunk.reference)]
        sources = errors.sources[slice(*chunk.hypothesis)]
        if chunk.type == "delete" and chunk.hypothesis[0] == len(errors.sources):
            missed_at_end += said
        elif chunk.type == "delete":
            mark = at[errors.sources[chunk.hypothesis[0]][0]]
            mark.missed = f"{mark.missed} {' '.join(said)}".strip()
        elif chunk.type == "insert":
            at.update({word: Mark("insert") for source in sources for word in range(*source)})
        elif chunk.type == "substitute":
            for (first, last), word in zip(sources, said, strict=True):
                at[first].said = f"{at[first].said} {word}".strip()
                for marked in range(first, last):
                    at[marked].kind = "substitute"
    return Marks(at, " ".join(missed_at_end))


# The transcript, sentence by sentence, with its doubtful and emphasised words, errors and mentioned arguments.

DOUBTFUL_WORD, VERY_DOUBTFUL = 0.8, 0.5
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
    translation: str


@dataclass(frozen=True)
class TranscriptView:
    """The sentences of a speech, and its word errors if it has a reference.

    `as_a_whole` are the arguments that it mentions although no sentence carries them.
    """

    sentences: tuple[ShownSentence, ...]
    as_a_whole: tuple[Note, ...]
    has_emphasis: bool
    errors: WordErrors | None
    missed_at_end: str
    has_audio: bool
    has_confidence: bool
    is_corrected: bool
    doubt: str | None
    translated_by: str | None


def _view(data: ReportData, facts: SpeechFacts) -> TranscriptView | None:
    speech = annotated_speech(data.speech_results(facts.speech.id))
    if speech is None or not speech.sentences:
        return None
    prosody = data.of_speech(Prosody, speech.id)
    errors, places = _errors(data, speech.id)
    emphasis = [word.emphasis for word in prosody.words] if prosody else []
    words = [_shown_word(*each, emphasis, places) for each in enumerate(speech.words)]
    notes = _notes(data, speech.id)
    return TranscriptView(
        sentences=tuple(_sentences(speech, words, notes)),
        as_a_whole=tuple(notes.get(None, ())),
        has_emphasis=any(each is not None for each in emphasis),
        errors=errors,
        missed_at_end=places.missed_at_end,
        has_audio=data.links[speech.id].audio is not None,
        has_confidence=any(word.probability is not None for word in speech.words),
        is_corrected=speech.is_corrected,
        doubt=speech.doubt,
        translated_by=speech.translated_by,
    )


def _errors(data: ReportData, speech: str) -> tuple[WordErrors | None, Marks]:
    """The speech's word errors, and their places in its transcript. One that a person wrote has none."""
    errors, transcript = data.of_speech(WordErrors, speech), data.of_speech(Transcript, speech)
    if transcript and (transcript.is_corrected or transcript.from_reference):
        return None, Marks({}, "")
    return errors, marks(errors) if errors else Marks({}, "")


def _sentences(
    speech: AnnotatedSpeech, words: Sequence[ShownWord], notes: Mapping[int | None, Sequence[Note]]
) -> Iterator[ShownSentence]:
    before = speech.speakers[0] if len(speech.speakers) == 1 else None
    for place, sentence in enumerate(speech.sentences):
        speaker = sentence.speaker if sentence.speaker != before else None
        before = sentence.speaker
        own = tuple(words[sentence.first : sentence.last])
        yield ShownSentence(
            sentence.start, sentence.end, speaker, own, tuple(notes.get(place, ())), sentence.translation_line
        )


def _notes(data: ReportData, speech: str) -> Mapping[int | None, Sequence[Note]]:
    """The arguments that the speech mentions, by the sentence where the best carrier of each begins, if it has one."""
    mentions = data.of_speech(Mentions, speech)
    return grouped(
        (
            each.carriers[0].first if each.carriers else None,
            Note(each, tuple(data.mentioned_in.get(each.counter or "", ()))),
        )
        for each in (mentions.mentions if mentions else ())
        if each.mentioned
    )


def _shown_word(place: int, word: Word, emphasis: Sequence[float | None], places: Marks) -> ShownWord:
    mark = places.words.get(place, Mark())
    stress = (emphasis[place] if place < len(emphasis) else None) or 0.0
    classes = []
    if word.probability is not None and word.probability < DOUBTFUL_WORD:
        classes.append("doubt strong" if word.probability < VERY_DOUBTFUL else "doubt")
    if stress >= EMPHASISED:
        classes.append("loud2" if stress >= VERY_EMPHASISED else "loud1")
    if mark.kind:
        classes.append({"substitute": "substituted", "insert": "inserted"}[mark.kind])
    return ShownWord(place, word.text, " ".join(classes), mark.said, mark.missed)


PANEL = Panel(view=_view, title="Transcript")


# The words as a table.


def _words(run: FinishedRun) -> Iterator[tuple[Any, ...]]:
    for speech in run.recordings:
        results = run.speech(speech.id)
        transcript, prosody = results.get(Transcript), results.get(Prosody)
        sentence_of = _sentence_of_word(results.get(Sentences))
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
    numbered = enumerate(sentences.sentences if sentences else ())
    return {word: place for place, sentence in numbered for word in range(sentence.first, sentence.last)}


TABLES = (
    Table(
        "words",
        "a word as it was recognised",
        (
            text("speech", "id of the speech"),
            integer("word", "its place in the speech, from 0"),
            number("start", "seconds"),
            number("end", "seconds"),
            text("text", "the word, with its punctuation"),
            number("probability", "the recogniser's confidence"),
            text("speaker", "who says it"),
            integer("sentence", "place of its sentence in the speech"),
            number("emphasis", "how much it is stressed: standard deviations from the speaker's mean"),
        ),
        _words,
    ),
)
