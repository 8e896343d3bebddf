"""The mention detector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from pipeline.arrays import Floats, Integers
from pipeline.errors import RostrumError
from pipeline.evaluation import result
from pipeline.evaluation.result import Trained
from pipeline.evaluation.spoken import Speaker
from pipeline.grouping import grouped
from pipeline.keypoints.evaluate.data import UNDECIDED, Group, Part, training_parts
from pipeline.matching.matcher import Matcher, load_matcher
from pipeline.measures import area_under_curve, bootstrap_interval, calibration_error, macro_accuracy, pooled_mean
from pipeline.mentions.detector import GENERALITY, Detector, shipped_detector, trained_path
from pipeline.mentions.evaluate.data import Listening, read_listening, refuse_too_few_motions
from pipeline.mentions.evaluate.fitting import (
    LISTENING_FEATURES,
    LabelledList,
    adapt,
    cross_validate,
    fit,
    labelled_lists,
    leave_one_out,
)
from pipeline.mentions.features import LIKENESS, POINTS, argument_vectors, feature_table, point_scores, speech_vectors
from pipeline.mentions.stage import MentionsSettings
from pipeline.progress import Progress
from pipeline.text.encoders.sentence_encoder import Encoder, load_encoder

VOICES = 3  # how often each argument is heard anew, with other hesitations and word errors
SPEECHES_PER_VOICE = 80
# With fewer, the shipped detector is adapted and not a new one trained.
FEWEST_MOTIONS, FEWEST_PAIRS = 3, 500
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
@click.option("--replace", is_flag=True, help="Use it in runs also if it is no better than the shipped detector.")
def command(data: Path, progress: Progress, out: Path | None, encoder: str | None, seed: int, replace: bool) -> Trained:
    """Train the mention detector on labelled speeches, and say how good it is on speeches that it has not seen.

    DIR has the layout of ibm-debates, or is a corpus with labels (labels.csv, or answers to the queue of a report), or
    a run of one, or the folder of ArgKP (KPA 2021). Labels on one motion are enough: the shipped detector is then
    adapted to them. The new detector takes the place of the shipped one in runs if it is right more often than that,
    on speeches left out.
    """
    loaded = load_encoder(encoder or MentionsSettings().encoder)
    trained = trained_on(data, loaded, seed)
    place = trained_path(loaded.digest)
    takes_it = replace or trained.is_better
    path = out or (place if takes_it else place.with_suffix(".not-used.json"))
    trained.detector.write(path)
    remarks = [trained.summary, *([trained.comparison] if trained.comparison else [])]
    if not out and not takes_it:
        remarks.append(f"runs still use the shipped detector; to use this one: --replace, or mentions.detector={path}")
    return Trained(path, tuple(remarks))


@dataclass(frozen=True)
class TrainedDetector:
    """A detector, and what cross-validation over motions (or topics) says of it; over speeches if it was adapted.

    `differences` has for each of these groups how much more often it is right than the shipped detector, speech by
    speech; empty if they cannot be compared.
    """

    detector: Detector
    pairs: int
    groups: int
    accuracy: float
    majority: float
    auc: float | None
    ece: float
    left_out: str = "motions"
    differences: tuple[tuple[float, ...], ...] = ()

    @property
    def summary(self) -> str:
        auc = "undefined" if self.auc is None else f"{self.auc:.3f}"
        return (
            f"{self.pairs} pairs on {self.groups} {self.left_out}; on {self.left_out} left out: accuracy "
            f"{self.accuracy:.3f} (always the more frequent answer: {self.majority:.3f}), AUC {auc}, "
            f"calibration error {self.ece:.3f}"
        )

    @property
    def is_better(self) -> bool:
        """Whether it is right more often than the shipped detector; true if there is none to compare with."""
        return not self.differences or pooled_mean(self.differences) > 0

    @property
    def comparison(self) -> str | None:
        """How much better than the shipped detector it is, and how sure that is."""
        if not self.differences:
            return None
        difference = pooled_mean(self.differences)
        low, high = bootstrap_interval(self.differences, pooled_mean)
        sure = "" if low is None or high is None else f", 95 % interval {low:+.3f} to {high:+.3f}"
        doubt = "" if low is not None and low > 0 else "; so few labels cannot tell whether that is chance"
        return f"the shipped detector: {self.accuracy - difference:.3f} (difference {difference:+.3f}{sure}{doubt})"


def trained_on(folder: Path, encoder: Encoder, seed: int = 0) -> TrainedDetector:
    """Train on a folder of labelled speeches, all kinds of transcript in it, or of ArgKP."""
    if list(folder.glob("key_points*.csv")):
        return _trained_on_argkp(folder, encoder, seed)
    data = read_listening(folder)
    shipped = shipped_detector(encoder)
    if shipped and (len(data.motions) < FEWEST_MOTIONS or len(data.pairs) < FEWEST_PAIRS):
        return _adapted(data, folder, encoder, shipped)
    refuse_too_few_motions(data, folder)
    matcher = load_matcher(shipped.matcher) if shipped and shipped.matcher else None
    lists = [speech for kind in data.transcripts for speech in labelled_lists(data, kind, encoder, matcher)]
    trained = _validated(fit(lists, encoder, _named(data, folder), LISTENING_FEATURES), lists, encoder)
    if shipped is None:
        return trained
    probabilities = cross_validate(lists, encoder, LISTENING_FEATURES)
    return replace(trained, differences=_differences(lists, probabilities, trained.detector.threshold, shipped))


def _named(data: Listening, folder: Path) -> str:
    motions = len(data.motions)
    return f"{folder.resolve().name}: {len(data.pairs)} labels on {motions} motion{'s' if motions > 1 else ''}"


def _adapted(data: Listening, folder: Path, encoder: Encoder, shipped: Detector) -> TrainedDetector:
    """The shipped detector, adapted to few labels, and what leaving one speech out says of it."""
    kind = list(data.transcripts)[-1]  # that of a run, if there is one: what the detector will hear
    lists = labelled_lists(data, kind, encoder, load_matcher(shipped.matcher) if shipped.matcher else None)
    labels = np.concatenate([speech.labels for speech in lists])
    if len(lists) < 2 or len({*labels.tolist()}) < 2:
        raise RostrumError(
            f"{folder}: too few labels to learn from; two speeches are needed, with arguments that are mentioned and "
            "arguments that are not"
        )
    detector = adapt(shipped, lists, f"{_named(data, folder)}, adapted from the shipped detector")
    probabilities = leave_one_out(shipped, lists)
    differences = _differences(lists, probabilities, detector.threshold, shipped, by_speech=True)
    figures = _figures(detector, lists, probabilities)
    return replace(figures, groups=len(lists), left_out="speeches", differences=differences)


def _differences(
    lists: Sequence[LabelledList],
    probabilities: Sequence[Floats],
    threshold: float,
    shipped: Detector,
    *,
    by_speech: bool = False,
) -> tuple[tuple[float, ...], ...]:
    """How much more often it is right than the shipped detector: for each speech, by motion or each by itself."""

    def accuracy(likely: Floats, at_least: float, one: LabelledList) -> float:
        return float(np.mean((likely >= at_least) == one.labels))

    groups = (
        (
            str(place) if by_speech else one.group,
            accuracy(likely, threshold, one) - accuracy(one.probabilities(shipped), shipped.threshold, one),
        )
        for place, (one, likely) in enumerate(zip(lists, probabilities, strict=True))
    )
    return tuple(grouped(groups).values())


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
    return _figures(detector, lists, cross_validate(lists, encoder, tuple(detector.weights), arguments=arguments))


def _figures(detector: Detector, lists: Sequence[LabelledList], by_list: Sequence[Floats]) -> TrainedDetector:
    """The figures of a detector, by the probabilities that it gives to lists left out."""
    probabilities = np.concatenate(by_list)
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
