"""The expected content of a speech, and how much of it the speech covers: the record that a coach reads."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from pipeline.arrays import Matrix
from pipeline.content.rouge import (
    Terms,
    best_rouge,
    content_vector,
    inverse_document_frequency,
    mean_rouge,
    new_rouge,
    similarities,
    soft_recall,
    word_recalls,
)
from pipeline.content.stage import ContentSettings, Coverage, ExpectedSentence
from pipeline.records import Arguments, ExpectedTexts, Passage, Sentence, Stance
from pipeline.segment import Sentences
from pipeline.text import sentences
from pipeline.text.encoders.sentence_encoder import load_encoder
from pipeline.text.language import language
from pipeline.text.terms import tokens

# What is expected, by the id or number of each part: its sentences.
Parts = Mapping[str, Sequence[str]]
LEFT_OUT = 20


def from_references(references: ExpectedTexts, limit: int, code: str = "en") -> Parts:
    """Given references in the language of that code, the first `limit` of them."""
    texts = enumerate(references.texts[:limit], start=1)
    return {f"reference {number}": sentences.split(text, language(code)) for number, text in texts}


def from_arguments(arguments: Arguments | None, stance: Stance | None, code: str = "en") -> Parts:
    """The arguments of one side, or of both where a speech's side is not known: the claim, then its sentences."""
    items = arguments.items if arguments else ()
    return {
        argument.id: [argument.title, *sentences.split(argument.text, language(code))]
        for argument in items
        if stance in (None, argument.stance)
    }


def coverage(
    expected: Literal["references", "arguments"], parts: Parts, sentences: Sentences, settings: ContentSettings
) -> Coverage:
    """Measure the speech against the parts as a whole, and find the sentence that covers each of theirs."""
    terms = Terms("stems" if settings.stems else "words", settings.stop_words, language=sentences.language)
    texts = [" ".join(part) for part in parts.values()]
    spoken = " ".join(sentence.text for sentence in sentences.sentences)
    wanted = [(part, text) for part, texts_of_part in parts.items() for text in texts_of_part]
    documents = [terms.terms_in(text) for _, text in wanted]
    said = [terms.terms_in(sentence.text) for sentence in sentences.sentences]
    idf = inverse_document_frequency([*documents, *said])
    words = word_recalls(documents, said, idf)
    meanings = _meanings([text for _, text in wanted], sentences.sentences, settings.encoder)
    matched = tuple(_matched(wanted, sentences.sentences, words, meanings, settings))
    return Coverage(
        expected=expected,
        parts=len(parts),
        base_rouge=mean_rouge(spoken, texts, settings.ngram, terms),
        new_rouge=new_rouge(spoken, texts, terms),
        best_rouge=best_rouge(spoken, texts, settings.ngram, terms),
        content_vector=content_vector(terms.terms_in(spoken), [terms.terms_in(text) for text in texts], idf),
        soft_recall=None if meanings is None else soft_recall(meanings),
        covered=float(np.mean([sentence.covered for sentence in matched])) if matched else 0.0,
        sentences=matched,
        left_out=tuple(_left_out([text for _, text in wanted], said, terms, idf)),
        encoder=settings.encoder,
    )


def _meanings(wanted: Sequence[str], sentences: Sequence[Sentence], encoder: str | None) -> Matrix | None:
    if encoder is None:
        return None
    if not wanted or not sentences:
        return np.zeros((len(wanted), len(sentences)))
    return similarities(wanted, [sentence.text for sentence in sentences], load_encoder(encoder))


def _matched(
    wanted: Sequence[tuple[str, str]],
    sentences: Sequence[Sentence],
    words: Matrix,
    meanings: Matrix | None,
    settings: ContentSettings,
) -> Iterable[ExpectedSentence]:
    deciding, threshold = (words, settings.words) if meanings is None else (meanings, settings.similarity)
    for row, (part, text) in enumerate(wanted):
        best = int(deciding[row].argmax()) if sentences else None
        yield ExpectedSentence(
            part=part,
            text=text,
            covered=best is not None and bool(deciding[row, best] >= threshold),
            similarity=None if meanings is None or best is None else float(meanings[row, best]),
            words=0.0 if best is None else float(words[row, best]),
            said=None if best is None else Passage.of(sentences[best]),
        )


def _left_out(
    wanted: Sequence[str], said: Sequence[Sequence[str]], terms: Terms, idf: Callable[[str], float]
) -> list[str]:
    """Expected content words that were never said, as they are written, by how often they were expected and rarity."""
    content = replace(terms, stop_words=False)
    spoken = {term for words in said for term in words}
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in wanted:
        for word in tokens(text):
            for term in content.terms_in(word):
                written.setdefault(term, word)
                counts[term] += 1
    missing = [term for term in counts if term not in spoken]
    return [written[term] for term in sorted(missing, key=lambda term: (-counts[term] * idf(term), term))[:LEFT_OUT]]
