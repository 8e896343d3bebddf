"""The settings of `transcribe`."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from pipeline.family import Family
from pipeline.settings.base import Device, StageSettings, listed, member_of

_ENGINES = Family("pipeline.asr.engines", "recogniser")
# The codes of the languages that Whisper knows.
_CODES = (
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id "
    "is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si "
    "sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh"
)
LANGUAGES = frozenset(_CODES.split())
Temperature = Annotated[float, Field(ge=0, le=2)]


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError("it must be the code of a language that Whisper knows, such as en, de, fr or zh")
    return code


class TranscribeSettings(StageSettings):
    """How speech is transcribed."""

    implied_by_model: ClassVar[frozenset[str]] = frozenset({"engine", "precision"})
    added_later: ClassVar[Mapping[str, Any]] = {"use_corrected": True}

    engine: Annotated[str, member_of(_ENGINES, "auto")] = Field(
        "auto",
        description=f"The recogniser. {listed(_ENGINES)} auto: ctranslate2 for models with which it was measured to be "
        "as good (tiny.en, base.en and base on a CPU), else openai.",
    )
    model: str = Field(
        "base.en", description="A Whisper size (tiny.en, base, small.en, ...) or the path of a checkpoint."
    )
    device: Device = Field("auto", description="Where the model runs. auto uses the GPU if there is one.")
    precision: Literal["auto", "int8", "float16", "float32"] = Field(
        "auto",
        description="ctranslate2: the type of its numbers. auto: int8 on a CPU, int8 with float16 on a GPU.",
    )
    language: Annotated[str, AfterValidator(_language)] | None = Field(
        None, description="The language that is spoken, such as en. Empty: the model detects it in every recording."
    )
    beam_size: int = Field(
        5, ge=1, le=100, description="Beams of the first decoding. 1 is greedy decoding, which is faster."
    )
    prompt: Literal["none", "motion"] = Field(
        "none",
        description="motion: give the model the text of the motion as context before each recording. none: give it "
        "nothing.",
    )
    condition_on_previous_text: bool = Field(
        True,
        description="Give the model the text of the previous window as context. Without it, the model is less likely "
        "to repeat itself.",
    )
    temperatures: tuple[Temperature, ...] = Field(
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        min_length=1,
        max_length=20,
        description="Decode with these temperatures, one after the other, until a result is good enough.",
    )
    compression_ratio_threshold: float = Field(
        2.4, gt=0, description="A text that compresses better than this repeats itself: try the next temperature."
    )
    logprob_threshold: float = Field(
        -1.0, le=0, description="Below this mean log probability, try the next temperature."
    )
    no_speech_threshold: float = Field(
        0.6, ge=0, le=1, description="A window counts as silence above this probability if its text is doubtful too."
    )
    max_pause: float = Field(2.0, gt=0, le=30, description="Shorten silences to this many seconds before decoding.")
    max_speaker_gap: float = Field(
        0.5,
        ge=0,
        description="A word outside of every turn gets the speaker of a turn at most this many seconds away. Other "
        "words have no speaker.",
    )
    use_corrected: bool = Field(
        True,
        description="Use corrected transcripts instead of transcribing, if there are any. If false, such speeches are "
        "transcribed, and scored against the corrected transcript.",
    )

    @model_validator(mode="after")
    def _model_knows_language(self) -> "TranscribeSettings":
        if self.model.endswith(".en") and self.language not in (None, "en"):
            raise ValueError(
                f"transcribe.model {self.model} knows English only; for transcribe.language={self.language} take "
                f"{self.model.removesuffix('.en')}"
            )
        return self
