"""Whether words are a clause that stands alone: a subject, a finite verb, nothing that hangs, nothing that points back.

It is read off the words' parts of speech and dependencies, as spaCy's parser gives them.
"""

import functools
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

PARSER = "en_core_web_sm"


@functools.cache
def parser() -> Any:
    """spaCy's small English pipeline, without what it knows of names."""
    import spacy

    from pipeline import models

    return spacy.load(models.find(PARSER).path, exclude=["ner"])


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FINITE = _words("VBZ VBP VBD MD")
# What no clause ends with.
ENDS_BADLY = _words("DT PDT PRP$ IN TO CC MD WDT WP WRB POS EX WP$")
_NOTHING_NAMED = _words("something anything things stuff")
_NOT_ALL = _words("only just merely simply solely")
# What an article cannot stand before.
_NOT_NAMED = _words("IN TO CC MD VBZ VBP PRP WDT WP DT")
_HANGS = _words("det amod compound poss aux neg nummod case nsubj mark cc dep")
_LAST_BADLY = _words(
    "something anything things stuff even maybe also just like much really then so very more most only all yes no not "
    "both each every"
)
PERSONS = _words("we you us your our yours ours yourself ourselves yourselves")
_SPEAKER = _words("i me my mine myself he she him her his hers himself herself")
# Subjects that say nothing, or belong to the debate and not to its matter.
_VAGUE = _words(
    "first second third fourth fifth last thing way reason problem point argument fact idea case question "
    "example side kind part lot bunch one something "
    "some any none all most many both other another others issue answer everything nothing anything difference "
    "instance sort type number couple few area step world truth assumption scenario alternative result benefit "
    "harm matter harms layer range variety host list series set amount category"
)
_DEBATING = _words(
    "argument debate motion speech opponent opposition round resolution proposition rebuttal contention quo "
    "counterplan speaker example question point reason side model burden plan explanation"
)
_POINTING_SUBJECT = _words(
    "this that these those such other another same which what latter former first second third fourth fifth certain"
)
_STATED = _words(
    "think believe feel say argue know see want mean talk look tell hear discuss mention agree support oppose propose "
    "guess ask read imagine take consider recognize realize notice start"
)
# What a person does who is named because of what they say.
_ARGUED = _words("argue say claim think believe tell suggest mention contend write note admit")
# What people do who have an opinion, and what is said of those whom somebody asked.
_OPINED = _words("think believe say agree argue claim feel worry suspect")
_SHOWN, _ASKED = _words("show find suggest indicate reveal tell"), _words("poll survey pollster")
# Verbs that say little without an object or a complement.
_NEEDS_OBJECT = _words(
    "make take give want need allow cause create get put provide use affect have do let keep bring say mean like "
    "include require prevent reduce increase produce support protect force enable encourage find show ensure "
    "treat promote "
    "consider become seem receive hold lead depend rely contribute tend try set send buy sell build deny violate look"
)
_SUBJECTS = _words("nsubj nsubjpass csubj csubjpass")
_COMPLEMENTS = _words("dobj attr acomp ccomp xcomp oprd dative prep agent prt advmod")
_REFERRING_BACK = _words("else otherwise instead similarly likewise former latter etc etcetera so")
_COLLECTIVE = _words("people everyone everybody someone somebody anyone nobody person individual")
# Of these there is one, or everybody knows which.
_ONE_OF_A_KIND = _words(
    "government state public law economy internet police world market environment media earth climate planet future "
    "past "
    "country nation military army president constitution court system poor rich majority individual consumer taxpayer "
    "society community united population church industry people sun status"
)
_TAKES_CLAUSE = _words("think believe know say feel hope see mean ensure find")
_MOST_FURTHER_VERBS = 2
# A clause may begin with these and their noun: 'without tickets, buses run faster'.
FRONTED = _words("without with by under")


