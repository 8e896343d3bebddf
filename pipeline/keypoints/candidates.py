"""Candidates for key points: short sentences that stand on their own, taken out of longer ones."""

import functools
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from pipeline.keypoints.clauses import PHRASES, clauses, function_words, is_argued, trimmed, without_concession
from pipeline.text import sentences
from pipeline.text.terms import stem, stems, stop_words, tokens

# Key points are chosen among so many candidates.
MOST_CANDIDATES = 400
# The factor of the quality for each word that nobody else uses: it belongs to an example, or is misspelt.
_LONE_WORD = 0.8
# A spoken sentence of more words is cut into its clauses.
_LONGEST_CLAIM = 25

# 'School uniforms should not be banned because', 'and should therefore be allowed': these state the side, not the
# point.
_SIDE_FIRST = re.compile(
    r"^[^.;]{0,100}?\b(?:should|must|ought|needs? to|has to|have to)(?:n['’]t| not| never)?\b[^.;]{0,80}?"
    r"\b(?:because|since|as|in order to|due to the fact that|on the grounds that)\b,?\s+(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_SIDE_LAST = re.compile(
    r"(?:,|(?<!\s))\s+(?:and|so|thus|hence|therefore|which is why|that is why)\b[^,;.]{0,60}\b(?:should|must)"
    r"(?:n['’]t| not)?\b[^,;]{0,40}$",
    re.IGNORECASE,
)
_TOPIC_ACTION = re.compile(
    r"^we should (?:not )?(?:fight for |put an end to |further |\w+ )(?:the (?:use|abolition|legalization) of )?"
    r"(?P<it>.+)$",
    re.IGNORECASE,
)
_TOPIC_SUBJECT = re.compile(r"^(?P<it>.+?) (?:should|must|is|are|do|does|will|brings?|has|have)\b", re.IGNORECASE)
_PRONOUN_SUBJECT = re.compile(
    r"^(?P<pronoun>it|they|this|these)(?P<verb>['’]s|['’]re| \w+)(?P<rest> .+)$", re.IGNORECASE
)
_EXPLETIVE = re.compile(
    r"^(?:it|this)(?:['’]s| is| was| would be| will be| seems| makes sense| takes)\b.*\b(?:to|that|for|if|when|not)\b|"
    r"^(?:it|this|they|these)(?:['’]ll|['’]d| will| would| could| may| might| can| should| must| all)\b",
    re.IGNORECASE,
)


def quality(text: str, about: frozenset[str], *, most_words: int) -> float:
    """How well a sentence reads as a key point, 0 to 1; 0 when it does not stand on its own.

    `about` are the stems of the topic. A sentence with hardly any other word states the side, and no reason.
    """
    said = tokens(text)
    if not 3 <= len(said) <= most_words or not text[0].isalnum() or not _stands_alone(said):
        return 0.0
    content = {stem(word) for word in said if word not in stop_words() and word not in function_words("verdicts")}
    if len(content - about) < 2:
        return 0.0
    rated = float(min(1.0, 8 / len(said)) ** 0.5)
    rated *= 0.75 ** sum(word in function_words("anaphora") for word in said[1:])
    rated *= 0.7 ** sum(word in function_words("persons") for word in said[1:])
    rated *= 0.8 ** (len(re.findall(r"[,()\"“”]", text)) + text.count(" and "))
    return rated * (1.0 if content & about else 0.85)


@dataclass(frozen=True)
class Candidate:
    """A sentence that could be a key point, the text it was taken from, and how well it reads (0 to 1)."""

    text: str
    source: int
    quality: float


def claims(text: str) -> list[str]:
    """The claims of a spoken sentence: the sentence without its markers, or its clauses if it is long.

    What the speaker only concedes to the other side is left out.
    """
    sentence = trimmed(without_concession(text))
    pieces = [sentence] if len(tokens(sentence)) <= _LONGEST_CLAIM else map(trimmed, clauses(sentence))
    return [piece for piece in pieces if is_argued(piece)]


def candidates(
    texts: Sequence[str], topic: str, *, most_words: int = 15, limit: int = MOST_CANDIDATES
) -> list[Candidate]:
    """The candidates of all texts, best first. If there are more than `limit`, good ones that differ are kept.

    The order of the texts makes no difference.
    """
    by_text: dict[str, Candidate] = {}
    subject = topic_subject(topic)
    names = [word.strip(".,") for word in topic.split()[1:] if word[:1].isupper()]
    about = frozenset(stems(topic, without_stop_words=True))
    counts = Counter(chain.from_iterable(set(stems(text, without_stop_words=True)) for text in texts))
    for source, text in enumerate(texts):
        for piece in _pieces(text, subject):
            piece = _tidy(piece, names)
            rated = quality(piece, about, most_words=most_words)
            rated *= _LONE_WORD ** sum(counts[word] == 1 for word in set(stems(piece, without_stop_words=True)))
            if rated > 0:
                known = by_text.get(piece.casefold())
                if known is None or (piece, text) < (known.text, texts[known.source]):
                    by_text[piece.casefold()] = Candidate(piece, source, rated)
    return diverse(by_text.values(), limit)


