"""Candidates for the key points of speeches: clauses that stand alone and give a reason for the side they are on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pipeline.arrays import Floats, Matrix, Vector
from pipeline.keypoints.candidates import Candidate
from pipeline.keypoints.clauses import function_words
from pipeline.keypoints.stretches import Clause, ReadSpeech, read_speech, standing_clauses
from pipeline.records import Stance
from pipeline.segment import Sentences
from pipeline.sentence_roles import ArgumentClassifier, Kind, load_classifier, roles_by_rule
from pipeline.text.terms import stem, stems, stop_words, tokens

# The role of each sentence of a speech on a motion, None where rules do not tell it.
RuleReader = Callable[[Sequence[str], str], Sequence[Kind | None]]


@dataclass(frozen=True)
class Readers:
    """What reads texts for their sense.

    `stances` returns for a motion and texts the logarithms of the probabilities that each text is for the motion,
    against it, and neither: one row per text. `rule` returns the roles that rules tell of a speech's sentences on a
    motion, `argues` how probably each text is an argument, and `reason` how probably it gives a reason for anything.
    """

    stances: Callable[[str, Sequence[str]], Matrix]
    rule: RuleReader
    argues: Callable[[Sequence[str]], Floats]
    reason: Callable[[Sequence[str]], Floats]


def shipped_readers() -> Readers:
    """The readers that come with rostrum."""
    from pipeline.speakers import load_stance_model

    return Readers(
        load_stance_model().logarithms, roles_by_rule, load_classifier().probabilities, load_reasons().probabilities
    )


def load_reasons() -> ArgumentClassifier:
    """The classifier of `rostrum train reasons` that comes with rostrum."""
    return load_classifier(_REASON_FILE, "reasons")


_REASON_FILE = Path(__file__).with_name("reasons.json")
# The least probability that a clause is whole, and that it gives a reason for its side rather than for the other one.
_SOUND = 0.1
_OWN_SIDE = 0.3
# How much it counts on which side a clause seems to be: people mostly speak for their own.
_SIDE_SHARE = 0.25
# How much it counts whether a clause is a reason, and not a statement of what there is.
_REASON_SHARE = 0.5
# A clause that is rated lower is never a key point: better none than a bad one.
_LEAST = 0.2
# The factor of a clause whose borders nobody wrote.
_UNPUNCTUATED = 0.9
# The factor of a clause for each word that speaks of us or of you.
_PERSONS = 0.7
# The factor of a clause with a name that the motion does not have: it may be an example.
_NAMED = 0.75
# The factor of a clause that has no word of the motion: it may need what was said before it.
_OFF_TOPIC = 0.75
# The factor of a clause that says that there is something, and not that there is none.
_EXISTS = 0.8
_NONE = frozenset({"no", "not", "never", "nothing", "nobody", "hardly", "little", "few"})
# Words of a key point that says enough, and of one that is still short.
_ENOUGH, _SHORT = 6, 12
# Words of a stand on the motion, and of courtesy.
_STANDS = frozenset(
    {
        *("thank", "thanks", "proud", "please", "reason", "reasons", "support", "oppose", "beg", "need", "needs"),
        *("government", "governments", "state", "states", "country", "absolutely", "definitely"),
    }
)
# A demand has so large a share of the motion's words.
_DEMANDED = 0.8
# So many words of its own make a demand with half of the motion's words more than the motion.
_OWN_WORDS = 3
# Words that give a demand its reason.
_REASONS = frozenset({"because", "since", "as", "so", "order", "if", "otherwise", "when", "until"})


def read_by_grammar(motion: str, sentences: Sentences, claim_of: Mapping[int, int], *, most_words: int) -> ReadSpeech:
    """A speech as the parser reads it, without what is in no sentence that claims something (`claim_of`).

    What is in no such sentence is a greeting, a question, or the other side's.
    """
    return read_speech(
        [sentence.text for sentence in sentences.sentences],
        punctuated=is_punctuated(sentences),
        most_words=most_words,
        about=frozenset(stems(motion, without_stop_words=True)),
        within=claim_of,
    )


def spoken_candidates(
    motion: str,
    stance: Stance | None,
    speeches: Sequence[ReadSpeech],
    claims: Sequence[Mapping[int, int]],
    readers: Readers,
) -> list[Candidate]:
    """The clauses of a side's speeches that could be its key points, best first.

    `claims` has for each speech the index of the claim that each of its sentences makes first.
    """
    about = frozenset(stems(motion, without_stop_words=True))
    best: dict[str, tuple[Clause, int, float]] = {}
    for speech, standing, claim_of in zip(speeches, standing_clauses(speeches), claims, strict=True):
        for clause in standing:
            rated = form(clause, about) * (1.0 if speech.punctuated else _UNPUNCTUATED)
            if rated > 0 and clause.sentence in claim_of:
                known = best.get(clause.text.casefold())
                if known is None or rated > known[2]:
                    best[clause.text.casefold()] = clause, claim_of[clause.sentence], rated
    # a reading only lowers what a clause is rated: those that are too low already are not read
    rated_all = [Candidate(clause.text, source, rated) for clause, source, rated in best.values() if rated >= _LEAST]
    rated_all = _lowered(rated_all, np.sqrt(readers.argues([one.text for one in rated_all])))
    rated_all = _lowered(rated_all, readers.reason([one.text for one in rated_all]) ** _REASON_SHARE)
    reasons = reasoning(readers.stances(motion, [one.text for one in rated_all]), stance)
    rated_all = [replace(one, text=named(one.text, motion)) for one in _lowered(rated_all, reasons)]
    return sorted(rated_all, key=lambda candidate: (-candidate.quality, candidate.text))


def _lowered(rated: Sequence[Candidate], factors: Vector) -> list[Candidate]:
    """The candidates with their quality times a factor, without those that are too low then."""
    lowered = (replace(one, quality=one.quality * float(by)) for one, by in zip(rated, factors, strict=True))
    return [one for one in lowered if one.quality >= _LEAST]


def says_more(text: str, motion: str) -> bool:
    """Whether a text says more than the motion, or its opposite, does: two words of content at least.

    >>> says_more("We should not ban anonymous posting, thank you", "We should ban anonymous posts")
    False
    >>> says_more("We should adopt multi culturalism", "We should adopt multiculturalism")
    False
    """
    return len(_beyond(text, frozenset(stems(motion, without_stop_words=True)))) >= 2


def _beyond(text: str, about: frozenset[str]) -> set[str]:
    """The stems of a text's words of content that the motion does not have, not even as a part of one."""
    said = (word for word in tokens(text) if len(word) > 1)
    content = {stem(word) for word in said if word not in stop_words() | function_words("verdicts") | _STANDS}
    return {one for one in content if not any(_are_related(one, other) for other in about)}


