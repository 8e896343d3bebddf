"""The page of one speech: to hear it, to read it, and to see what it argues."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline.engine.finished import FinishedRun
from pipeline.output.annotation.speech import AnnotatedSpeech, annotated_speech
from pipeline.output.report.answers import Answer, answers
from pipeline.output.report.audio import MOST_POINTS, outline
from pipeline.output.report.facts import Facts, Header
from pipeline.output.report.links import SpeechLink
from pipeline.output.report.marks import Mark, Marks, marks
from pipeline.output.report.templating import clock, counted, number, percent, script
from pipeline.output.report.tiles import Tile
from pipeline.records import (
    CounterScores,
    Coverage,
    KeyPoints,
    Mentions,
    Passage,
    Prosody,
    Recording,
    Speech,
    Stance,
    Transcript,
    Turns,
    Word,
    WordErrors,
)

DOUBTFUL, VERY_DOUBTFUL = 0.8, 0.5
# Standard deviations above the speaker's own mean.
EMPHASISED, VERY_EMPHASISED = 1.0, 1.75
_PITCH_STEP = 0.04


@dataclass(frozen=True)
class ShownWord:
    """A word, how it looks, and what the reference has in its place or before it."""

    place: int
    text: str
    classes: str
    said: str
    missed: str


@dataclass(frozen=True)
class Note:
    """An argument that a sentence carries, and the one that rebuts it, with the speeches that make it."""

    title: str
    stance: Stance
    probability: float
    counter: str | None
    counter_in: tuple[SpeechLink, ...]


@dataclass(frozen=True)
class ShownSentence:
    """A sentence; `speaker` only where another one spoke before."""

    start: float
    end: float
    speaker: str | None
    words: tuple[ShownWord, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class MadePoint:
    """A key point and where this speech makes it."""

    text: str
    said: tuple[Passage, ...]


@dataclass
class SpeechPage:
    """What the template shows."""

    own: SpeechLink
    failure: str | None
    headers: tuple[Header, ...]
    audio: str | None = None
    data: str | None = None
    duration: float | None = None
    tiles: list[Tile] = field(default_factory=list)
    tracks: str = ""
    sentences: list[ShownSentence] = field(default_factory=list)
    has_emphasis: bool = False
    errors: WordErrors | None = None
    missed_at_end: str = ""
    answers: list[Answer] = field(default_factory=list)
    answers_title: str = ""
    points: list[MadePoint] = field(default_factory=list)
    coverage: Coverage | None = None


# By argument: the speeches that mention it.
MentionedIn = Mapping[str, Sequence[SpeechLink]]


def speech_page(
    run: FinishedRun, facts: Facts, links: Mapping[str, SpeechLink], mentioned_in: MentionedIn
) -> SpeechPage:
    """Gather the page of a speech; what the run has not found is left out."""
    speech, own = facts.speech, links[facts.speech.id]
    page = SpeechPage(own, facts.failure, tuple(facts.headers.values()), audio=own.audio, data=own.data)
    page.duration = facts.duration
    page.tiles = list(_tiles(facts))
    found = annotated_speech(run, speech)
    if found:
        _transcript(page, run, found, _notes(run.of_speech(Mentions, speech.id), mentioned_in))
    page.coverage = run.of_speech(Coverage, speech.id)
    if speech.motion is not None:
        _debate(page, run, speech, links)
    return page


def _tiles(facts: Facts) -> Iterator[Tile]:
    if facts.duration is not None:
        yield Tile("Duration", clock(facts.duration))
    if facts.words is not None:
        yield Tile("Words", number(facts.words))
    if facts.errors is not None:
        yield Tile(
            "WER",
            percent(facts.wer),
            f"{counted(facts.errors.errors, 'error')} in {counted(facts.errors.length, 'word')}",
        )
    if facts.words_per_minute is not None:
        yield Tile("Pace", number(facts.words_per_minute), "words per minute of speech")
    if facts.pitch is not None:
        yield Tile("Pitch", f"{facts.pitch:.0f} Hz", "median of the sentences")


def _transcript(
    page: SpeechPage, run: FinishedRun, found: AnnotatedSpeech, notes: Mapping[int, Sequence[Note]]
) -> None:
    transcript, prosody = run.of_speech(Transcript, found.id), run.of_speech(Prosody, found.id)
    page.errors = run.of_speech(WordErrors, found.id)
    where = marks(transcript, page.errors) if transcript and page.errors else Marks({}, "")
    page.missed_at_end = where.missed_at_end
    emphasis = [word.emphasis for word in prosody.words] if prosody else []
    page.has_emphasis = any(each is not None for each in emphasis)
    page.tracks = "Waveform, " + ("pitch, " if prosody else "") + "level" + (", speakers" if found.speakers else "")
    before: str | None = found.speakers[0] if len(found.speakers) == 1 else None
    for count, sentence in enumerate(found.sentences):
        shown = [
            _shown(place, found.words[place], where.words.get(place, Mark()), emphasis[place] if emphasis else None)
            for place in range(sentence.first, sentence.last)
        ]
        heading = sentence.speaker if sentence.speaker != before else None
        before = sentence.speaker
        own = tuple(notes.get(count, ()))
        page.sentences.append(ShownSentence(sentence.start, sentence.end, heading, tuple(shown), own))


def _notes(mentions: Mentions | None, mentioned_in: MentionedIn) -> dict[int, list[Note]]:
    """The arguments that the speech mentions, by the sentence where the best carrier of each begins."""
    found: dict[int, list[Note]] = {}
    for each in mentions.mentions if mentions else ():
        if each.mentioned and each.carriers:
            counter_in = tuple(mentioned_in.get(each.counter or "", ()))
            note = Note(each.title, each.stance, each.probability, each.counter_title, counter_in)
            found.setdefault(each.carriers[0].first, []).append(note)
    return found


def _shown(place: int, word: Word, mark: Mark, emphasis: float | None) -> ShownWord:
    classes = []
    if word.probability is not None and word.probability < DOUBTFUL:
        classes.append("doubt strong" if word.probability < VERY_DOUBTFUL else "doubt")
    if emphasis is not None and emphasis >= EMPHASISED:
        classes.append("loud2" if emphasis >= VERY_EMPHASISED else "loud1")
    if mark.kind:
        classes.append({"substitute": "substituted", "insert": "inserted"}[mark.kind])
    return ShownWord(place, word.text, " ".join(classes), mark.said, mark.missed)


def _debate(page: SpeechPage, run: FinishedRun, speech: Speech, links: Mapping[str, SpeechLink]) -> None:
    assert speech.motion is not None
    scores = run.of_motion(CounterScores, speech.motion)
    if scores:
        known = {each.id: each.answers for each in run.speeches_on(speech.motion)}
        page.answers = answers(speech, scores, known, links)
        page.answers_title = "What it answers" if speech.stance == "con" else "What answers it"
    points = run.of_motion(KeyPoints, speech.motion)
    for point in points.points if points else ():
        said = tuple(match.said for match in point.matches if match.speech == speech.id)
        if said:
            page.points.append(MadePoint(point.text, said))


def speech_data(run: FinishedRun, page: SpeechPage) -> str:
    """What the player draws and follows, as a script."""
    speech = page.own.id
    recording = run.of_speech(Recording, speech)
    assert recording is not None
    transcript, turns = run.of_speech(Transcript, speech), run.of_speech(Turns, speech)
    drawn = outline(recording)
    words = transcript.words if transcript else ()
    speakers = turns.speakers if turns else ()
    data: dict[str, Any] = {
        "duration": round(recording.duration, 3),
        "words": {"start": [round(word.start, 2) for word in words], "end": [round(word.end, 2) for word in words]},
        "sentences": [round(sentence.start, 2) for sentence in page.sentences],
        "outline": {"step": drawn.step, "peaks": drawn.peaks, "level": drawn.level},
        "pitch": _pitch(run.of_speech(Prosody, speech)),
        "speakers": list(speakers),
        "turns": [
            [round(turn.start, 2), round(turn.end, 2), speakers.index(turn.speaker)]
            for turn in (turns.turns if turns else ())
            if turn.speaker is not None
        ],
        "mentions": [
            [round(each.start, 2), round(each.end, 2), note.stance] for each in page.sentences for note in each.notes
        ],
    }
    return script("speech", data)


def _pitch(prosody: Prosody | None) -> dict[str, Any] | None:
    """The pitch contour in hertz, 0 without a voice, at no more points than are drawn."""
    if prosody is None:
        return None
    with np.load(prosody.contours.path, allow_pickle=False) as contours:
        times, hertz = contours["time"], contours["pitch"]
    if len(times) < 2:
        return None
    frame = float(times[1] - times[0])
    every = max(round(_PITCH_STEP / frame), -(-len(hertz) // MOST_POINTS))
    return {"step": round(every * frame, 4), "values": [int(each) for each in np.nan_to_num(hertz[::every]).round()]}
