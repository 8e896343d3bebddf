"""Cuts texts and transcripts into sentences, and says whether a sentence asks something."""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError
from pipeline.records import Sentence, Word
from pipeline.text.language import ENGLISH, Abbreviations, Language

# Punctuated text is cut by nltk's Punkt, with the abbreviations that debates are full of.

_DOTTED = re.compile(r"\b(?:\w\.){2,}")
_LAST_TOKEN = re.compile(r"(\S+)\s*$")
_FIRST_WORD = re.compile(r"\w+")
_OPENING = "\"'“‘([{«„¿¡"
_CLOSING = "\"'”’)]}»“.,;:"
# Marks that end a sentence where no tables are known. A full stop of another script needs no space after it.
_MARKS = re.compile(r"(?<![.!?…؟।])[.!?…؟।]+[\"'”’)\]}»]*(?=\s|$)|[。！？]+[\"'”’」』）]*")


def punkt_folder(spoken: Language = ENGLISH) -> Path:
    """The folder of Punkt's tables: from the model cache; for English also from nltk's own data folders."""
    return _punkt(spoken)[0]


def punkt_digest() -> str:
    """The digest of Punkt's English tables. Those of other languages are pinned by the catalogue of models."""
    return _punkt(ENGLISH)[1]


@functools.cache
def _punkt(spoken: Language) -> tuple[Path, str]:
    from pipeline import models

    folder = Path("tokenizers/punkt_tab") / str(spoken.name)
    try:
        model = models.find(str(spoken.tables))
    except RostrumError as missing:
        import nltk

        try:
            path = Path(str(nltk.data.find(folder.as_posix()))) if spoken is ENGLISH else None
        except LookupError:
            raise missing from None
        if path is None:
            raise
        return path, models.find(path).digest
    return model.path / folder, model.digest


def sentence_ends(text: str, spoken: Language = ENGLISH) -> list[int]:
    """Offsets at which sentences end, just after their last character; the text's own end among them.

    A text in a language without tables is cut at its marks.
    """
    if spoken.tables is None:
        last = len(text.rstrip())
        return sorted({*(mark.end() for mark in _MARKS.finditer(text)), last}) if last else []
    spans = list(_tokenizer(text, spoken).span_tokenize(text))
    known = spoken.abbreviations
    ends = [end for (_, end), (start, _) in zip(spans, spans[1:], strict=False) if _may_end(text, end, start, known)]
    return [*ends, *(end for _, end in spans[-1:])]


def split(text: str, spoken: Language = ENGLISH) -> list[str]:
    """The sentences of a text."""
    if not text.strip():
        return []
    sentences = (text[start:end].strip() for start, end in pairwise([0, *sentence_ends(text, spoken)]))
    return [sentence for sentence in sentences if sentence]


def _may_end(text: str, end: int, following: int, known: Abbreviations) -> bool:
    """Whether to keep a cut that Punkt makes. `following` is where the next sentence would begin."""
    last = _LAST_TOKEN.search(text, max(0, end - 40), end)
    if last is None or not last[1].endswith("."):
        return True
    word = last[1].lower().strip(_OPENING).rstrip(_CLOSING).rpartition("'")[2]  # l'art. 5
    if word.isdigit() and len(word) <= 2 and known.after_ordinal:
        then = _FIRST_WORD.match(text, following)
        return then is None or then[0].lower() not in known.after_ordinal
    return word not in known.never_final and not (word in known.before_number and text[following].isdigit())


