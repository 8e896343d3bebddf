"""The form of claims, learned from speeches that are put together from written ones.

The claims of one topic are said one after another: linked, hesitant and sometimes misheard, with punctuation or with
pauses where a speaker breathes. So it is known where each begins and ends.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np

from pipeline import models
from pipeline.evaluation import result as options
from pipeline.evaluation.result import Trained
from pipeline.keypoints.clause_form import ClauseForm, Fluency, patterns
from pipeline.keypoints.grammar import parser
from pipeline.keypoints.stretches import Stretch, stretches
from pipeline.progress import Progress
from pipeline.speakers.evaluate.lessons import Topic, topics
from pipeline.text.encoders.sentence_encoder import load_encoder

ATTRIBUTION = (
    "Learnt from ArgKP (CDLA-Sharing-1.0), Perspectrum (CC-BY-SA 4.0) and IBM claim stance (CC-BY-SA 3.0); shared "
    "under CC-BY-SA 4.0"
)
ENCODER = "bge-small-en-v1.5-int8"
_OPENINGS = (
    *("so", "and", "but", "because", "we think that", "and so", "secondly", "first of all", "i think that", "now"),
    *("and i think", "and the reason for this is that", "and we think that", "so what this means is that", "also"),
    *("recognize that", "the problem is that", "what we see is that", "and also", "so when you look at it", "like"),
    *("and that's because", "okay so", "and this is important because", "well", "at the end of the day"),
    *("additionally", "it's also true that", "this is a problem because", "i don't think this is true"),
    *("the other thing is that", "and it's clear that"),
)
_ENDINGS = (
    *("right", "okay", "and so on", "and things like that", "so", "and", "for this reason", "i think", "and that"),
    *("in the first place", "and they do this", "that's important", "which is bad"),
)
_OPENED, _ENDED, _PUNCTUATED, _PAUSES = 0.7, 0.2, 0.4, 0.5
# How often a word is said twice, is misheard in a claim, or comes after a pause in the middle of a claim.
_REPEATED, _GARBLED, _BREATHS = 0.01, 0.15, 0.04
_CLAIMS, _MOST_WORDS, _LONGEST_TEXT = 16, 18, 25
# The fewest claims of a topic, occurrences of a feature, and occurrences of three words.
_FEWEST_CLAIMS, _FEWEST_OF_FEATURE, _FEWEST_OF_RUN = 6, 15, 3
_INVERSE_REGULARISATION = 0.1
# Form is learned from so many stretches: more of them teach the form of speeches that are put together.
_FORMED = 6_000


@click.command()
@options.out_file
@click.option("--speeches", default=2600, show_default=True, help="How many speeches are put together.")
@options.training_seed
def command(data: Path, progress: Progress, out: Path | None, speeches: int, seed: int) -> Trained:
    """Learn which words are a whole claim, by their grammar, their meaning and the words beside them.

    DIR has the folders kpa2021 (ArgKP), perspectrum and ibm-claim-stance, of which the training parts are read.
    """
    file = out or models.cache_folder() / "keypoints" / "clauses.json"
    random = np.random.default_rng(seed)
    taught = topics(data, "train")
    order = random.permutation(len(taught)).tolist()
    # What is usual is counted on other topics than those whose claims are learned.
    counted, said = ([taught[place] for place in half] for half in np.array_split(order, 2))
    fluency = Fluency(runs=_runs([text for topic in counted for text in _texts(topic)]))
    progress(0.1, "runs of words counted")
    examples = list(_examples(said, fluency, speeches, random, progress))
    model = learn(examples, fluency)
    model.write(file)
    return Trained(file, (model.trained_on, ATTRIBUTION))


def learn(examples: Sequence[tuple[Stretch, bool]], fluency: Fluency) -> ClauseForm:
    """The model of these stretches, which are whole claims or not."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    labels = np.array([is_claim for _, is_claim in examples])
    formed = examples[:_FORMED]
    counts = Counter(name for stretch, _ in formed for name in set(stretch.features))
    rows = [{name: 1.0 for name in stretch.features if counts[name] >= _FEWEST_OF_FEATURE} for stretch, _ in formed]
    vectorizer = DictVectorizer()
    model = LogisticRegression(C=_INVERSE_REGULARISATION, max_iter=1000)
    model.fit(vectorizer.fit_transform(rows), labels[:_FORMED])
    weights = zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True)
    encoder = load_encoder(ENCODER)
    meaning = LogisticRegression(max_iter=1000).fit(encoder.encode([stretch.text for stretch, _ in examples]), labels)
    usual = np.log(labels.mean() / (1 - labels.mean()))  # counted once: by the form
    return ClauseForm(
        weights={name: round(float(weight), 3) for name, weight in weights if abs(weight) >= 0.02},
        bias=round(float(model.intercept_[0]), 3),
        fluency=fluency,
        encoder=ENCODER,
        encoder_digest=encoder.digest,
        meaning=tuple(round(float(weight), 3) for weight in meaning.coef_[0]),
        meaning_bias=round(float(meaning.intercept_[0] - usual), 3),
        trained_on=f"{labels.sum()} whole claims, {(~labels).sum()} other stretches",
        attribution=ATTRIBUTION,
    )


