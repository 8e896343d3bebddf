"""The speeches on a motion become CounterScores: who answers whom."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import Field, model_validator

from pipeline.records import Motion, Passage, Record, ResponseKind, Speeches
from pipeline.segment import Sentences, in_english
from pipeline.settings import StageSettings
from pipeline.speakers import Speakers, speeches_on
from pipeline.stage import Skip, stage


class CounterSettings(StageSettings):
    """How opposing speeches are matched with the speeches they answer."""

    encoder: str | None = Field(
        "bge-small-en-v1.5-int8",
        description="The encoder that compares sentences, as a name or path. Empty: compare word overlap.",
    )
    inference: str | None = Field(
        None,
        description="The model of natural language inference that finds contradictions, as a name on the hub or a "
        "path. Empty: use words such as but, not and wrong.",
    )
    ranker: str = Field(
        "tf-idf",
        description="How candidates are ranked. tf-idf: by the rare words that two speeches share; the other scores "
        "are only shown as reasons. Any other method by its name: Cos, JS, MI, c-MI, ngrs and SD-e are those of Orbach "
        "et al. 2020. equal: by all scores with equal weights. trained: by the weights that `rostrum train counter` "
        "saved in the model cache. Anything else is the path of such a file.",
    )
    vectors: str = Field(
        "glove-6B-50d",
        description="The word vectors, as a name or path, for the ranker SD-e, and for a trained one that uses it.",
    )
    assignment: Literal["off", "one answer", "several answers"] = Field(
        "one answer",
        description="How all speeches of a motion are matched. one answer: an opposing speech answers at most one "
        "supporting speech, and every supporting speech has one answer. several answers: a supporting speech may have "
        "any number of answers, and with a trained ranker an opposing speech may answer nobody. off: the candidates of "
        "each supporting speech are ranked separately.",
    )
    answered: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="For a trained ranker: the share of opposing speeches that answer a supporting speech of the "
        "corpus, if it is known. Empty: the share in the debates that the ranker learned from.",
    )
    same_speaker: bool = Field(False, description="Whether a speech may answer another one of the same speaker.")
    sentences_shown: int = Field(
        5,
        ge=0,
        le=1000,
        description="How many matching sentences to keep of each pair of speeches, the most similar first.",
    )
    ngrams_shown: int = Field(
        10,
        ge=0,
        le=1000,
        description="How many shared word sequences to keep of each pair of speeches, the longest first.",
    )

    @model_validator(mode="after")
    def _answered_is_for_a_trained_ranker(self) -> "CounterSettings":
        if self.answered is not None and self.ranker in ("tf-idf", "equal", "Cos", "JS", "MI", "c-MI", "ngrs", "SD-e"):
            raise ValueError("counter.answered: only a trained ranker tells who answers nobody; set counter.ranker")
        return self


class SentencePair(Record):
    """A sentence of a supporting speech, and the sentence of an opposing speech that matches it."""

    supporting: Passage
    opposing: Passage
    similarity: float
    quotes: bool
    opposes: bool


class SharedNgram(Record):
    """A word sequence of the supporting speech that, of all candidates, only this opposing speech has, too."""

    text: str
    supporting: Passage
    opposing: Passage


class Reason(Record):
    """One method's score, and its share in the scores of all methods together."""

    name: str
    score: float
    share: float


class CounterPair(Record):
    """How well an opposing speech fits as the answer to a supporting one, and why.

    `score` is the ranker's. Pairs are ranked by `marginal_value`: the total score of the motion's best assignment with
    the pair, minus that of the best one without it. It is None if nothing was assigned, or if no other assignment is
    possible. `turns` is in how many turns of one recording the opposing speech replies to the supporting one; they
    are part of the score.
    """

    supporting: str
    opposing: str
    rank: int
    score: float
    marginal_value: float | None
    reasons: tuple[Reason, ...]
    sentences: tuple[SentencePair, ...]
    ngrams: tuple[SharedNgram, ...]
    turns: int = 0


class DetectedResponse(Record):
    """Whether an opposing speech says that it answers somebody, and the sentences that say so.

    `answers` is the supporting speech that it most probably answers; None if it probably answers nobody.
    `answers_somebody` is the probability that it answers any. Both are None without a trained ranker.
    """

    opposing: str
    kind: ResponseKind
    probability: float
    reports: tuple[Passage, ...]
    answers: str | None = None
    answers_somebody: float | None = None


class SpeechReply(Record):
    """One speech replies to another in the same recording, of whichever sides: in so many turns.

    `said` is the beginning of the surest reply, `to` the turn that it replies to, `probability` how sure it is.
    """

    replying: str
    to_speech: str
    turns: int
    probability: float
    said: Passage
    to: Passage


class CounterScores(Record):
    """Who answers whom on one motion: every possible pair, by supporting speech and rank.

    `replies` says who replies to whom within recordings of several people, those with the most turns first.
    """

    motion: str
    pairs: tuple[CounterPair, ...]
    responses: tuple[DetectedResponse, ...]
    ranker: str
    assignment: Literal["off", "one answer", "several answers"]
    replies: tuple[SpeechReply, ...] = ()


def _models(settings: CounterSettings) -> dict[str, str]:
    from pipeline.counter.judge import models_used

    return models_used(settings)


# 6: the reply that is shown says something
@stage(version=6, model=_models, both_sides=True, reads={"speeches": ("id", "motion", "stance", "speakers")})
def counter(
    motion: Motion,
    speeches: Speeches,
    sentences: Mapping[str, Sentences],
    people: Mapping[str, Speakers] = MappingProxyType({}),
    *,
    settings: CounterSettings,
) -> CounterScores:
    """Find which opposing speech was recorded in answer to each supporting one, and why."""
    from pipeline.counter.judge import judge
    from pipeline.counter.replies import speech_replies
    from pipeline.counter.texts import SpeechText

    sentences = in_english(sentences)
    spoken = speeches_on(speeches.items, sentences, people)
    supporting, opposing = (
        [
            SpeechText(one.id, tuple(sentence.text for sentence in one.sentences.sentences), one.speech.speakers)
            for one in spoken
            if one.speech.stance == stance
        ]
        for stance in ("pro", "con")
    )
    if not supporting or not opposing:
        raise Skip(f"no {'opposing' if supporting else 'supporting'} speech on this motion")
    return judge(settings, [*supporting, *opposing]).judged(
        motion.id,
        supporting,
        opposing,
        {one.id: one.sentences for one in spoken},
        speech_replies(spoken, sentences, people),
    )