def whole_clause(document: Any) -> Any:
    """The verb of a text that is one clause and stands alone; None of any other text."""
    roots = [word for word in document if word.dep_ == "ROOT"]
    words = [word for word in document if not word.is_punct]
    return roots[0] if len(roots) == 1 and len(words) > 2 and not fault(roots[0], words) else None


def fault(verb: Any, words: Sequence[Any]) -> str:
    """What keeps words with this main verb from standing alone; empty if nothing does."""
    if not is_finite(verb) or is_past(verb):
        return "no finite verb"
    subject = subject_of(verb)
    if subject is None or not _names_something(subject):
        return "no subject that names something"
    if not _agrees(verb, subject):
        return "subject and verb do not agree"
    if _begins_early(words, verb):
        return "begins early"
    if _depends(verb) or (words[0].head == verb and words[0].dep_ in ("npadvmod", "advmod", "intj")):
        return "depends on another clause"
    if any(word.i < subject.i for word in auxiliaries(verb)):
        return "asks"
    if _is_cut_off(subject, verb, words):
        return "the subject is cut off from its verb"
    if _only_announces(subject, verb):
        return "announces what follows"
    if _ends_early(words[-1]) or not _is_complete(verb, words):
        return "ends early"
    if _is_about_the_debate(verb, subject, words):
        return "about the debate"
    if _reports_opinion(verb, subject):
        return "reports an opinion"
    if any(_points_elsewhere(word, words) for word in words):
        return "points elsewhere"
    if _half_of_a_contrast([word.lower_ for word in words]):
        return "half of a contrast"
    return "runs on" if _runs_on(verb, words) or _repeats([word.lower_ for word in words]) else ""


def _begins_early(words: Sequence[Any], verb: Any) -> bool:
    """Whether the first word belongs to what was said before. *If*, or a preposition with its noun, may come first."""
    first = words[0]
    if first.tag_ not in ("IN", "RP", "TO", "CC") or first.lower_ in ("if", "when"):
        return False
    return first.lower_ not in FRONTED or first.head != verb or words[1].tag_ == "IN"


def subject_of(verb: Any) -> Any:
    """The subject before the verb, or the *there* in its place; None without either."""
    return next((child for child in verb.children if child.dep_ in _SUBJECTS | {"expl"} and child.i < verb.i), None)


def auxiliaries(verb: Any) -> list[Any]:
    return [child for child in verb.children if child.dep_ in ("aux", "auxpass")]


def is_finite(verb: Any) -> bool:
    """Whether a verb, or its first auxiliary, has a tense."""
    if verb.pos_ not in ("VERB", "AUX"):
        return False
    helpers = auxiliaries(verb)
    return helpers[0].tag_ in FINITE if helpers else verb.tag_ in FINITE - {"MD"}


def is_past(verb: Any) -> bool:
    """Whether a verb tells what happened once."""
    helpers = auxiliaries(verb)
    return helpers[0].lower_ in ("was", "were", "did", "had") if helpers else verb.tag_ == "VBD"


def is_the_known(noun: Any) -> bool:
    """Whether a noun is one that was named before: 'the drug', where nothing says which one."""
    children = list(noun.children)
    definite = len(children) == 1 and children[0].lower_ == "the"
    return bool(definite) and noun.tag_ in ("NN", "NNS") and noun.lemma_.lower() not in _ONE_OF_A_KIND


def _names_something(subject: Any) -> bool:
    """Whether a subject can be understood by itself: a noun with nothing that points back."""
    if subject.dep_ == "expl":
        return bool(subject.lower_ == "there")
    if subject.dep_ in ("csubj", "csubjpass"):
        return bool(subject.tag_ == "VBG" or subject.left_edge.lower_ == "what")
    if subject.tag_ == "PRP":
        modal = any(
            word.lower_ in ("should", "must", "ca", "can", "cannot", "need") for word in auxiliaries(subject.head)
        )
        return subject.lower_ == "you" or (subject.lower_ == "we" and modal)
    if subject.pos_ not in ("NOUN", "PROPN", "VERB") and subject.lower_ not in ("everyone", "everybody", "nobody"):
        return False
    if subject.lemma_.lower() in _VAGUE:
        return False
    return not any(
        child.tag_ == "PRP$" or (child.dep_ in ("det", "amod", "predet") and child.lower_ in _POINTING_SUBJECT)
        for child in subject.children
    )


