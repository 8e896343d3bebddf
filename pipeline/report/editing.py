"""Corrections that people make in the report's pages. They are kept in the corpus for the next run."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline.corpus import open_corpus
from pipeline.corpus.corrections import last_correction, save_correction, take_back, version
from pipeline.diarize import Turns
from pipeline.errors import RostrumError, printable
from pipeline.export.speech import segment_settings
from pipeline.ingest import Recording
from pipeline.mentions import Mentions
from pipeline.records import CorrectedPerson, Correction, Role, Speech, Stance, Timed, Turn, Word, check_sentences
from pipeline.report.judging import Judging
from pipeline.report.links import page_names
from pipeline.run.finished import FinishedRun, Results
from pipeline.segment import Sentences, segment
from pipeline.speakers import Person, Speakers
from pipeline.transcribe import Transcript


def _without_control_characters(text: str) -> str:
    if printable(text) != text:
        raise ValueError("there is a control character in a text")
    return text


_Plain = Annotated[str, AfterValidator(_without_control_characters)]
_Text = Annotated[_Plain, Field(pattern=r"^\S+$", max_length=200)]
_Name = Annotated[_Plain, Field(pattern=r"^\S(.*\S)?$", max_length=100)]
# A transcript may get so many times the words that were recognised, so many per second, or so many in all.
_TIMES, _PER_SECOND, _LEAST_WORDS = 3, 10, 1_000
# In a request, a word has no more than so many bytes on the average.
_BYTES_PER_WORD = 300
_MOST_SPEAKERS = 100
# Recognisers place the end of a word up to so many seconds after the end of the recording.
_BEYOND_SECONDS = 2.0


class DraftWord(Timed, BaseModel):
    """A word as the page sends it. `speaker` is None if nobody is named."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    text: _Text
    start: float = Field(ge=0)
    end: float = Field(ge=0)
    speaker: _Name | None = None
    probability: float | None = Field(None, ge=0, le=1)


class DraftPerson(BaseModel):
    """Who a voice is, as the page sends it. None: as it is found, or given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    voice: _Name
    name: _Name | None = None
    role: Role | None = None
    side: Stance | None = None


class Draft(BaseModel):
    """What the page sends: words, the number of words before each sentence's end, marked mentions, who is who.

    `version` is that of the document which was changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    words: tuple[DraftWord, ...]
    sentence_ends: tuple[int, ...]
    mentioned: dict[str, bool] = {}
    people: tuple[DraftPerson, ...] = Field((), max_length=_MOST_SPEAKERS)

    @model_validator(mode="after")
    def _is_whole(self) -> "Draft":
        """Check that every word is in one sentence, and that the words are in order of time."""
        check_sentences(self.words, self.sentence_ends)
        if len({word.speaker for word in self.words}) > _MOST_SPEAKERS:
            raise ValueError(f"more than {_MOST_SPEAKERS} speakers")
        return self


