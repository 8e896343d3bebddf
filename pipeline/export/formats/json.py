"""JSON: one object per speech, or one array with the sentences of all speeches."""

import json
from collections.abc import Iterable
from typing import Any

from pipeline.export.formats import RunFormat, SpeechFormat
from pipeline.export.speech import UNKNOWN, AnnotatedSpeech

MEMBERS = {
    "json": "One JSON object: text, words and sentences with their times, speakers, language.",
    "seglst": "SegLST (CHiME, meeteval): one JSON object per sentence.",
}


def transcript(speech: AnnotatedSpeech) -> str:
    """The speech as a JSON object. Times are in seconds; a sentence is words `first` up to, not including, `last`."""
    content = {
        "speech": speech.id,
        "duration": speech.duration,
        "language": speech.language,
        "recogniser": speech.recogniser,
        "doubt": speech.doubt,
        "translated_by": speech.translated_by,
        "speakers": speech.speakers,
        "text": " ".join(sentence.text for sentence in speech.sentences),
        "sentences": [each.model_dump(mode="json") for each in speech.sentences],
        "words": [each.model_dump(mode="json") for each in speech.words],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


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


FORMATS = {"json": SpeechFormat(".json", transcript), "seglst": RunFormat("sentences.seglst.json", seglst)}
