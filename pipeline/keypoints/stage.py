"""The speeches on a motion become KeyPoints."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from pydantic import Field, model_validator

from pipeline.family import Family
from pipeline.records import TRANSLATED, Judgements, LlmUse, Motion, Passage, Record, Speeches, Stance
from pipeline.segment import Sentences, in_english
from pipeline.settings import LLM, LlmSettings, Shared, StageSettings, listed
from pipeline.speakers import Speakers, SpokenSpeech, speeches_on
from pipeline.stage import Skip, stage

_MATCHERS = Family("pipeline.matching.matchers", "key point matcher")


def _can_write(settings: LlmSettings) -> bool:
    """Whether a language model on this machine can write without anything being fetched or sent."""
    from pipeline.llm.local import can_write

    return can_write(settings)


class KeypointsSettings(StageSettings):
    """How key points are found."""

    matcher: str = Field(
        "ensemble",
        description="How sentences are matched with key points. Write a model's name or path after a colon, as in "
        f"cross-encoder:NAME. A model's name alone is that of an encoder. {listed(_MATCHERS)}",
    )
    threshold: float | None = Field(
        None,
        description="A sentence makes a key point if its score is at least this. Empty: .05 above the matcher's own "
        "threshold.",
    )
    fewest: int = Field(
        3,
        ge=1,
        le=1000,
        description="If a side has fewer key points than this, points that are made only once are added.",
    )
    most: int = Field(10, ge=1, le=1000, description="The highest number of key points of a side.")
    most_words: int = Field(15, ge=5, description="Longer sentences cannot be key points.")
    writer: Literal["auto", "sentences", "llm"] = Field(
        "auto",
        description="How key points are written. sentences: clauses of the speeches are taken. llm: a language "
        "model writes them, at llm.url or on this machine. auto: a language model on this machine if one was fetched "
        "(`rostrum models fetch writer`) and llm.url is empty, else sentences.",
    )
    llm: Shared = None

    @property
    def asked_llm(self) -> LlmSettings | None:
        shared = self.llm or LlmSettings()
        if LLM in (self.matcher, self.writer):
            return shared
        return shared if self.writer == "auto" and _can_write(shared) else None

    @property
    def written_by_llm(self) -> bool:
        """Whether a language model writes the key points."""
        return self.writer == LLM or (self.writer == "auto" and _can_write(self.llm or LlmSettings()))

    @model_validator(mode="after")
    def _fewest_below_most(self) -> "KeypointsSettings":
        if self.fewest > self.most:
            raise ValueError("keypoints.fewest is above keypoints.most")
        return self


class KeyPointMatch(Record):
    """A sentence that makes a key point, with its time. `sentence` is its index in the speech."""

    speech: str
    sentence: int
    speaker: str | None
    said: Passage
    score: float


class KeyPoint(Record):
    """A point that one side makes: in how many speeches, by how many speakers, for how long, and the answers to it.

    The best of `matches` comes first. `answers` are sentences of the other side on the same matter, `concessions` those
    in which it grants the point before it turns to its own, and `quotations` those in which it reports that this side
    makes the point. `case_of` is the id of a more general point of the same side, made by more. `source` is the speech,
    and `sentence` the index of the sentence, from which the point's text was taken. `leaning` is how much better the
    point fits the sentences of its own side than those of the other. Below 0, the point may belong to the other side.
    None: there is no other side.
    """

    id: str
    text: str
    stance: Stance | None
    source: str
    sentence: int
    matches: tuple[KeyPointMatch, ...]
    speeches: int
    speakers: int
    minutes: float
    answers: tuple[KeyPointMatch, ...]
    concessions: tuple[KeyPointMatch, ...] = ()
    quotations: tuple[KeyPointMatch, ...] = ()
    case_of: str | None = None
    leaning: float | None = None

    @property
    def quoted(self) -> str:
        """The text as it is shown to people, with a mark if it was taken from a translation."""
        source = (one.said for one in self.matches if (one.speech, one.sentence) == (self.source, self.sentence))
        return f"{TRANSLATED} {self.text}" if any(said.translated for said in source) else self.text


class KeyPointSide(Record):
    """The numbers of one side of a motion: `argued` of its sentences claim something, `covered` make a key point."""

    stance: Stance | None
    speeches: int
    speakers: int
    minutes: float
    sentences: int
    argued: int
    covered: int


class KeyPoints(Record):
    """The key points of the debate on one motion. The point that most speeches make comes first, followed
    by those that are cases of it.

    `llm` is the use of a large language model, None if none was asked.
    """

    motion: str
    points: tuple[KeyPoint, ...]
    sides: tuple[KeyPointSide, ...]
    matcher: str
    threshold: float
    llm: LlmUse | None = None


# Chooses among hundreds of candidates if a large language model matches, which is too slow for so many.
_CHOOSER = "ensemble"


def _models(settings: KeypointsSettings) -> dict[str, str]:
    """Digests of the models that these settings use."""
    from pipeline.matching.matcher import matcher_digests
    from pipeline.sentence_roles import load_classifier

    by_llm, roles = settings.written_by_llm, load_classifier()
    named = matcher_digests(_CHOOSER if settings.matcher == LLM and not by_llm else settings.matcher)
    named |= {roles.encoder: roles.encoder_digest, "sentence roles": roles.digest}
    if settings.asked_llm:
        from pipeline.keypoints.llm_writer import WRITE
        from pipeline.keypoints.speech_writer import SUM_UP
        from pipeline.llm.large_model import model_digests
        from pipeline.matching.matchers.llm import MATCH

        named |= model_digests(settings.asked_llm, [MATCH, WRITE, SUM_UP])
    if not by_llm or (settings.asked_llm and settings.asked_llm.url is None):
        from pipeline import models
        from pipeline.keypoints.grammar import PARSER
        from pipeline.speakers import stance_digests

        named |= {"parser": models.find(PARSER).digest} | stance_digests()
    if not by_llm:
        from pipeline.keypoints.clause_form import load_form
        from pipeline.keypoints.spoken import load_reasons

        form = load_form()
        named |= {"reasons": load_reasons().digest}
        named |= {"clauses": form.digest, form.encoder: form.encoder_digest}
    return named


def _uses_device(settings: KeypointsSettings) -> bool:
    """Whether a language model on this machine is asked, which needs all of its cores."""
    return settings.asked_llm is not None and settings.asked_llm.url is None


# 15: quotations are not the speaker's, and who says that the other side is right grants it
# 19: what is granted over several sentences, until "But"
# 21: who quotes others and goes on with "but" claims what comes after it; 22: a clause ends with its last phrase
@stage(
    version=22,
    model=_models,
    uses_device=_uses_device,
    pace=0.0025,
    reads={"speeches": ("id", "motion", "stance", "speakers")},
)
def keypoints(
    motion: Motion,
    speeches: Speeches,
    sentences: Mapping[str, Sentences],
    people: Mapping[str, Speakers] = MappingProxyType({}),
    judged: Judgements | None = None,
    *,
    settings: KeypointsSettings,
) -> KeyPoints:
    """Find the key points of each side, who makes them, for how long, and which of them the other side takes up.

    What people said of the key points that were found before (`judged`) is applied to them.
    """
    sentences = in_english(sentences)
    spoken = speeches_on(speeches.items, sentences, people)
    if not any(one.sentences.sentences for one in spoken):
        raise Skip("no speech on this motion has a sentence")
    from pipeline.keypoints.corrections import corrected
    from pipeline.keypoints.debate import key_points
    from pipeline.keypoints.generation import Writer, generate
    from pipeline.keypoints.llm_writer import ChosenBy, LlmWriter
    from pipeline.keypoints.speech_writer import SpeechWriter
    from pipeline.llm.large_model import LargeModel
    from pipeline.matching.matcher import load_matcher
    from pipeline.speakers import load_stance_model

    asked = LargeModel(settings.asked_llm) if settings.asked_llm else None
    write: Writer = generate
    if asked and settings.written_by_llm:
        write = LlmWriter(asked)
        if asked.is_local:
            write = SpeechWriter(asked, lambda text, reasons: load_stance_model().logarithms(text, reasons))
    elif settings.matcher == LLM:
        write = ChosenBy(load_matcher(_CHOOSER))
    record = key_points(
        motion,
        [one.speech for one in spoken],
        {one.id: one.sentences for one in spoken},
        load_matcher(settings.matcher, asked),
        write=write,
        **settings.model_dump(exclude={"matcher", "writer"}),
    )
    if judged:
        said = {one.id: one for one in spoken}
        record = corrected(record, judged.items, said, motion.text, load_matcher(settings.matcher, asked))
    points = tuple(_in_recordings(point, {one.id: one for one in spoken}) for point in record.points)
    return record.model_copy(update={"points": points, "llm": asked.use() if asked else None})


def _in_recordings(point: KeyPoint, spoken: Mapping[str, SpokenSpeech]) -> KeyPoint:
    """The key point with the sentences of speeches as sentences of their recordings."""

    def at(speech: str, sentence: int) -> int:
        return spoken[speech].indices[sentence]

    def placed(matches: Sequence[KeyPointMatch]) -> tuple[KeyPointMatch, ...]:
        return tuple(one.model_copy(update={"sentence": at(one.speech, one.sentence)}) for one in matches)

    return point.model_copy(
        update={
            "sentence": at(point.source, point.sentence),
            "matches": placed(point.matches),
            "answers": placed(point.answers),
            "concessions": placed(point.concessions),
            "quotations": placed(point.quotations),
        }
    )
