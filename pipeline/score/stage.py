"""Compares a transcript with its reference: word and character errors, counted by jiwer."""

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Literal

from pydantic import Field

from pipeline.records import ErrorCounts, Record, ReferenceTranscript
from pipeline.settings import StageSettings
from pipeline.stage import Skip, stage
from pipeline.text.language import UNKNOWN_LANGUAGE
from pipeline.transcribe import Transcript

Normaliser = Callable[[str], str]
NormaliserName = Literal["plain", "whisper", "verbatim"]
# A reference of a million characters (some twenty hours) and 50 times the transcript: probably the wrong file.
_LONGEST, _OUT_OF_PROPORTION = 1_000_000, 50


class ScoreSettings(StageSettings):
    """How a transcript is compared with its reference."""

    normaliser: NormaliserName = Field(
        "whisper",
        description="Which differences do not count as errors. whisper: spelling, fillers and numbers, by Whisper's "
        "English rules. plain: case and punctuation. verbatim: none.",
    )


class AlignedChunk(Record):
    """A part of the alignment: a range of reference words, and the range of hypothesis words beside it."""

    type: Literal["equal", "substitute", "delete", "insert"]
    reference: tuple[int, int]
    hypothesis: tuple[int, int]


class WordErrors(Record):
    """A transcript compared with its reference, after normalising both.

    `mer` and `wil` are match error rate and word information lost. A rate is None if the reference is empty. `sources`
    has for each word of the hypothesis the range of the transcript's words that it comes from: the normaliser makes
    "will not" of "won't", and "21" of "twenty one".
    """

    normaliser: str
    words: ErrorCounts
    characters: ErrorCounts
    wer: float | None
    mer: float | None
    wil: float | None
    cer: float | None
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    sources: tuple[tuple[int, int], ...]
    alignment: tuple[AlignedChunk, ...]

    def figures(self) -> dict[str, float]:
        return self.words.model_dump() | ({} if self.cer is None else {"cer": self.cer})


@stage(version=4)  # 3: "5 %" and "€ 20" are "5%" and "€20"; 4: "I’m" is "I'm"
def score(transcript: Transcript, reference: ReferenceTranscript, *, settings: ScoreSettings) -> WordErrors:
    """Count word and character errors against the reference transcript, and keep the alignment.

    For a corrected transcript, and one that is the reference itself, the recognised words are compared.
    """
    if transcript.from_reference and transcript.recognised is None:
        raise Skip("nothing was recognised: the transcript is the reference itself")
    said, heard = reference.text, transcript.recognised_text
    if len(said) > max(_LONGEST, _OUT_OF_PROPORTION * len(heard)):
        sizes = f"{len(said):,} characters, the transcript {len(heard):,}"
        raise Skip(f"the reference transcript has {sizes}: it is not of this recording")
    words = transcript.words if transcript.recognised is None else transcript.recognised
    return word_errors(said, [word.text for word in words], settings.normaliser, transcript.language)


def word_errors(
    reference: str, hypothesis: str | Sequence[str], name: NormaliserName, language: str = "en"
) -> WordErrors:
    """Compare a transcript, as a text or its words, with what was really said.

    An empty reference gives counts, and no rates. An unknown language counts as English.

    >>> word_errors("we should ban it", "we could ban", "plain").words
    ErrorCounts(hits=2, substitutions=1, deletions=1, insertions=0)
    """
    normalise = normaliser(name, "en" if language == UNKNOWN_LANGUAGE else language)
    transcript = hypothesis.split() if isinstance(hypothesis, str) else hypothesis
    said, heard = normalise(reference), normalise(" ".join(transcript))
    tokens = tuple(heard.split())
    sources = tuple(source_words(transcript, tokens, normalise))
    if not said:
        inserted = AlignedChunk(type="insert", reference=(0, 0), hypothesis=(0, len(tokens)))
        return WordErrors(
            normaliser=name,
            words=ErrorCounts(insertions=len(tokens)),
            characters=ErrorCounts(insertions=len(heard)),
            wer=None,
            mer=None,
            wil=None,
            cer=None,
            reference=(),
            hypothesis=tokens,
            sources=sources,
            alignment=(inserted,) if tokens else (),
        )
    import jiwer

    words, characters = jiwer.process_words(said, heard), jiwer.process_characters(said, heard)
    return WordErrors(
        normaliser=name,
        words=ErrorCounts.model_validate(words, from_attributes=True),
        characters=ErrorCounts.model_validate(characters, from_attributes=True),
        wer=words.wer,
        mer=words.mer,
        wil=words.wil,
        cer=characters.cer,
        reference=tuple(said.split()),
        hypothesis=tokens,
        sources=sources,
        alignment=tuple(
            AlignedChunk(
                type=chunk.type,
                reference=(chunk.ref_start_idx, chunk.ref_end_idx),
                hypothesis=(chunk.hyp_start_idx, chunk.hyp_end_idx),
            )
            for chunk in words.alignments[0]
        ),
    )


