"""Recognition errors at the words of a transcript. They were counted in normalised texts, whose words may differ."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from pipeline.records import Transcript, Word, WordErrors
from pipeline.text.alignment import aligned_positions
from pipeline.text.normalise import NormaliserName, normaliser


@dataclass
class Mark:
    """The errors at a word: it was inserted, or it replaces the word `said`, or words before it were `missed`."""

    kind: Literal["substitute", "insert"] | None = None
    said: str = ""
    missed: str = ""


@dataclass(frozen=True)
class Marks:
    """Marks by the word's place in the transcript, and the words that were missed after the last one."""

    words: Mapping[int, Mark]
    missed_at_end: str


def marks(transcript: Transcript, errors: WordErrors) -> Marks:
    """The errors by their place in the transcript. A normaliser may join words, so a mark may be one word off."""
    owner = word_owners(transcript.words, errors, transcript.language)
    found: defaultdict[int, Mark] = defaultdict(Mark)
    missed_at_end: list[str] = []
    for chunk in errors.alignment:
        said = errors.reference[slice(*chunk.reference)]
        first, last = chunk.hypothesis
        if chunk.type == "delete" and first == len(owner):
            missed_at_end += said
        elif chunk.type == "delete":
            mark = found[owner[first]]
            mark.missed = f"{mark.missed} {' '.join(said)}".strip()
        elif chunk.type == "insert":
            found.update({owner[place]: Mark("insert") for place in range(first, last)})
        elif chunk.type == "substitute":
            for place, word in zip(range(first, last), said, strict=True):
                mark = found[owner[place]]
                mark.kind, mark.said = "substitute", f"{mark.said} {word}".strip()
    return Marks(found, " ".join(missed_at_end))


def word_owners(words: Sequence[Word], errors: WordErrors, language: str) -> list[int]:
    """The place of the word that each normalised word comes from."""
    normalise = normaliser(cast(NormaliserName, errors.normaliser), language)
    forms = {text: normalise(text).split() for text in {word.text for word in words}}
    tokens = [(form, place) for place, word in enumerate(words) for form in forms[word.text]]
    pairs = aligned_positions(errors.hypothesis, [form for form, _ in tokens])
    anchors = {hypothesis: tokens[token][1] for hypothesis, token in pairs}
    owners: list[int] = []
    for place in range(len(errors.hypothesis)):
        owners.append(anchors.get(place, owners[-1] if owners else 0))
    return owners
