"""Transcribes the speech turns, or takes the transcript that was given: the settings, the record and the stage."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field, model_validator

from pipeline.diarize import Turns, assign_speakers
from pipeline.errors import RostrumError
from pipeline.family import Family
from pipeline.ingest import Recording
from pipeline.progress import Progress, no_progress
from pipeline.records import (
    Arguments,
    Correction,
    GivenTranscript,
    Motion,
    Record,
    ReferenceTranscript,
    Seconds,
    Speech,
    Timed,
    Word,
)
from pipeline.settings import StageSettings, listed, member_of
from pipeline.stage import Skip, stage
from pipeline.system.environment import Device
from pipeline.text.language import ENGLISH, UNKNOWN_LANGUAGE, language

if TYPE_CHECKING:
    from pipeline.transcribe.recognition import Recognition


ENGINES = Family("pipeline.transcribe.engines", "recogniser")
# The codes of the languages that Whisper knows.
_CODES = (
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id "
    "is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si "
    "sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh"
)
LANGUAGES = frozenset(_CODES.split())
Temperature = Annotated[float, Field(ge=0, le=2)]


# The value of `transcribe.language` with which the model detects the language.
AUTO = "auto"


def _language(code: str | None) -> str:
    if not code:
        return AUTO
    if code != AUTO and code not in LANGUAGES:
        raise ValueError("it must be the code of a language that Whisper knows, such as en, de, fr or zh, or auto")
    return code


class TranscribeSettings(StageSettings):
    """How speech is transcribed."""

    implied_by_model: ClassVar[frozenset[str]] = frozenset({"engine", "precision"})
    engine: Annotated[str, member_of(ENGINES, "auto")] = Field(
        "auto",
        description=f"The recogniser. {listed(ENGINES)} auto: ctranslate2 for models with which it was measured to be "
        "as good (tiny.en, base.en and base on a CPU), and for small, else openai.",
    )
    model: str = Field(
        "base.en", description="A Whisper size (tiny.en, base.en, small, large-v3, ...) or the path of a checkpoint."
    )
    device: Device = Field("auto", description="Where the model runs. auto uses the first GPU if there is one.")
    precision: Literal["auto", "int8", "float16", "float32"] = Field(
        "auto",
        description="ctranslate2: the type of its numbers. auto: int8 on a CPU, int8 with float16 on a GPU.",
    )
    language: Annotated[str, BeforeValidator(_language)] = Field(
        AUTO,
        description="The language that is spoken, such as en. auto: the model detects it in every recording. A model "
        "that knows English only fails if it does not understand the first minute; with en it goes on.",
    )
    translate: bool = Field(
        False,
        description="Also translate speech of other languages into English, by the same model, which must know many "
        "languages. The stages of arguments then read the translation. It takes as long again as transcribing.",
    )
    beam_size: int = Field(
        5, ge=1, le=100, description="Beams of the first decoding. 1 is greedy decoding, which is faster."
    )
    prompt: Literal["none", "motion", "names"] = Field(
        "none",
        description="What the model reads before each window. motion: the text of the motion. names: the names of the "
        "speakers, and those in the motion and its arguments. none: nothing.",
    )
    known_words: tuple[str, ...] = Field(
        (),
        max_length=200,
        description="Names and words of the domain that may be spoken, as a list. Whisper reads the first 74 tokens of "
        "them, some 25 names, before each window.",
    )
    condition_on_previous_text: bool = Field(
        False,
        description="Give the model the text of the previous window as context, as a translation always does. "
        "Windows are then decoded one after the other, which takes longer.",
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
    text: Literal["recognised", "reference"] = Field(
        "recognised",
        description="Which text the later stages read. reference: the reference transcript, with the times of the "
        "recognised words that it agrees with. If there is no audio, nothing is recognised.",
    )
    use_corrected: bool = Field(
        True,
        description="Use corrected transcripts instead of transcribing, if there are any. If false, such speeches are "
        "transcribed, and scored against the corrected transcript.",
    )

    @model_validator(mode="after")
    def _model_knows_language(self) -> "TranscribeSettings":
        if self.model.endswith(".en") and self.language not in (AUTO, "en"):
            raise ValueError(
                f"transcribe.model {self.model} knows English only; for transcribe.language={self.language} take "
                f"{self.model.removesuffix('.en')}"
            )
        return self

    @model_validator(mode="after")
    def _model_translates(self) -> "TranscribeSettings":
        if self.translate and self.model.endswith((".en", "turbo")):
            raise ValueError(
                f"transcribe.model {self.model} cannot translate; for transcribe.translate=true take small"
            )
        return self

    @property
    def known_language(self) -> str | None:
        """The language that is spoken; None if it is to be detected."""
        return None if self.language == AUTO else self.language


# One or more words with a capital letter, after a word that ends no sentence. The word "I" is no name.
_CAPITALISED = re.compile(r"(?<=[\w,;:] )((?!I\b)[A-Z][\w-]*(?: (?!I\b)[A-Z][\w-]*)*)")
# A word whose confidence is below this is doubtful.
DOUBTFUL = 0.5
# Clear English is at -0.2, English that is hard to hear above -0.6; German that was heard as English is below -0.9.
_IMPROBABLE = -0.8
_REPETITIVE = 2.4
OTHER_LANGUAGE = "another language than English needs transcribe.model=small"


class Segment(Timed, Record):
    """A part that the recogniser decoded at once, with its own measures of confidence."""

    start: Seconds
    end: Seconds
    temperature: float
    mean_logprob: float
    no_speech_probability: float
    compression_ratio: float

    @property
    def is_poor(self) -> bool:
        """Whether its text is improbable or repeats itself."""
        return self.mean_logprob < _IMPROBABLE or self.compression_ratio > _REPETITIVE


class Doubt(NamedTuple):
    """How many words are doubtful, of how many.

    A word is doubtful if its confidence is below 0.5, or if it is in a segment that is improbable or repeats itself.
    """

    doubtful: int
    words: int

    @classmethod
    def of(cls, words: Iterable[Word], segments: Iterable[Segment]) -> "Doubt":
        """The doubt about these words, which were decoded in these segments."""
        poor = [(each.start, each.end) for each in segments if each.is_poor]
        doubts = [
            (word.probability is not None and word.probability < DOUBTFUL)
            or any(start <= word.middle <= end for start, end in poor)
            for word in words
        ]
        return cls(sum(doubts), len(doubts))

    @property
    def prevails(self) -> bool:
        """Whether most words are doubtful."""
        return 2 * self.doubtful > self.words

    def __str__(self) -> str:
        return f"{self.doubtful} of {self.words} words are doubtful"


class Translation(Record):
    """A speech in English as a model wrote it: words, whose times are near those of what was said, and the model."""

    words: tuple[Word, ...]
    recogniser: str


class Transcript(Record):
    """Words in the order they were spoken.

    `language` is a code such as "en", or "und" if nobody has named the language of a given transcript. If the model
    detected it, `language_probability` says how sure it was.
    `keeps_hesitations` says whether "um" and "uh" are among the words if they were spoken.

    If a person corrected the words, `recognised` are the words before the correction, and `sentence_ends` has for each
    sentence the number of words before its end. `from_reference` says that the words are those of the reference
    transcript; `recognised` are then the words whose times they have, None if there are none. `translation` is the
    speech in English, if it is in another language and `transcribe.translate` is set.
    """

    words: tuple[Word, ...]
    language: str
    recogniser: str
    device: str
    punctuated: bool
    segments: tuple[Segment, ...] = ()
    keeps_hesitations: bool = False
    recognised: tuple[Word, ...] | None = None
    sentence_ends: tuple[int, ...] | None = None
    from_reference: bool = False
    language_probability: float | None = None
    translation: Translation | None = None

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def is_corrected(self) -> bool:
        """Whether a person corrected the words, their speakers or the sentences."""
        return self.recognised is not None and not self.from_reference

    @property
    def recognised_text(self) -> str:
        """The text as it was recognised, without corrections."""
        return self.text if self.recognised is None else " ".join(word.text for word in self.recognised)

    @property
    def doubt(self) -> str | None:
        """Why the transcript is not to be trusted: most of its words are doubtful. None if they are not."""
        doubt = self._doubt()
        if not doubt.prevails:
            return None
        return f"{doubt}; {OTHER_LANGUAGE}" if ".en" in self.recogniser else str(doubt)

    def used(self, model: str) -> bool:
        return self.device != "none"

    def figures(self) -> dict[str, float]:
        doubt = self._doubt()
        return {"words": doubt.words, "doubtful": doubt.doubtful / doubt.words if doubt.words else 0.0}

    def _doubt(self) -> Doubt:
        """What is doubtful of the words; nothing of those that a person wrote."""
        return Doubt(0, len(self.words)) if self.recognised is not None else Doubt.of(self.words, self.segments)


def _weights(settings: TranscribeSettings) -> dict[str, str]:
    from pipeline.transcribe.recogniser import engine

    return engine(settings).weights(settings)


def _side_by_side(settings: TranscribeSettings) -> bool:
    from pipeline.transcribe.recogniser import engine

    return engine(settings).side_by_side(settings)


@stage(
    # 8: each channel by itself; 9: speech that was skipped is decoded by itself; 10: the translation, languages tried;
    # 11: fewer steps for speech that is not understood; 12: windows together, without times of utterances
    version=12,
    model=_weights,
    uses_device=True,
    side_by_side=_side_by_side,
    one_of=("recording", "given", "reference"),
    pace=0.1,
    needs={
        "motion": lambda settings: settings.prompt != "none",
        "reference": lambda settings: settings.text == "reference",
        "speech": lambda settings: settings.prompt == "names",
        "arguments": lambda settings: settings.prompt == "names",
    },
    reads={"speech": ("speakers",)},
)
def transcribe(
    recording: Recording | None,
    turns: Turns | None,
    motion: Motion | None,
    given: GivenTranscript | None,
    reference: ReferenceTranscript | None = None,
    speech: Speech | None = None,
    arguments: Arguments | None = None,
    *,
    settings: TranscribeSettings,
    progress: Progress = no_progress,
) -> Transcript:
    """Transcribe the speaker turns. Uses the given transcript if there is no recording, and a corrected one instead.

    With `transcribe.text=reference`, the words are those of the reference transcript.
    """
    from pipeline.transcribe.recognition import recognise

    corrected = given.correction if given is not None and settings.use_corrected else None
    if settings.text == "reference" and corrected is None and (reference is None or not reference.text.strip()):
        other = " to read the given transcript" if given is not None else ""
        raise Skip(
            "no reference transcript, which transcribe.text=reference reads; name one in the column reference of "
            f"speeches.csv, or leave the setting out{other}"
        )
    recognition = None
    if recording is not None and turns is not None and corrected is None:
        prompt = _prompt(settings, motion, speech, arguments)
        recognition = recognise(recording, turns, prompt, settings, _share(progress, 0, settings))
    heard = _recognised(recognition, turns, settings) if recognition and turns else _given(given, settings)
    if corrected is not None:
        transcript = _corrected(corrected)
    elif settings.text == "reference" and reference is not None:
        transcript = _of_reference(reference, heard, turns, settings)
    elif heard is not None:
        transcript = heard
    else:
        raise Skip("no recording and no transcript given")
    if settings.translate and recording is not None and turns is not None and transcript.words:
        return _with_translation(transcript, recording, turns, settings, _share(progress, 1, settings))
    return transcript


def _share(progress: Progress, half: int, settings: TranscribeSettings) -> Progress:
    """The progress of transcribing (0) or translating (1), where each is one half of the work."""
    return (lambda share, what: progress((half + share) / 2, what)) if settings.translate else progress


def _with_translation(
    transcript: Transcript, recording: Recording, turns: Turns, settings: TranscribeSettings, progress: Progress
) -> Transcript:
    """The transcript with what the model says of the same speech in English, if it is in another language."""
    from pipeline.transcribe.recognition import recognise

    if language(transcript.language) is ENGLISH:
        return transcript
    heard = recognise(recording, turns, None, settings, progress, translated_from=transcript.language)
    translation = Translation(words=heard.words, recogniser=heard.recogniser)
    return transcript.model_copy(update={"translation": translation})


def _of_reference(
    reference: ReferenceTranscript, heard: Transcript | None, turns: Turns | None, settings: TranscribeSettings
) -> Transcript:
    """The reference transcript, with the times of the recognised words; at an even pace if nothing was recognised.

    The speakers are those that are heard, or those that the text names if nobody is.
    """
    from pipeline.transcribe.reference import evenly_timed, is_punctuated, reference_words, timed

    if heard is None:
        words = evenly_timed(reference)
        return Transcript(
            words=words,
            language=settings.known_language or UNKNOWN_LANGUAGE,
            recogniser="reference transcript, at an even pace",
            device="none",
            punctuated=is_punctuated([word.text for word in words]),
            from_reference=True,
        )
    texts = reference_words(reference.text)
    words = timed(texts, heard.words)
    return Transcript(
        words=assign_speakers(words, turns, settings.max_speaker_gap) if turns else words,
        language=heard.language,
        language_probability=heard.language_probability,
        recogniser=f"reference transcript, timed by {heard.recogniser}",
        device=heard.device,
        punctuated=is_punctuated(texts),
        recognised=heard.words,
        from_reference=True,
    )


def _given(given: GivenTranscript | None, settings: TranscribeSettings) -> Transcript | None:
    """What another recogniser heard, as the given transcript says; None if it has no words."""
    from pipeline.transcribe.reference import is_punctuated

    if given is None or not given.words:
        return None
    return Transcript(
        words=given.words,
        language=given.language or settings.known_language or UNKNOWN_LANGUAGE,
        recogniser=given.source,
        device="none",
        punctuated=is_punctuated([word.text for word in given.words]),
        keeps_hesitations=given.keeps_hesitations,
    )


def _recognised(heard: "Recognition", turns: Turns, settings: TranscribeSettings) -> Transcript:
    """What was recognised in the recording, each word with its speaker."""
    return Transcript(
        words=heard.words if turns.channels else assign_speakers(heard.words, turns, settings.max_speaker_gap),
        language=heard.language,
        language_probability=heard.language_probability,
        recogniser=heard.recogniser,
        device=heard.device,
        punctuated=heard.punctuated,
        segments=heard.segments,
        keeps_hesitations=heard.keeps_hesitations,
    )


def _corrected(correction: Correction) -> Transcript:
    """The transcript with the words that a person corrected, and the recognised words beside them."""
    return Transcript(
        words=correction.words or (),
        language=correction.language,
        recogniser=correction.recogniser,
        device="none",
        punctuated=True,
        keeps_hesitations=correction.keeps_hesitations,
        recognised=correction.recognised,
        sentence_ends=correction.sentence_ends,
    )


def _prompt(
    settings: TranscribeSettings, motion: Motion | None, speech: Speech | None, arguments: Arguments | None
) -> str | None:
    if settings.prompt == "none":
        return None
    if settings.prompt == "names":
        known = _known_names(speech.speakers if speech else (), _texts(motion, arguments))
        return f"{', '.join(known)}." if known else None
    if motion is None:
        raise RostrumError("transcribe.prompt=motion: this speech has no motion; name it in speeches.csv")
    return motion.text


def _texts(motion: Motion | None, arguments: Arguments | None) -> list[str]:
    """What the corpus says about a motion: its text, and its arguments."""
    items = arguments.items if arguments else ()
    return [*([motion.text] if motion else []), *(text for item in items for text in (item.title, item.text))]


def _known_names(speakers: Iterable[str], texts: Iterable[str]) -> list[str]:
    """The speakers' names, then what has a capital letter within a sentence of these texts, each once."""
    within = (match[1] for text in texts for match in _CAPITALISED.finditer(text))
    return list(dict.fromkeys([*speakers, *within]))