def diverse(pool: Iterable[Candidate], limit: int) -> list[Candidate]:
    """At most so many candidates, best first. Each is chosen for its quality, and for words that the chosen ones lack.

    A word counts less the more of the chosen ones have it. So the gain of a candidate never grows, and only the best
    candidates have to be looked at again.
    """
    ordered = sorted(pool, key=_by_quality)
    if len(ordered) <= limit:
        return ordered
    words = [frozenset(stems(candidate.text, without_stop_words=True)) for candidate in ordered]
    taken: Counter[str] = Counter()
    heap = [(-candidate.quality, index) for index, candidate in enumerate(ordered)]
    chosen: list[Candidate] = []
    while len(chosen) < limit:
        _, index = heapq.heappop(heap)
        gain = ordered[index].quality * sum(1 / (1 + taken[word]) for word in words[index]) / max(len(words[index]), 1)
        if heap and (-gain, index) > heap[0]:
            heapq.heappush(heap, (-gain, index))
            continue
        chosen.append(ordered[index])
        taken.update(words[index])
    return sorted(chosen, key=_by_quality)


def _by_quality(candidate: Candidate) -> tuple[float, str, str]:
    return -candidate.quality, candidate.text.casefold(), candidate.text


def topic_subject(topic: str) -> str | None:
    """What a topic is about: 'human cloning' of 'We should ban human cloning'; None if it cannot be found."""
    plain = topic.strip().rstrip(".")
    match = _TOPIC_ACTION.match(plain) or _TOPIC_SUBJECT.match(plain)
    return match["it"] if match and len(match["it"].split()) <= 5 else None


def _stands_alone(said: Sequence[str]) -> bool:
    """Whether words are a sentence that needs no other: nothing it refers back to, a verb, and an end."""
    if said[0] in function_words("anaphora") | function_words("persons") | function_words("dependent") | function_words(
        "auxiliaries"
    ):
        return False
    if len(said[0]) == 1 and said[0] != "a":
        return False
    if said[-1] in function_words("unfinished") or (
        said[0] in function_words("orders") and said[1] in function_words("ordered")
    ):
        return False
    # The verb of a relative clause is not the sentence's: 'people who have no other way to move'.
    verb_words = function_words("auxiliaries").union(word for word in said if stem(word) in _verb_stems())
    verbs = [word for before, word in pairwise(said) if before != "to" and word in verb_words]
    if said[0].endswith("ing"):
        verbs = [word for word in verbs if not word.endswith(("ing", "ed"))]
    return len(verbs) > (not function_words("relative").isdisjoint(said[1:5]))


@functools.cache
def _verb_stems() -> frozenset[str]:
    return frozenset(map(stem, PHRASES.words("verbs")))


def _pieces(text: str, subject: str | None) -> Iterator[str]:
    """A text's sentences and clauses, each without what says only the side, and with its pronoun resolved."""
    for sentence in _sentences(text):
        if sentence.endswith("?"):
            continue
        side_first = _SIDE_FIRST.match(sentence)
        rest = without_concession(side_first["rest"] if side_first else sentence)
        may_resolve = bool(side_first) or text.startswith(sentence)
        for number, clause in enumerate([rest, *clauses(rest)]):
            piece = trimmed(_SIDE_LAST.sub("", clause))
            if piece and may_resolve and number <= 1:
                piece = _resolved(piece, subject)
            if piece:
                yield piece


def _sentences(text: str) -> list[str]:
    ends = [0, *sentences.sentence_ends(text)]
    pieces = [text[start:end].strip() for start, end in zip(ends, [*ends[1:], len(text)], strict=True)]
    return [piece for piece in pieces if piece]


def _resolved(piece: str, subject: str | None) -> str:
    """'They cost money' with its subject, when the pronoun can only mean what the topic is about."""
    match = _PRONOUN_SUBJECT.match(piece)
    if not match or subject is None or _EXPLETIVE.match(piece):
        return piece
    plural = subject.endswith("s") and not subject.endswith("ss")
    if (match["pronoun"].lower() in ("they", "these")) != plural:
        return piece
    if set(stems(subject, without_stop_words=True)) & set(stems(match["rest"])):
        return piece
    verb = {"'s": " is", "'re": " are", "’s": " is", "’re": " are"}.get(match["verb"].lower(), match["verb"])
    return f"{subject}{verb}{match['rest']}"


def _tidy(piece: str, names: Sequence[str]) -> str:
    """A capital first and for names, no full stop, no quotes or brackets left open."""
    piece = re.sub(r"\bi\b", "I", piece.strip(" ,;:.!-–—`'\"“”"))
    if piece.count("(") != piece.count(")"):
        piece = piece.replace("(", "").replace(")", "")
    for name in names:
        piece = re.sub(rf"\b{re.escape(name)}\b", name, piece, flags=re.IGNORECASE)
    return piece[:1].upper() + piece[1:]
