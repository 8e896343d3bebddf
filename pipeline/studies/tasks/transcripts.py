"""What was said, word for word: the transcript of a run is corrected in short stretches, or written from nothing."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from pipeline.corpus import Entry
from pipeline.evaluation.result import Row
from pipeline.formats import ctm
from pipeline.grouping import grouped
from pipeline.measures import word_error_rates
from pipeline.records import ErrorCounts, Sentence
from pipeline.score import word_errors
from pipeline.segment import Sentences
from pipeline.studies.collect import Collected
from pipeline.studies.items import Item, Question, Shown
from pipeline.studies.making import shuffled
from pipeline.studies.output import Output, write_corpus
from pipeline.studies.source import Source, nothing_to_ask
from pipeline.studies.tasks import Options
from pipeline.transcribe import Transcript

TITLE = "What was said?"
OPTIONS = ("empty",)
NOTHING = "it has no recording with sentences; run the stage segment"
# A stretch ends with the sentence after which it would be longer than so many seconds; a little sound is around it.
_SECONDS, _AROUND = 25.0, 0.3


def draw(source: Source, asked: Options) -> list[Item]:
    """The stretches of every recording of a run, in random order."""
    run = source.run
    if run is None:
        raise nothing_to_ask(source.path, "transcripts are made of a run, which says where sentences end")
    items = [
        _item(source, entry, number, stretch, asked)
        for entry in source.corpus.entries
        if entry.audio and (record := run.of_speech(Sentences, entry.speech.id))
        for number, stretch in enumerate(_stretches(record.sentences))
    ]
    return shuffled(items, asked.random)


def _stretches(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, ...]]:
    """Whole sentences, as many as fit into the length of a stretch."""
    stretch: list[Sentence] = []
    for sentence in sentences:
        if stretch and sentence.end - stretch[0].start > _SECONDS:
            yield tuple(stretch)
            stretch = []
        stretch.append(sentence)
    if stretch:
        yield tuple(stretch)


def _item(source: Source, entry: Entry, number: int, stretch: Sequence[Sentence], asked: Options) -> Item:
    start, end = max(stretch[0].start - _AROUND, 0.0), max(sentence.end for sentence in stretch) + _AROUND
    heard = "\n".join(sentence.text for sentence in stretch)
    return Item(
        id=f"transcripts-{entry.speech.id}-{number}",
        subject=f"{entry.speech.id}#{number:04d}",
        group=entry.speech.id,
        title="What was said?",
        shown=(Shown(id="stretch", label="Stretch", media=source.recording(entry, (start, end))),),
        questions=(
            Question(
                id="text", text="Every word that is said", kind="text", least=1, default="" if asked.empty else heard
            ),
        ),
    )


def write(collected: Collected, output: Output) -> None:
    """Write a corpus with people's transcripts as references, and those of the run beside them."""
    run = collected.source.run
    assert run
    stretches = grouped((item.group, item) for item in sorted(collected.study.labelled, key=lambda item: item.subject))
    texts = {
        recording: [line for text in written for line in text.splitlines() if line.strip()]
        for recording, items in stretches.items()
        if all(written := [_best(_texts(collected, item)) for item in items])
    }
    words = {name: run.of_speech(Transcript, name) for name in texts}
    transcripts = {name: ctm({name: record.words}) for name, record in words.items() if record}
    write_corpus(output, collected.source, texts, texts=texts, transcripts=transcripts)


def _texts(collected: Collected, item: Item) -> list[str]:
    return [str(given.answers["text"]) for given in collected.answers_to(item)]


def _best(texts: Sequence[str]) -> str:
    """The text that differs least from the others, the first of equals; empty if there is none."""
    return min(texts, key=lambda text: sum(_errors(text, other).errors for other in texts), default="")


def _errors(one: str, other: str) -> ErrorCounts:
    return word_errors(one, other, "plain").words


def figures(collected: Collected) -> list[tuple[str, list[Row]]]:
    """How far two people's transcripts differ, in words, punctuation and capitals aside."""
    pairs = [_errors(*pair) for item in collected.study.labelled for pair in combinations(_texts(collected, item), 2)]
    return [("differences between transcribers", [{"pairs": len(pairs), **word_error_rates(pairs)}])] if pairs else []
