"""STM (NIST): one sentence per line with speaker and times."""

from collections.abc import Iterable

from pipeline.export.cues import UNKNOWN
from pipeline.export.formats import RunFormat
from pipeline.export.speech import AnnotatedSpeech
from pipeline.formats.nist import field


def stm(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The sentences of all speeches: `recording channel speaker start end text`. A speaker may be `unknown`."""
    return "".join(
        f"{field(speech.id)} 1 {field(each.speaker or UNKNOWN)} {each.start:.3f} {each.end:.3f} "
        f"{' '.join(each.text.split())}\n"
        for speech in speeches
        for each in speech.sentences
    )


FORMAT = RunFormat("sentences.stm", stm)
