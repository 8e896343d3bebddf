"""Speeches for the format tests: an ordinary one, and any that hypothesis thinks of."""

from hypothesis import strategies as st

from pipeline.export.speech import AnnotatedSpeech, Interval
from pipeline.records import Sentence, Turn, Word


def speech(*texts: str, speakers: tuple[str | None, ...] = ("Anna",), seconds: float = 0.4) -> AnnotatedSpeech:
    """A sentence a text, each by the next of the speakers; a word every `seconds`."""
    words: list[Word] = []
    sentences: list[Sentence] = []
    for number, text in enumerate(texts):
        speaker, first = speakers[number % len(speakers)], len(words)
        for word in text.split():
            start = round(len(words) * seconds, 3)
            words.append(Word(text=word, start=start, end=round(start + seconds, 3), probability=0.9, speaker=speaker))
        sentences.append(
            Sentence(
                text=text,
                start=words[first].start,
                end=words[-1].end,
                first=first,
                last=len(words),
                speaker=speaker,
            )
        )
    turns = tuple(Turn(start=each.start, end=each.end, speaker=each.speaker) for each in sentences)
    return AnnotatedSpeech("debate one/anna", words[-1].end + 1, tuple(words), tuple(sentences), turns, turns)


# Times as recognisers give them: words may overlap, have no length, and end after the recording.
_times = st.tuples(st.integers(0, 20_000), st.integers(0, 2_000)).map(lambda pair: (pair[0] / 1000, pair[1] / 1000))
_texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=12)
intervals = st.lists(st.builds(lambda time, text: Interval(time[0], sum(time), text), _times, _texts), max_size=30)
