"""The evidence that one speech answers another: sentences that match, and words that only the two share."""

from collections.abc import Iterable, Iterator

import numpy as np

from pipeline.counter.comparison import Relations
from pipeline.counter.record import DetectedResponse, SentencePair, SharedNgram
from pipeline.counter.reports import judge_response, report_weights
from pipeline.counter.texts import Ngram, SpeechText
from pipeline.records.speech import Passage, Sentence
from pipeline.segment.record import Sentences
from pipeline.text.terms import stem, stop_words, tokens


def as_text(speech: str, sentences: Sentences, speakers: Iterable[str]) -> SpeechText:
    """A speech's sentences as the methods read them."""
    return SpeechText(speech, tuple(sentence.text for sentence in sentences.sentences), tuple(speakers))


def sentence_pairs(
    supporting: tuple[SpeechText, Sentences],
    opposing: tuple[SpeechText, Sentences],
    relations: Relations,
    limit: int,
) -> tuple[SentencePair, ...]:
    """The sentences that are each other's best match, the most alike first."""
    (one, ours), (other, theirs) = supporting, opposing
    alike = relations.similarity(one, other)
    if not alike.size:
        return ()
    best = alike.argmax(axis=1)
    mutual = np.flatnonzero((alike.argmax(axis=0)[best] == np.arange(len(best))) & (alike.max(axis=1) > 0))
    reports, opposes = report_weights(other, one.speakers), relations.opposition(one, other)
    order = sorted(mutual, key=lambda row: -alike[row, best[row]])[:limit]
    return tuple(
        SentencePair(
            supporting=Passage.of(ours.sentences[row]),
            opposing=Passage.of(theirs.sentences[best[row]]),
            similarity=float(alike[row, best[row]]),
            quotes=bool(reports[best[row]] == 1),
            opposes=bool(opposes[row, best[row]] >= 0.5),
        )
        for row in order
    )


def ngram_evidence(
    found: Iterable[Ngram], supporting: Sentences, opposing: Sentences, limit: int
) -> tuple[SharedNgram, ...]:
    """Where both speeches have the n-grams for the first time, as the opposing one words them; the longest first."""
    wanted = sorted(found, key=lambda ngram: (-len(ngram), ngram))[:limit]
    ours, theirs = _first_places(supporting, set(wanted)), _first_places(opposing, set(wanted))
    return tuple(
        SharedNgram(text=theirs[ngram][1], supporting=Passage.of(ours[ngram][0]), opposing=Passage.of(theirs[ngram][0]))
        for ngram in wanted
    )


def response_record(
    opposing: SpeechText,
    sentences: Sentences,
    opponents: Iterable[str],
    answers: str | None,
    answers_somebody: float | None,
) -> DetectedResponse:
    """Whether the speech says that it answers somebody, with the sentences that say so; and whom it answers."""
    found = judge_response(opposing, tuple(opponents))
    return DetectedResponse(
        opposing=opposing.id,
        kind="explicit" if found.is_explicit else "implicit",
        probability=found.probability,
        reports=tuple(Passage.of(sentences.sentences[index]) for index in found.reports),
        answers=answers,
        answers_somebody=answers_somebody,
    )


def _first_places(sentences: Sentences, wanted: set[Ngram]) -> dict[Ngram, tuple[Sentence, str]]:
    """The first sentence that has each n-gram, and its words there."""
    places: dict[Ngram, tuple[Sentence, str]] = {}
    for sentence in sentences.sentences:
        for ngram, words in _worded(sentence.text, {len(ngram) for ngram in wanted}):
            if ngram in wanted:
                places.setdefault(ngram, (sentence, words))
    return places


def _worded(text: str, lengths: set[int]) -> Iterator[tuple[Ngram, str]]:
    words = [word for word in tokens(text) if word not in stop_words()]
    stems = [stem(word) for word in words]
    for length in lengths:
        for start in range(len(words) - length + 1):
            yield tuple(stems[start : start + length]), " ".join(words[start : start + length])
