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


def _member_of(family: Family) -> AfterValidator:
    """Refuses a name that no member of the family has."""

    def check(name: str) -> str:
        try:
            return family.check(name)
        except RostrumError as error:
            raise ValueError(str(error)) from error

    return AfterValidator(check)


def _listed(family: Family) -> str:
    """The members and what each is, for a setting's description."""
    return " ".join(family.summaries().values())


class StageSettings(BaseModel):
    """The base of every stage's settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    # Settings that came later, each with the value that does what was done before there was such a setting.
    came_later: ClassVar[Mapping[str, Any]] = {}

    def decisive(self) -> dict[str, Any]:
        """The settings that a fingerprint is made of.

        One that came later is left out at the value that changes nothing, so that older results stay cached.
        """
        dumped = self.model_dump(mode="json")
        return {name: value for name, value in dumped.items() if self.came_later.get(name, _UNSET) != value}


class IngestSettings(StageSettings):
    """How recordings are decoded and measured."""

    max_hours: float = Field(24.0, gt=0, description="Refuse a recording longer than this many hours.")


class DiarizeSettings(StageSettings):
    """How it is found who speaks when."""

    mode: Literal["auto", "off", "vad", "full"] = Field(
        "auto",
        description="full: who speaks when; vad: only when somebody does, which is cheap; off: the whole recording is "
        "one turn; auto: vad for a speech known to have one speaker, else full.",
    )
    use_given: bool = Field(True, description="Take turns that came with the corpus (RTTM) instead of finding any.")
    speech_threshold: float = Field(
        0.5, gt=0, lt=1, description="vad: the probability above which a frame of 32 ms is speech."
    )
    min_speech: float = Field(0.25, ge=0, description="vad: speech shorter than this many seconds is left out.")
    min_silence: float = Field(
        0.3, ge=0, description="vad: silence shorter than this many seconds does not part two turns."
    )
    padding: float = Field(0.1, ge=0, description="vad: seconds that each turn is widened by at both ends.")
    speakers: int | None = Field(
        None, ge=1, description="full: exactly so many speakers; empty takes the manifest's number, else finds out."
    )
    min_speakers: int | None = Field(None, ge=1, description="full: at least so many speakers.")
    max_speakers: int | None = Field(None, ge=1, description="full: at most so many speakers.")
    pipeline: str | None = Field(
        None,
        description="full: a pyannote pipeline to use as it is, by its name on the hub or the path of a local copy; "
        "empty takes the parts named below.",
    )
    segmentation: str = Field(
        "segmentation-3.0", description="full: pyannote's segmentation model, by name, hub name or path."
    )
    embedding: str = Field(
        "campplus",
        description="full: the speaker embedding; campplus, ecapa (needs speechbrain), or one that pyannote loads by "
        "hub name or path.",
    )
    allow_hub: bool = Field(False, description="full: may fetch models named above that are not on this machine.")
    segmentation_step: float = Field(
        0.1, gt=0, le=1, description="full: the step of the ten-second window, as a share of it; larger is faster."
    )
    min_duration_off: float = Field(
        0.0, ge=0, description="full: a speaker's silence shorter than this many seconds is filled."
    )
    clustering_threshold: float = Field(
        0.7, gt=0, le=2, description="full: voices nearer to one another than this are one speaker."
    )
    min_cluster_size: int = Field(
        12, ge=1, description="full: a voice heard in fewer windows than this joins the nearest other."
    )
    device: Device = Field("auto", description="Where the models run; auto takes the GPU when there is one.")

    @model_validator(mode="after")
    def _speakers_agree(self) -> "DiarizeSettings":
        if self.speakers and (self.min_speakers or self.max_speakers):
            raise ValueError("diarize.speakers is exact: set it, or min_speakers and max_speakers, not both")
        if self.min_speakers and self.max_speakers and self.min_speakers > self.max_speakers:
            raise ValueError("diarize.min_speakers is above diarize.max_speakers")
        return self


class TranscribeSettings(StageSettings):
    """How speech becomes words."""

    came_later: ClassVar[Mapping[str, Any]] = {"engine": "openai"}

    engine: Annotated[str, _member_of(_ENGINES)] = Field("openai", description=f"The recogniser. {_listed(_ENGINES)}")
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
        2.0, gt=0, description="Silences longer than this many seconds are shortened to it before decoding."
    )
    max_speaker_gap: float = Field(
        0.5,
        ge=0,
        description="A word outside of every turn belongs to one at most this many seconds away, or to nobody.",
    )


class ScoreSettings(StageSettings):
    """How words are compared with a reference."""

    normaliser: Literal["plain", "whisper", "verbatim"] = Field(
        "whisper",
        description="What does not count as an error: whisper's English rules (spelling, fillers, numbers); "
        "plain: case and punctuation; verbatim: nothing.",
    )


class SegmentSettings(StageSettings):
    """How words are cut into sentences."""

    method: Literal["auto", "punkt", "tagger", "pauses"] = Field(
        "auto",
        description="What cuts sentences: punkt goes by punctuation, the tagger (rostrum train segmenter) by words and "
        "their timing, pauses by silence. auto takes punkt where the recogniser gave punctuation, else the tagger if "
        "one was trained, else pauses.",
    )
    tagger: str | None = Field(None, description="The trained tagger's file; empty takes the one in the model cache.")
    pause: float = Field(0.25, gt=0, description="Where pauses cut: the silence in seconds that ends a sentence.")


class ProsodySettings(StageSettings):
    """How it is measured how sentences sound."""

    pitch_floor: float = Field(50.0, ge=50, description="The lowest pitch looked for, in Hz.")
    pitch_ceiling: float = Field(500.0, le=2000, description="The highest pitch looked for, in Hz.")
    voicing_threshold: float = Field(
        0.5, gt=0, lt=1, description="The pitch tracker's confidence above which a frame has a voice."
    )
    min_pause: float = Field(0.2, gt=0, description="Silence of at least this many seconds is a pause.")
    egemaps: bool = Field(
        False,
        description="Also compute the 88 eGeMAPS features of each sentence. Needs opensmile (pip install opensmile), "
        "whose licence is free for research only.",
    )

    @model_validator(mode="after")
    def _pitch_range(self) -> "ProsodySettings":
        if self.pitch_floor * 1.5 > self.pitch_ceiling:
            raise ValueError("prosody.pitch_ceiling must be half as high again as prosody.pitch_floor, or more")
        return self


class MentionsSettings(StageSettings):
    """How known arguments are found in a speech."""

    encoder: str = Field(
        "bge-small-en-v1.5-int8",
        description="What compares sentences with arguments: a sentence encoder by name or path. Detectors are shipped "
        "for the default; for another, train one.",
    )
    detector: str = Field(
        "auto",
        description="What makes probabilities of likeness: auto takes what `rostrum train mentions` left in the model "
        "cache, else what comes with rostrum; shipped takes the latter; anything else is a detector's path.",
    )
    threshold: float | None = Field(
        None, ge=0, le=1, description="The probability from which an argument is mentioned; empty takes the detector's."
    )
    carriers: int = Field(2, ge=0, description="Passages shown of each argument, those most like it.")
    cross_encoder: str | None = Field(
        None,
        description="A cross-encoder (inference or reranking) by hub name or path that chooses among the most similar "
        "passages; empty goes by similarity alone.",
    )
    candidates: int = Field(5, ge=1, description="Passages of each argument that the cross-encoder reads.")


class CounterSettings(StageSettings):
    """How it is judged which speech answers which."""

    encoder: str | None = Field(
        "all-MiniLM-L6-v2",
        description="What compares sentences: an encoder by name or path; empty counts the words they share.",
    )
    inference: str | None = Field(
        None,
        description="What says which sentences contradict: a model of natural language inference by hub name or path; "
        "empty goes by words such as but, not and wrong.",
    )
    ranker: str = Field(
        "equal",
        description="How the scores are combined: equal weighs them alike; trained takes what `rostrum train counter` "
        "left in the model cache; anything else is the path of such a file.",
    )
    vectors: str = Field(
        "glove-6B-50d", description="Word vectors, by name or path, for a trained ranker that uses SD-e."
    )
    assignment: Literal["off", "one answer", "several answers"] = Field(
        "one answer",
        description="Look at the whole motion at once. one answer: every opposing speech answers one supporting speech "
        "at most, and every supporting speech has one answer. several answers: a supporting speech may have any number "
        "of answers, and with a trained ranker an opposing speech may answer nobody. off: rank the candidates of each "
        "supporting speech by themselves.",
    )
    same_speaker: bool = Field(False, description="Whether somebody may have answered a speech of their own.")
    sentences_shown: int = Field(5, ge=0, description="Matched sentences kept of each pair, the most alike first.")
    ngrams_shown: int = Field(10, ge=0, description="Shared word sequences kept of each pair, the longest first.")


class ContentSettings(StageSettings):
    """How it is measured what of the expected content a speech covers."""

    references: Literal["auto", "given", "arguments"] = Field(
        "auto",
        description="What a speech is expected to cover: given references (and the best-scored other speeches), the "
        "arguments of its own side, or auto: the references where there are any, else the arguments.",
    )
    max_references: int = Field(4, ge=1, description="At most so many given references are used.")
    ngram: int = Field(1, ge=1, le=4, description="N of base and best ROUGE-N.")
    stems: bool = Field(True, description="Compare the stems of words, so that 'ban' is in 'bans'.")
    stop_words: bool = Field(False, description="Count stop words as content.")
    encoder: str | None = Field(
        "all-MiniLM-L6-v2", description="The sentence encoder that compares meanings; empty compares words only."
    )
    similarity: float = Field(
        0.65, ge=-1, le=1, description="From this cosine on a sentence counts as covered; with an encoder."
    )
    words: float = Field(
        0.5, ge=0, le=1, description="From this share of its content words on it counts as covered; without encoder."
    )


class KeypointsSettings(StageSettings):
    """How it is found what a debate comes down to."""

    matcher: str = Field(
        "ensemble",
        description="What matches sentences with key points. A model's name or path follows after a colon, as in "
        f"cross-encoder:NAME; alone, it is an encoder's. {_listed(_MATCHERS)}",
    )
    threshold: float | None = Field(
        None, description="The score from which on a sentence makes a key point; empty takes the matcher's own."
    )
    fewest: int = Field(5, ge=1, description="Key points of a side, where there are sentences enough.")
    most: int = Field(10, ge=1, description="At most so many key points of a side.")
    most_words: int = Field(15, ge=5, description="Longer sentences are not taken for key points.")

    @model_validator(mode="after")
    def _fewest_below_most(self) -> "KeypointsSettings":
        if self.fewest > self.most:
            raise ValueError("keypoints.fewest is above keypoints.most")
        return self


class ConvincingSettings(StageSettings):
    """How points are put in order of what they convince."""

    model: str = Field(
        "default",
        description="What judges: default comes with rostrum; trained takes what `rostrum train convincing` left in "
        "the model cache; anything else is the path of such a file.",
    )
    points: int = Field(
        10, ge=1, description="At most so many mentions and so many key points of each side are compared, the surest."
    )
    context: int = Field(1, ge=0, description="Sentences of the same speaker's before and after that are judged too.")
    delivery_weight: float = Field(
        0.25,
        ge=0,
        description="What a standard deviation of livelier delivery (emphasis, pitch range, pace, few hesitations) "
        "adds to the log odds of convincing more. Set by hand: no data says what it should be.",
    )
