"""The settings of `segment`."""

from typing import Literal

from pydantic import Field

from pipeline.settings.base import StageSettings


class SegmentSettings(StageSettings):
    """How words are cut into sentences."""

    method: Literal["auto", "punkt", "tagger", "pauses"] = Field(
        "auto",
        description="How to cut. punkt: at punctuation. tagger: by words and their timing (`rostrum train "
        "segmenter`). pauses: at silences. auto: punkt if the recogniser wrote punctuation, else the tagger if one "
        "was trained, else pauses.",
    )
    tagger: str | None = Field(None, description="The file of a trained tagger. Empty: the one in the model cache.")
    pause: float = Field(0.25, gt=0, description="pauses: a silence of this many seconds ends a sentence.")
