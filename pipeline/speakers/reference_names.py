"""Names from a reference transcript that says who speaks: each voice has the name that most of its words have there."""

from collections import Counter
from collections.abc import Iterator

from pipeline.records import ReferenceTranscript
from pipeline.segment import Sentences
from pipeline.speakers.names import is_name
from pipeline.speakers.stage import GivenSpeaker
from pipeline.text.terms import tokens

# A voice has a name if so many of its words stand against words of that name, and this share of those that do.
_FEWEST, _LEAST_SHARE = 10, 0.6


def names_in_reference(reference: ReferenceTranscript, sentences: Sentences) -> Iterator[GivenSpeaker]:
    """The name of each voice that the reference names."""
    from rapidfuzz.distance import Levenshtein

    heard = [(word, one.speaker) for one in sentences.sentences for word in tokens(one.text)]
    written = [(word, name) for name, text in reference.turns for word in tokens(text)]
    edits = Levenshtein.opcodes([word for word, _ in heard], [word for word, _ in written])
    shared: dict[str, Counter[str | None]] = {}
    for edit in edits:
        if edit.tag == "equal":
            both = zip(heard[edit.src_start : edit.src_end], written[edit.dest_start : edit.dest_end], strict=True)
            for (_, voice), (_, name) in both:
                if voice:
                    shared.setdefault(voice, Counter())[name] += 1
    for voice, names in shared.items():
        name, count = names.most_common(1)[0]
        if name and name != voice and is_name(name) and count >= max(_FEWEST, _LEAST_SHARE * names.total()):
            yield GivenSpeaker(voice=voice, name=name.replace("_", " "))
