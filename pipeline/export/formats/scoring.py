"""The formats of programs that score recognisers: NIST's words, turns and sentences, and the sentences of CHiME."""

from collections.abc import Iterable
from typing import Any

from pipeline.export.formats import RunFormat, json_text
from pipeline.export.speech import UNKNOWN, AnnotatedSpeech
from pipeline.formats import ctm, field, rttm

MEMBERS = {
    "ctm": "CTM (NIST): one word per line with start, duration and confidence.",
    "rttm": "RTTM (NIST): one speaker turn per line.",
    "stm": "STM (NIST): one sentence per line with speaker and times.",
    "seglst": "SegLST (CHiME, meeteval): one JSON object per sentence.",
}


def stm(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The sentences of all speeches: `recording channel speaker start end text`. A speaker may be `unknown`."""
    return "".join(
        f"{field(speech.id)} 1 {field(sentence.speaker or UNKNOWN)} {sentence.start:.3f} {sentence.end:.3f} "
        f"{' '.join(sentence.text.split())}\n"
        for speech in speeches
        for sentence in speech.sentences
    )


def segments(speeches: Iterable[AnnotatedSpeech]) -> list[dict[str, Any]]:
    """The sentences of all speeches, with session, speaker, start, end and words."""
    return [
        {
            "session_id": speech.id,
            "speaker": sentence.speaker or UNKNOWN,
            "start_time": round(sentence.start, 3),
            "end_time": round(sentence.end, 3),
            "words": sentence.text,
        }
        for speech in speeches
        for sentence in speech.sentences
    ]


def seglst(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The segments of all speeches as a JSON array."""
    return json_text(segments(speeches))


FORMATS = {
    "ctm": RunFormat("words.ctm", lambda speeches: ctm({speech.id: speech.words for speech in speeches})),
    "rttm": RunFormat("turns.rttm", lambda speeches: rttm({speech.id: speech.turns for speech in speeches})),
    "stm": RunFormat("sentences.stm", stm),
    "seglst": RunFormat("sentences.seglst.json", seglst),
}
