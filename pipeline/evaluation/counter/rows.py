"""The table of counter-speech detection: rows with intervals over motions, and what they allow one to conclude."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.argue.counter.method import METHODS, members
from pipeline.argue.counter.reports import judge_response
from pipeline.evaluation.counter.debates import AnsweredDebate, Kind
from pipeline.evaluation.counter.fitting import PAPER_METHODS
from pipeline.evaluation.result import Row
from pipeline.measures.intervals import bootstrap_interval

ELIMINATION = "elimination"
RANKERS = ("combined", "learned")
# Fewer motions than this make no interval worth comparing by.
_ENOUGH = 10


class Line(NamedTuple):
    """A line of the table, but for its figures."""

    transcript: str
    protocol: str
    setting: str
    method: str
    config: str


# Of each motion the accuracy and the reciprocal rank of every question.
Outcomes = dict[str, list[tuple[float, float]]]
Results = dict[Line, Outcomes]


def rows(results: Results) -> Iterator[Row]:
    """The table, by transcript, protocol and setting. A method that could not run has null figures and a note."""
    groups = dict.fromkeys(line[:3] for line in results)
    needs = {each.name: each.needs for each in members(METHODS, PAPER_METHODS)}
    for transcript, protocol, setting in groups:
        for method in (*needs, *RANKERS):
            for config in ("", ELIMINATION):
                line = Line(transcript, protocol, setting, method, config)
                if line in results:
                    yield {**line._asdict(), **_figures(list(results[line].values()))}
                elif needs.get(method) and not config:
                    yield {**line._asdict(), "accuracy": None, "mrr": None, "note": needs[method]}


def response_rows(transcript: str, debates: Sequence[AnsweredDebate]) -> Iterator[Row]:
    """How well explicit responses are told from implicit ones, beside always saying what is more frequent."""
    motions: list[list[tuple[float, float]]] = []
    known: list[Kind] = []
    for debate in debates:
        opponents = [name for speech in debate.supporting for name in speech.speakers]
        labelled = [(speech, kind) for speech, kind in zip(debate.opposing, debate.kinds, strict=True) if kind]
        found = [(judge_response(speech, opponents).is_explicit, kind) for speech, kind in labelled]
        motions.append([(float(is_explicit == (kind == "explicit")), 0.0) for is_explicit, kind in found])
        known += [kind for _, kind in labelled]
    if known:
        line = Line(transcript, "response", "all", "explicit or implicit", "")._asdict()
        most = max(known.count("explicit"), known.count("implicit")) / len(known)
        yield {**line, "method": "majority", "accuracy": most, "questions": len(known)}
        yield {**line, **_figures(motions), "mrr": None}


def _figures(motions: Sequence[Sequence[tuple[float, float]]]) -> Row:
    asked = [motion for motion in motions if motion]
    low, high = bootstrap_interval(asked, lambda drawn: _mean(drawn, 0))
    return {
        "accuracy": _mean(asked, 0) if asked else None,
        "accuracy_low": low,
        "accuracy_high": high,
        "mrr": _mean(asked, 1) if asked else None,
        "questions": sum(map(len, asked)),
        "motions": len(asked),
    }


def _mean(motions: Sequence[Sequence[tuple[float, float]]], which: int) -> float:
    values = [outcome[which] for motion in motions for outcome in motion]
    return sum(values) / len(values)


def comparisons(results: Results) -> Iterator[str]:
    """What the questions allow one to conclude: differences on the same motions, with their intervals."""
    pairs = (
        (("combined", ""), ("tf-idf", "")),
        (("learned", ""), ("tf-idf", "")),
        (("combined", ELIMINATION), ("random", ELIMINATION)),
        (("combined", ELIMINATION), ("tf-idf", ELIMINATION)),
        (("combined", ELIMINATION), ("combined", "")),
        (("learned", ELIMINATION), ("combined", ELIMINATION)),
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
    motions = [[(a[0] - b[0], 0.0) for a, b in zip(ours[each], theirs[each], strict=True)] for each in ours]
    motions = [motion for motion in motions if motion]
    low, high = bootstrap_interval(motions, lambda drawn: _mean(drawn, 0))
    if low is None or high is None:
        raise ValueError("an interval needs two motions at least")
    return _mean(motions, 0), low, high
