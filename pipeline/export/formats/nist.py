"""The formats of NIST's scoring tools: words, speaker turns and sentences of all speeches in one file."""

from collections.abc import Iterable

from pipeline.export.formats import RunFormat
from pipeline.export.speech import UNKNOWN, AnnotatedSpeech
from pipeline.formats import ctm, field, rttm

MEMBERS = {
    "ctm": "CTM (NIST): one word per line with start, duration and confidence.",
    "rttm": "RTTM (NIST): one speaker turn per line.",
    "stm": "STM (NIST): one sentence per line with speaker and times.",
}


def stm(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The sentences of all speeches: `recording channel speaker start end text`. A speaker may be `unknown`."""
    return "".join(
        f"{field(speech.id)} 1 {field(each.speaker or UNKNOWN)} {each.start:.3f} {each.end:.3f} "
        f"{' '.join(each.text.split())}\n"
        for speech in speeches
        for each in speech.sentences
    )


FORMATS = {
    "ctm": RunFormat("words.ctm", lambda speeches: ctm({speech.id: speech.words for speech in speeches})),
    "rttm": RunFormat("turns.rttm", lambda speeches: rttm({speech.id: speech.turns for speech in speeches})),
    "stm": RunFormat("sentences.stm", stm),
}