def _are_related(one: str, other: str) -> bool:
    """Whether two stems are of one family: 'religion' and 'religi', 'culturalism' and 'multiculturalism'."""
    return one == other or (len(one) > 3 and one in other) or (len(other) > 4 and one.startswith(other))


def only_demands(text: str, about: frozenset[str]) -> bool:
    """Whether a text demands what the motion does, somewhere or somehow, and gives no reason for it.

    >>> only_demands("The drinking age should be lowered in Ontario", frozenset({"drink", "age", "lower"}))
    True
    >>> only_demands("We should ban gambling in all western countries", frozenset({"ban", "gambl"}))
    True
    >>> only_demands("Airports should profile based on religion", frozenset({"airport", "use", "religi", "profil"}))
    True
    >>> only_demands("We should ban gambling because casinos cheat", frozenset({"ban", "gambl"}))
    False
    """
    said = tokens(text)
    stemmed = set(map(stem, said))
    shared = sum(any(_are_related(one, other) for one in stemmed) for other in about)
    if "should" not in said or not _REASONS.isdisjoint(said):
        return False
    return shared >= _DEMANDED * len(about) or (shared >= len(about) / 2 and len(_beyond(text, about)) < _OWN_WORDS)


def is_punctuated(sentences: Sentences) -> bool:
    """Whether the sentences have marks; if not, they are stretches between pauses."""
    return not sentences.method.startswith("pauses")


def form(clause: Clause, about: frozenset[str]) -> float:
    """How well a clause reads as a key point, 0 to 1; 0 if it only says or demands what the motion does."""
    said = tokens(clause.text)
    beyond = _beyond(clause.text, about)
    if clause.soundness < _SOUND or len(beyond) < 2 or only_demands(clause.text, about):
        return 0.0
    rated = clause.soundness**0.5
    rated *= min(1.0, len(said) / _ENOUGH, _SHORT / len(said)) ** 0.5
    rated *= 0.6 ** sum(stem(word) not in about for word in clause.known)
    rated *= _NAMED if any(stem(word) not in about for word in clause.names) else 1.0
    rated *= _PERSONS**clause.persons * (0.8 if "," in clause.text else 1.0)
    rated *= 0.7 ** sum(word in function_words("particular") or word.isdigit() for word in said)
    rated *= _EXISTS if _says_what_there_is(said) else 1.0
    return float(rated) * (1.0 if _is_on_topic(said, about) else _OFF_TOPIC)


def _says_what_there_is(said: Sequence[str]) -> bool:
    """Whether words say that there is something, and not that there is none."""
    denied = any(word in _NONE or word.endswith("n't") for word in said)
    return said[0].split("'")[0] == "there" and not denied


def _is_on_topic(said: Sequence[str], about: frozenset[str]) -> bool:
    """Whether a word is one of the motion's, or a part of one: 'culturalism' of 'multiculturalism'."""
    known = {stem(word) for word in said}
    return any(one in about or (len(one) > 3 and any(one in other for other in about)) for one in known)


def reasoning(logarithms: Matrix, stance: Stance | None, least: float = _OWN_SIDE) -> Vector:
    """How probably each text takes a side, a little less if that is hardly its own; 0 for one of the other side."""
    supports, opposes, neither = np.exp(logarithms).T
    if stance is None:
        return np.asarray(1 - neither)
    own = (supports if stance == "pro" else opposes) / (supports + opposes)
    return np.asarray(np.where(own >= least, (1 - neither) * own**_SIDE_SHARE, 0.0))


def named(text: str, motion: str) -> str:
    """A text with the capitals that names have in the motion. In a title, all words have them.

    >>> named("schools in ohio are good", "We should close schools in Ohio"), named("men are good", "Men Are Finished")
    ('schools in Ohio are good', 'men are good')
    """
    later = motion.split()[1:]
    if any(word.istitle() and word.casefold() in stop_words() for word in later):
        return text
    names = {word.strip(".,").casefold(): word.strip(".,") for word in later if word[:1].isupper()}
    words = [names.get(word.casefold(), word) for word in text.split()]
    return " ".join(words)