def _is_cut_off(subject: Any, verb: Any, words: Sequence[Any]) -> bool:
    """Whether a lone comma, or *but*, stands between subject and verb: 'cafes but bars for tourists has opened'."""
    between = subject.doc[subject.i + 1 : verb.i]
    commas = sum(word.text == "," for word in between)
    contrasts = any(word.lower_ == "but" for word in between) and not any(word.lower_ == "not" for word in words)
    return commas == 1 or contrasts


def _only_announces(subject: Any, verb: Any) -> bool:
    """Whether a subject that says nothing more is a clause: 'the sad reality is that prices rise'."""
    if verb.lemma_ != "be" or subject.dep_ == "expl":
        return False
    says_more = any(child.dep_ in ("prep", "relcl", "acl", "compound") for child in subject.children)
    return not says_more and any(child.dep_ == "ccomp" for child in verb.children)


def _half_of_a_contrast(said: Sequence[str]) -> bool:
    """Whether what something is besides is not said: 'casinos are not only bars'."""
    halves = any(one in ("not", "n't") and two in _NOT_ALL for one, two in pairwise(said))
    return halves and not {"but", "also"} & set(said)


def _depends(verb: Any) -> bool:
    """Whether a word before the verb makes the clause depend on another: 'if people gamble', 'many of whom gamble'."""
    before = [child for child in verb.children if child.i < verb.i]
    inside = (word for child in before for word in child.subtree if child.dep_ in ("nsubj", "nsubjpass"))
    return any(child.dep_ == "mark" or child.tag_ in ("WRB", "WP", "WDT") for child in before) or any(
        word.tag_ == "WP" and word.dep_ == "pobj" and word.head.head.pos_ != "VERB" for word in inside
    )


def _ends_early(last: Any) -> bool:
    particle = last.dep_ == "prt"
    if last.pos_ == "ADV" and last.i and last.nbor(-1).dep_ == "cc":
        return True
    children = list(last.children)
    if (
        last.dep_ == "pobj"
        and last.lemma_ in _VAGUE
        and children
        and all(child.lower_ in ("a", "an", "the") for child in children)
    ):
        return True
    return last.lower_ in _LAST_BADLY or (last.tag_ in ENDS_BADLY and not particle) or last.dep_ in _HANGS


def _is_complete(verb: Any, words: Sequence[Any]) -> bool:
    """Whether the verb has what it needs, and every preposition its noun."""
    complements = [child for child in verb.children if child.i > verb.i and child.dep_ in _COMPLEMENTS]
    if verb.lemma_ == "be":
        if all(child.dep_ == "advmod" for child in complements):
            return False
        named = [child for child in complements if child.dep_ == "attr"]
        if any(child.dep_ == "expl" for child in verb.children) and not any(map(_after, named)) and words[-1] in named:
            return False
        if any(_is_only_counted(child) for child in named if not any(word.pos_ == "VERB" for word in _after(child))):
            return False
    elif verb.pos_ == "AUX" and not complements:
        return False
    if _lacks_main_clause(words):
        return False
    doing = [word for word in words if word.lemma_ == "do" and (word == verb or word.dep_ == "xcomp")]
    if any(all(child.dep_ != "dobj" for child in word.rights) for word in doing):
        return False
    if any(child.dep_ == "dobj" and child.lower_ in _NOTHING_NAMED and not _after(child) for child in complements):
        return False
    passive = any(child.dep_ == "auxpass" for child in verb.children)
    if verb.lemma_ in _NEEDS_OBJECT and not passive and all(child.dep_ == "advmod" for child in complements):
        return False
    if any(one.lower_ in ("a", "an", "the") and two.tag_ in _NOT_NAMED for one, two in pairwise(words)):
        return False
    return not any(
        (word.dep_ == "prep" and not list(word.children))
        or (word.dep_ in ("pobj", "dobj", "attr") and word.tag_ == "DT" and word.lower_ not in ("all", "both"))
        or (word.dep_ in ("pobj", "dobj", "attr") and word.pos_ in ("ADJ", "ADV") and _has_article(word))
        for word in words
    )


