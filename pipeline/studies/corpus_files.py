"""Writes the speeches that were asked about as a corpus of texts, with what people said of them in its manifests.

Evaluations, trainings and `rostrum run --set transcribe.text=reference` read it.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pipeline.corpus.manifest import write_manifest
from pipeline.records import Speech
from pipeline.studies.output import Output
from pipeline.studies.source import Source

FOLDER = "corpus"


def write_corpus(
    output: Output,
    source: Source,
    speeches: Iterable[str],
    *,
    labels: Iterable[Mapping[str, object]] = (),
    speakers: Iterable[Mapping[str, object]] = (),
    texts: Mapping[str, Sequence[str]] = MappingProxyType({}),
    transcripts: Mapping[str, str] = MappingProxyType({}),
    facts: Callable[[Speech], Mapping[str, object]] = lambda _: {},
) -> Path:
    """Write a corpus of these speeches with their transcripts, motions and arguments. Returns its folder.

    `labels` and `speakers` are rows of these manifests. `texts` has lines that people wrote, in place of the source's
    transcripts, and `transcripts` another recogniser's words as CTM. `facts` gives columns of speeches.csv that people
    decided, in place of the source's own.
    """
    corpus, wanted = source.corpus, set(speeches)
    entries = [entry for entry in corpus.entries if entry.speech.id in wanted]
    rows = []
    for number, entry in enumerate(entries, 1):
        lines = texts.get(entry.speech.id) or source.sentences(entry)
        files = {"reference": (f"texts/{number:04d}.txt", "".join(f"{line}\n" for line in lines))}
        if entry.speech.id in transcripts:
            files["transcript"] = (f"texts/{number:04d}.ctm", transcripts[entry.speech.id])
        for name, text in files.values():
            output.new(f"{FOLDER}/{name}").write_text(text, encoding="utf-8")
        rows.append(
            {**_row(entry.speech, wanted), **{kind: name for kind, (name, _) in files.items()}, **facts(entry.speech)}
        )
    motions = {entry.speech.motion for entry in entries}
    arguments = [argument for argument in corpus.arguments if argument.motion in motions]
    ids = {argument.id for argument in arguments}
    tables: dict[str, Sequence[Mapping[str, object]]] = {
        "speeches.csv": rows,
        "motions.csv": [{"id": each.id, "text": each.text} for each in corpus.motions.values() if each.id in motions],
        "arguments.csv": [
            {**each.model_dump(exclude_none=True), "counter": each.counter if each.counter in ids else ""}
            for each in arguments
        ],
        "labels.csv": list(labels),
        "speakers.csv": list(speakers),
    }
    for name, table in tables.items():
        if table:
            write_manifest(output.new(f"{FOLDER}/{name}"), table)
    return output.folder / FOLDER


def _row(speech: Speech, known: Container[str]) -> dict[str, object]:
    """What the source's manifest says of a speech. Whom it answers stays only if that speech is here, too."""
    is_here = speech.answers in known
    return {
        "id": speech.id,
        "motion": speech.motion or "",
        "stance": speech.stance or "",
        "speaker": ";".join(speech.speakers),
        "answers": speech.answers if is_here else "",
        "response": (speech.response or "") if is_here else "",
        "score": "" if speech.score is None else speech.score,
    }
