"""STM, NIST's segment time marks: a sentence a line, `recording channel speaker start end text`."""

from collections.abc import Iterable

from pipeline.formats.annotation import AnnotatedSpeech, name_of

UNKNOWN = "unknown"


def stm(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The sentences of all speeches; who speaks is `unknown` where nobody knows."""
    return "".join(
        f"{name_of(speech.id)} 1 {name_of(each.speaker or UNKNOWN)} {each.start:.3f} {each.end:.3f} "
        f"{' '.join(each.text.split())}\n"
        for speech in speeches
        for each in speech.sentences
    )