def _lacks_main_clause(words: Sequence[Any]) -> bool:
    """Whether *that* is followed by no verb, or by a condition alone: 'no doubt that when the state collects data'."""
    for one, two in pairwise(words):
        if one.lower_ == "that" and one.tag_ in ("IN", "WDT"):
            verbs = sum(is_finite(word) for word in words if word.i > one.i and word.dep_ not in ("aux", "auxpass"))
            if verbs < 1 + (two.lower_ in ("when", "if", "while", "because")):
                return True
    return False


def _is_only_counted(noun: Any) -> bool:
    """Whether a noun says how many, or that there is something: 'three dangers', 'a difference'."""
    return noun.lemma_.lower() in _VAGUE or any(child.dep_ == "nummod" for child in noun.children)


def _after(noun: Any) -> list[Any]:
    return [word for child in noun.rights for word in child.subtree]


def _agrees(verb: Any, subject: Any) -> bool:
    """Whether verb and subject are both singular, or both plural."""
    tensed = auxiliaries(verb)[0] if auxiliaries(verb) else verb
    if subject.dep_ == "expl":
        counted = [child for child in verb.children if child.dep_ == "attr"]
        return not (tensed.lower_ == "are" and any(_is_single(noun) for noun in counted))
    if tensed.tag_ == "VBP":
        return not _is_single(subject)
    return bool(tensed.tag_ != "VBZ" or subject.tag_ != "NNS")


def _is_single(noun: Any) -> bool:
    others = [child for child in noun.children if child.dep_ == "conj" and child.pos_ not in ("ADJ", "ADV")]
    return noun.tag_ == "NN" and noun.pos_ == "NOUN" and not others


def _has_article(word: Any) -> bool:
    return any(child.lower_ in ("a", "an") for child in word.children)


def _is_about_the_debate(verb: Any, subject: Any, words: Sequence[Any]) -> bool:
    if (subject.pos_ == "PROPN" and verb.lemma_ in _ARGUED) or verb.lower_ in ("hope", "hopes"):
        return True
    stated = (word.head for word in (subject, *words) if word.tag_ == "PRP" and word.dep_ == "nsubj")
    if any(said.lemma_ in _STATED and not (said.lemma_ == "want" and _is_supposed(said)) for said in stated):
        return True
    return any(
        word.lower_ in _SPEAKER or word.lemma_.lower() in _DEBATING or word.tag_ in ("UH", "FW", "WP$")
        for word in words
    )


def _reports_opinion(verb: Any, subject: Any) -> bool:
    """Whether a clause says what people think, and not why: 'polls show that voters agree', 'many believe it works'."""
    if not any(child.dep_ == "ccomp" and child.i > verb.i for child in verb.children):
        return False
    return verb.lemma_ in _OPINED or (verb.lemma_ in _SHOWN and subject.lemma_.lower() in _ASKED)


def _is_supposed(verb: Any) -> bool:
    """Whether *if* makes a clause of it: 'if we want clean air'."""
    return any(child.dep_ == "mark" and child.lower_ == "if" for child in verb.children)


