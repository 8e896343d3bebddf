"""The settings of `counter`."""

from typing import Literal

from pydantic import Field, model_validator

from pipeline.settings.base import StageSettings


class CounterSettings(StageSettings):
    """How opposing speeches are matched with the speeches they answer."""

    came_later = {"answered": None}

    encoder: str | None = Field(
        "all-MiniLM-L6-v2",
        description="The encoder that compares sentences, as a name or path. Empty: compare word overlap.",
    )
    inference: str | None = Field(
        None,
        description="The model of natural language inference that finds contradictions, as a name on the hub or a "
        "path. Empty: use words such as but, not and wrong.",
    )
    ranker: str = Field(
        "tf-idf",
        description="What ranks the candidates. tf-idf: the rare words that two speeches share; all other scores are "
        "reasons shown. equal: all scores count alike. trained: the weights that `rostrum train "
        "counter` left in the model cache. Anything else is the path of such a file.",
    )
    vectors: str = Field(
        "glove-6B-50d", description="The word vectors, as a name or path, for a trained ranker that uses SD-e."
    )
    assignment: Literal["off", "one answer", "several answers"] = Field(
        "one answer",
        description="Look at the whole motion at once. one answer: every opposing speech answers one supporting speech "
        "at most, and every supporting speech has one answer. several answers: a supporting speech may have any number "
        "of answers, and with a trained ranker an opposing speech may answer nobody. off: rank the candidates of each "
        "supporting speech by themselves.",
    )
    answered: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="The share of the opposing speeches that answer one of the supporting speeches here, where it is "
        "known, for a trained ranker. Empty: as in the debates that it learned from.",
    )
    same_speaker: bool = Field(False, description="Whether a speaker may have answered a speech of their own.")
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
        if self.answered is not None and self.ranker in ("tf-idf", "equal"):
            raise ValueError("counter.answered: only a trained ranker tells who answers nobody; set counter.ranker")
        return self
