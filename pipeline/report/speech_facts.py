"""Which models made an artifact. A stage names all models that it may use; the speech decides which it did use."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from pipeline.content.record import Coverage
from pipeline.diarize.record import Turns
from pipeline.ingest.record import Recording
from pipeline.mentions.record import Mentions
from pipeline.prosody.record import Prosody
from pipeline.records import ErrorCounts, Passage, Speech
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Artifact
from pipeline.run.summary import ItemSummary
from pipeline.score.record import WordErrors
from pipeline.segment.record import Sentences
from pipeline.stage import STAGES
from pipeline.transcribe.record import Transcript

Models = dict[str, str]


def models_used(artifact: Artifact) -> Models:
    """Name and digest of the models that were used; empty if the stage was skipped."""
    if artifact.skipped is not None or artifact.data is None:
        return {}
    chosen = _CHOSEN.get(artifact.stage)
    return {name: digest for name, digest in artifact.model.items() if chosen is None or chosen(name, artifact.data)}


def _found_turns(name: str, data: Mapping[str, Any]) -> bool:
    if data["method"] in ("given", "off"):
        return False
    return bool((name == "silero-vad") == (data["method"] == "voice activity"))


def _recognised(_: str, data: Mapping[str, Any]) -> bool:
    return bool(data["device"] != "none")


def _cut_sentences(name: str, data: Mapping[str, Any]) -> bool:
    return bool({"punkt": "punkt", "segmenter": "tagger"}.get(name) == data["method"])


# By stage: a function that says whether a model of that name was used, by the artifact's data.
_CHOSEN: dict[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "diarize": _found_turns,
    "transcribe": _recognised,
    "segment": _cut_sentences,
}


# The facts of a speech that several pages show. They are small enough to keep for all speeches of a run.

# Errors cluster, so intervals are drawn over stretches of so many reference words, not over single words.
STRETCH = 25
_COUNTED = {"equal": "hits", "substitute": "substitutions", "delete": "deletions"}


class StageFacts(NamedTuple):
    """Everything that pages show of an artifact, without its data. `model` has the models that were used."""

    stage: str
    digest: str
    skipped: str | None
    seconds: float
    model: dict[str, str]


def stage_facts(run: FinishedRun, scope: str) -> dict[str, StageFacts]:
    """The artifacts of a speech or motion without their data, by stage."""
    found = ((name, run.artifact(scope, name)) for name in STAGES)
    return {
        name: StageFacts(name, artifact.digest, artifact.skipped, artifact.seconds, models_used(artifact))
        for name, artifact in found
        if artifact
    }


def stretches(errors: WordErrors) -> tuple[ErrorCounts, ...]:
    """The errors in each stretch of 25 reference words. An insertion counts in the stretch where it was made."""
    counts: list[Counter[str]] = [Counter() for _ in range(0, len(errors.reference), STRETCH)] or [Counter()]
    for chunk in errors.alignment:
        if chunk.type == "insert":  # before a word, or after the last one
            first, last = chunk.hypothesis
            counts[min(chunk.reference[0] // STRETCH, len(counts) - 1)]["insertions"] += last - first
        else:
            for word in range(*chunk.reference):
                counts[word // STRETCH][_COUNTED[chunk.type]] += 1
    return tuple(ErrorCounts(**each) for each in counts)


@dataclass(frozen=True)
class SpeechFacts:
    """A speech and its figures. A figure that the run does not have is None."""

    speech: Speech
    failure: str | None
    duration: float | None = None
    words: int | None = None
    errors: ErrorCounts | None = None
    stretches: tuple[ErrorCounts, ...] = ()
    words_per_minute: float | None = None
    pitches: tuple[float, ...] = ()
    """The pitch of each sentence that has one, in hertz."""
    rates: tuple[float, ...] = ()
    """The articulation rate of each sentence that has one: syllables per second without pauses."""
    mentioned: tuple[str, ...] = ()
    """The ids of the arguments that it mentions."""
    probabilities: dict[str, float] = field(default_factory=dict)
    """The probability of each argument that was searched for, by id."""
    carriers: dict[str, Passage] = field(default_factory=dict)
    """The best carrier of each of these arguments, by id."""
    threshold: float | None = None
    stages: dict[str, StageFacts] = field(default_factory=dict)

    @property
    def wer(self) -> float | None:
        return self.errors.rate if self.errors else None

    @property
    def pitch(self) -> float | None:
        """The median pitch of its sentences in hertz; None if there are several speakers."""
        return median(self.pitches) if self.pitches and len(self.speech.speakers) < 2 else None

    @property
    def state(self) -> tuple[Any, ...]:
        """Everything that decides what a page shows of the speech. The figures follow from the artifacts."""
        return self.speech.model_dump_json(), self.failure, list(self.stages.values())

    @property
    def seconds(self) -> float:
        """The time that all its stages took."""
        return sum(stage.seconds for stage in self.stages.values())


def speech_facts(run: FinishedRun, speech: Speech, item: ItemSummary | None) -> SpeechFacts:
    """The facts of a speech, from its records. `item` says how its stages ended."""
    scope = run.scope_of(speech.id)
    recording = run.of_speech(Recording, speech.id)
    transcript = run.of_speech(Transcript, speech.id)
    errors = run.of_speech(WordErrors, speech.id)
    prosody = run.of_speech(Prosody, speech.id)
    mentions = run.of_speech(Mentions, speech.id)
    searched = mentions.mentions if mentions else ()
    turns = run.of_speech(Turns, speech.id)
    for kind in (Sentences, Coverage):  # so that `damaged` has every record that cannot be read
        run.of_speech(kind, speech.id)
    failed = [f"{item.failure.stage}: {item.failure.reason}"] if item and item.failure else []
    damaged = [why for (at, _), why in sorted(run.damaged.items()) if at == scope]
    return SpeechFacts(
        speech=speech,
        failure="; ".join(failed + damaged) or None,
        duration=recording.duration if recording else None,
        words=len(transcript.words) if transcript else None,
        errors=errors.words if errors else None,
        stretches=stretches(errors) if errors else (),
        words_per_minute=_words_per_minute(transcript, turns),
        pitches=_defined(prosody, "f0_median"),
        rates=_defined(prosody, "articulation_rate"),
        mentioned=tuple(each.argument for each in searched if each.mentioned),
        probabilities={each.argument: each.probability for each in searched},
        carriers={each.argument: each.carriers[0].said for each in searched if each.carriers},
        threshold=mentions.threshold if mentions else None,
        stages=stage_facts(run, scope),
    )


def _defined(prosody: Prosody | None, feature: str) -> tuple[float, ...]:
    values = (row.values.get(feature) for row in (prosody.sentences if prosody else ()))
    return tuple(value for value in values if value is not None)


def _words_per_minute(transcript: Transcript | None, turns: Turns | None) -> float | None:
    """Words divided by the minutes in which somebody speaks."""
    if transcript is None or turns is None:
        return None
    spoken = sum(turn.duration for turn in turns.exclusive)
    return 60 * len(transcript.words) / spoken if spoken else None
