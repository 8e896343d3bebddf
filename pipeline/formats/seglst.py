"""SegLST, the segment list of CHiME and meeteval: JSON, an object a sentence."""

import json
from collections.abc import Iterable

from pipeline.formats.annotation import AnnotatedSpeech
from pipeline.formats.stm import UNKNOWN


def seglst(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The sentences of all speeches, with session, speaker, start, end and words."""
    segments = [
        {
            "session_id": speech.id,
            "speaker": each.speaker or UNKNOWN,
            "start_time": round(each.start, 3),
            "end_time": round(each.end, 3),
            "words": each.text,
        }
        for speech in speeches
        for each in speech.sentences
    ]
    return json.dumps(segments, ensure_ascii=False, indent=1) + "\n"