def source_words(words: Sequence[str], tokens: Sequence[str], normalise: Normaliser) -> list[tuple[int, int]]:
    """For each token of a normalised text, the range of the words that it comes from.

    Each word is normalised by itself. Where that gives the tokens of the text, they come from this word. The tokens of
    any other stretch, such as a number of several words, come from all words of the stretch.
    """
    from rapidfuzz.distance import Levenshtein

    forms = {word: normalise(word).split() for word in set(words)}
    by_word = [(form, index) for index, word in enumerate(words) for form in forms[word]]
    sources: list[tuple[int, int]] = []
    edits = Levenshtein.opcodes([form for form, _ in by_word], tokens)
    for is_equal, stretch in groupby(edits, key=lambda edit: edit.tag == "equal"):
        changes = list(stretch)
        first, last = changes[0].src_start, changes[-1].src_end
        if is_equal:
            sources += [(index, index + 1) for _, index in by_word[first:last]]
            continue
        source = sources[-1] if sources else (0, 1)  # of what no word gives by itself
        if first < last:
            source = by_word[first][1], by_word[last - 1][1] + 1
        sources += [source] * (changes[-1].dest_end - changes[0].dest_start)
    return sources


def aligned_positions(reference: Sequence[str], hypothesis: Sequence[str]) -> list[tuple[int, int]]:
    """The positions of equal and substituted words in an alignment of minimum edit distance."""
    from rapidfuzz.distance import Levenshtein

    return [
        pair
        for edit in Levenshtein.opcodes(reference, hypothesis)
        if edit.tag in ("equal", "replace")
        for pair in zip(range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True)
    ]


# Normalisers, which remove from a transcript what does not count as a word error.


def normaliser(name: NormaliserName, language: str = "en") -> Normaliser:
    """The normaliser of that name. Whisper has rules of its own for English, and general ones for the rest.

    >>> normaliser("plain")("Don't stop!")
    "don't stop"
    """
    if name == "whisper":
        return _whisper(english=language == "en")
    return _plain if name == "plain" else _verbatim


def _verbatim(text: str) -> str:
    """The text with one character for each letter, however it was typed, and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _plain(text: str) -> str:
    """The text in lower case without punctuation. Apostrophes inside a word stay: "don't" is one word."""
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    return " ".join(re.sub(r"[^\w\s']|_|(?<!\w)'|'(?!\w)", " ", text).split())


@functools.cache
def _whisper(english: bool) -> Normaliser:
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    normalise = EnglishTextNormalizer() if english else BasicTextNormalizer()
    prepare = _typed_plainly if english else str
    return lambda text: " ".join(normalise(prepare(text)).split())


def _typed_plainly(text: str) -> str:
    """The text with ' for apostrophes, percent as a word, and currencies before their numbers.

    Whisper's rules make "i m" of "I’m", and drop a symbol after a space.

    >>> _typed_plainly("It’s 5 % of 20 €, or $ 3")
    "It's 5 percent of €20, or $3"
    """
    text = " ".join(text.replace("’", "'").split())
    text = re.sub(r" ?%", " percent", text)
    text = re.sub(r"(?<![\d.,])(\d[\d.,]*) ?([$£€])(?! ?\d)", r"\2\1", text)
    return re.sub(r"([$£€]) (?=\d)", r"\1", text)