def _texts(topic: Topic) -> list[str]:
    return [text for text in (*topic.supporting, *topic.opposing) if len(text.split()) <= _LONGEST_TEXT]


def _runs(texts: Sequence[str]) -> dict[str, int]:
    """How often function words and parts of speech follow one another in texts, one to three at a time."""
    counts: Counter[str] = Counter()
    for document in parser().pipe((f"{text.strip().rstrip('.!')}." for text in texts), batch_size=256):
        pattern = patterns([word for word in document if not word.is_punct])
        for length in (1, 2, 3):
            counts.update(" ".join(pattern[i : i + length]) for i in range(len(pattern) - length + 1))
    return {run: n for run, n in sorted(counts.items()) if n >= (_FEWEST_OF_RUN if run.count(" ") == 2 else 1)}


def _examples(
    taught: Sequence[Topic], fluency: Fluency, speeches: int, random: np.random.Generator, progress: Progress
) -> Iterator[tuple[Stretch, bool]]:
    """Stretches of made-up speeches that stand alone by their grammar, and whether each is a whole claim."""
    drawn_from = [texts for texts in map(_texts, taught) if len(texts) >= _FEWEST_CLAIMS]
    for number in range(speeches):
        progress(0.1 + 0.8 * number / speeches, "speeches put together")
        texts = drawn_from[int(random.integers(len(drawn_from)))]
        chosen = [texts[place] for place in random.permutation(len(texts))[:_CLAIMS].tolist()]
        speech = _MadeSpeech(bool(random.random() < _PUNCTUATED))
        for text in chosen:
            speech.say(text, chosen, random)
        for stretch in stretches(speech.sentences, fluency, punctuated=speech.punctuated, most_words=_MOST_WORDS):
            yield stretch, (stretch.start, stretch.end) in speech.claims


@dataclass
class _MadeSpeech:
    """Sentences as segmentation gives them, and where the whole claims are in their text."""

    punctuated: bool
    sentences: list[str] = field(default_factory=list)
    claims: set[tuple[int, int]] = field(default_factory=set)
    _length: int = -1

    def say(self, text: str, around: Sequence[str], random: np.random.Generator) -> None:
        """Say one claim, with words before and after it."""
        words = self._words(text, random)
        if len(words) < 3:
            return
        garbled = random.random() < _GARBLED
        words = _garbled(words, around, random) if garbled else words
        opening = _one(_OPENINGS, random).split() if random.random() < _OPENED else []
        ending = _one(_ENDINGS, random).split() if random.random() < _ENDED else []
        if self.punctuated and opening:
            words[0] = words[0][:1].lower() + words[0][1:]
            opening[0] = opening[0].capitalize()
        pause = self.punctuated or random.random() < _PAUSES
        for place, word in enumerate(opening):
            self._add(word, new=place == 0 and pause)
        places = [
            self._add(word, new=(pause and not opening) if place == 0 else self._breathes(random))
            for place, word in enumerate(words)
        ]
        if not garbled:
            self.claims.add((places[0][0], places[-1][1]))
        for word in ending:
            self._add(word, new=False)
        if self.punctuated:
            self.sentences[-1] += "."
            self._length += 1

    def _words(self, text: str, random: np.random.Generator) -> list[str]:
        words = text.strip().rstrip(".!").split()
        if self.punctuated:
            return words
        bare = filter(None, (word.strip('.,;:!?"()').lower() for word in words))
        return [again for word in bare for again in ([word] * (2 if random.random() < _REPEATED else 1))]

    def _breathes(self, random: np.random.Generator) -> bool:
        return not self.punctuated and bool(random.random() < _BREATHS)

    def _add(self, word: str, *, new: bool) -> tuple[int, int]:
        """Say a word, in a new sentence or in the last one. (Where it begins, where it ends.)"""
        if new or not self.sentences:
            self.sentences.append(word)
        else:
            self.sentences[-1] += f" {word}"
        start = self._length + 1
        self._length = start + len(word)
        return start, self._length


def _garbled(words: Sequence[str], texts: Sequence[str], random: np.random.Generator) -> list[str]:
    """Words of which one or two are misheard: another word, one more, or one less."""
    heard = list(words)
    for _ in range(int(random.integers(1, 3))):
        place, how = int(random.integers(len(heard))), random.random()
        other = _one(_one(texts, random).split(), random).strip(".,;:!?").lower()
        heard[place : place + 1] = [other] if how < 0.6 else [heard[place], other] if how < 0.8 else []
    return heard or list(words)


def _one(texts: Sequence[str], random: np.random.Generator) -> str:
    return texts[int(random.integers(len(texts)))]
