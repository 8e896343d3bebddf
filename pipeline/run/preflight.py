"""Before a run begins: what is refused, which models are missing, which stages and settings will do nothing."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from pipeline.corpus import open_corpus
from pipeline.corpus.contents import Corpus
from pipeline.corpus.files import no_recordings
from pipeline.errors import RostrumError, quoted
from pipeline.run.configuration import Settings
from pipeline.run.index import ALL, Shard, load_head, read_record, record_name
from pipeline.run.inputs import Readiness, missing_models, readiness
from pipeline.run.job import Item
from pipeline.run.plan import RunPlan, plan_run
from pipeline.run.sharing import Leases, shared
from pipeline.run.store import Store, default_root
from pipeline.run.summary import RunSummary
from pipeline.settings import LLM
from pipeline.stage import chosen_stages
from pipeline.transcribe import TranscribeSettings


@contextmanager
def begun(
    folder: Path,
    out: str | None,
    stages: Sequence[str] | None,
    settings: Settings,
    *,
    command: str,
    tell: Callable[[str], object],
    other_corpus: bool = False,
    retry_failed: bool = True,
    shard: str | None = None,
    may_be_empty: bool = False,
) -> Iterator[tuple[RunPlan, Leases]]:
    """Yields the plan of a run over a folder or a recording, and its leases, while nobody else changes what it reads.

    If another process has the store, `tell` is called with a line that says so, and this waits. It is an error if the
    corpus has nothing to work on, unless it `may_be_empty`; or if the store has a run over another corpus, unless
    `other_corpus` says that its results may be replaced.
    """
    part = Shard.parsed(shard) if shard else ALL
    corpus, store = open_corpus(folder, part), Store(out or default_root(folder))
    if not may_be_empty:
        refuse_empty(corpus, settings)
    refuse_store(corpus, store, other_corpus=other_corpus)
    chosen_stages(stages)  # a mistake in them is reported before this waits
    waited: list[str] = []

    def wait(line: str) -> None:
        waited.append(line)
        tell(line)

    with shared(store, command, None if other_corpus else settings.key, wait) as leases:
        corpus = open_corpus(folder, part) if waited else corpus
        yield plan_run(corpus, store, settings, stages, retry_failed=retry_failed, shard=part), leases


def refuse_store(corpus: Corpus, store: Store, *, other_corpus: bool = False) -> None:
    """Raise an error if a run over the corpus cannot be stored there. Nothing is written."""
    _refuse_overlap(corpus, store)
    last = load_head(store)
    if last is not None and not other_corpus:
        _refuse_other_corpus(corpus, store, last)


def _refuse_overlap(corpus: Corpus, store: Store) -> None:
    """Raise an error if the store is inside the corpus, or the corpus inside the store.

    Artifacts would be taken for speeches, and `rostrum clean` could not tell them apart. A run over a single recording
    may be in a folder beside it.
    """
    if not store.is_local:
        return
    folder, run = corpus.folder.resolve(), Path(store.path("", "")).resolve()
    inside = run.relative_to(folder).parts if run.is_relative_to(folder) else None
    is_hidden = inside is not None and any(part.startswith(".") for part in inside)
    if folder.is_relative_to(run) or (inside is not None and not is_hidden and not corpus.recording):
        what = "the folder of the recording" if corpus.recording else "the corpus"
        where = f"is {what}" if run == folder else f"is inside {what}" if inside else f"contains {what}"
        beside = f"{folder.parent}/runs/{folder.name}"
        raise RostrumError(f"--out {store.root}: {where}; name a folder beside it, such as --out {beside}")


def _refuse_other_corpus(corpus: Corpus, store: Store, last: RunSummary) -> None:
    before = Path(last.corpus_path)
    if not last.corpus_path or before == corpus.path.resolve():
        return
    scopes = (Item(entry.speech.id, "", entry.speech.motion) for entry in corpus.entries)
    if before.exists() or not any(read_record(store, record_name(item)) for item in scopes):
        raise RostrumError(
            f"--out {store.root}: contains a run over {last.corpus_path}; name another folder, "
            "or replace its results with --other-corpus"
        )


def refuse_empty(corpus: Corpus, settings: Settings) -> None:
    """Raise an error if the corpus has nothing that can become a transcript.

    A corpus with problems reports those instead.
    """
    if not corpus.entries and not corpus.problems:
        raise RostrumError(no_recordings(corpus.folder))
    only_texts = not any(entry.audio or entry.transcript or entry.correction for entry in corpus.entries)
    if corpus.entries and only_texts and settings.own(TranscribeSettings).text != "reference":
        raise RostrumError(
            f"{corpus.folder}: no recordings in it; if its texts are speeches, add --set transcribe.text=reference"
        )


def preflight(
    corpus: Corpus, stages: Sequence[str] | None, settings: Settings, origins: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """What a person should know before these stages run, one line each.

    `origins` says where each setting came from. A missing model is an error if a stage that has something to do needs
    it.
    """
    chosen = {stage.name for stage in chosen_stages(stages)}
    looked_at = [row for row in readiness(corpus, settings) if row.stage in chosen]
    idle = [row for row in looked_at if not row.ready]
    busy = [row.stage for row in looked_at if row.ready]
    if missing := missing_models(corpus, busy, settings):
        raise RostrumError("; ".join(missing))
    # Nobody expects a single recording to be a debate.
    expected = idle if stages or not corpus.recording else []
    with_llm = [LLM] if any(own.asked_llm for each in busy if (own := settings.of(each))) else []
    return [*_problems(corpus), *_idle_stages(expected), *_unused_settings(origins, [*busy, *with_llm])]


def _problems(corpus: Corpus) -> Iterator[str]:
    """One line with the first problem of the corpus, and how many others there are; nothing if there is none."""
    if corpus.problems:
        others = len(corpus.problems) - 1
        more = f", and {others} more; `rostrum check {quoted(corpus.path)}` lists them" if others else ""
        yield f"{corpus.problems[0]}{more}"


def _idle_stages(idle: Sequence[Readiness]) -> Iterator[str]:
    """One line for all stages that have nothing to do because they lack the same thing."""
    lacking: dict[str, list[str]] = defaultdict(list)
    for row in idle:
        for lack in list(row.lacks)[:1]:
            lacking[f"{lack.what}{'; ' if lack.remedy else ''}{lack.remedy}"].append(row.stage)
    for reason, names in lacking.items():
        yield f"{', '.join(names)} {'have' if len(names) > 1 else 'has'} nothing to do: {reason}"


def _unused_settings(origins: Mapping[str, str], busy: Sequence[str]) -> Iterator[str]:
    """One line per setting of the command line that no stage of this run uses.

    Settings of files and of the environment are meant for many runs, so nothing is said about them.
    """
    for name, origin in origins.items():
        stage = name.partition(".")[0]
        if origin.startswith("--set") and stage not in busy:
            why = (
                "is asked by no stage of this run" if stage == LLM else "is not part of this run, or has nothing to do"
            )
            yield f"{origin} changes nothing: {stage} {why}"
