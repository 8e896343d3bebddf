"""Which of several opposing speeches answers a supporting one, and why people think so.

After Orbach et al. 2020: one supporting speech, a few opposing ones on its motion, sure or a guess, and reasons.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from pipeline.corpus import Entry
from pipeline.evaluation.data import write_rows
from pipeline.evaluation.result import Row
from pipeline.grouping import grouped
from pipeline.records import Speech
from pipeline.studies.collect import Collected
from pipeline.studies.items import Condition, Item, Option, Question, letters, options
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output, write_corpus
from pipeline.studies.source import Source
from pipeline.studies.study import Given
from pipeline.studies.tasks import Options

TITLE = "Which speech answers?"
OPTIONS = ("medium", "seek", "none", "candidates", "by", "other_runs")
NOTHING = "it has no supporting speech with two opposing ones by other speakers, one of which answers it"
NONE, SURE, GUESS = "none", "sure", "guess"
# What the paper's experts were asked about, in words of its analysis.
REASONS = (
    ("reports", "It says what the first speaker said, or speaks to the first speaker."),
    ("quotes", "It quotes words of the first speech, or repeats its examples."),
    ("specific", "It answers a point that only this speech makes."),
    ("comprehensive", "It answers most of the points of the first speech."),
    ("main", "It answers the main issue of the first speech."),
    ("order", "It takes up the points in the order of the first speech."),
    ("elimination", "The other speeches answer points that the first one does not make."),
)


def draw(source: Source, asked: Options) -> list[Item]:
    """One item per supporting speech with opposing ones by others; one of them answers it, where that is known."""
    as_audio = asked.medium != "text"
    entries = list(source.entries(needs_audio=as_audio))
    answered = any(entry.speech.answers for entry in entries)
    supporting = shuffled([entry for entry in entries if entry.speech.stance == "pro"], asked.random)
    items = (_item(source, entry, entries, asked, as_audio=as_audio, answered=answered) for entry in supporting)
    return [item for item in items if item]


def _item(
    source: Source, entry: Entry, entries: Sequence[Entry], asked: Options, *, as_audio: bool, answered: bool
) -> Item | None:
    """The item of a supporting speech; None if there are too few candidates, or none of them answers it."""
    opposing = [
        other
        for other in entries
        if other.speech.motion == entry.speech.motion
        and other.speech.stance == "con"
        and not set(other.speech.speakers) & set(entry.speech.speakers)
    ]
    right = [other for other in opposing if other.speech.answers == entry.speech.id]
    others = shuffled([other for other in opposing if other not in right], asked.random)
    if answered and not right and not asked.none:
        return None
    chosen = shuffled([*right[:1], *others[: asked.candidates - len(right[:1])]], asked.random)
    if len(chosen) < 2:
        return None
    names = dict(zip(letters(len(chosen)), chosen, strict=True))
    known = next((letter for letter, other in names.items() if other in right), NONE) if answered else ""
    return source.item(
        "counter",
        entry,
        side=next((other.speech.response or "" for other in right), ""),
        lead=f"A speech for the motion, and {len(chosen)} against it. Which of them answers it?",
        shown=(
            source.shown(entry, "first", as_audio=as_audio, label="The speech for the motion"),
            *(source.shown(other, letter, as_audio=as_audio) for letter, other in names.items()),
        ),
        questions=_questions(list(names), allow_none=asked.none),
        seek=asked.seek,
        shuffled=True,
        noun="Opposing speech",
        about={letter: other.speech.id for letter, other in names.items()},
        known={"answer": known} if known and (known != NONE or asked.none) else {},
    )


def _questions(candidates: Sequence[str], *, allow_none: bool) -> tuple[Question, ...]:
    choices = tuple(Option(value=letter, stands_for=letter) for letter in candidates)
    none = options([(NONE, "None of them")]) if allow_none else ()
    return (
        Question(id="answer", text="Which speech answers the first one?", kind="choice", options=(*choices, *none)),
        Question(
            id="sure", text="How sure are you?", kind="choice", options=options([(SURE, "Sure"), (GUESS, "A guess")])
        ),
        Question(
            id="reasons",
            text="What made you decide? Tick all reasons.",
            kind="several",
            options=options(REASONS),
            least=1,
            asked_if=Condition(question="sure", values=(SURE,)),
        ),
    )


def write(collected: Collected, output: Output) -> None:
    """Write a corpus in which people say who answers whom, and everybody's answers."""
    decided: dict[str, str] = {}
    asked: set[str] = set()
    for item, _ in collected.labelled():
        asked |= {item.subject, *item.about.values()}
        label = collected.label_of(item, "answer")
        if label and label.best != NONE:
            decided[item.name(label.best)] = item.subject

    def facts(speech: Speech) -> dict[str, object]:
        answers = decided.get(speech.id, "")
        return {"answers": answers, "response": (speech.response or "") if answers == speech.answers else ""}

    write_corpus(output, collected.source, asked, facts=facts)
    columns = ("speech", "candidates", "annotator", "answer", "sure")
    write_rows(output.new("answers.csv"), columns, _answer_rows(collected))


