"""Every setting: one small model per stage.

The description of a field is its help text everywhere: `rostrum settings`, the documentation, the form in the UI.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pipeline.errors import RostrumError
from pipeline.family import Family

_UNSET = object()
Device = Literal["auto", "cpu", "cuda"]


_ENGINES = Family("pipeline.asr.engines", "recogniser")
_MATCHERS = Family("pipeline.argue.keypoints.matchers", "key point matcher")


def _member_of(family: Family, *others: str) -> AfterValidator:
    """Refuses a name that no member of the family has, nor one of the others."""

    def check(name: str) -> str:
        try:
            return name if name in others else family.check(name)
        except RostrumError as error:
            raise ValueError(str(error)) from error

    return AfterValidator(check)


def _listed(family: Family) -> str:
    """The members and what each is, for a setting's description."""
    return " ".join(family.summaries().values())


# The codes of the languages that Whisper knows
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


class StageSettings(BaseModel):
    """The base of every stage's settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    # Settings that came later, each with the value that does what was done before there was such a setting.
    came_later: ClassVar[Mapping[str, Any]] = {}
    # Settings that do no more than choose a model. The model itself is part of the fingerprint.
    told_by_model: ClassVar[frozenset[str]] = frozenset()

    def decisive(self) -> dict[str, Any]:
        """The settings that a fingerprint is made of.

        One that came later is left out at the value that changes nothing, so that older results stay cached.
        """
        dumped = self.model_dump(mode="json", exclude=set(self.told_by_model))
        return {name: value for name, value in dumped.items() if self.came_later.get(name, _UNSET) != value}


class IngestSettings(StageSettings):
    """How recordings are decoded and measured."""

    max_hours: float = Field(24.0, gt=0, le=1000, description="Refuse recordings longer than this many hours.")


class DiarizeSettings(StageSettings):
    """How speaker turns are found."""

    mode: Literal["auto", "off", "vad", "full"] = Field(
        "auto",
        description="full: find who speaks when. vad: only find when somebody speaks, which is faster. off: the whole "
        "recording is one turn. auto: vad if the corpus names one speaker, else full.",
    )
    use_given: bool = Field(
        True,
        description="Use the speaker turns (.rttm) that came with the corpus, where there are any, instead of finding "
        "turns.",
    )
    speech_threshold: float = Field(
        0.5, gt=0, lt=1, description="vad: a frame of 32 ms is speech above this probability."
    )
    min_speech: float = Field(0.25, ge=0, le=60, description="vad: leave out speech shorter than this many seconds.")
    min_silence: float = Field(
        0.3, ge=0, le=60, description="vad: join two turns that are separated by less than this many seconds."
    )
    padding: float = Field(0.1, ge=0, le=60, description="vad: extend every turn by this many seconds at both ends.")
    speakers: int | None = Field(
        None,
        ge=1,
        le=100,
        description="full: the exact number of speakers. Empty: the number of names in the manifest, or unknown.",
    )
    min_speakers: int | None = Field(None, ge=1, le=100, description="full: the lowest number of speakers.")
    max_speakers: int | None = Field(None, ge=1, le=100, description="full: the highest number of speakers.")
    pipeline: str | None = Field(
        None,
        description="full: use this pyannote pipeline, a name on the hub or the path of a local copy. Empty: use the "
        "models of the next two settings.",
    )
    segmentation: str = Field(
        "segmentation-3.0", description="full: pyannote's segmentation model, as a name, a name on the hub or a path."
    )
    embedding: str = Field(
        "campplus",
        description="full: the speaker embedding. campplus, ecapa (needs speechbrain), or a name on the hub or a path "
        "that pyannote can load.",
    )
    allow_hub: bool = Field(False, description="full: allow downloading models that are not on this machine.")
    segmentation_step: float = Field(
        0.1,
        gt=0,
        le=1,
        description="full: the step of the ten-second window, as a share of its length. Larger steps are faster.",
    )
    min_duration_off: float = Field(
        0.0, ge=0, le=60, description="full: fill silences of one speaker that are shorter than this many seconds."
    )
    clustering_threshold: float = Field(
        0.7, gt=0, le=2, description="full: voices with a smaller distance than this are the same speaker."
    )
    min_cluster_size: int = Field(
        12, ge=1, description="full: a voice that is heard in fewer windows than this joins the nearest other voice."
    )
    device: Device = Field("auto", description="Where the models run. auto uses the GPU if there is one.")

    @model_validator(mode="after")
    def _speakers_agree(self) -> "DiarizeSettings":
        if self.speakers and (self.min_speakers or self.max_speakers):
            raise ValueError("diarize.speakers is exact: set it, or diarize.min_speakers and max_speakers, not both")
        if self.min_speakers and self.max_speakers and self.min_speakers > self.max_speakers:
            raise ValueError("diarize.min_speakers is above diarize.max_speakers")
        return self


class TranscribeSettings(StageSettings):
    """How speech is transcribed."""

    told_by_model: ClassVar[frozenset[str]] = frozenset({"engine", "precision"})
    came_later: ClassVar[Mapping[str, Any]] = {"use_corrected": True}

    engine: Annotated[str, _member_of(_ENGINES, "auto")] = Field(
        "auto",
        description=f"The recogniser. {_listed(_ENGINES)} auto: ctranslate2 where its words were measured to be as "
        "good (tiny.en, base.en and base on a CPU), else openai.",
    )
    model: str = Field(
        "base.en", description="A Whisper size (tiny.en, base, small.en, ...) or the path of a checkpoint."
    )
    device: Device = Field("auto", description="Where the model runs. auto uses the GPU if there is one.")
    precision: Literal["auto", "int8", "float16", "float32"] = Field(
        "auto",
        description="ctranslate2: the numbers that it computes with. auto: int8 on a CPU, int8 with float16 on a GPU.",
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
        description="Use the transcripts that people corrected, where there are any. Without it, such speeches are "
        "transcribed too, and scored against what people wrote.",
    )

    @model_validator(mode="after")
    def _model_knows_language(self) -> "TranscribeSettings":
        if self.model.endswith(".en") and self.language not in (None, "en"):
            raise ValueError(
                f"transcribe.model {self.model} knows English only; for transcribe.language={self.language} take "
                f"{self.model.removesuffix('.en')}"
            )
        return self


class ScoreSettings(StageSettings):
    """How a transcript is compared with its reference."""

    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="What does not count as an error. whisper: its English rules for spelling, fillers and numbers. "
        "plain: case and punctuation. verbatim: nothing.",
    )


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


class ProsodySettings(StageSettings):
    """How the prosody of sentences is measured."""

    pitch_floor: float = Field(50.0, ge=50, description="The lowest pitch to find, in Hz.")
    pitch_ceiling: float = Field(500.0, le=2000, description="The highest pitch to find, in Hz.")
    voicing_threshold: float = Field(
        0.5, gt=0, lt=1, description="A frame is voiced above this confidence of the pitch tracker."
    )
    min_pause: float = Field(0.2, gt=0, description="A silence of at least this many seconds is a pause.")
    egemaps: bool = Field(
        False,
        description="Also compute the 88 eGeMAPS features of each sentence. Needs opensmile (pip install opensmile), "
        "whose licence is free for research only.",
    )

    @model_validator(mode="after")
    def _pitch_range(self) -> "ProsodySettings":
        if self.pitch_floor * 1.5 > self.pitch_ceiling:
            raise ValueError("prosody.pitch_ceiling must be at least 1.5 times prosody.pitch_floor")
        return self


class MentionsSettings(StageSettings):
    """How known arguments are found in a speech."""

    encoder: str = Field(
        "bge-small-en-v1.5-int8",
        description="The encoder that compares sentences with arguments, as a name or path. A detector comes with "
        "rostrum for the default; train one for another encoder.",
    )
    detector: str = Field(
        "auto",
        description="What turns similarity into a probability. auto: what `rostrum train mentions` left in the model "
        "cache, else what comes with rostrum. shipped: what comes with rostrum. Anything else is the path of a "
        "detector.",
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="An argument is mentioned from this probability on. Empty: the detector's own threshold.",
    )
    carriers: int = Field(
        2, ge=0, le=1000, description="How many passages to show of each argument, the most similar first."
    )
    cross_encoder: str | None = Field(
        None,
        description="A cross-encoder (inference or reranking), as a name on the hub or a path, that chooses among the "
        "most similar passages. Empty: choose by similarity alone.",
    )
    candidates: int = Field(5, ge=1, le=1000, description="How many passages of each argument the cross-encoder reads.")


class CounterSettings(StageSettings):
    """How opposing speeches are matched with the speeches they answer."""

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


class ContentSettings(StageSettings):
    """How coverage of expected content is measured."""

    references: Literal["auto", "given", "arguments"] = Field(
        "auto",
        description="What a speech should cover. given: the expected texts (references.csv and the best-scored other "
        "speeches). arguments: the arguments of its own side. auto: the expected texts if there are any, else the "
        "arguments.",
    )
    max_references: int = Field(4, ge=1, description="How many of the expected texts to use at most.")
    ngram: int = Field(1, ge=1, le=4, description="The N of base and best ROUGE-N.")
    stems: bool = Field(True, description="Compare the stems of words, so that 'ban' matches 'bans'.")
    stop_words: bool = Field(False, description="Count stop words as content.")
    encoder: str | None = Field(
        "all-MiniLM-L6-v2", description="The sentence encoder that compares meanings. Empty: compare word overlap only."
    )
    similarity: float = Field(
        0.65, ge=-1, le=1, description="With an encoder: a sentence is covered from this cosine similarity on."
    )
    words: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Without an encoder: a sentence is covered if at least this share of its content words is said.",
    )


class KeypointsSettings(StageSettings):
    """How key points are found."""

    matcher: str = Field(
        "ensemble",
        description="What matches sentences with key points. A model's name or path follows after a colon, as in "
        f"cross-encoder:NAME; alone, it is an encoder's. {_listed(_MATCHERS)}",
    )
    threshold: float | None = Field(
        None, description="A sentence makes a key point from this score on. Empty: the matcher's own threshold."
    )
    fewest: int = Field(
        5, ge=1, le=1000, description="The lowest number of key points of a side, if there are enough sentences."
    )
    most: int = Field(10, ge=1, le=1000, description="The highest number of key points of a side.")
    most_words: int = Field(15, ge=5, description="Longer sentences cannot be key points.")

    @model_validator(mode="after")
    def _fewest_below_most(self) -> "KeypointsSettings":
        if self.fewest > self.most:
            raise ValueError("keypoints.fewest is above keypoints.most")
        return self


class ConvincingSettings(StageSettings):
    """How points are ranked by how convincing they are."""

    model: str = Field(
        "default",
        description="What judges. default: the model that comes with rostrum. trained: what `rostrum train "
        "convincing` left in the model cache. Anything else is the path of such a file.",
    )
    points: int = Field(
        10,
        ge=1,
        le=1000,
        description="Compare at most this many mentions and this many key points of each side, the most certain first.",
    )
    context: int = Field(
        1,
        ge=0,
        le=1000,
        description="How many sentences of the same speaker before and after a point are judged with it.",
    )
    delivery_weight: float = Field(
        0.25,
        ge=0,
        le=10,
        description="How much livelier delivery (emphasis, pitch range, pace, few hesitations) counts: what one "
        "standard deviation adds to the log odds of convincing more. Set by hand: no data says what it should be.",
    )


class GradeSettings(StageSettings):
    """How a spoken answer is scored."""

    model: str = Field(
        "trained",
        description="The scoring model: trained takes what `rostrum train score` left in the model cache; anything "
        "else is the path of such a file. Without a model nothing is scored.",
    )
