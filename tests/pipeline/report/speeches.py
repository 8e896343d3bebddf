"""Speeches for the format tests: an ordinary one, and any that hypothesis thinks of."""

from collections.abc import Sequence

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


# Any speech with words one after the other, at milliseconds: what a recogniser makes, in whatever letters.
_LETTERS = st.characters(exclude_categories=["C", "Z"])
words_of_any_kind = st.text(_LETTERS, min_size=1, max_size=12)
# What subtitles, which mark names by colons and sounds by brackets, can hold.
plain_words = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters=":[]{}"), min_size=1, max_size=12)
names = st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=9), min_size=1, max_size=2).map(" ".join)


@st.composite
def speeches(draw: st.DrawFn, words: st.SearchStrategy[str] = words_of_any_kind, voices: int = 3) -> AnnotatedSpeech:
    """A speech of up to so many voices, one sentence or more each time somebody speaks; nobody may be known."""
    speakers: Sequence[str | None] = draw(st.lists(names, min_size=1, max_size=voices, unique=True))
    if len(speakers) == 1 and draw(st.booleans()):
        speakers = [None]
    at, said, sentences = 0, list[Word](), list[Sentence]()
    for texts in draw(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=6)):
        speaker, first = draw(st.sampled_from(speakers)), len(said)
        for text in texts:
            start = at + draw(st.integers(0, 1500))
            at = start + draw(st.integers(1, 1500))
            confidence = draw(st.none() | st.integers(0, 1000).map(lambda each: each / 1000))
            said.append(Word(text=text, start=start / 1000, end=at / 1000, probability=confidence, speaker=speaker))
        sentences.append(
            Sentence(
                text=" ".join(texts),
                start=said[first].start,
                end=said[-1].end,
                first=first,
                last=len(said),
                speaker=speaker,
            )
        )
    turns = tuple(Turn(start=each.start, end=each.end, speaker=each.speaker) for each in sentences)
    return AnnotatedSpeech("talk", at / 1000, tuple(said), tuple(sentences), turns, turns)
