"""A speech's sentences and the known arguments on its motion become Mentions."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field

from pipeline.records import Arguments, Judgement, Judgements, LlmUse, Motion, Passage, Record, Speech, Stance
from pipeline.segment import Sentences
from pipeline.settings import LLM, LlmSettings, Shared, StageSettings
from pipeline.speakers import NO_DEBATER, Speakers, SpokenSpeech, speeches_in, stance_digests
from pipeline.stage import Skip, stage

if TYPE_CHECKING:
    from pipeline.llm.large_model import LargeModel
    from pipeline.mentions.finding import Finder


class MentionsSettings(StageSettings):
    """How known arguments are found in a speech."""

    encoder: str = Field(
        "bge-small-en-v1.5-int8",
        description="The encoder that compares sentences with arguments, as a name or path. rostrum comes with a "
        "detector for the default encoder; for another one, train a detector.",
    )
    detector: str = Field(
        "auto",
        description="The detector, which turns similarity into a probability. auto: the one that `rostrum train "
        "mentions` saved in the model cache, else the one that comes with rostrum. shipped: the one that comes with "
        "rostrum. Anything else is the path of a detector.",
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="An argument is mentioned if its probability is at least this. Empty: the detector's threshold.",
    )
    carriers: int = Field(
        2, ge=0, le=1000, description="How many passages to show of each argument at most, the best first."
    )
    passage_matcher: str = Field(
        "ensemble",
        description="The matcher that finds the sentences that carry an argument: a name as for keypoints.matcher.",
    )
    passage_threshold: float = Field(
        0.76,
        ge=0,
        le=1,
        description="A sentence carries an argument if its score is at least this. An argument that is mentioned and "
        "that no sentence carries follows from the speech as a whole.",
    )
    cross_encoder: str | None = Field(
        None,
        description="A cross-encoder (inference or reranking), as a name on the hub or a path, that chooses among the "
        "best passages. llm: a language model, at llm.url or on this machine. Empty: the passage matcher alone "
        "chooses.",
    )
    candidates: int = Field(5, ge=1, le=1000, description="How many passages of each argument the cross-encoder reads.")
    llm: Shared = None

    @property
    def asked_llm(self) -> LlmSettings | None:
        return (self.llm or LlmSettings()) if self.cross_encoder == LLM else None


class Carrier(Record):
    """Sentences of a speech that carry an argument: `first` up to, not including, `last`.

    `similarity` is how well they make the argument, by the passage matcher's score. `entailment` is the probability
    that the argument follows from what is said; None without a cross-encoder.
    """

    first: int
    last: int
    said: Passage
    similarity: float
    entailment: float | None


class Mention(Record):
    """The probability that people would hear a known argument in a speech, and where.

    `side` says whose argument it is; None if the speech's stance is not known. `mentioned` means that the speech makes
    the argument. An argument of the other side or of another motion is scored, to see what the speech takes up, but is
    never `mentioned`. Arguments are compared within their list, which are those of one stance on one motion. `likeness`
    is in standard deviations of that list. `counter` is the id of the argument that rebuts this one. `counter_title` is
    its title, or the text that rebuts this one. `carriers` is empty if no sentence carries the argument; one that is
    mentioned then follows from the speech as a whole. `how` says whether a sentence says a mentioned argument outright.
    `speaker` is the key of the person who is meant, in a recording of several speeches.
    """

    argument: str
    title: str
    stance: Stance
    side: Literal["own", "other", "another motion"] | None
    likeness: float
    probability: float
    mentioned: bool
    carriers: tuple[Carrier, ...]
    counter: str | None
    counter_title: str | None
    how: Literal["explicit", "implicit"] | None = None
    speaker: str | None = None


class Mentions(Record):
    """Every known argument of a motion, and whether a speech mentions it. The most probable one comes first.

    In a recording of several speeches, there is every argument for each of them.

    `detector` is 'shipped', 'trained' or a file's name, and `trained_on` the data that it learned from. `llm` is the
    use of a large language model for the carriers, None if none was asked.
    """

    motion: str
    mentions: tuple[Mention, ...]
    encoder: str
    detector: str
    trained_on: str
    threshold: float
    llm: LlmUse | None = None

    def of_speaker(self, key: str) -> Self:
        """What one person of a recording with several speeches mentions."""
        return self.model_copy(update={"mentions": tuple(one for one in self.mentions if one.speaker == key)})


def _models(settings: MentionsSettings) -> dict[str, str]:
    from pipeline import models
    from pipeline.matching import matcher_digests
    from pipeline.mentions.detector import find_detector
    from pipeline.sentence_roles import load_classifier
    from pipeline.text.sentences import punkt_digest

    encoder, roles = models.find(settings.encoder), load_classifier()
    label, detector = find_detector(settings.detector, settings.encoder, encoder.digest)
    named = {settings.encoder: encoder.digest, f"detector {label}": detector.digest, "punkt": punkt_digest()}
    named |= {roles.encoder: roles.encoder_digest, "sentence roles": roles.digest} | stance_digests()
    for matcher in filter(None, (detector.matcher, settings.passage_matcher)):
        named |= matcher_digests(matcher)
    if settings.asked_llm:
        from pipeline.llm.large_model import model_digests
        from pipeline.mentions.finding import ARGUED, HEAR

        named |= model_digests(settings.asked_llm, [HEAR, ARGUED])
    elif settings.cross_encoder:
        named[settings.cross_encoder] = models.find(settings.cross_encoder).digest
    return named


def _uses_device(settings: MentionsSettings) -> bool:
    """Whether a language model on this machine is asked, which needs all of its cores."""
    return settings.asked_llm is not None and settings.asked_llm.url is None


# 7: whose words they are, in a recording of several speeches
# 8: nothing that is granted over several sentences carries an argument
@stage(version=8, model=_models, uses_device=_uses_device, pace=0.003, reads={"speech": ("id", "motion", "stance")})
def mentions(
    motion: Motion,
    arguments: Arguments,
    speech: Speech,
    sentences: Sentences,
    people: Speakers | None = None,
    judged: Judgements | None = None,
    *,
    settings: MentionsSettings,
) -> Mentions:
    """Say of every known argument on the motion how probable it is that people hear it in each speech, and where.

    A passage of which people said that it does not carry an argument is not shown for it.
    """
    from pipeline.llm.large_model import LargeModel

    if not arguments.items:
        raise Skip("no arguments")
    if not sentences.sentences:
        raise Skip("the speech has no sentences")
    speeches = speeches_in(speech, sentences.in_english(), people)
    if not speeches:
        raise Skip(NO_DEBATER)
    asked = LargeModel(settings.asked_llm) if settings.asked_llm else None
    finder, detector = _finder(settings, asked)
    wrong = judged.items if judged else ()
    searched = [mention for spoken in speeches for mention in _of_speech(finder, motion, arguments, spoken, wrong)]
    return Mentions(
        motion=motion.id,
        mentions=tuple(sorted(searched, key=lambda mention: (-mention.probability, mention.argument))),
        encoder=finder.encoder.name,
        detector=detector,
        trained_on=finder.detector.trained_on,
        threshold=finder.threshold,
        llm=asked.use() if asked else None,
    )


def _of_speech(
    finder: "Finder", motion: Motion, arguments: Arguments, spoken: SpokenSpeech, wrong: Sequence[Judgement]
) -> Iterator[Mention]:
    """The mentions of one speech, with the carriers as sentences of the recording."""
    for mention in finder.find(motion, arguments.items, spoken.speech.stance, spoken.sentences.sentences):
        carriers = []
        not_here = [each for each in wrong if (each.speech, each.of) == (spoken.id, mention.argument)]
        for carrier in mention.carriers:
            if any(each.is_of(carrier.said) for each in not_here):
                continue
            first, last = spoken.in_recording(carrier.first, carrier.last)
            carriers.append(carrier.model_copy(update={"first": first, "last": last}))
        yield mention.model_copy(update={"speaker": spoken.key, "carriers": tuple(carriers)})


def _finder(settings: MentionsSettings, asked: "LargeModel | None") -> "tuple[Finder, str]":
    """The finder of these settings, and what its detector is called."""
    from pipeline.matching import load_matcher
    from pipeline.mentions.detector import find_detector
    from pipeline.mentions.finding import Finder, LlmOpinion, Reader
    from pipeline.mentions.passages import PassageReader
    from pipeline.text.encoders.cross_encoder import load_cross_encoder
    from pipeline.text.encoders.sentence_encoder import load_encoder

    encoder = load_encoder(settings.encoder)
    label, detector = find_detector(settings.detector, encoder.name, encoder.digest)
    reader: Reader | None = LlmOpinion(asked) if asked else None
    if settings.cross_encoder and not asked:
        reader = load_cross_encoder(settings.cross_encoder)
    finder = Finder(
        encoder,
        detector,
        passages=PassageReader(load_matcher(settings.passage_matcher), settings.passage_threshold),
        matcher=load_matcher(detector.matcher) if detector.matcher else None,
        threshold=detector.threshold if settings.threshold is None else settings.threshold,
        carriers=settings.carriers,
        cross_encoder=reader,
        candidates=settings.candidates,
    )
    return finder, label