def _tokenizer(text: str, spoken: Language) -> Any:
    """Punkt that also knows the dotted acronyms of this text (`G.D.P.`), whatever they are."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    known = _parameters(spoken)
    parameters = type(known)()
    parameters.abbrev_types = known.abbrev_types | {match.lower()[:-1] for match in _DOTTED.findall(text)}
    parameters.collocations = known.collocations
    parameters.sent_starters = known.sent_starters
    parameters.ortho_context = known.ortho_context
    tokenizer = PunktSentenceTokenizer()
    tokenizer._params = parameters
    tokenizer._lang_vars._re_period_context = _context(tokenizer._lang_vars)
    return tokenizer


@functools.cache
def _context_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)


def _context(variables: Any) -> re.Pattern[str]:
    """Punkt's own expression. nltk's has a limit of five seconds, in which a machine may sleep or a text be long."""
    characters = {"NonWord": variables._re_non_word_chars, "SentEndChars": variables._re_sent_end_chars}
    return _context_pattern(variables._period_context_fmt % characters)


@functools.cache
def _parameters(spoken: Language) -> Any:
    """Punkt's tables. nltk's own loader refuses folders that are not on its global data path."""
    from nltk.tabdata import PunktDecoder
    from nltk.tokenize.punkt import PunktParameters

    def lines(name: str) -> StringIO:
        return StringIO((punkt_folder(spoken) / name).read_text(encoding="utf-8"))

    known, decoder, parameters = spoken.abbreviations, PunktDecoder(), PunktParameters()
    parameters.collocations = set(decoder.tab2tups(lines("collocations.tab")))
    parameters.sent_starters = decoder.txt2set(lines("sent_starters.txt")) | known.starters
    parameters.ortho_context = decoder.tab2intdict(lines("ortho_context.tab"))
    learned = decoder.txt2set(lines("abbrev_types.txt"))
    parameters.abbrev_types = (learned - known.ordinary) | known.known | known.never_final
    return parameters


# Sentences of a transcript: a cutter says after which words sentences end, `sentences` makes the records.

# For the words of one speaker, how many words stand before each end of a sentence, in ascending order; the last is all.
Cutter = Callable[[Sequence[Word]], list[int]]


def cut(words: Sequence[Word], cutter: Cutter) -> list[int]:
    """How many words stand before each end of a sentence. No sentence crosses a change of speaker."""
    return [start + count for start, end, _ in speaker_runs(words) for count in cutter(words[start:end])]


def cut_into_sentences(words: Sequence[Word], cutter: Cutter) -> tuple[Sentence, ...]:
    """The words as sentences, as the cutter cuts them. No sentence crosses a change of speaker."""
    return sentences(words, cut(words, cutter))


def sentences(words: Sequence[Word], ends: Sequence[int], texts: Sequence[str] | None = None) -> tuple[Sentence, ...]:
    """The words as sentences: each word in exactly one of them, in order.

    `texts` has the words as they are to be written, if not as the recogniser wrote them. An apostrophe is written as
    recognisers do, however it was typed: what reads sentences knows one sign.
    """
    texts = [word.text for word in words] if texts is None else texts
    return tuple(
        Sentence(
            text=" ".join(texts[first:last]).replace("’", "'"),
            start=min(word.start for word in words[first:last]),
            end=max(word.end for word in words[first:last]),
            first=first,
            last=last,
            speaker=next((word.speaker for word in words[first:last] if word.speaker is not None), None),
        )
        for first, last in pairwise([0, *ends])
    )


def speaker_runs(words: Sequence[Word]) -> Iterator[tuple[int, int, str | None]]:
    """(first, last, speaker) of each stretch of one speaker. A word without speaker goes with the words before it."""
    start, speaker = 0, None
    for index, word in enumerate(words):
        if word.speaker is None or word.speaker == speaker:
            continue
        if speaker is not None:
            yield start, index, speaker
            start = index
        speaker = word.speaker
    if words:
        yield start, len(words), speaker


def cut_at_punctuation(words: Sequence[Word], spoken: Language = ENGLISH) -> list[int]:
    """Cut where Punkt ends a sentence. A mark inside of a word ('yes.but') never divides the word."""
    text = " ".join(word.text for word in words)
    ends = set(sentence_ends(text, spoken))
    starts = accumulate((len(word.text) + 1 for word in words), initial=0)
    word_ends = (start + len(word.text.rstrip()) for start, word in zip(starts, words, strict=False))
    cuts = [count for count, end in enumerate(word_ends, start=1) if end in ends and count < len(words)]
    return [*cuts, len(words)]


def cut_at_pauses(words: Sequence[Word], pause: float) -> list[int]:
    """Cut where nobody speaks for `pause` seconds or more."""
    return [index for index, (one, other) in enumerate(pairwise(words), start=1) if other.start - one.end >= pause] + [
        len(words)
    ]


def cut_every(words: Sequence[Word], length: int) -> list[int]:
    """Cut every `length` words: the baseline without information."""
    return [*range(length, len(words), length), len(words)]


# Whether an English sentence without punctuation asks something, by how it begins.

_ORDINALS = frozenset({"first", "firstly", "second", "secondly", "third", "thirdly", "next", "finally"})
_LEADS = _ORDINALS | {"so", "and", "but", "or", "now", "well", "like", "then", "because", "again", "also", "okay"}
_ASKING = frozenset({"how", "where", "when", "who", "what", "which"})
# Between these and the auxiliary something else may stand: 'what kind of world is', 'how much can'.
_OF_WHAT = frozenset({"how", "what", "which"})
_AUXILIARIES = frozenset(
    {
        *("am", "is", "are", "was", "were", "do", "does", "did", "have", "has", "had"),
        *("can", "could", "shall", "should", "will", "would", "may", "might", "must"),
        *("isn't", "aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "haven't", "hasn't", "hadn't"),
        *("can't", "couldn't", "shouldn't", "won't", "wouldn't"),
    }
)
_SUBJECTS = frozenset(
    {
        *("i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those", "there", "the", "a", "an"),
        *("people", "anyone", "someone", "my", "your", "his", "her", "its", "our", "their", "not"),
    }
)
_BEGINNINGS = (("what", "about"), ("how", "about"), ("how", "come"), ("what's", "the"), ("what's", "wrong"), ("who's",))


def asks(words: Sequence[str]) -> bool:
    """Whether these lower-case words are a question by how they begin: 'why', 'do you', 'what kind of world is'.

    'What we need is' is none. Questions that only the voice makes are not found.
    """
    start = next((index for index, word in enumerate(words) if word not in _LEADS), len(words))
    rest = tuple(words[start:])
    if not rest:
        return False
    if rest[0] in _AUXILIARIES:
        # 'first is that ...' tells
        return rest[1:2] != () and rest[1] in _SUBJECTS and not (start and words[start - 1] in _ORDINALS)
    if rest[0] == "why" or any(rest[: len(beginning)] == beginning for beginning in _BEGINNINGS):
        return True
    return rest[0] in _ASKING and _inverted(rest[1:5] if rest[0] in _OF_WHAT else rest[1:2])


def _inverted(words: Sequence[str]) -> bool:
    """Whether an auxiliary comes before any subject."""
    return next((word for word in words if word in _AUXILIARIES or word in _SUBJECTS), None) in _AUXILIARIES
