"""Words that a speaker did not mean to say: filled pauses, words cut off, and words said twice in a row."""

from pipeline.text.terms import tokens

FILLED_PAUSES = frozenset({"um", "uh", "uhm", "er", "erm", "eh", "hm", "hmm", "mm"})
_LONGEST_REPEAT = 3


def is_filled_pause(word: str) -> bool:
    """Whether a word only fills a pause.

    >>> is_filled_pause("Uhm,")
    True
    """
    return word.lower().strip(".,?!…-") in FILLED_PAUSES


def without_disfluencies(text: str) -> str:
    """The text without filled pauses, words cut off ('pho-'), and the first of one to three words said twice in a row.

    >>> without_disfluencies("So um I think I think we should pho- ban the the phones.")
    'So I think we should ban the phones.'
    """
    words = [word for word in text.split() if not is_filled_pause(word) and not _is_cut_off(word)]
    for size in range(_LONGEST_REPEAT, 0, -1):
        words = _once(words, size)
    return " ".join(words)


def _is_cut_off(word: str) -> bool:
    return len(word) > 1 and word[-1] in "-–" and word[0].isalpha()


def _once(words: list[str], size: int) -> list[str]:
    """The words, with the first of the same `size` words twice in a row left out."""
    kept: list[str] = []
    place = 0
    while place < len(words):
        stretch, following = words[place : place + size], words[place + size : place + 2 * size]
        if len(following) == size and tokens(" ".join(stretch)) == tokens(" ".join(following)):
            place += size
            continue
        kept.append(words[place])
        place += 1
    return kept
