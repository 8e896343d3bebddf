"""How good each worker is, who is left out of the labels, and why.

Nobody is judged by one sign alone where it may be chance: each rule asks for enough answers to see it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from pipeline.grouping import grouped
from pipeline.measures import cohen_kappa
from pipeline.studies.items import right
from pipeline.studies.labels import Decision, Unit, main_questions, majority_of
from pipeline.studies.study import Given, Study

# So many decisions are needed before a rule may leave somebody out.
_ENOUGH = 8
# Answers in less than this share of the time that others take, on the median.
_HASTE = 1 / 3
# The share of one and the same value, if others give it at most so often.
_ALWAYS, _OTHERS_ALWAYS = 0.95, 0.8
# Texts that repeat another one, of oneself or of somebody else.
_COPIED = 0.5
# Agreement beyond chance (kappa): that of who guesses. With so many decisions, also a small part of what is usual.
_NO_BETTER_THAN_CHANCE = 0.1
_MANY, _PART_OF_USUAL = 16, 1 / 3


@dataclass(frozen=True)
class Rules:
    """The least share of right answers to test questions; who stays in any case, and who is out in any case."""

    least_right: float = 0.7
    keep: Collection[str] = ()
    drop: Collection[str] = ()


@dataclass(frozen=True)
class WorkerQuality:
    """The figures of one worker; None where they are not defined.

    `tests` is the share of the known decisions of test questions that were right, `agreement` and `kappa` compare with
    the majority of the others in so many decisions (`compared`), `competence` is MACE's. `seconds` is the median time
    of an item beyond its recordings. `same` is the largest share of one value. `copied` is the share of texts that are
    empty or repeat another one. `left_out` says why the worker is left out, nothing if not.
    """

    worker: str
    answers: int
    late: int
    decisions: int
    tests: float | None
    known: int
    agreement: float | None = None
    kappa: float | None = None
    compared: int = 0
    competence: float | None = None
    seconds: float | None = None
    same: float | None = None
    copied: float | None = None
    texts: int = 0
    left_out: tuple[str, ...] = ()


def judge(study: Study, given: Sequence[Given], decided: Sequence[Decision], rules: Rules) -> list[WorkerQuality]:
    """The quality of every worker with answers. Agreement is with those whom no other rule leaves out."""
    main = main_questions(study)
    decided = [decision for decision in decided if decision.unit.question in main]
    by_worker = grouped((one.worker, one) for one in given)
    of_worker = grouped((decision.worker, decision) for decision in decided)
    texts = _texts(study, given)
    copied = _copied(texts)
    usual = median(_seconds(study, answers) for answers in by_worker.values()) if by_worker else 0.0
    first = [
        _alone(study, worker, answers, of_worker.get(worker, ()), decided, copied, rules, usual)
        for worker, answers in by_worker.items()
    ]
    out = {worker.worker for worker in first if worker.left_out}
    compared = [_with_agreement(worker, decided, out) for worker in first]
    kappas = [worker.kappa for worker in compared if worker.kappa is not None and not worker.left_out]
    usual_kappa = median(kappas) if kappas else 0.0
    return [worker if worker.worker in rules.keep else _by_agreement(worker, usual_kappa) for worker in compared]


def _alone(
    study: Study,
    worker: str,
    given: Sequence[Given],
    own: Sequence[Decision],
    everybody: Sequence[Decision],
    copied: Mapping[str, list[bool]],
    rules: Rules,
    usual: float,
) -> WorkerQuality:
    """A worker's quality as far as it does not depend on who else is left out."""
    tests = [one for one in given if one.item in study.tests]
    known = [is_right for one in tests for is_right in right(study.by_id[one.item], one.answers)]
    seconds = _seconds(study, given)
    same, value, others = _most_given(own, everybody)
    quality = WorkerQuality(
        worker=worker,
        answers=len(given),
        late=sum(one.late for one in given),
        decisions=len(own),
        tests=fmean(known) if known else None,
        known=len(known),
        seconds=seconds,
        same=same,
        copied=fmean(copied[worker]) if copied.get(worker) else None,
        texts=len(copied.get(worker, ())),
    )
    reasons = []
    if worker in rules.drop:
        reasons.append("by the organiser")
    if quality.tests is not None and len(known) >= 4 and quality.tests < rules.least_right:
        reasons.append(f"{quality.tests:.0%} of {len(known)} test answers right, less than {rules.least_right:.0%}")
    if (len(given) >= 4 or len(own) >= _ENOUGH) and seconds < _HASTE * usual:
        reasons.append(f"answers in {seconds:.0f} s, others in {usual:.0f} s")
    if same is not None and len(own) >= _ENOUGH and same >= _ALWAYS and others <= _OTHERS_ALWAYS:
        reasons.append(f"{same:.0%} of the answers are {value!r}, of all {others:.0%}")
    if quality.copied is not None and quality.texts >= 4 and quality.copied > _COPIED:
        reasons.append(f"{quality.copied:.0%} of {quality.texts} texts are empty or repeated")
    if quality.late * 2 > len(given):
        reasons.append("late in most items")
    return quality if worker in rules.keep else replace(quality, left_out=tuple(reasons))


