"""Tab-separated sentences, in the columns of Whisper's own .tsv and speaker."""

from pipeline.export.formats import SpeechFormat
from pipeline.export.speech import AnnotatedSpeech


def tsv(speech: AnnotatedSpeech) -> str:
    """start and end in milliseconds, text, speaker; one line per sentence."""
    lines = ["start\tend\ttext\tspeaker"]
    for sentence in speech.sentences:
        text, speaker = (" ".join((part or "").split()) for part in (sentence.text, sentence.speaker))
        lines.append(f"{round(sentence.start * 1000)}\t{round(sentence.end * 1000)}\t{text}\t{speaker}")
    return "\n".join(lines) + "\n"


FORMAT = SpeechFormat(".tsv", tsv)
