"""A speech and its expected texts become Coverage."""

from typing import Literal

from pydantic import Field

from pipeline.records import Arguments, ExpectedTexts, Passage, Record, Speech, Stance
from pipeline.segment import Sentences
from pipeline.settings import StageSettings
from pipeline.speakers import NO_DEBATER, Speakers, speeches_in
from pipeline.stage import Skip, stage


class ContentSettings(StageSettings):
    """How coverage of expected content is measured."""

    references: Literal["auto", "given", "arguments"] = Field(
        "auto",
        description="What a speech should cover. given: the expected texts (references.csv and the best-scored other "
        "speeches). arguments: the arguments of its own side. auto: the expected texts if there are any, else the "
        "arguments.",
    )
    max_references: int = Field(4, ge=1, description="The highest number of expected texts to use.")
    ngram: int = Field(1, ge=1, le=4, description="The N of base and best ROUGE-N.")
    stems: bool = Field(True, description="Compare the stems of words, so that 'ban' matches 'bans'.")
    stop_words: bool = Field(False, description="Count stop words as content.")
    encoder: str | None = Field(
        "all-MiniLM-L6-v2",
        description="The sentence encoder that compares meanings. Empty: compare word overlap only. The encoders of "
        "`rostrum models` read English; with none, or with one of yours, a speech is compared in its own language.",
    )
    similarity: float = Field(
        0.65,
        ge=-1,
        le=1,
        description="With an encoder: a sentence is covered if its cosine similarity is at least this.",
    )
    words: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Without an encoder: a sentence is covered if at least this share of its content words is said.",
    )


class ExpectedSentence(Record):
    """An expected sentence, and the most similar sentence of the speech.

    `part` is the id of its argument, or the number of its reference. `similarity` is the encoder's, None without one.
    `words` is the share of its content words that the speech's sentence has; rare words weigh more.
    """

    part: str
    text: str
    covered: bool
    similarity: float | None
    words: float
    said: Passage | None


class Coverage(Record):
    """How much of the expected content a speech covers, as a whole and sentence by sentence.

    In a recording of several speeches, `speeches` has that of each, by the key of its speaker; the figures are then
    those of all together. `base_rouge` is the mean over the parts, `best_rouge` that of the best part. A measure that
    is not defined is None. `left_out` are content words that were expected and not said, the most expected first.
    """

    expected: Literal["references", "arguments"]
    parts: int
    base_rouge: float | None
    new_rouge: float | None
    best_rouge: float | None
    content_vector: float | None
    soft_recall: float | None
    covered: float
    sentences: tuple[ExpectedSentence, ...]
    left_out: tuple[str, ...]
    encoder: str | None
    speeches: dict[str, "Coverage"] = {}

    def of_speaker(self, key: str) -> "Coverage | None":
        """How much one person of a recording with several speeches covers."""
        return self.speeches.get(key)


def _models(settings: ContentSettings) -> dict[str, str]:
    from pipeline import models

    return {settings.encoder: models.find(settings.encoder).digest} if settings.encoder else {}


# 4: each speech of a recording by itself
@stage(
    version=4,
    model=_models,
    one_of=("references", "arguments"),
    pace=0.007,
    reads={"speech": ("id", "motion", "stance")},
)
def content(
    speech: Speech,
    sentences: Sentences,
    references: ExpectedTexts | None,
    arguments: Arguments | None,
    people: Speakers | None = None,
    *,
    settings: ContentSettings,
) -> Coverage:
    """Find what each speech covers of given references or of its side's arguments, where, and what it leaves out."""
    sentences = _as_compared(sentences, settings)
    speeches = speeches_in(speech, sentences, people)
    if not speeches:
        raise Skip(NO_DEBATER)
    if speeches[0].key is None:
        return _coverage(speeches[0].speech.stance, speeches[0].sentences, references, arguments, settings)
    parts = {
        one.key: _coverage(one.speech.stance, one.sentences, references, arguments, settings)
        for one in speeches
        if one.key and (one.speech.stance or references)
    }
    argued = sentences.model_copy(
        update={"sentences": tuple(sentence for one in speeches for sentence in one.sentences.sentences)}
    )
    together = _coverage(None, argued, references, arguments, settings)
    return together.model_copy(update={"speeches": parts})


def _as_compared(sentences: Sentences, settings: ContentSettings) -> Sentences:
    """The sentences as spoken if words are compared, or by an encoder of the user's; else in English.

    The encoders of the catalogue read English only.
    """
    from pipeline.models.catalogue import lookup

    return sentences.in_english() if settings.encoder and lookup(settings.encoder) else sentences


def _coverage(
    stance: Stance | None,
    sentences: Sentences,
    references: ExpectedTexts | None,
    arguments: Arguments | None,
    settings: ContentSettings,
) -> Coverage:
    from pipeline.content.coverage import coverage, from_arguments, from_references

    if references is not None and settings.references != "arguments":
        parts = from_references(references, settings.max_references, sentences.language)
        return coverage("references", parts, sentences, settings)
    if settings.references == "given":
        raise Skip("no references")
    parts = from_arguments(arguments, stance, sentences.language)
    if not parts:
        raise Skip("no references, and no arguments of the speech's side")
    return coverage("arguments", parts, sentences, settings)
