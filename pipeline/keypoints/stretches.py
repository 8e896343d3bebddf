"""Clauses that stand alone, found in running speech with or without punctuation.

Every stretch of words that may be a clause is read by itself: from a word after which clauses begin to one before which
they end. Those that stand alone by their grammar are rated by their form and by the words beside them, and of those
with the same verb the best is taken.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pipeline.keypoints.clause_form import Fluency, features, load_form, top_after
from pipeline.keypoints.clauses import function_words
from pipeline.keypoints.grammar import (
    ENDS_BADLY,
    FINITE,
    FRONTED,
    PERSONS,
    is_the_known,
    parser,
    subject_of,
    whole_clause,
)
from pipeline.text.terms import stem

_FEWEST_WORDS = 4
# What a pronoun stands for is so many words before it at most, and one of these parts of speech.
_NEAR = 30
_NUMBERS = {"it": ("NN", "NNP"), "they": ("NNS", "NNPS")}
# So many texts are parsed together, and a part of a speech has so many words.
_BATCH, _PART_WORDS = 256, 120


@dataclass(frozen=True)
class Stretch:
    """Words that stand alone as a clause, and where they are in the text: from `start` to `end`, their verb at `verb`.

    `persons` is how often they speak of us or of you, `known` which nouns stand for something that was named before,
    and `names` which names they have.
    """

    text: str
    start: int
    end: int
    verb: int
    persons: int
    known: tuple[str, ...]
    names: tuple[str, ...]
    features: tuple[str, ...]


@dataclass(frozen=True)
class Clause:
    """A clause of a speech that stands alone, the index of the sentence with its verb, and how sound its form is.

    `persons` is how often it speaks of us or of you, `known` which nouns stand for something that was named before,
    and `names` which names it has.
    """

    text: str
    sentence: int
    soundness: float
    persons: int
    known: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class ReadSpeech:
    """The stretches of a speech that stand alone by their grammar, and where its smoothed sentences end.

    `punctuated` is whether its sentences have marks.
    """

    stretches: tuple[Stretch, ...]
    ends: tuple[int, ...]
    punctuated: bool


def read_speech(
    sentences: Sequence[str],
    *,
    punctuated: bool,
    most_words: int,
    about: frozenset[str] = frozenset(),
    within: Container[int] | None = None,
) -> ReadSpeech:
    """Read a speech by its grammar alone, without an encoder.

    `about` are the stems of the motion. A pronoun that stands for what the motion is about is replaced by it. Nothing
    is looked for in sentences whose numbers are not `within`.
    """
    texts = [smooth(text) for text in sentences]
    is_read = [within is None or number in within for number in range(len(texts))]
    fluency = load_form().fluency
    alone = stretches(texts, fluency, is_read, punctuated=punctuated, most_words=most_words, about=about)
    return ReadSpeech(tuple(alone), tuple(accumulate(len(text) + 1 for text in texts)), punctuated)


def standing_clauses(speeches: Sequence[ReadSpeech]) -> list[list[Clause]]:
    """The clauses of each speech that stand alone, in order, one per verb: those whose form is the soundest."""
    alone = [stretch for speech in speeches for stretch in speech.stretches]
    soundness = load_form().probabilities([one.text for one in alone], [one.features for one in alone]).tolist()
    rated = iter(soundness)
    return [_soundest(speech, [next(rated) for _ in speech.stretches]) for speech in speeches]


def _soundest(speech: ReadSpeech, soundness: Sequence[float]) -> list[Clause]:
    best: dict[int, tuple[float, Stretch]] = {}
    for rated, stretch in zip(soundness, speech.stretches, strict=True):
        if stretch.verb not in best or rated > best[stretch.verb][0]:
            best[stretch.verb] = rated, stretch
    last = len(speech.ends) - 1
    return [
        Clause(one.text, min(bisect_right(speech.ends, one.verb), last), rated, one.persons, one.known, one.names)
        for _, (rated, one) in sorted(best.items())
    ]


# What hesitates: dropped before anything is read.

_FILLERS = re.compile(
    r"(?:(?<=\s)|^)(?:um+|uhm?|er|erm|hmm?|%hes|you know|i mean|kind of|sort of)(?=[\s,]|$),?\s*|, like,|"
    r"(?<=\b(?:of|to|is|re|be|on|in|by|or|do|so|'s) )like,? (?=\w)|"
    r"(?<=\b(?:are|was|and|for|the|you) )like,? (?=\w)|"
    r"(?<=\b(?:just|with|have|even|from|than|that|when|more) )like,? (?=\w)",
    re.IGNORECASE,
)
# Adverbs that change the tone, and not what is said.
_TONE = re.compile(
    r"\b(?:also|actually|really|basically|obviously|literally|honestly|definitely|certainly|frankly|"
    r"(?<!not )(?<!n't )(?<!a )(?<!the )just(?! as\b| because\b| one\b| like\b| about\b)) (?=\w)",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"\b(\w+(?:'\w+)?(?: \w+(?:'\w+)?){0,3}),? \1\b(?!')", re.IGNORECASE)


# Words that a transcriber wrote without their apostrophe, none of which is another word.
_NO_APOSTROPHE = re.compile(
    r"\b((?:do|does|did|is|are|was|were|has|have|had|would|should|could|must)n)t\b", re.IGNORECASE
)


def smooth(text: str) -> str:
    """A sentence without hesitations, repetitions, and adverbs of tone, and with the apostrophe of *n't*.

    >>> smooth("so it's um a way for for governments to to you know take money")
    "so it's a way for governments to take money"
    """
    text = _NO_APOSTROPHE.sub(r"\1't", " ".join(text.replace("’", "'").split()))
    text = _TONE.sub("", " ".join(_FILLERS.sub("", text).split()))
    return _REPEATED.sub(r"\1", _REPEATED.sub(r"\1", text))


# Where a clause may begin and end.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEGINS_AFTER = _words(
    "that because and so but think believe say since then now well is or also therefore thus hence means mean know see "
    "firstly secondly thirdly first second finally additionally obviously clearly essentially basically ultimately "
    "often oftentimes times feel argue actually just fact really again recognize understand generally anyway"
)
_REPORTING = _words("that think believe say means mean know see feel argue fact is recognize understand")
_CONDITIONS = _words("if when")
_BEGINS_BADLY = _words(
    "it they this these that those he she him her them his their its i me my us our here both neither either such "
    "others another other one some any all none most many much more less something anything so then therefore thus "
    "hence also now first firstly second secondly third thirdly finally lastly next again actually basically really "
    "just literally obviously clearly certainly surely simply essentially naturally indeed however moreover "
    "furthermore "
    "additionally ultimately fundamentally too well okay ok right yes no oh um uh like maybe perhaps honestly frankly "
    "generally broadly specifically importantly oftentimes often probably still times anyway foremost first"
)
_ENDS_BEFORE = _words(
    "and so but because or i we you they this these that it he she which when if where since like there then while as "
    "who whereas although though what how why now right okay well yes no not people even just also in at for to"
)
# What ends a word beside it; other marks, as hyphens, join two words.
_MARKS = frozenset('.,;:!?()"“”…—–') | {"--", "..."}
# No key point has these words.
_NEVER = _words(
    "i me my mine myself he she him her his hers this these motion debate speech opponent opponents opposition "
    "proposition"
)
# What comes before a clause that is the speaker's own, and before one that is another's, or is denied or supposed.
_OWN = re.compile(
    r"\b(?:i|we) (?:(?:also|just|really|would|do|strongly|firmly|clearly|still|absolutely|'d) )*(?:think|believe|feel|"
    r"argue|contend|say|see|know|find|submit|recognize|understand|maintain)(?: that)?$|"
    r"\byou (?:can |will |'ll )?(?:see|know|find|recognize|understand|realize) that$|"
    r"\b(?:this|that|it|which|what that|what this) means(?: that)?$|\bin fact$|"
    r"\b(?:reality|truth|fact|problem|thing|point|reason|issue|result|answer|matter)(?: of the matter)?(?: here)? is"
    r"(?: that)?$|\b(?:clear|true|obvious|mind|remember|recognize|note|shows|to (?:note|recogni[sz]e|understand|"
    r"remember)) that$"
)
_NOT_OWN = re.compile(
    r"\b(?:if|whether|unless|although|though|while|whereas|when|not|they|he|she|opponents?|people|some|critics|side|"
    r"opposition|somebody|someone|\w+n't)(?: (?:also|just|really|would|might|may|will|can|to|us|you|even|always|often|"
    r"only|going|try|want))*(?: (?:say|said|saying|says|think|thinks|believe|believes|claim|claims|argue|argued|argues|"
    r"tell|tells|told|us|feel|mean|hope))*(?: that)?$|"
    r"\b(?:so|such|given|provided|assuming|the fact|hopes?|wish|supposed|idea|notion|assumption|belief|claim) that$|"
    r"\bnot (?:just |only |simply )?because$|\brather than\b[^,.]*$|\b(?:imagine|suppose)\b[^,.]*$|"
    r"\b(?:true|yes|granted|admittedly|sure|of course|no (?:debate|disagreement|quarrel) that),?$|"
    r"(?<!also )\btrue that$|"
    r"\b(?:at|in|to|by|from|on) (?:what|which) \w+$|\bthan(?: (?:just|only|simply|saying|well|that))*$"
)
_CONTINUES = _words("dobj pobj attr acomp oprd prt xcomp ccomp dative pcomp nsubj aux auxpass neg compound amod")


def stretches(
    texts: Sequence[str],
    fluency: Fluency,
    is_read: Sequence[bool] | None = None,
    *,
    punctuated: bool,
    most_words: int,
    about: frozenset[str] = frozenset(),
) -> Iterator[Stretch]:
    """All stretches of a speech that stand alone by their grammar, given its smoothed sentences.

    If `is_read` says which sentences are of interest, those that are in others only are left out.
    """
    document = _parsed(texts)
    ends = [end - 1 for end in accumulate(len(text) + 1 for text in texts)]
    at_end = frozenset(ends)
    breaks = [True, *(word.idx + len(word) in at_end for word in document)]
    quoted = frozenset(_quoted(texts))
    spans = {
        _written(_with_subject(span, about)): span
        for span in _spans(document, breaks, punctuated, most_words, about)
        if not {span.start_char, span.end_char - 1} <= quoted
        and (is_read is None or any(is_read[bisect_left(ends, span.start_char) : bisect_left(ends, span.end_char) + 1]))
    }
    alone = parser().pipe((f"{text}." for text in spans), batch_size=_BATCH)
    for (text, span), parsed in zip(spans.items(), alone, strict=True):
        verb = whole_clause(parsed)
        if verb is not None and not (_cuts_subject(span, verb) or _cuts_end(span) or _is_granted(span)):
            persons = sum(word.lower_ in PERSONS for word in parsed)
            known = tuple(word.lower_ for word in parsed if is_the_known(word))
            # the first word has its capital anyway, and Americans are many
            names = tuple(word.lower_ for word in parsed[1:] if word.tag_ == "NNP" and word.pos_ == "PROPN")
            form = tuple(features(parsed, verb, span, breaks, fluency))
            from_end = len(text) - verb.idx  # a subject in place of a pronoun moves what follows it
            yield Stretch(text, span.start_char, span.end_char, span.end_char - from_end, persons, known, names, form)


# A quotation that a sentence leaves open ends with it.
_QUOTATION = re.compile(r"(?<!\S)[\"“][^\"”]+")


def _quoted(texts: Sequence[str]) -> Iterator[int]:
    """The places of letters between quotation marks, in the sentences with a space between them."""
    before = 0
    for text in texts:
        for match in _QUOTATION.finditer(text):
            yield from range(before + match.start(), before + match.end())
        before += len(text) + 1


def _parsed(texts: Sequence[str]) -> Any:
    """A speech, parsed in parts of whole sentences: the time that a part takes grows with the square of its words."""
    from spacy.tokens import Doc

    parts: list[list[str]] = [[]]
    words = 0
    for text in texts:
        if words >= _PART_WORDS and text and parts[-1][-1]:
            parts.append([])
            words = 0
        parts[-1].append(text)
        words += len(text.split())
    return Doc.from_docs(list(parser().pipe((" ".join(part) for part in parts), batch_size=_BATCH)))


def _spans(document: Any, breaks: Sequence[bool], punctuated: bool, most: int, about: frozenset[str]) -> Iterator[Any]:
    """Stretches of words that may be a clause."""
    for first in range(len(document)):
        if not _may_begin(document, first, breaks) and not _meant(document[first], about):
            continue
        count, named, finite = 0, False, False
        for last in range(first + 1, min(len(document), first + 2 * most) + 1):
            word = document[last - 1]
            if _never_inside(word) or (punctuated and last - 1 > first and breaks[last - 1]):
                break
            count += not word.is_punct and not word.text.startswith(("'", "n't"))
            if count > most:
                break
            finite |= word.tag_ in FINITE
            named |= word.pos_ in ("NOUN", "PROPN", "PRON", "VERB") or word.lower_ == "there"
            if finite and not named:
                break
            if count >= _FEWEST_WORDS and finite and _may_end(document, first, last, breaks):
                yield document[first:last]


def _cuts_subject(span: Any, verb: Any) -> bool:
    """Whether the subject of a span's verb begins before the span: 'small firms and [public services cannot pay]'."""
    subject = next((subject_of(word) for word in span if word.lower_ == verb.lower_ and subject_of(word)), None)
    if subject is None or not span.start:
        return False
    inside = [word for word in subject.subtree if word.i >= span.start]
    before = span.doc[span.start - 1]
    of_modifier = before.dep_ == "advmod" and before.head.dep_ == "amod"
    if before.head in inside and (of_modifier or before.dep_ in ("amod", "compound")):
        return True
    if subject.left_edge.i >= span.start:
        return False
    return any(word.dep_ == "conj" for word in inside) or subject.i < span.start


