"""Which of two arguments convinces more, with a reason.

After Habernal and Gurevych 2016: pairs of one topic and side, arguments of 10 to 110 words, and a reason of 30 to 140
characters.
"""

from collections.abc import Iterator
from itertools import combinations

from pipeline.convincing.evaluate.data import read_pairs
from pipeline.evaluation.data import read_rows, write_rows
from pipeline.grouping import grouped
from pipeline.studies.collect import Collected
from pipeline.studies.items import Item, Option, Question, Shown, options
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output
from pipeline.studies.source import Source, is_corpus
from pipeline.studies.tasks import Options

TITLE = "Which argument convinces more?"
OPTIONS = ()
SHORTEST, LONGEST = 10, 110
NOTHING = f"no topic of it has two arguments of {SHORTEST} to {LONGEST} words"
STANCES = (("same", "As these arguments"), ("opposite", "The opposite"), ("none", "I have none"))
FIRST, SECOND, EQUAL = "a1", "a2", "equal"


def draw(source: Source, asked: Options) -> list[Item]:
    """Every pair of arguments of a topic, in random order."""
    items = []
    for topic, arguments in sorted(_arguments(source).items()):
        for pair in combinations(sorted(arguments), 2):
            first, second = shuffled(pair, asked.random)
            items.append(_item(topic, (first, arguments[first]), (second, arguments[second])))
    return shuffled(items, asked.random)


def _arguments(source: Source) -> dict[str, dict[str, str]]:
    """The arguments of each topic by id: of a table (topic, id, text), of a corpus, or of collections of pairs."""
    if source.path.is_file():
        rows = read_rows(source.path, ("topic", "id", "text"))
        known = grouped((row["topic"], (row["id"], row["text"])) for _, row in rows)
    elif is_corpus(source.path):
        corpus = source.corpus
        known = grouped(
            (
                f"{source.motion_text(argument.motion)} ({argument.stance})",
                (argument.id, argument.text or argument.title),
            )
            for argument in corpus.arguments
        )
    else:
        pairs = read_pairs(source.path)[0]
        texts = zip(pairs.topic_of, pairs.texts, strict=True)
        known = grouped((pairs.topics[topic], (f"arg{n:05d}", text)) for n, (topic, text) in enumerate(texts))
    fitting = {
        topic: {name: text for name, text in rows if SHORTEST <= len(text.split()) <= LONGEST}
        for topic, rows in known.items()
    }
    return {topic: arguments for topic, arguments in fitting.items() if len(arguments) > 1}


def _item(topic: str, first: tuple[str, str], second: tuple[str, str]) -> Item:
    return Item(
        id=f"pair {topic} {first[0]} {second[0]}",
        subject=f"{first[0]} {second[0]}",
        group=topic,
        title=topic.removesuffix(" (pro)").removesuffix(" (con)"),
        shown=(Shown(id=FIRST, text=first[1]), Shown(id=SECOND, text=second[1])),
        questions=(
            Question(
                id="vote",
                text="Which argument is more convincing?",
                kind="choice",
                options=(
                    Option(value=FIRST, stands_for=FIRST),
                    Option(value=SECOND, stands_for=SECOND),
                    Option(value=EQUAL, text="Equally convincing"),
                ),
            ),
            Question(id="reason", text="Why? In your own words.", kind="text", least=30, most=140),
            Question(
                id="stance",
                text="Your own view on the question:",
                kind="choice",
                options=options(STANCES),
            ),
        ),
        shuffled=True,
        noun="Argument",
        about={FIRST: first[0], SECOND: second[0]},
    )


def write(collected: Collected, output: Output) -> None:
    """Write votes.csv for `rostrum graph`, and the pairs of each topic as trainings and evaluations read them."""
    columns = ("topic", "argument1", "argument2", "worker", "vote", "reason", "stance")
    write_rows(output.new("votes.csv"), columns, _votes(collected))
    by_topic: dict[str, list[tuple[str, str, str, str]]] = {}
    for item, _ in collected.labelled():
        label = collected.label_of(item, "vote")
        if label and label.best != EQUAL:
            first, second = item.about.values()
            texts = {part.id: " ".join(part.text.split()) for part in item.shown}
            row = f"{first}_{second}", label.best, texts[FIRST], texts[SECOND]
            by_topic.setdefault(item.group, []).append(row)
    for topic, rows in by_topic.items():
        lines = ("\t".join(row) for row in (("#id", "label", "a1", "a2"), *rows))
        output.new(f"pairs/{_file_name(topic)}.tsv").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )


def _votes(collected: Collected) -> Iterator[tuple[str, ...]]:
    """Every vote with the two arguments in the order in which the worker saw them."""
    for item, _ in collected.labelled():
        names = item.about
        for given in collected.answers_to(item):
            seen = [part["id"] for part in item.for_worker(given.worker, collected.study.seed)["shown"]]
            vote = str(given.answers["vote"])
            by_place = vote if vote == EQUAL else (FIRST, SECOND)[seen.index(vote)]
            answers = by_place, str(given.answers["reason"]), str(given.answers["stance"])
            yield item.group, names[seen[0]], names[seen[1]], given.worker, *answers


def _file_name(topic: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in topic)[:80]
