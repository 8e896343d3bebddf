"""SegLST (CHiME, meeteval): one JSON object per sentence."""

import json
from collections.abc import Iterable
from typing import Any

from pipeline.export.cues import UNKNOWN
from pipeline.export.formats import RunFormat
from pipeline.export.speech import AnnotatedSpeech


def segments(speeches: Iterable[AnnotatedSpeech]) -> list[dict[str, Any]]:
    """The sentences of all speeches, with session, speaker, start, end and words."""
    return [
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


def seglst(speeches: Iterable[AnnotatedSpeech]) -> str:
    """The same as a JSON array."""
    return json.dumps(segments(speeches), ensure_ascii=False, indent=1) + "\n"


FORMAT = RunFormat("sentences.seglst.json", seglst)