# What a word can be of a later verb or noun: not a clause of its own, nor what joins or marks one.
_PARTS = _words("nsubj nsubjpass dobj compound amod poss det nummod pobj")


def _cuts_end(span: Any) -> bool:
    """Whether a span ends before a word that its own belong to: '[it allows young women] and men to get out'."""
    return any(word.head.i >= span.end and word.dep_ in _PARTS for word in span)


_BUT = _words("but yet however")


def _is_granted(span: Any) -> bool:
    """Whether *but* follows: 'the threats are serious, but there is no war'. What comes next is the speaker's point."""
    after = next((word for word in span.doc[span.end : span.end + 2] if word.text != ","), None)
    return after is not None and after.lower_ in _BUT


def _with_subject(span: Any, about: frozenset[str]) -> str:
    """The words of a span, with what its first pronoun stands for in place of it."""
    subject = _meant(span[0], about)
    if not subject:
        return str(span.text)
    rest = span.text[len(span[0].text) :]
    for short, verb in (("'s", " is"), ("'re", " are"), ("'ll", " will"), ("'d", " would")):
        if rest.startswith(f"{short} "):
            rest = verb + rest[len(short) :]
    return f"{subject}{rest}"


def _meant(word: Any, about: frozenset[str]) -> str:
    """What a pronoun stands for if that is what the motion is about: the last subject before it with which it agrees,
    or the object of the verb that its clause depends on.

    Empty for any other word.
    """
    number = _NUMBERS.get(word.lower_) if about and word.dep_ in ("nsubj", "nsubjpass") else None
    if not number or _NOT_OWN.search(word.doc[max(0, word.i - 9) : word.i].text.lower()):
        return ""
    if _is_empty(word):
        return ""
    for other in reversed(word.doc[max(0, word.i - _NEAR) : word.i]):
        if any(one.dep_ in ("csubj", "csubjpass") and one.tag_ == "VBG" for one in (other, other.head)):
            return ""
        governs = word.head.dep_ == "advcl" and other.dep_ == "dobj" and other.head == word.head.head
        if other.tag_ in number and (governs or other.dep_ in ("nsubj", "nsubjpass")):
            return _topic_of(other, about)
    return ""


