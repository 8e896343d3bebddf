"""What is known of a language: how sentences end in it, its stop words, stems, filled pauses and syllables.

English is complete. German, French and Spanish have everything but what the stages of arguments read English by. Of any
other language nothing is known: its sentences are cut at marks, and it has no syllables.
"""

import functools
from dataclasses import dataclass
from typing import Any

# The code of ISO 639-2 for a language that nobody has named. It is taken for English.
UNKNOWN_LANGUAGE = "und"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True)
class Abbreviations:
    """Words after which a full stop does not always end a sentence, beyond those that Punkt's tables have."""

    # Whether a sentence ends there too, Punkt decides by the word that follows.
    known: frozenset[str] = frozenset()
    never_final: frozenset[str] = frozenset()
    # Abbreviations before a number ('No. 5'), words before anything else ('No. We should ...').
    before_number: frozenset[str] = frozenset()
    # Abbreviations to Punkt, which learned from newspapers; ordinary words to a speaker.
    ordinary: frozenset[str] = frozenset()
    # Words that, with a capital, begin a sentence after an abbreviation ('in the U.S. We ...').
    starters: frozenset[str] = frozenset()
    # Words before which a number with a full stop is an ordinal ('am 3. Oktober').
    after_ordinal: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Language:
    """A language, by its code of two letters. `name` is what nltk and Snowball call it, None if they do not know it.

    `tables` is the model with Punkt's tables and stop words. `reads_arguments` says whether there are phrases, models
    and encoders for the stages of arguments.
    """

    code: str
    name: str | None = None
    tables: str | None = None
    abbreviations: Abbreviations = Abbreviations()
    filled_pauses: frozenset[str] = frozenset()
    reads_arguments: bool = False

    @functools.cached_property
    def stop_words(self) -> frozenset[str]:
        """Words that carry no content; none if they are not known."""
        return _english_stop_words() if self.code == "en" else _stop_words(self)

    @functools.cached_property
    def stemmer(self) -> Any:
        """Porter's stemmer for English, Snowball's for others; None if there is none."""
        from nltk.stem import PorterStemmer, SnowballStemmer

        if self.code == "en":
            return PorterStemmer()
        return SnowballStemmer(self.name) if self.name else None

    def is_filled_pause(self, word: str) -> bool:
        """Whether a word only fills a pause.

        >>> language("de").is_filled_pause("Ähm,")
        True
        """
        return word.lower().strip(".,?!…-") in self.filled_pauses


ENGLISH = Language(
    "en",
    "english",
    "punkt",
    Abbreviations(
        known=_words("a.k.a al apr assn attn dept e.u est etc gov govt jul jun mar"),
        never_final=_words(
            "mr mrs ms messrs dr prof sen rep reps gov gen col lt sgt capt adm hon rev pres st vs v e.g i.e cf viz "
            "approx"
        ),
        before_number=_words("no nos art sec fig ch vol p pp ver"),
        ordinary=_words("ill ok ore wash sat sun"),
        starters=_words("and because but how i it our she so that the there these they this those we what why you"),
    ),
    _words("um uh uhm er erm eh hm hmm mm"),
    reads_arguments=True,
)
GERMAN = Language(
    "de",
    "german",
    "german",
    Abbreviations(
        known=_words("usw etc o.ä u.ä"),
        never_final=_words("hr fr frl dr prof st z.b d.h u.a v.a i.d.r bzw ggf ca vgl sog inkl evtl bspw mind max"),
        before_number=_words("nr nrn art abs bd s kap abb tab §"),
        after_ordinal=_words(
            "januar februar märz april mai juni juli august september oktober november dezember jahrhundert "
            "jahrhunderts jahrhunderten klasse weltkrieg weltkriegs mal platz"
        ),
    ),
    _words("äh ähm öh öhm hm hmm mhm eh ehm em"),
)
FRENCH = Language(
    "fr",
    "french",
    "french",
    Abbreviations(
        known=_words("etc"),
        never_final=_words("m mm mme mmes mlle dr pr me st ste p.ex c.-à-d cf env"),
        before_number=_words("n no art al fig chap vol p pp"),
    ),
    _words("euh heu hum hem hm hmm ben bah"),
)
SPANISH = Language(
    "es",
    "spanish",
    "spanish",
    Abbreviations(
        known=_words("etc ee.uu uds ud vd vds"),
        never_final=_words("sr sra srta sres dr dra d dña prof profa ing lic gral p.ej cf aprox av avda"),
        before_number=_words("núm n.º art fig cap vol p pp pág págs"),
        ordinary=_words("res ten"),
        starters=_words("eso esto es el la los las y pero no hay yo por qué cómo si"),
    ),
    _words("eh em ehm mm hm hmm"),
)
KNOWN = {spoken.code: spoken for spoken in (ENGLISH, GERMAN, FRENCH, SPANISH)}


@functools.cache
def language(code: str) -> Language:
    """The language of that code.

    >>> language("es").name, language("und").name, language("ja").name
    ('spanish', 'english', None)
    """
    return KNOWN.get("en" if code == UNKNOWN_LANGUAGE else code) or Language(code)


def _english_stop_words() -> frozenset[str]:
    """English stop words, with contractions as speakers use them."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    contractions = (
        "i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll "
        "we'd they're they've they'll they'd that's that'll there's here's what's who's where's how's let's isn't "
        "aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't couldn't shouldn't "
        "mustn't ain't gonna gotta uh um uhm er"
    )
    return frozenset(ENGLISH_STOP_WORDS) | frozenset(contractions.split())


def _stop_words(of: Language) -> frozenset[str]:
    """nltk's stop words and the filled pauses of a language."""
    from pipeline import models

    if of.tables is None:
        return of.filled_pauses
    path = models.find(of.tables).path / "corpora" / "stopwords" / str(of.name)
    return frozenset(path.read_text(encoding="utf-8").split()) | of.filled_pauses
