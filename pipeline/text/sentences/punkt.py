"""Where sentences end in punctuated text: nltk's Punkt, with the abbreviations that debates are full of."""

import functools
import re
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from pipeline.errors import RostrumError

MODEL = "punkt"
_ENGLISH = Path("tokenizers/punkt_tab/english")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Known to be abbreviations; whether a sentence ends there too, Punkt decides by the word that follows.
_ABBREVIATIONS = _words("a.k.a al apr assn attn dept e.u est etc gov govt jul jun mar")
# Never the end of a sentence.
_NEVER_FINAL = _words(
    "mr mrs ms messrs dr prof sen rep reps gov gen col lt sgt capt adm hon rev pres st vs v e.g i.e cf viz approx"
)
# Abbreviations before a number ('No. 5'), words before anything else ('No. We should ...').
_BEFORE_NUMBER = _words("no nos art sec fig ch vol p pp ver")
# Abbreviations of states and days to Punkt, which learned from a newspaper; ordinary words to a speaker.
_ORDINARY = _words("ill ok ore wash sat sun")
# Words that, with a capital, begin a sentence after an abbreviation ('in the U.S. We ...').
_STARTERS = _words("and because but how i it our she so that the there these they this those we what why you")

_DOTTED = re.compile(r"\b(?:\w\.){2,}")
_LAST_TOKEN = re.compile(r"(\S+)\s*$")
_OPENING = "\"'“‘([{"
_CLOSING = "\"'”’)]}.,;:"


def punkt_folder() -> Path:
    """The folder of Punkt's English tables: from the model cache, else from nltk's own data folders."""
    return _located()[0]


def punkt_digest() -> str:
    """The digest of Punkt's tables."""
    return _located()[1]


@functools.cache
def _located() -> tuple[Path, str]:
    from pipeline import models

    try:
        found = models.find(MODEL)
    except RostrumError as missing:
        import nltk

        try:
            path = Path(str(nltk.data.find(_ENGLISH.as_posix())))
        except LookupError:
            raise missing from None
        return path, models.find(path).digest
    return found.path / _ENGLISH, found.digest


def sentence_ends(text: str) -> list[int]:
    """Offsets at which sentences end, just after their last character; the text's own end among them."""
    spans = list(_tokenizer(text).span_tokenize(text))
    ends = [end for (_, end), (start, _) in zip(spans, spans[1:], strict=False) if _may_end(text, end, start)]
    return [*ends, *(end for _, end in spans[-1:])]


def split(text: str) -> list[str]:
    """The sentences of a text."""
    if not text.strip():
        return []
    sentences = (text[start:end].strip() for start, end in pairwise([0, *sentence_ends(text)]))
    return [sentence for sentence in sentences if sentence]


def _may_end(text: str, end: int, following: int) -> bool:
    """Whether to keep a cut that Punkt makes. `following` is where the next sentence would begin."""
    last = _LAST_TOKEN.search(text, max(0, end - 40), end)
    if last is None or not last[1].endswith("."):
        return True
    word = last[1].lower().strip(_OPENING).rstrip(_CLOSING)
    return word not in _NEVER_FINAL and not (word in _BEFORE_NUMBER and text[following].isdigit())


def _tokenizer(text: str) -> Any:
    """Punkt that also knows the dotted acronyms of this text (`G.D.P.`), whatever they are."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    known = _parameters()
    parameters = type(known)()
    parameters.abbrev_types = known.abbrev_types | {match.lower()[:-1] for match in _DOTTED.findall(text)}
    parameters.collocations = known.collocations
    parameters.sent_starters = known.sent_starters
    parameters.ortho_context = known.ortho_context
    tokenizer = PunktSentenceTokenizer()
    tokenizer._params = parameters
    return tokenizer


@functools.cache
def _parameters() -> Any:
    """Punkt's tables. nltk's own loader refuses folders that are not on its global data path."""
    from nltk.tabdata import PunktDecoder
    from nltk.tokenize.punkt import PunktParameters

    def lines(name: str) -> StringIO:
        return StringIO((punkt_folder() / name).read_text(encoding="utf-8"))

    decoder, parameters = PunktDecoder(), PunktParameters()
    parameters.collocations = set(decoder.tab2tups(lines("collocations.tab")))
    parameters.sent_starters = decoder.txt2set(lines("sent_starters.txt")) | _STARTERS
    parameters.ortho_context = decoder.tab2intdict(lines("ortho_context.tab"))
    learned = decoder.txt2set(lines("abbrev_types.txt"))
    parameters.abbrev_types = (learned - _ORDINARY) | _ABBREVIATIONS | _NEVER_FINAL
    return parameters
