"""rostrum in a notebook: transcribe a recording, process a folder, and read the results.

import rostrum
rostrum.transcribe("talk.mp3")
summary = rostrum.run("audio_samples", stages=["score"], settings={"transcribe.model": "tiny.en"})
tables = rostrum.load("runs/audio_samples")
tables.words

docs/notebook.md shows all of it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.export.frames import Frames, load
from pipeline.export.transcripts import TranscribedSpeech
from pipeline.progress import Progress, no_progress
from pipeline.run import configuration
from pipeline.run.configuration import Settings
from pipeline.run.summary import RunSummary

__all__ = ["Frames", "RunSummary", "TranscribedSpeech", "load", "run", "transcribe"]


def run(
    folder: str | Path,
    out: str | Path | None = None,
    stages: Sequence[str] | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    *,
    progress: Progress = no_progress,
    other_corpus: bool = False,
    shard: str | None = None,
) -> RunSummary:
    """Process a folder of recordings in this process, without Prefect, and return the summary of the run.

    The artifacts are those of `rostrum run`, and go to the same place: `out`, or `runs/<name of the folder>`. Unchanged
    results are reused. `stages` are run with their dependencies. Settings come from `rostrum.toml` and the environment,
    as for the command, and then from a mapping such as `{"transcribe.model": "base.en"}`; `Settings` are used as they
    are. `progress` is called as stages go on and end, with the share of the work that is done, and what that was. It is
    an error if `out` has a run over another corpus, unless `other_corpus` says that its results may be replaced. With
    `shard`, such as `3/16`, only that part of the speeches is done; other processes do the others.
    """
    from pipeline.run.estimate import ProgressWatcher
    from pipeline.run.execute import execute
    from pipeline.run.preflight import begun, preflight
    from pipeline.system.environment import prepare_environment
    from pipeline.system.logs import logger

    prepare_environment()
    settings = _effective(settings).settings
    options: dict[str, Any] = {"other_corpus": other_corpus, "shard": shard, "tell": logger.warning}
    root = None if out is None else str(out)
    with begun(Path(folder), root, stages, settings, command="rostrum.run", **options) as (plan, leases):
        if not plan.is_done:
            preflight(plan.corpus, stages, settings)
        return execute(plan, leases=leases, watcher=ProgressWatcher(plan, progress))


def transcribe(
    recording: str | Path,
    *,
    speakers: bool = False,
    settings: Settings | Mapping[str, Any] | None = None,
    progress: Progress = no_progress,
) -> TranscribedSpeech:
    """Transcribe a recording, or a video by its sound, and return the transcript. In a notebook it plays.

    No corpus, no run and no server is needed. What was recognised is kept, as by `rostrum transcribe`, so that the same
    speech is recognised once. With `speakers`, the transcript says who speaks when. Settings are those of
    `run`.
    """
    from pipeline.errors import RostrumError
    from pipeline.export.transcripts import for_one_recording, transcript_of
    from pipeline.run.transcription import transcribe_recording
    from pipeline.system.environment import prepare_environment

    prepare_environment()
    path = Path(recording)
    if not path.is_file():
        raise RostrumError(f"{path}: {'a folder; rostrum.run processes it' if path.is_dir() else 'no such file'}")
    found = transcribe_recording(path, for_one_recording(_effective(settings), speakers), progress)
    return transcript_of(found, path)


def _effective(settings: Settings | Mapping[str, Any] | None) -> configuration.Effective:
    """Settings as they are, or those of the file and the environment with what the mapping changes."""
    if isinstance(settings, Settings):
        return configuration.Effective(settings=settings, origins={})
    assignments = [f"{name}={json.dumps(value)}" for name, value in (settings or {}).items()]
    return configuration.load(assignments=assignments)
