"""RO-Crate: a run as a research object, with its inputs, settings, models, digests and tables."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.export.formats import FolderFormat, json_text, write
from pipeline.export.formats.tables import CSV
from pipeline.export.provenance import Made, Provenance, is_digest, provenance
from pipeline.formats import csv_text
from pipeline.ingest import Recording
from pipeline.records import file_digest
from pipeline.report.formatting import counted
from pipeline.run.finished import FinishedRun

_SPECIFICATION = "https://w3id.org/ro/crate/1.1"
_CONTEXT = [f"{_SPECIFICATION}/context", "https://w3id.org/ro/terms/workflow-run/context"]
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_ROSTRUM = "#rostrum"


def _crate_files(run: FinishedRun, folder: Path) -> Iterator[Path]:
    """ro-crate-metadata.json, settings.json, results.csv with a digest of every result, and tables/."""
    how = provenance(run)
    settings = write(folder / "settings.json", json_text(run.summary.settings.model_dump(mode="json")))
    results = write(folder / "results.csv", csv_text([Made._fields, *how.results]))
    files = [
        (settings, "The settings of all stages", "application/json"),
        (results, "Digests and models of all results", "text/csv"),
        *((path, f"Table {path.stem}", "text/csv") for path in CSV.files(run, folder / "tables")),
    ]
    described = [_file(path, folder, about, kind) for path, about, kind in files]
    yield from (path for path, _, _ in files)
    graph = [_descriptor(), _root(run, how, described), *_process(run, how, described), *described]
    yield write(folder / "ro-crate-metadata.json", json_text({"@context": _CONTEXT, "@graph": graph}))


def _descriptor() -> dict[str, Any]:
    return {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": _SPECIFICATION},
        "about": {"@id": "./"},
    }


def _root(run: FinishedRun, how: Provenance, files: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The crate itself. Its description is how to cite it; its licence and authors are for people to write."""
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Results of rostrum on {counted(len(run.recordings), 'recording')}, {how.day}",
        "description": how.line,
        "identifier": f"sha256:{how.digest}",
        "datePublished": how.day,
        "license": "Not chosen yet: whoever publishes this writes it here.",
        "conformsTo": {"@id": _PROFILE},
        "hasPart": [{"@id": file["@id"]} for file in files],
        "mentions": {"@id": "#run"},
    }


def _process(run: FinishedRun, how: Provenance, files: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The run as an action: what it took, what it made, and the program."""
    inputs = [*_recordings(run), *_models(how)]
    settings, *results = files
    ended = datetime.fromisoformat(run.summary.started) + timedelta(seconds=run.summary.seconds)
    yield {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"rostrum run, {run.summary.started}",
        "description": how.line,
        "instrument": {"@id": _ROSTRUM},
        "startTime": run.summary.started,
        "endTime": ended.isoformat(timespec="seconds"),
        "object": [{"@id": entity["@id"]} for entity in (settings, *inputs)],
        "result": [{"@id": entity["@id"]} for entity in results],
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    yield {
        "@id": _ROSTRUM,
        "@type": "SoftwareApplication",
        "name": "rostrum",
        "softwareVersion": version("rostrum"),
        "description": "Recorded speeches in, arguments out. The version is that of the export.",
    }
    yield {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
    yield from inputs


def _recordings(run: FinishedRun) -> Iterator[dict[str, Any]]:
    """The recordings, which are not in the crate. Anonymised, they have no digest, which would identify the file."""
    for number, speech in enumerate(run.recordings, start=1):
        recording = run.of_speech(Recording, speech.id)
        facts: dict[str, Any] = {"@id": f"#recording-{number}", "@type": "AudioObject", "name": speech.id}
        if recording:
            facts["duration"] = f"PT{recording.duration:.3f}S"
            if run.pseudonyms is None:
                facts["sha256"] = recording.source_sha256
        yield facts


def _models(how: Provenance) -> Iterator[dict[str, Any]]:
    for number, (name, digest) in enumerate(how.models.items(), start=1):
        facts = {"@id": f"#model-{number}", "@type": "CreativeWork", "name": name}
        known = {"identifier": f"sha256:{digest}"} if is_digest(digest) else {"version": digest}
        yield {**facts, "description": "A model, its weights or its program", **known}


def _file(path: Path, folder: Path, about: str, kind: str) -> dict[str, Any]:
    return {
        "@id": path.relative_to(folder).as_posix(),
        "@type": "File",
        "name": about,
        "encodingFormat": kind,
        "contentSize": str(path.stat().st_size),
        "sha256": file_digest(path),
    }


FORMAT = FolderFormat(_crate_files)