def _points_elsewhere(word: Any, words: Sequence[Any]) -> bool:
    """Whether a word stands for something that these words do not name."""
    lower = word.lower_
    if lower in ("this", "these", "those", "such", "here"):
        return not (lower == "those" and any(child.dep_ == "relcl" for child in (*word.children, *word.head.children)))
    if lower == "that":
        return bool(word.tag_ == "DT")
    if lower == "other":
        return any(child.lower_ == "the" for child in word.head.children)
    if lower == "there":
        return bool(word.dep_ != "expl")
    around = _around(word)
    before = [other for other in words if other.i < word.i and other not in around]
    if lower in ("it", "its", "itself"):
        if lower == "it" and (
            word.dep_ == "expl" or (word.dep_ == "nsubj" and word.head.dep_ == "ccomp" and word.head.pos_ == "ADJ")
        ):
            return False
        return not any(
            (other.tag_ in ("NN", "NNP") and other.pos_ != "PRON") or other.dep_ == "csubj" for other in before
        )
    if lower in ("they", "them", "their", "theirs", "themselves"):
        return not any(other.tag_ in ("NNS", "NNPS") or other.lemma_.lower() in _COLLECTIVE for other in before)
    intensifies = lower == "so" and (word.head.pos_ in ("ADJ", "ADV") or word.dep_ == "mark")
    someone_else = lower == "else" and word.head.lower_.endswith(("one", "body", "thing"))
    return lower in _REFERRING_BACK and not intensifies and not someone_else


def _around(pronoun: Any) -> list[Any]:
    """The nouns that a pronoun is a part of, and so cannot mean: 'a duty to end complicity in it'."""
    inside: list[Any] = []
    word = pronoun
    while word.head != word:
        relative = word.dep_ == "relcl"
        word = word.head
        if relative and pronoun.head.head != word:
            break
        inside.append(word)
        if relative:
            break
    return inside


def _runs_on(verb: Any, words: Sequence[Any]) -> bool:
    """Whether a further verb is there without a word that says how it depends on another: two clauses in one."""
    if any(word.dep_ in ("dep", "parataxis", "meta") or _is_cut_subject(word) for word in words):
        return True
    further = [word for word in words if word != verb and word.dep_ not in ("aux", "auxpass") and is_finite(word)]
    return len(further) > _MOST_FURTHER_VERBS or not all(map(_is_linked, further))


def _is_cut_subject(word: Any) -> bool:
    """Whether a pronoun is the subject of a further verb that the parser took for a noun: 'to care and it shares'."""
    return bool(word.tag_ == "PRP" and word.dep_ == "conj")


def _is_linked(verb: Any) -> bool:
    """Whether the words of this verb's clause tie it to the clause that it belongs to."""
    children = list(verb.children)
    marked = any(child.dep_ == "mark" or child.tag_ in ("WP", "WRB", "WDT") for child in children)
    subject = subject_of(verb)
    if verb.dep_ == "relcl":
        relative = any(word.tag_ in ("WDT", "WP", "WRB", "WP$", "IN") for word in verb.subtree if word.i < verb.i)
        has_all = any(child.dep_ in ("dobj", "attr", "acomp", "ccomp") for child in verb.children)
        return relative or (subject is not None and subject.left_edge.i - verb.head.i == 1 and not has_all)
    if verb.dep_ in ("acl", "advcl", "csubj", "csubjpass"):
        return marked
    if verb.dep_ == "ccomp":
        return marked or (verb.head.pos_ != "AUX" and subject is not None and verb.head.lemma_ in _TAKES_CLAUSE)
    if verb.dep_ == "conj":
        return subject is None and any(word.dep_ == "cc" for word in verb.head.children if word.i < verb.i)
    return bool(verb.dep_ == "pcomp")


def _repeats(said: Sequence[str]) -> bool:
    """Whether a word is said twice in a row, or two words are said again: 'a lesson' may be."""
    pairs = [(one, two) for one, two in pairwise(said) if one == two or one not in ("a", "an", "the")]
    return any(one == two for one, two in pairs) or len(set(pairs)) < len(pairs)