def _topic_of(noun: Any, about: frozenset[str]) -> str:
    """The noun with its modifiers if all of them are the motion's words; else empty."""
    words = noun.doc[noun.left_edge.i : noun.i + 1]
    return str(words.text) if all(stem(one.lower_) in about or one.lower_ == "the" for one in words) else ""


def _is_empty(pronoun: Any) -> bool:
    """Whether a pronoun stands for what comes later: 'it is hard to read the law'."""
    verb = pronoun.head
    said = [child for child in verb.children if child.dep_ in ("acomp", "attr")]
    later = (child.dep_ for one in (verb, *said) for child in one.children)
    return verb.lemma_ == "be" and bool(said) and not {"xcomp", "ccomp", "advcl"}.isdisjoint(later)


def _never_inside(word: Any) -> bool:
    return (
        word.text in (".", "?", "!", "--", "...", "…")
        or word.lower_ in _NEVER
        or (word.lower_ == "that" and word.tag_ == "DT")
    )


def _may_begin(document: Any, index: int, breaks: Sequence[bool]) -> bool:
    """Whether a clause that stands alone may begin with this word."""
    word = document[index]
    lower = word.lower_
    if (
        word.is_punct
        or lower in _NEVER
        or (index and not document[index - 1].whitespace_ and document[index - 1].text not in _MARKS)
    ):
        return False
    if lower in _CONDITIONS or (breaks[index] and (lower in FRONTED or lower == "what")):
        return True
    if lower in function_words("dependent") or lower in function_words("auxiliaries") or lower in _BEGINS_BADLY:
        return False
    left = document[max(0, index - 9) : index].text.lower()
    before = document[index - 1].lower_ if index else ""
    if before in _REPORTING:
        return bool(_OWN.search(left)) and not _NOT_OWN.search(left)
    begins = breaks[index] or before in _BEGINS_AFTER or before in (",", ";", ":")
    return begins and not _NOT_OWN.search(left.rstrip(" ,"))


def _may_end(document: Any, first: int, last: int, breaks: Sequence[bool]) -> bool:
    """Whether a clause that stands alone may end before the word `last`."""
    word = document[last - 1]
    if word.is_punct or word.lower_ in function_words("unfinished") or word.tag_ in ENDS_BADLY:
        return False
    if last == len(document) or breaks[last]:
        return True
    after = document[last]
    if after.text == "?" or not (word.whitespace_ or after.text in _MARKS):
        return False
    if after.is_punct:
        return True
    top = top_after(after, last)
    goes_on = first <= top.head.i < last and top.dep_ in _CONTINUES
    return after.lower_ in _ENDS_BEFORE and not goes_on


def _written(text: str) -> str:
    """The words as a sentence without a full stop: a capital first, no mark at either end."""
    text = re.sub(r"\bi\b", "I", text.strip(' ,;:.!?-–—"“”'))
    return text[:1].upper() + text[1:]