@dataclass(frozen=True)
class Editing:
    """The corrections of a run. They are kept in its corpus; those of a single recording are kept beside it."""

    run: FinishedRun
    corpus: Path

    @classmethod
    def of_run(cls, run: FinishedRun) -> "Editing":
        """The run's corrections. It is an error if the run's corpus is missing."""
        path = run.corpus_path
        if not path.exists():
            raise RostrumError(f"{path}: the recordings of this run are missing; put them back, or run again")
        here = {entry.speech.id for entry in open_corpus(path).entries}
        if not here & {speech.id for speech in run.summary.known.speeches}:
            raise RostrumError(f"{path}: has none of the speeches of this run; put them back, or run again")
        return cls(run, path if path.is_dir() else path.parent)

    @cached_property
    def judging(self) -> Judging:
        """The judgements on points of this run."""
        return Judging(self.run.store, self.corpus)

    @cached_property
    def _speeches(self) -> dict[str, Speech]:
        """The speeches by the names of their pages."""
        names = page_names([speech.id for speech in self.run.recordings])
        return {names[speech.id]: speech for speech in self.run.recordings}

    def _transcribed(self, page: str) -> tuple[Results[Speech], Transcript] | None:
        """The results and the transcript of the page's speech; None if there are none."""
        speech = self._speeches.get(page)
        results = self.run.speech(speech.id) if speech else None
        transcript = results.get(Transcript) if results else None
        return (results, transcript) if results and transcript else None

    def document(self, page: str) -> dict[str, Any] | None:
        """What the page of that name edits: the last correction, or the run's results; None without a transcript."""
        transcribed = self._transcribed(page)
        if transcribed is None:
            return None
        results, transcript = transcribed
        speech = results.subject
        correction = last_correction(self.corpus, speech.id)
        words, ends = transcript.words, self._ends(results)
        if correction and correction.words is not None:
            words, ends = correction.words, correction.sentence_ends
        elif not correction and transcript.is_corrected and transcript.recognised is not None:
            # the correction was undone after the run
            words, ends = transcript.recognised, self._ends_of_recognised(transcript)
        arguments = self._arguments(results)
        known = {argument["id"] for argument in arguments}
        marks = correction.mentioned if correction else {}
        return {
            "version": version(self.corpus, speech.id),
            "words": [word.model_dump() for word in words],
            "sentence_ends": list(ends),
            "mentioned": {argument: mark for argument, mark in marks.items() if argument in known},
            "arguments": arguments,
            "speakers": list(speech.speakers),
            "people": [person.model_dump() for person in self._people(results, correction)],
            "is_corrected": correction is not None,
        }

    def most_bytes(self, page: str) -> int:
        """The most bytes that a correction of this page can have; 0 without a transcript."""
        words = self._most_words(page)
        return _BYTES_PER_WORD * (words + _LEAST_WORDS) if words else 0

    def _most_words(self, page: str) -> int:
        transcribed = self._transcribed(page)
        if transcribed is None:
            return 0
        results, transcript = transcribed
        recording = results.get(Recording)
        spoken = round(_PER_SECOND * recording.duration) if recording else 0
        return max(_LEAST_WORDS, _TIMES * len(transcript.words), spoken)

    def save(self, page: str, content: bytes) -> dict[str, Any] | None:
        """Save what the page sends as the next version of the correction, and return the new document.

        It is an error if the page does not show the last version: what others have saved would be lost.
        """
        transcribed = self._transcribed(page)
        if transcribed is None:
            return None
        results, transcript = transcribed
        speech = results.subject
        if len(content) > self.most_bytes(page):
            raise RostrumError(f"not a correction: {len(content):,} bytes are more than such a speech can have")
        try:
            draft = Draft.model_validate_json(content)
        except ValidationError as error:
            raise RostrumError(f"not a correction: {error.errors()[0]['msg']}") from error
        if len(draft.words) > (most := self._most_words(page)):
            raise RostrumError(f"not a correction: {len(draft.words):,} words; such a speech can have {most:,}")
        known = {argument.id for argument in self.run.arguments_on(speech.motion or "")}
        if unknown := draft.mentioned.keys() - known:
            raise RostrumError(f"not a correction: there is no argument {min(unknown)!r} on the motion of this speech")
        recording = results.get(Recording)
        if recording and max((word.end for word in draft.words), default=0.0) > recording.duration + _BEYOND_SECONDS:
            raise RostrumError(
                f"not a correction: a word ends after the recording, which has {recording.duration:.1f} s"
            )
        correction, last = self._correction(results, transcript, draft), last_correction(self.corpus, speech.id)
        is_new = correction != last.model_copy(update={"follows": 0}) if last else not correction.is_empty
        if is_new or draft.version != version(self.corpus, speech.id):  # who saves an old version must see the new one
            save_correction(self.corpus, correction, after=draft.version)
        return self.document(page)

    def take_back(self, page: str, version: int) -> dict[str, Any] | None:
        """Undo the last correction of the page's speech, which must be this version. Returns the document of before."""
        if speech := self._speeches.get(page):
            take_back(self.corpus, speech.id, after=version)
        return self.document(page)

    def _correction(self, results: Results[Speech], transcript: Transcript, draft: Draft) -> Correction:
        """The correction that a draft makes. It has words only if words or sentences are not as recognised."""
        speech = results.subject
        before = last_correction(self.corpus, speech.id)
        recogniser = transcript.recogniser
        recognised = transcript.words if transcript.recognised is None else transcript.recognised
        if before and before.words is not None:
            recognised, recogniser = before.recognised, before.recogniser
        people = self._corrected_people(results, before, draft)
        words = tuple(Word(**word.model_dump()) for word in draft.words)
        as_it_was = not transcript.is_corrected and words == transcript.words
        if as_it_was and draft.sentence_ends == self._ends(results):
            return Correction(speech=speech.id, mentioned=draft.mentioned, people=people)
        return Correction(
            speech=speech.id,
            words=words,
            sentence_ends=draft.sentence_ends,
            turns=self._turns(results.get(Turns), words, recognised),
            mentioned=draft.mentioned,
            people=people,
            recognised=recognised,
            recogniser=recogniser,
            language=transcript.language,
            keeps_hesitations=transcript.keeps_hesitations,
        )

    def _people(self, results: Results[Speech], correction: Correction | None) -> tuple[CorrectedPerson, ...]:
        """Who each voice is: as last corrected, else as the run has it. None of a recording that is one speech."""
        speakers = results.get(Speakers)
        if speakers is None or speakers.is_one_speech:
            return ()
        corrected = {person.voice: person for person in (correction.people if correction else ())}
        return tuple(corrected.get(person.voice) or _as_found(person) for person in speakers.people if person.voice)

    def _corrected_people(
        self, results: Results[Speech], before: Correction | None, draft: Draft
    ) -> tuple[CorrectedPerson, ...]:
        """The people that the draft changes, and those that were corrected before."""
        speakers = results.get(Speakers)
        known = {person.voice: _as_found(person) for person in speakers.people} if speakers else {}
        were = {person.voice for person in before.people} if before else set()
        if unknown := {person.voice for person in draft.people} - known.keys():
            raise RostrumError(f"not a correction: there is no voice {min(unknown)!r} in this recording")
        people = (CorrectedPerson(**person.model_dump()) for person in draft.people)
        return tuple(person for person in people if person.voice in were or person != known[person.voice])

    def _ends(self, results: Results[Speech]) -> tuple[int, ...]:
        """How many words stand before each end of a sentence."""
        segmented, transcript = results.get(Sentences), results.get(Transcript)
        if segmented:
            return tuple(sentence.last for sentence in segmented.sentences)
        return (len(transcript.words),) if transcript and transcript.words else ()

    def _ends_of_recognised(self, transcript: Transcript) -> tuple[int, ...]:
        """The ends of sentences of the recognised words, as the next run will cut them."""
        words = transcript.recognised or ()
        punctuated = any(word.text.endswith((".", "?", "!")) for word in words)
        recognised = transcript.model_copy(
            update={"words": words, "punctuated": punctuated, "recognised": None, "sentence_ends": None}
        )
        segmented = segment(recognised, settings=segment_settings(self.run))
        return tuple(sentence.last for sentence in segmented.sentences)

    def _turns(
        self, turns: Turns | None, words: tuple[Word, ...], recognised: tuple[Word, ...]
    ) -> tuple[Turn, ...] | None:
        """The corrected turns; None if every word has the speaker that was recognised at its time.

        If speakers were only renamed, these are the turns of the run with other names; else turns around the words.
        """
        before = {(was, word.speaker) for was, word in zip(_speakers_at(words, recognised), words, strict=True)}
        if all(was == now for was, now in before):
            return None
        names = dict(before)
        if turns and len(names) == len(before):
            renamed = (
                turn.model_copy(update={"speaker": names.get(turn.speaker, turn.speaker)}) for turn in turns.turns
            )
            return tuple(renamed)
        return tuple(_turns_around(words))

    def _arguments(self, results: Results[Speech]) -> list[dict[str, Any]]:
        """The known arguments on the speech's motion, with the run's decisions and the labels of the corpus.

        None of a recording of several people: a mark would not say whose argument it is. The queue asks about each.
        """
        speech, searched, people = results.subject, results.get(Mentions), results.get(Speakers)
        if people and not people.is_one_speech:
            return []
        mentions = {mention.argument: mention for mention in searched.mentions} if searched else {}
        labels = {label.argument: label.mentioned for label in self.run.known.labels if label.speech == speech.id}
        return [
            {
                "id": each.id,
                "title": each.title,
                "stance": each.stance,
                "probability": mentions[each.id].probability if each.id in mentions else None,
                "mentioned": mentions[each.id].mentioned if each.id in mentions else None,
                "label": labels.get(each.id),
            }
            for each in self.run.arguments_on(speech.motion or "")
        ]


def _as_found(person: Person) -> CorrectedPerson:
    return CorrectedPerson(voice=person.voice, name=person.name, role=person.role, side=person.side)


def _speakers_at(words: Sequence[Word], recognised: Sequence[Word]) -> Iterator[str | None]:
    """For each word, the speaker that was recognised at its time."""
    starts = [word.start for word in recognised]
    for word in words:
        index = max(bisect_right(starts, word.start) - 1, 0)
        yield recognised[index].speaker if recognised else None


def _turns_around(words: Sequence[Word]) -> Iterator[Turn]:
    for speaker, group in groupby(words, key=lambda word: word.speaker):
        own = list(group)
        yield Turn(start=own[0].start, end=max(word.end for word in own), speaker=speaker)
