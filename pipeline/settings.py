"""Every knob: one small model per stage.

The description of a field is its help text everywhere: `rostrum settings`, the documentation, the form in the UI.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Device = Literal["auto", "cpu", "cuda"]


class StageSettings(BaseModel):
    """The base of every stage's knobs."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class IngestSettings(StageSettings):
    max_hours: float = Field(24.0, gt=0, description="Refuse a recording longer than this many hours.")


class TranscribeSettings(StageSettings):
    model: str = Field(
        "tiny.en", description="A Whisper size (tiny.en, base, small.en, ...) or the path of a checkpoint."
    )
    device: Device = Field("auto", description="Where the model runs; auto takes the GPU when there is one.")
    language: str | None = Field(
        None, description="The language spoken, such as 'en'; empty lets the model find out, file by file."
    )
    beam_size: int = Field(5, ge=1, description="Beams of the first decoding; 1 is greedy and faster.")
    prompt: Literal["none", "motion"] = Field(
        "none", description="Text the model is primed with: nothing, or the motion's own words."
    )
    condition_on_previous_text: bool = Field(
        True, description="Prime each window with the text before it; off is safer against loops."
    )
    temperatures: tuple[float, ...] = Field(
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), description="Tried in this order until a decoding is good enough."
    )
    compression_ratio_threshold: float = Field(
        2.4, description="Above this the text repeats itself, and the next temperature is tried."
    )
    logprob_threshold: float = Field(-1.0, description="Below this mean log probability the next temperature is tried.")
    no_speech_threshold: float = Field(
        0.6, ge=0, le=1, description="Above this a window whose text is doubtful counts as silence."
    )
    max_pause: float = Field(
        2.0, gt=0, description="Silences longer than this many seconds are cut out before decoding."
    )


class ScoreSettings(StageSettings):
    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="What does not count as an error: whisper's English rules (spelling, fillers, numbers); "
        "plain: case and punctuation; verbatim: nothing.",
    )


class SegmentSettings(StageSettings):
    method: Literal["auto", "punkt", "pauses"] = Field(
        "auto",
        description="What cuts sentences: punkt goes by punctuation, pauses by silence; "
        "auto takes punkt where the recogniser gave punctuation.",
    )
    pause: float = Field(0.5, gt=0, description="Where pauses cut: the silence in seconds that ends a sentence.")


class Settings(BaseModel):
    """All knobs of all stages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ingest: IngestSettings = IngestSettings()
    transcribe: TranscribeSettings = TranscribeSettings()
    score: ScoreSettings = ScoreSettings()
    segment: SegmentSettings = SegmentSettings()

    def of(self, stage: str) -> StageSettings:
        """The knobs of one stage."""
        settings: StageSettings = getattr(self, stage)
        return settings