def _answer_rows(collected: Collected) -> Iterator[tuple[str, ...]]:
    for item, _ in collected.labelled():
        for given in collected.answers_to(item):
            answer, sure = item.name(str(given.answers["answer"])), str(given.answers["sure"])
            yield item.subject, ";".join(item.about.values()), given.worker, answer, sure


def figures(collected: Collected) -> list[tuple[str, list[Row]]]:
    """How often people are right, by kind of response, and the shares of reasons when they are right and wrong."""
    known = [(item, given) for item, _ in collected.labelled() if item.known for given in collected.answers_to(item)]
    if not known:
        return []
    kinds = {"all": tuple(known)} | grouped((item.side, (item, given)) for item, given in known if item.side)
    return [
        ("people", [{"of": kind, **accuracy(of_kind)} for kind, of_kind in sorted(kinds.items())]),
        ("reasons", list(_reasons(known))),
    ]


def accuracy(known: Sequence[tuple[Item, Given]]) -> Row:
    """The accuracy of answers, and without chance.

    `guesses_by_chance` counts a guess as the share that guessing gives, one of so many, whether it was right or not.
    `above_chance` is how much of the way from guessing to no error an answer goes, on average.
    """
    right = [float(_is_right(item, given)) for item, given in known]
    chance = [1 / len(item.questions[0].options) for item, _ in known]
    sure = [given.answers["sure"] == SURE for _, given in known]
    of_sure = [one for one, certain in zip(right, sure, strict=True) if certain]
    by_chance = [one if certain else luck for one, certain, luck in zip(right, sure, chance, strict=True)]
    return {
        "answers": len(known),
        "accuracy": fmean(right),
        "guesses_by_chance": fmean(by_chance),
        "chance": fmean(chance),
        "above_chance": fmean((one - luck) / (1 - luck) for one, luck in zip(right, chance, strict=True)),
        "sure": fmean(sure),
        "accuracy_if_sure": fmean(of_sure) if of_sure else None,
    }


def _is_right(item: Item, given: Given) -> bool:
    return given.answers["answer"] == item.known["answer"]


def _reasons(known: Sequence[tuple[Item, Given]]) -> Iterator[Row]:
    """For each reason, how often those who are sure tick it when they are right, and when they are wrong."""
    parts: dict[str, list[Given]] = {"right": [], "wrong": []}
    for item, given in known:
        if given.answers["sure"] == SURE:
            parts["right" if _is_right(item, given) else "wrong"].append(given)
    for reason, text in REASONS:
        shares = {
            part: fmean(reason in given.answers.get("reasons", ()) for given in members) if members else None
            for part, members in parts.items()
        }
        yield {"reason": reason, "text": text, **shares}
