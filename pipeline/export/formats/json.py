"""One JSON object: text, words and sentences with their times, speakers, language."""

import json

from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech


def transcript(speech: AnnotatedSpeech) -> str:
    """The speech as a JSON object. Times are in seconds; a sentence is words `first` up to, not including, `last`."""
    content = {
        "speech": speech.id,
        "duration": speech.duration,
        "language": speech.language,
        "recogniser": speech.recogniser,
        "speakers": speech.speakers,
        "text": " ".join(sentence.text for sentence in speech.sentences),
        "sentences": [each.model_dump(mode="json") for each in speech.sentences],
        "words": [each.model_dump(mode="json") for each in speech.words],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


FORMAT = SpeechFormat(".json", transcript)
