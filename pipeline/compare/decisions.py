"""Differences between the decisions of several runs: mentions, answers and key points."""

from collections.abc import Sequence

from pipeline.counter import CounterScores
from pipeline.keypoints import KeyPoints
from pipeline.mentions import Mention, Mentions
from pipeline.run.finished import FinishedRun
from pipeline.run.summary import Row


def other_mentions(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """Arguments that some runs find in a speech and others do not, with each probability and people's label."""
    labels = {(each.speech, each.argument): each.mentioned for each in runs[0].known.labels}
    rows: list[Row] = []
    for speech in runs[0].speeches:
        found = [_mentions(run, speech.id) for run in runs]
        for argument in found[0]:
            own = [each.get(argument) for each in found]
            if len({each.mentioned for each in own if each}) < 2:
                continue
            label = labels.get((speech.id, argument))
            rows.append(
                {
                    "speech": speech.id,
                    "argument": next(each.title for each in own if each),
                    **{name: each.probability if each else None for name, each in zip(names, own, strict=True)},
                    "label": None if label is None else "mentioned" if label else "not mentioned",
                }
            )
    return rows


def other_answers(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """One row per supporting speech whose likeliest answer differs between the runs."""
    rows: list[Row] = []
    for motion in runs[0].motions:
        found = [_answers(run, motion.id) for run in runs]
        for speech in found[0] if all(found) else ():
            best = [each.get(speech) for each in found]
            if len(set(best)) > 1:
                rows.append({"speech": speech, **dict(zip(names, best, strict=True))})
    return rows


def key_points(runs: Sequence[FinishedRun], names: Sequence[str]) -> list[Row]:
    """One row per motion: how many key points each run has, and how many of them have the same words in all runs."""
    rows: list[Row] = []
    for motion in runs[0].motions:
        records = [run.of_motion(KeyPoints, motion.id) for run in runs]
        texts = [{each.text.casefold() for each in record.points} for record in records if record]
        if len(texts) == len(runs):
            counts = {name: len(each) for name, each in zip(names, texts, strict=True)}
            rows.append({"motion": motion.id, **counts, "in all": len(set.intersection(*texts))})
    return rows


def _mentions(run: FinishedRun, speech: str) -> dict[str, Mention]:
    record = run.of_speech(Mentions, speech)
    return {each.argument: each for each in record.mentions} if record else {}


def _answers(run: FinishedRun, motion: str) -> dict[str, str]:
    """The likeliest answer to each supporting speech: its pair of rank 1."""
    record = run.of_motion(CounterScores, motion)
    return {pair.supporting: pair.opposing for pair in record.pairs if pair.rank == 1} if record else {}
