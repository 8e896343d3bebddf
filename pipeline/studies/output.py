"""What is written of a collected study: a folder that is never written over somebody's changes, and corpora in it."""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType

from pipeline.corpus.manifest import write_manifest
from pipeline.errors import RostrumError
from pipeline.records import Speech
from pipeline.studies.source import Source

FOLDER = "corpus"
_WRITTEN = ".written.json"


class Output:
    """The folder, while it is written. `new` gives the path of a file to write. At the end, all take their places.

    Files of the time before are replaced or removed only if they are as they were written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: list[str] = []
        self._temporary = folder.with_name(f".{folder.name}-{uuid.uuid4().hex}")

    def new(self, name: str) -> Path:
        """The path to write this file to; its folder is there."""
        self._names.append(name)
        path = self._temporary / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def link(self, name: str, source: Path) -> None:
        """Have this file here, too: without taking space a second time, where the disk can do that."""
        path = self.new(name)
        try:
            os.link(source.resolve(), path)
        except OSError:  # another disk, or one that has no links
            shutil.copyfile(source, path)

    def __enter__(self) -> "Output":
        before = self._before()
        if self.folder.exists() and not before and any(self.folder.iterdir()):
            raise RostrumError(f"{self.folder}: has files that rostrum did not write; name another folder with --out")
        for name, digest in before.items():
            path = self.folder / name
            if path.exists() and _digest(path) != digest:
                raise RostrumError(
                    f"{path}: was changed since it was written; keep it, and name another folder with --out"
                )
        self._temporary.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._place()
        finally:
            shutil.rmtree(self._temporary, ignore_errors=True)  # this process has made it

    def _place(self) -> None:
        for name in self._before().keys() - set(self._names):
            (self.folder / name).unlink(missing_ok=True)
        written = {}
        for name in dict.fromkeys(self._names):
            path = self._temporary / name
            if path.exists():
                written[name] = _digest(path)
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                path.replace(self.folder / name)
        (self.folder / _WRITTEN).write_text(json.dumps(written, indent=1), encoding="utf-8")

    def _before(self) -> dict[str, str]:
        """The digest of each file that was written the time before."""
        try:
            known = json.loads((self.folder / _WRITTEN).read_text(encoding="utf-8"))
            return {str(name): str(digest) for name, digest in known.items()}
        except (OSError, ValueError, AttributeError):
            return {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# The speeches that were asked about as a corpus of texts, with what people said of them in its manifests.
#
# Evaluations, trainings and `rostrum run --set transcribe.text=reference` read it.


def write_corpus(
    output: Output,
    source: Source,
    speeches: Iterable[str],
    *,
    labels: Iterable[Mapping[str, object]] = (),
    speakers: Iterable[Mapping[str, object]] = (),
    texts: Mapping[str, Sequence[str]] = MappingProxyType({}),
    transcripts: Mapping[str, str] = MappingProxyType({}),
    turns: Mapping[str, str] = MappingProxyType({}),
    facts: Callable[[Speech], Mapping[str, object]] = lambda _: {},
) -> Path:
    """Write a corpus of these speeches with their transcripts, motions and arguments. Returns its folder.

    `labels` and `speakers` are rows of these manifests. `texts` has lines that people wrote, in place of the source's
    transcripts, and `transcripts` another recogniser's words as CTM. Recordings with `turns`, as RTTM, are here with
    their sound. `facts` gives columns of speeches.csv that people
    decided, in place of the source's own.
    """
    corpus, wanted = source.corpus, set(speeches)
    entries = [entry for entry in corpus.entries if entry.speech.id in wanted]
    rows = []
    for number, entry in enumerate(entries, 1):
        lines = texts.get(entry.speech.id) or source.sentences(entry)
        files = {"reference": (f"texts/{number:04d}.txt", "".join(f"{line}\n" for line in lines))} if lines else {}
        if entry.speech.id in transcripts:
            files["transcript"] = (f"texts/{number:04d}.ctm", transcripts[entry.speech.id])
        if entry.speech.id in turns:
            files["turns"] = (f"texts/{number:04d}.rttm", turns[entry.speech.id])
        for name, text in files.values():
            output.new(f"{FOLDER}/{name}").write_text(text, encoding="utf-8")
        row = {**_row(entry.speech, wanted), **{kind: name for kind, (name, _) in files.items()}, **facts(entry.speech)}
        if entry.speech.id in turns and entry.audio:
            row["file"] = f"sound/{number:04d}{entry.audio.suffix}"
            output.link(f"{FOLDER}/{row['file']}", entry.audio)
        rows.append(row)
    motions = {entry.speech.motion for entry in entries}
    arguments = [argument for argument in corpus.arguments if argument.motion in motions]
    ids = {argument.id for argument in arguments}
    tables: dict[str, Sequence[Mapping[str, object]]] = {
        "speeches.csv": rows,
        "motions.csv": [
            {"id": motion.id, "text": motion.text} for motion in corpus.motions.values() if motion.id in motions
        ],
        "arguments.csv": [
            {**argument.model_dump(exclude_none=True), "counter": argument.counter if argument.counter in ids else ""}
            for argument in arguments
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
