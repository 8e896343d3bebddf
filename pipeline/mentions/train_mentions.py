"""The mention detector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Integers
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.evaluation.spoken import Speaker
from pipeline.keypoints.evaluate.data import UNDECIDED, Group, Part, training_parts
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.measures import area_under_curve, calibration_error, macro_accuracy
from pipeline.mentions.detector import GENERALITY, Detector, trained_path
from pipeline.mentions.evaluate.data import read_listening, refuse_too_few_motions
from pipeline.mentions.evaluate.fitting import LISTENING_FEATURES, LabelledList, cross_validate, fit, labelled_lists
from pipeline.mentions.features import LIKENESS, POINTS, argument_vectors, feature_table, point_scores, speech_vectors
from pipeline.mentions.stage import MentionsSettings
from pipeline.progress import Progress
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

VOICES = 3  # how often each argument is heard anew, with other hesitations and word errors
SPEECHES_PER_VOICE = 80
SHORTEST_LIST = 3  # in a shorter list hardly anything can stand out
ARGUMENTS = (3, 10)
ASIDES = (10, 40)
# The matcher of key points whose scores the shipped detectors weigh.
MATCHER = "tuned"
SYNTHETIC_FEATURES = (LIKENESS, *POINTS, GENERALITY)


@click.command()
@result.out_file
@click.option("--encoder", help="The sentence encoder that the detector is for. Default: that of the stage.")
@click.option("--seed", default=0, show_default=True, help="For ArgKP: which speeches are put together.")
def command(data: Path, progress: Progress, out: Path | None, encoder: str | None, seed: int) -> Trained:
    """Train the mention detector on labelled speeches, and say how good it is on motions that it has not seen.

    DIR has the layout of ibm-debates, or is a corpus with labels.csv, or the folder of ArgKP (KPA 2021).
    """
    loaded = load_encoder(encoder or MentionsSettings().encoder)
    trained = trained_on(data, loaded, seed)
    path = out or trained_path(loaded.digest)
    trained.detector.write(path)
    return Trained(path, (trained.summary,))


@dataclass(frozen=True)
class TrainedDetector:
    """A detector, and what cross-validation over motions (or topics) says of it."""

    detector: Detector
    pairs: int
    groups: int
    accuracy: float
    majority: float
    auc: float | None
    ece: float

    @property
    def summary(self) -> str:
        auc = "undefined" if self.auc is None else f"{self.auc:.3f}"
        return (
            f"{self.pairs} pairs on {self.groups} motions; on motions left out: accuracy {self.accuracy:.3f} "
            f"(always the more frequent answer: {self.majority:.3f}), AUC {auc}, calibration error {self.ece:.3f}"
        )


def trained_on(folder: Path, encoder: Encoder, seed: int = 0) -> TrainedDetector:
    """Train on a folder of labelled speeches, all kinds of transcript in it, or of ArgKP."""
    if list(folder.glob("key_points*.csv")):
        return _trained_on_argkp(folder, encoder, seed)
    data = read_listening(folder)
    refuse_too_few_motions(data, folder)
    lists = [speech for transcript in data.transcripts for speech in labelled_lists(data, transcript, encoder)]
    name = f"{folder.resolve().name}: {len(data.pairs)} labels on {len(data.motions)} motions"
    return _validated(fit(lists, encoder, name, LISTENING_FEATURES), lists, encoder)


def _trained_on_argkp(folder: Path, encoder: Encoder, seed: int) -> TrainedDetector:
    """Train on speeches put together from ArgKP.

    They are of its dev part if there is one, because the matcher learned from the training part. How general words are
    is counted on the training part.
    """
    training, dev = training_parts(folder)
    arguments = [(argument.topic, argument.text) for argument in training.arguments]
    lists = list(synthetic_examples(dev or training, encoder, load_matcher(MATCHER), seed))
    name = f"speeches put together from ArgKP, {(dev or training).name or 'its only'} part, seed {seed}"
    detector = fit(lists, encoder, name, SYNTHETIC_FEATURES, arguments=arguments, matcher=MATCHER)
    return _validated(detector, lists, encoder, arguments)


def _validated(
    detector: Detector, lists: list[LabelledList], encoder: Encoder, arguments: Sequence[tuple[str, str]] = ()
) -> TrainedDetector:
    features = tuple(detector.weights)
    probabilities = np.concatenate(cross_validate(lists, encoder, features, arguments=arguments))
    labels = np.concatenate([speech.labels for speech in lists])
    speeches = np.repeat(np.arange(len(lists)), [len(speech.titles) for speech in lists])
    frequent = np.full(len(labels), labels.mean() > 0.5)
    return TrainedDetector(
        detector=detector,
        pairs=len(labels),
        groups=len({speech.group for speech in lists}),
        accuracy=macro_accuracy(probabilities >= detector.threshold, labels, speeches),
        majority=macro_accuracy(frequent, labels, speeches),
        auc=area_under_curve(probabilities, labels),
        ece=calibration_error(probabilities, labels),
    )


# Speeches put together from ArgKP's arguments: what the shipped detectors are trained on.
#
# People labelled which key points an argument makes. A made-up speech is several arguments of one side, one after the
# other, as they would be heard. It mentions their key points and no others of its side. The arguments are drawn by
# chance, so that key points that many people make are heard often, as in debates. Every second speech is as long as a
# debater's: its other sentences make no key point of the list, or are of the other side.


def synthetic_examples(part: Part, encoder: Encoder, matcher: Matcher, seed: int = 0) -> Iterator[LabelledList]:
    """Speeches of arguments of one side, whatever key points they make; every second one has asides."""
    speaker = Speaker(argument.text for argument in part.arguments)
    for number, group in enumerate(part.groups):
        decided = np.flatnonzero((group.labels != UNDECIDED).all(axis=1))
        if len(group.key_points) < SHORTEST_LIST or len(decided) < ARGUMENTS[1]:
            continue
        others = [
            argument.text
            for other in part.groups
            if other.topic == group.topic and other.stance != group.stance
            for argument in other.arguments
        ]
        for voice in range(VOICES):
            random = np.random.default_rng([seed + voice, number])
            heard = [speaker.says(argument.text, (), random) for argument in group.arguments]
            pointless = [heard[index] for index in decided if not (group.labels[index] == 1).any()]
            opposing = [speaker.says(text, (), random) for text in others]
            asides = [pool for pool in (pointless, opposing) if pool]
            for said, sentences in _speeches(decided, heard, asides, random):
                yield _example(group, said, sentences, encoder, matcher)


def _speeches(
    places: Integers, heard: Sequence[str], asides: Sequence[list[str]], random: np.random.Generator
) -> Iterator[tuple[list[int], list[str]]]:
    """Which arguments are made in each speech, and its sentences."""
    for speech in range(SPEECHES_PER_VOICE):
        size = int(random.integers(*ARGUMENTS, endpoint=True))
        said = [int(index) for index in random.choice(places, size, replace=False)]
        sentences = [heard[index] for index in said]
        yield said, _with_asides(sentences, asides, random) if speech % 2 and asides else sentences


def _with_asides(sentences: list[str], pools: Sequence[list[str]], random: np.random.Generator) -> list[str]:
    """The sentences in any order among others, which come from each pool equally often."""
    count = int(random.integers(*ASIDES, endpoint=True))
    drawn = [pools[int(random.integers(len(pools)))] for _ in range(count)]
    mixed = sentences + [pool[int(random.integers(len(pool)))] for pool in drawn]
    return [mixed[int(index)] for index in random.permutation(len(mixed))]


def _example(
    group: Group, said: Sequence[int], sentences: Sequence[str], encoder: Encoder, matcher: Matcher
) -> LabelledList:
    titles = tuple(point.text for point in group.key_points)
    mentioned = (group.labels[said] == 1).any(axis=0)
    table = feature_table(
        argument_vectors(encoder, titles, [()] * len(titles)),
        speech_vectors(encoder, sentences),
        point_scores(matcher, group.topic, sentences, titles, [()] * len(titles)),
    )
    return LabelledList(group.topic, group.topic, titles, table, mentioned, mentioned.astype(float))
