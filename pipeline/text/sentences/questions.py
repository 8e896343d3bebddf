"""Whether a sentence without punctuation asks something, by how it begins."""

from collections.abc import Sequence

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
    if rest[0] == "why" or any(rest[: len(each)] == each for each in _BEGINNINGS):
        return True
    return rest[0] in _ASKING and _inverted(rest[1:5] if rest[0] in _OF_WHAT else rest[1:2])


def _inverted(words: Sequence[str]) -> bool:
    """Whether an auxiliary comes before any subject."""
    found = next((word for word in words if word in _AUXILIARIES or word in _SUBJECTS), None)
    return found in _AUXILIARIES
