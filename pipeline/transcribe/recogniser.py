"""The protocol of a recogniser, and the one that the settings name."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol, cast

from pipeline.errors import RostrumError
from pipeline.family import Family
from pipeline.progress import Progress, no_progress
from pipeline.records import Word
from pipeline.transcribe.record import Segment
from pipeline.transcribe.stage import TranscribeSettings
from pipeline.transcribe.windows import ReadSamples, Stretch

ENGINES = Family("pipeline.transcribe.engines", "recogniser")


class Recognised(NamedTuple):
    """What a recogniser heard. Times count from the beginning of the recording."""

    words: tuple[Word, ...]
    segments: tuple[Segment, ...]
    language: str
    punctuated: bool = True


class Recogniser(Protocol):
    """A loaded recogniser. `name` is how the transcript calls it, with its model; `device` is where it runs."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    def transcribe(
        self,
        read: ReadSamples,
        stretches: Sequence[Stretch],
        prompt: str | None,
        progress: Progress = no_progress,
    ) -> Recognised:
        """The words of these stretches of a recording; what lies between them is not decoded.

        `read` gives the samples between two times. `prompt` is text that the speech may be about.
        `progress` is told how much of the speech is decoded.
        """
        ...


class Engine(Protocol):
    """What a module in `pipeline.transcribe.engines` has."""

    # Settings of `transcribe` that make no difference to this recogniser.
    IGNORES: Collection[str]

    def weights(self, settings: TranscribeSettings) -> dict[str, str]:
        """The names and digests of the models that `load` would take. Nothing is loaded.

        A recogniser that shares its models with another one adds an entry of its own, because their results differ.
        """
        ...

    def side_by_side(self, settings: TranscribeSettings) -> bool:
        """Whether threads may transcribe several recordings at once."""
        ...

    def load(self, settings: TranscribeSettings) -> Recogniser:
        """The recogniser, ready to transcribe. Models are loaded once per process."""
        ...


def engine(settings: TranscribeSettings) -> Engine:
    """The engine that the settings name. Refuses a changed setting that it would ignore."""
    chosen = chosen_engine(settings)
    found = cast(Engine, ENGINES.load(chosen))
    for name, field in TranscribeSettings.model_fields.items():
        if name in found.IGNORES and getattr(settings, name) != field.default:
            raise RostrumError(f"transcribe.{name}: the recogniser {chosen} has no such setting; leave it out")
    return found


def chosen_engine(settings: TranscribeSettings) -> str:
    """The name of the recogniser. For auto, it is the faster one where its words are as good."""
    if settings.engine != "auto":
        return settings.engine
    return "ctranslate2" if ENGINES.load("ctranslate2").is_as_good(settings) else "openai"
