"""SegLST (CHiME, meeteval): one JSON object per sentence."""

import json
from collections.abc import Iterable

from pipeline.output.annotation.speech import AnnotatedSpeech
from pipeline.output.exports import RunFormat
from pipeline.output.exports.stm import UNKNOWN


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


FORMAT = RunFormat("sentences.seglst.json", seglst)
