"""The facts of a speech that several pages show. They are small enough to keep for all speeches of a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pipeline.mentions import Mentions
from pipeline.prosody import Prosody
from pipeline.records import ErrorCounts, Passage, Record, Speech
from pipeline.run.finished import Results
from pipeline.run.store import Artifact
from pipeline.run.summary import ItemSummary, is_mostly_doubtful, speech_figures
from pipeline.score import WordErrors
from pipeline.segment import Sentences
from pipeline.speakers import Speakers, key_of

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


# Skipped without a model that a person has trained for it. Who has trained none has not asked for it.
_ONLY_IF_ASKED = frozenset({"grade"})


def stage_facts(results: Results[Any]) -> dict[str, StageFacts]:
    """The artifacts of a speech or motion without their data, by stage. Nothing of a stage that was not asked for."""
    return {
        name: StageFacts(name, made.digest, made.skipped, made.seconds, models_used(made, result.record))
        for name, result in results.stages.items()
        if (made := result.artifact) and not (made.skipped and name in _ONLY_IF_ASKED)
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
    """Why a stage failed, or what cannot be read."""
    damaged: tuple[str, ...] = ()
    figures: Mapping[str, float | None] = field(default_factory=lambda: speech_figures({}))
    """The figures by the names of `SPEECH_FIGURES`."""
    errors: ErrorCounts | None = None
    stretches: tuple[ErrorCounts, ...] = ()
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
    def duration(self) -> float | None:
        return self.figures["duration"]

    @property
    def words(self) -> float | None:
        return self.figures["words"]

    @property
    def wer(self) -> float | None:
        return self.figures["wer"]

    @property
    def is_doubtful(self) -> bool:
        """Whether most of its recognised words are doubtful."""
        return is_mostly_doubtful({"doubtful": self.figures.get("doubtful") or 0.0})

    @property
    def is_translated(self) -> bool:
        """Whether what is argued in it was found in a model's translation."""
        return bool(self.figures.get("translated"))

    @property
    def state(self) -> tuple[Any, ...]:
        """Everything that decides what a page shows of the speech. The figures follow from the artifacts."""
        return self.speech.model_dump_json(), self.failure, list(self.stages.values())

    @property
    def seconds(self) -> float:
        """The time that all its stages took."""
        return sum(stage.seconds for stage in self.stages.values())


def speech_facts(results: Results[Speech], item: ItemSummary | None) -> SpeechFacts:
    """The facts of a speech, from its records. `item` says how its stages ended."""
    speech, numbers = results.subject, results.numbers
    errors = results.get(WordErrors)
    failed = [f"{item.failure.stage}: {item.failure.reason}"] if item and item.failure else []
    return SpeechFacts(
        speech=speech,
        failure="; ".join([*failed, *results.damaged]) or None,
        damaged=results.damaged,
        figures=speech_figures(numbers, len(speech.speakers)),
        errors=errors.words if errors else None,
        stretches=stretches(errors) if errors else (),
        pitches=_defined(results.get(Prosody), "f0_median"),
        rates=_defined(results.get(Prosody), "articulation_rate"),
        stages=stage_facts(results),
        **_of_mentions(results.get(Mentions)),
    )


def facts_of_parts(results: Results[Speech], recording: SpeechFacts, speeches: Sequence[Speech]) -> list[SpeechFacts]:
    """The facts of each speech of a recording that has several, or one that is only a part of it."""
    mentions, people, sentences = results.get(Mentions), results.get(Speakers), results.get(Sentences)
    parts = [speech for speech in speeches if speech.recording]
    if not people:
        return []
    facts = []
    for speech in parts:
        own = [person for person in people.people if person.key == key_of(speech)]
        said = people.said_by(key_of(speech), sentences.sentences if sentences else ())
        words = sum(one.last - one.first for one in said) if any(person.spans for person in own) else None
        words = sum(person.words for person in own) if words is None else words
        figures = {"words": float(words)}
        if recording.duration is not None:  # of a text nobody knows how long it took
            figures["duration"] = sum(one.duration for one in said)
        of_mentions = _of_mentions(mentions.of_speaker(key_of(speech)) if mentions else None)
        unknown: dict[str, Any] = {"errors": None, "stretches": (), "pitches": (), "rates": ()}
        facts.append(replace(recording, speech=speech, figures=speech_figures(figures), **unknown, **of_mentions))
    return facts


def _of_mentions(mentions: Mentions | None) -> dict[str, Any]:
    """The facts that follow from a speech's mentions."""
    searched = mentions.mentions if mentions else ()
    return {
        "mentioned": tuple(mention.argument for mention in searched if mention.mentioned),
        "probabilities": {mention.argument: mention.probability for mention in searched},
        "carriers": {mention.argument: mention.carriers[0].said for mention in searched if mention.carriers},
        "threshold": mentions.threshold if mentions else None,
    }


def _defined(prosody: Prosody | None, feature: str) -> tuple[float, ...]:
    values = (row.values.get(feature) for row in (prosody.sentences if prosody else ()))
    return tuple(value for value in values if value is not None)


def models_used(artifact: Artifact, record: Record | None) -> dict[str, str]:
    """Name and digest of the models that were used; empty if the stage was skipped."""
    return {name: digest for name, digest in artifact.model.items() if record is not None and record.used(name)}
