"""Cuts the words of a transcript into sentences."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from pipeline.records import UNTRANSLATED, Record, Sentence, Word
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage
from pipeline.system.logs import warn_once
from pipeline.text.language import language
from pipeline.transcribe import DOUBTFUL, Transcript


class SegmentSettings(StageSettings):
    """How words are cut into sentences."""

    method: Literal["auto", "punkt", "tagger", "pauses"] = Field(
        "auto",
        description="How to cut. punkt: at punctuation. tagger: English only, by words and their timing (`rostrum "
        "train segmenter`). pauses: at silences. auto: punkt if the recogniser wrote punctuation, else the tagger if "
        "one was trained, else pauses.",
    )
    tagger: str | None = Field(None, description="The file of a trained tagger. Empty: the one in the model cache.")
    pause: float = Field(0.25, gt=0, description="pauses: a silence of this many seconds ends a sentence.")


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


def _models(settings: SegmentSettings) -> dict[str, str]:
    """Digests of the models that may cut English. The transcript decides later which one does.

    The tables of other languages have one digest only, that of the catalogue; a change of it raises the version.
    """
    from pipeline.segment.boundary_tagger import tagger_digest
    from pipeline.text.sentences import punkt_digest

    digests = {}
    if settings.method in ("auto", "punkt"):
        digests["punkt"] = punkt_digest()
    if settings.method in ("auto", "tagger"):
        digests["segmenter"] = tagger_digest(settings.tagger) or "not trained"
    return digests


# 3: by the tables of the language that is spoken; 4: the translation of each sentence; 5: but none that is doubted;
# 6: one sign for apostrophes
@stage(version=6, model=_models)
def segment(transcript: Transcript, *, settings: SegmentSettings) -> Sentences:
    """Cut the words into sentences: at punctuation; where there is none, by a trained tagger or at pauses.

    If the speech was translated, each sentence has its translation. Sentences that were translated as one become one.
    """
    segmented = _cut(transcript, settings)
    if transcript.translation is None or not segmented.sentences:
        return segmented
    translated = with_translation(segmented.sentences, transcript.translation.words)
    return segmented.model_copy(update={"sentences": translated, "translated_by": transcript.translation.recogniser})


def _cut(transcript: Transcript, settings: SegmentSettings) -> Sentences:
    from pipeline.text.sentences import sentences

    words, language = transcript.words, transcript.language
    if transcript.sentence_ends is not None:
        corrected = sentences(words, transcript.sentence_ends)
        return Sentences(sentences=corrected, method="corrected", language=language)
    if settings.method == "punkt" or (settings.method == "auto" and transcript.punctuated):
        return _at_punctuation(transcript)
    return _without_punctuation(transcript, settings)


def _at_punctuation(transcript: Transcript) -> Sentences:
    """The sentences by Punkt's tables of the language; at marks if it has none."""
    from pipeline.text.language import ENGLISH, language
    from pipeline.text.sentences import cut_at_punctuation, cut_into_sentences

    spoken = language(transcript.language)
    items = cut_into_sentences(transcript.words, lambda run: cut_at_punctuation(run, spoken))
    method = "punkt" if spoken is ENGLISH else f"punkt ({spoken.name})" if spoken.tables else "marks"
    return Sentences(sentences=items, method=method, language=transcript.language)


def _without_punctuation(transcript: Transcript, settings: SegmentSettings) -> Sentences:
    """The sentences by the tagger if there is one and the speech is English, else at pauses."""
    from pipeline.segment.boundary_tagger import load_tagger, tagger_digest
    from pipeline.text.language import ENGLISH, language
    from pipeline.text.sentences import cut_at_pauses, cut_into_sentences, sentences

    words, code = transcript.words, transcript.language
    is_english = language(code) is ENGLISH
    if settings.method == "tagger" and not is_english:
        raise Skip(f"the tagger reads English only, and this speech is in another language ({code})")
    if settings.method == "tagger" or (settings.method == "auto" and is_english and tagger_digest(settings.tagger)):
        tags = load_tagger(settings.tagger).tag(words)
        return Sentences(sentences=sentences(words, tags.ends, tags.written(words)), method="tagger", language=code)
    name = f"pauses of {settings.pause:g} s"
    if settings.method == "auto":
        name += ", for lack of a trained tagger" if is_english else ", as the tagger reads English only"
        hint = "; rostrum train segmenter makes one" if is_english else ""
        warn_once(f"no punctuation: cut at {name}{hint}")
    items = cut_into_sentences(words, lambda run: cut_at_pauses(run, settings.pause))
    return Sentences(sentences=items, method=name, language=code)


# The translation of each sentence.


def with_translation(said: Sequence[Sentence], words: Sequence[Word]) -> tuple[Sentence, ...]:
    """The sentences with the English ones that are spoken at their time.

    A sentence without any is joined to the one before, or after, of the same speaker. Otherwise its translation is
    empty. An English sentence of which the model doubts half the words says nothing: it becomes '…'.
    """
    from pipeline.text.sentences import cut_at_punctuation, cut_into_sentences

    texts: list[list[str]] = [[] for _ in said]
    for english in cut_into_sentences(words, cut_at_punctuation) if words else ():
        # where it overlaps most; if nowhere, the nearest
        home = max(range(len(said)), key=lambda place: (said[place].overlap(english), -said[place].gap(english)))
        texts[home].append(UNTRANSLATED if _is_doubted(words[english.first : english.last]) else english.text)
    joined: list[Sentence] = []
    for sentence, own in zip(said, texts, strict=True):
        before = joined[-1] if joined else None
        if before and before.speaker == sentence.speaker and not (own and before.translation):
            joined[-1] = before.model_copy(
                update={
                    "text": f"{before.text} {sentence.text}",
                    "translation": before.translation or " ".join(own),
                    "end": max(before.end, sentence.end),
                    "last": sentence.last,
                }
            )
        else:
            joined.append(sentence.model_copy(update={"translation": " ".join(own)}))
    return tuple(joined)


def _is_doubted(words: Sequence[Word]) -> bool:
    doubted = sum(word.probability is not None and word.probability < DOUBTFUL for word in words)
    return 2 * doubted >= len(words)