def _with_agreement(quality: WorkerQuality, decided: Sequence[Decision], out: Collection[str]) -> WorkerQuality:
    """The quality with the agreement with the majority of those others who are not left out already."""
    others: dict[Unit, Counter[str]] = {}
    for decision in decided:
        if decision.worker not in out and decision.worker != quality.worker:
            others.setdefault(decision.unit, Counter())[decision.value] += 1
    pairs = [
        (each.value, majority)
        for each in decided
        if each.worker == quality.worker and each.unit in others and (majority := majority_of(others[each.unit]))
    ]
    if not pairs:
        return quality
    kappa = cohen_kappa([own for own, _ in pairs], [other for _, other in pairs])
    return replace(quality, agreement=fmean(own == other for own, other in pairs), kappa=kappa, compared=len(pairs))


def _by_agreement(quality: WorkerQuality, usual: float) -> WorkerQuality:
    """The quality, with the reason if somebody agrees with the others hardly more than chance does."""
    kappa, reason = quality.kappa, ""
    if kappa is None or quality.compared < _ENOUGH:
        return quality
    if kappa <= _NO_BETTER_THAN_CHANCE:
        reason = f"agrees with the others no more than chance does (kappa {kappa:.2f})"
    elif quality.compared >= _MANY and kappa < _PART_OF_USUAL * usual:
        reason = f"agrees with the others hardly more than chance does (kappa {kappa:.2f}; usual is {usual:.2f})"
    return replace(quality, left_out=(*quality.left_out, reason)) if reason else quality


def _seconds(study: Study, given: Iterable[Given]) -> float:
    """The median time that a worker takes for an item, beyond its recordings."""
    return median(max(one.seconds - study.by_id[one.item].seconds, 0.0) for one in given)


def _most_given(own: Sequence[Decision], everybody: Sequence[Decision]) -> tuple[float | None, str, float]:
    """(the share of the value that a worker gives most often, the value, its share of everybody's decisions)."""
    if not own:
        return None, "", 1.0
    value, times = Counter(each.value for each in own).most_common(1)[0]
    return times / len(own), value, fmean(decision.value == value for decision in everybody)


def _texts(study: Study, given: Iterable[Given]) -> list[tuple[str, str]]:
    """(worker, text) of every text that was to be written, in lower case and without extra spaces.

    Of a text that begins with something to correct, others have the same: there, it is marked as the worker's own.
    """
    texts = []
    for one in given:
        for question in study.by_id[one.item].questions:
            if question.kind == "text" and question.id in one.answers:
                text = " ".join(str(one.answers[question.id]).lower().split())
                texts.append((one.worker, f"{one.worker}: {text}" if question.default and text else text))
    return texts


def _copied(texts: Sequence[tuple[str, str]]) -> dict[str, list[bool]]:
    """For each worker, whether each text is empty or repeats another one."""
    times = Counter(text for _, text in texts)
    copied: dict[str, list[bool]] = {}
    for worker, text in texts:
        copied.setdefault(worker, []).append(not text or times[text] > 1)
    return copied
