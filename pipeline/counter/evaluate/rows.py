"""The table of counter-speech detection: rows with intervals over motions, and comparisons of methods."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.counter.evaluate.debates import AnsweredDebate
from pipeline.counter.evaluate.methods import all_methods
from pipeline.counter.reported_speech import ResponseJudgement, judge_response
from pipeline.counter.texts import SpeechText
from pipeline.errors import RostrumError
from pipeline.evaluation.data import read_rows
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.measures import bootstrap_interval, mean_of_defined, pooled_mean, with_interval

# The best assignment of all speeches asked about: one answer for each supporting speech, or any number.
ASSIGNMENT = "assignment"
SEVERAL = "several answers"


class Line(NamedTuple):
    """A line of the table, but for its figures. `config` is empty where each speech is asked alone."""

    transcript: str
    protocol: str
    setting: str
    method: str
    config: str


# A ranker that sees only what the paper's methods see: the question's candidates, and what was learned in training.
ALONE = "candidates alone"
# The default of a run. A run knows no other motions: it counts which words are rare among the motion's own speeches.
OF_A_RUN = "tf-idf in a run"
RANKERS = (OF_A_RUN, "combined", f"combined, {ALONE}", "learned", f"learned, {ALONE}")
# The row of what is asked in each part of the data.
BY_SPLIT = "candidates by split"
# What others are compared with.
DEFAULT = "tf-idf"
_OVER = f"over_{DEFAULT.replace('-', '_')}"
# With fewer motions than this, intervals are too wide to compare by.
_ENOUGH = 10

# The accuracy and the reciprocal rank of every question, by motion.
Outcomes = dict[str, list[tuple[float, float]]]
Results = dict[Line, Outcomes]


def rows(results: Results) -> Iterator[Row]:
    """The table, by transcript, protocol and setting. A method that could not run has null figures and a note."""
    groups = dict.fromkeys(line[:3] for line in results)
    methods = all_methods()
    needs = {method.name: method.needs for method in methods}
    # A ranker's score is standardised over the motion, or over the question's candidates.
    sees = {name: "candidates" if name.endswith(ALONE) else "motion" for name in RANKERS}
    sees |= {method.name: method.sees for method in methods}
    for transcript, protocol, setting in groups:
        for method in (*needs, *RANKERS):
            for config in ("", ASSIGNMENT, SEVERAL):
                line = Line(transcript, protocol, setting, method, config)
                if line in results:
                    seen = "motion" if config else sees[method]
                    figures = _figures(results[line].values())
                    yield {**line._asdict(), "sees": seen, **figures, **_over_default(line, results)}
                elif needs.get(method) and not config:
                    yield {**line._asdict(), "sees": sees[method], "accuracy": None, "mrr": None, "note": needs[method]}


def candidate_rows(transcript: str, debates: Mapping[tuple[str, str], Iterable[AnsweredDebate]]) -> Iterator[Row]:
    """The questions under each protocol and setting: the paper's Table 2.

    Its columns are the supporting speeches, the opposing speeches that are candidates, the mean number of candidates,
    the share of candidates that are answers, and the sentences and words of a speech on average.
    """
    for (protocol, setting), group in debates.items():
        questions = [(debate, allowed, correct) for debate in group for _, allowed, correct in debate.asked()]
        if questions:
            candidates = sum(len(correct) for _, _, correct in questions)
            opposing = {speech for debate, allowed, _ in questions for speech in debate.chosen(allowed)}
            supporting = {debate.supporting[row] for debate in group for row, _, _ in debate.asked()}
            speeches = supporting | opposing
            yield {
                **Line(transcript, protocol, setting, "candidates", "")._asdict(),
                "supporting": len(questions),
                "opposing": len(opposing),
                "candidates": candidates / len(questions),
                "positives": sum(int(correct.sum()) for _, _, correct in questions) / candidates,
                "sentences": sum(len(speech.sentences) for speech in speeches) / len(speeches),
                "tokens": sum(len(words) for speech in speeches for words in speech.words) / len(speeches),
            }


def tables(rows: Sequence[Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """(title, rows) for a person: what is asked, the answers of every method, and how responses are told apart."""
    over = (_OVER, f"{_OVER}_low", f"{_OVER}_high")
    asked = tuple(_without(row, "method", "config") for row in rows if row["method"] == "candidates")
    by_split = tuple(_without(row, "method", "config") for row in rows if row["method"] == BY_SPLIT)
    others = ("response", "who is answered")
    answered = tuple(_without(row, *over) for row in rows if "candidates" not in row and row["protocol"] not in others)
    compared = tuple({name: row[name] for name in (*Line._fields, *over)} for row in rows if _OVER in row)
    attributed = tuple(_without(row, "config", "protocol") for row in rows if row["protocol"] == "who is answered")
    told_apart = tuple(_without(row, "config", "sees", "mrr") for row in rows if row["protocol"] == "response")
    titled = (
        ("supporting speeches and their candidates", asked),
        ("the same by split", by_split),
        ("who answers whom", answered),
        (f"accuracy less that of {DEFAULT}, on the same questions", compared),
        ("whom each opposing speech answers, if anybody", attributed),
        ("explicit responses told from implicit ones", told_apart),
    )
    return tuple((title, shown) for title, shown in titled if shown)


def _without(row: Row, *columns: str) -> Row:
    return {name: value for name, value in row.items() if name not in columns}


def response_rows(transcript: str, debates: Sequence[AnsweredDebate]) -> Iterator[Row]:
    """How often each side's speeches are called explicit responses, and how often that is right.

    Supporting speeches answer nobody, so that it is wrong for each of them. `reports` is the share of sentences that
    are taken for reports of the other side. If the data says how speeches respond, the accuracy stands beside that of
    always giving the more frequent answer.
    """
    line = Line(transcript, "response", "all", "explicit or implicit", "")._asdict()
    supporting = [_judged(debate.supporting, debate.opposing) for debate in debates]
    opposing = [_judged(debate.opposing, debate.supporting) for debate in debates]
    for side, judged in (("supporting", supporting), ("opposing", opposing)):
        judgements = [judgement for motion in judged for judgement in motion]
        sentences = sum(len(speech.sentences) for debate in debates for speech in getattr(debate, side))
        yield {
            **line,
            "method": f"{side} speeches called explicit",
            "share": sum(judgement.is_explicit for judgement in judgements) / len(judgements),
            "reports": sum(len(judgement.reports) for judgement in judgements) / max(sentences, 1),
            "speeches": len(judgements),
        }
    right = [
        [
            float(judgement.is_explicit == (kind == "explicit"))
            for judgement, kind in zip(judged, debate.kinds, strict=True)
            if kind
        ]
        for debate, judged in zip(debates, opposing, strict=True)
    ]
    known = [kind for debate in debates for kind in debate.kinds if kind]
    if known:
        most = max(known.count("explicit"), known.count("implicit")) / len(known)
        yield {**line, "method": "majority", "accuracy": most, "questions": len(known)}
        asked = {"mrr": None, "questions": len(known), "motions": sum(map(bool, right))}
        yield {**line, **accuracy_figures(right), **asked}


def _judged(speeches: Iterable[SpeechText], others: Iterable[SpeechText]) -> list[ResponseJudgement]:
    """Each speech of a side, judged as a response to the other side."""
    names = [name for other in others for name in other.speakers]
    return [judge_response(speech, names) for speech in speeches]


def accuracy_figures(motions: Iterable[Sequence[float]]) -> Row:
    """The share of right answers with its interval over motions."""
    return {**with_interval("accuracy", [motion for motion in motions if motion], _mean)}


def _figures(motions: Iterable[Sequence[tuple[float, float]]]) -> Row:
    asked = [motion for motion in motions if motion]
    return {
        **accuracy_figures([[accuracy for accuracy, _ in motion] for motion in asked]),
        "mrr": _mean([[rank for _, rank in motion] for motion in asked]) if asked else None,
        "questions": sum(map(len, asked)),
        "motions": len(asked),
    }


def _mean(motions: Sequence[Sequence[float]]) -> float:
    values = [value for motion in motions for value in motion]
    return sum(values) / len(values)


def _over_default(line: Line, results: Results) -> Row:
    """How much better a method answers the questions than the default, assigned alike; empty for few motions."""
    ours, theirs = results[line], results.get(line._replace(method=DEFAULT), {})
    if line.method == DEFAULT or not theirs or sum(map(bool, ours.values())) < _ENOUGH:
        return {}
    return dict(zip((_OVER, f"{_OVER}_low", f"{_OVER}_high"), _difference(ours, theirs), strict=True))


def comparisons(results: Results) -> Iterator[str]:
    """Differences between rankers on the same motions, with their intervals, and whether they are significant."""
    pairs = (
        (("combined", ""), (f"combined, {ALONE}", "")),
        (("combined", ASSIGNMENT), ("random", ASSIGNMENT)),
        (("combined", ASSIGNMENT), ("combined", "")),
        (("learned", ASSIGNMENT), ("combined", ASSIGNMENT)),
    )
    for transcript, protocol, setting in dict.fromkeys(line[:3] for line in results):
        for one, other in pairs:
            ours = results.get(Line(transcript, protocol, setting, *one), {})
            theirs = results.get(Line(transcript, protocol, setting, *other), {})
            if sum(map(bool, ours.values())) >= _ENOUGH and theirs:
                difference, low, high = _difference(ours, theirs)
                shown = "shown" if low > 0 or high < 0 else "not shown by so few questions"
                yield (
                    f"{transcript}, {protocol}, {setting}: {_spelled(*one)} over {_spelled(*other)}: "
                    f"{difference:+.3f} [{low:+.3f}, {high:+.3f}], {shown}"
                )


def _spelled(method: str, config: str) -> str:
    return f"{method} with {config}" if config else method


def _difference(ours: Outcomes, theirs: Outcomes) -> tuple[float, float, float]:
    """The difference of two accuracies over the same questions, and its interval."""
    motions = [[a - b for (a, _), (b, _) in zip(ours[motion], theirs[motion], strict=True)] for motion in ours]
    motions = [motion for motion in motions if motion]
    low, high = bootstrap_interval(motions, _mean)
    assert low is not None, "an interval needs two motions"
    assert high is not None
    return _mean(motions), low, high


def beaten(rows: Sequence[Row]) -> Iterator[str]:
    """Whether any method is shown to answer more questions than the default, by transcript, protocol and assignment."""
    columns = ("transcript", "protocol", "setting", "config")
    groups = grouped((tuple(row[name] for name in columns), row) for row in rows if _OVER in row)
    for group, of_group in groups.items():
        better = [str(row["method"]) for row in of_group if float(str(row[f"{_OVER}_low"])) > 0]
        title = ", ".join(str(part) for part in group if part)
        yield f"{title}: of {len(of_group)} methods, shown to be better than {DEFAULT}: {', '.join(better) or 'none'}"


# People beside methods: how often they choose a speech that answers, on questions whose answers are known.

_COLUMNS = ("speech", "annotator", "answer")


class PersonsAnswer(NamedTuple):
    """Which opposing speech a person chose for a supporting one, and whether it answers it."""

    motion: str
    speech: str
    answer: str
    right: bool


def people_rows(file: Path, debates: Sequence[AnsweredDebate]) -> list[Row]:
    """One row: the accuracy of an answer, with its interval over motions, and how often two people choose the same.

    The file is `answers.csv` of `rostrum annotate collect`: speech, annotator, answer.
    """
    given = read_answers(file, debates)
    if not given:
        raise RostrumError(f"{file}: no answer to a speech that is known to be answered here")
    by_motion = list(grouped((answer.motion, answer.right) for answer in given).values())
    pairs = [
        one.answer == other.answer
        for of_speech in grouped((answer.speech, answer) for answer in given).values()
        for one, other in combinations(of_speech, 2)
    ]
    return [
        {
            **Line("as people had it", "motion", "all", "people", "")._asdict(),
            "sees": "candidates",
            **with_interval("accuracy", by_motion, pooled_mean),
            "mrr": None,
            "agreement": mean_of_defined(pairs),
            "answers": len(given),
        }
    ]


def read_answers(file: Path, debates: Sequence[AnsweredDebate]) -> list[PersonsAnswer]:
    """The answers to supporting speeches that an opposing one is known to answer."""
    places = {speech.id: (debate, row) for debate in debates for row, speech in enumerate(debate.supporting)}
    given = []
    for _, row in read_rows(file, _COLUMNS):
        if row["speech"] in places:
            debate, place = places[row["speech"]]
            right = {debate.opposing[column].id for column in np.flatnonzero(debate.answers[place])}
            if right:
                given.append(PersonsAnswer(debate.motion, row["speech"], row["answer"], row["answer"] in right))
    return given
