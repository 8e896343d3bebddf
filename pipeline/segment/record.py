"""The record of `segment`."""

from collections.abc import Mapping, Sequence

from pipeline.records import UNTRANSLATED, Record, Sentence
from pipeline.stage import Skip
from pipeline.text.language import language

# How the reason begins for which the stages of arguments skip a recording that is not English.
ANOTHER_LANGUAGE = "it is in another language"


class Sentences(Record):
    """A transcript cut into sentences. Every word is in exactly one of them. `language` is that of the transcript.

    `translated_by` is the model that made their translations, None if they have none.
    """

    sentences: tuple[Sentence, ...]
    method: str
    language: str = "en"
    translated_by: str | None = None

    def used(self, model: str) -> bool:
        return {"punkt": "punkt", "segmenter": "tagger"}.get(model) == self.method

    def figures(self) -> dict[str, float]:
        return {"translated": 1.0} if self.translated_by else {}

    @property
    def is_read_in_english(self) -> bool:
        """Whether the stages of arguments can read it: it is English, or was translated."""
        return language(self.language).reads_arguments or self.translated_by is not None

    def in_english(self) -> "Sentences":
        """The sentences as the stages of arguments read them. They are skipped if it is in another language."""
        if not self.is_read_in_english:
            raise Skip(
                f"{ANOTHER_LANGUAGE} ({self.language}), and this stage reads English; "
                "transcribe.translate=true with transcribe.model=small translates it"
            )
        if language(self.language).reads_arguments:
            return self
        texts = [sentence.translation or UNTRANSLATED for sentence in self.sentences]
        return self._with_texts(texts)

    def unread(self) -> "Sentences":
        """The sentences without what they say, for what is known of a recording that cannot be read."""
        return self._with_texts([UNTRANSLATED] * len(self.sentences))

    def _with_texts(self, texts: Sequence[str]) -> "Sentences":
        paired = zip(self.sentences, texts, strict=True)
        replaced = tuple(one.model_copy(update={"text": text}) for one, text in paired)
        return self.model_copy(update={"sentences": replaced, "language": "en"})


def in_english(recordings: Mapping[str, Sentences]) -> dict[str, Sentences]:
    """The recordings that can be read in English. It is skipped if there are some, and none can."""
    readable = {id: each.in_english() for id, each in recordings.items() if each.is_read_in_english}
    return readable or {id: each.in_english() for id, each in recordings.items()}
