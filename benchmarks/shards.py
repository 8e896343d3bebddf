"""A corpus that is larger than a machine: what one shard of it costs, and what the requests to its store add up to.

    python benchmarks/shards.py [--speeches 600000] [--shards 1000] [--per-motion 50] [--records 20000]

The manifest has so many speeches, in motions of --per-motion, all with the same short transcript: what is measured is
the work around the stages. Each step is a process of its own: the table has its CPU seconds, its peak memory, and how
many requests it makes of the store. `plan` is that of the first shard over an empty store, `run` does its stages, and
`again` plans it when they are done. `others` plans it when the shards of all its motions have ended, so that it finds
each motion ready. `read` reads --records records of the index, as `rostrum show` and the report do.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from pipeline.cli.console import print_rows
from pipeline.system.environment import prepare_environment

os.environ["ROSTRUM_TRANSCRIPTS"] = "off"
STAGES = ["transcribe", "segment", "counter"]
SETTINGS = {"counter.encoder": None}
REQUESTS = ("read", "write", "create", "put", "listing", "files_in", "contents", "remove")


@click.command()
@click.option("--speeches", default=600_000, show_default=True, help="Rows of the manifest.")
@click.option("--shards", default=1000, show_default=True, help="How many shards the corpus has.")
@click.option("--per-motion", default=50, show_default=True, help="Speeches on a motion.")
@click.option("--records", default=20_000, show_default=True, help="Records of the index to read.")
@click.option("--step", hidden=True, help="What this process does.")
@click.option("--place", hidden=True, type=click.Path(path_type=Path), help="Where it does it.")
def main(speeches: int, shards: int, per_motion: int, records: int, step: str | None, place: Path | None) -> None:
    """Print the table."""
    if step and place:
        click.echo(json.dumps(_step(step, place, f"1/{shards}", records)))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder, "corpus"), speeches, per_motion)
        rows = []
        for name in ("plan", "run", "again", "others", "read"):
            command = [sys.executable, __file__, "--step", name, "--place", folder, "--shards", str(shards)]
            command += ["--records", str(records)]
            made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            rows.append({"step": name, **json.loads(made.stdout.splitlines()[-1])})
            click.echo(rows[-1], err=True)
        print_rows(f"1/{shards} of {speeches:,} speeches", rows)


def write_corpus(folder: Path, speeches: int, per_motion: int) -> None:
    """A manifest of so many speeches, which all have the same transcript."""
    folder.mkdir()
    (folder / "talk.ctm").write_text("talk 1 0.0 0.4 animals\ntalk 1 0.5 0.4 suffer\n")
    motions = speeches // per_motion
    (folder / "motions.csv").write_text("id,text\n" + "".join(f"m{n},We should do {n}.\n" for n in range(motions)))
    with (folder / "speeches.csv").open("w") as manifest:
        manifest.write("id,motion,stance,speaker,transcript\n")
        for n in range(speeches):
            manifest.write(
                f"{n % 365:03d}/speech{n},m{n % motions},{'pro' if n % 2 else 'con'},Speaker {n % 500},talk.ctm\n"
            )


def _step(name: str, place: Path, shard: str, records: int) -> dict[str, Any]:
    """Do one step, and return its costs."""
    import rostrum
    from pipeline.corpus import open_corpus
    from pipeline.run import configuration
    from pipeline.run.index import Shard, load_known
    from pipeline.run.plan import plan_run
    from pipeline.run.store import Store

    store = Store(place / "run")
    settings = configuration.load(assignments=["counter.encoder=null"]).settings
    if name == "others":
        _end_others(place, store, Shard.parsed(shard), settings)
    if name == "read":
        _write_records(store, records)
    requests: Counter[str] = Counter()
    _count(requests)
    began = time.process_time()
    more: dict[str, Any] = {}
    if name == "run":
        summary = rostrum.run(place / "corpus", place / "run", STAGES, SETTINGS, shard=shard)
        more["speeches"] = sum(not item.is_motion for item in summary.items)
    elif name == "read":
        more["speeches"] = len(load_known(store).items)
    else:
        part = Shard.parsed(shard)
        plan = plan_run(open_corpus(place / "corpus", part), store, settings, STAGES, shard=part)
        more |= {"speeches": sum(not item.is_motion for item in plan.items), "jobs": len(plan.jobs)}
    costs = {
        "CPU s": round(time.process_time() - began, 1),
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "requests": sum(requests.values()),
    }
    return {**costs, **more, "most frequent": ", ".join(f"{count} {kind}" for kind, count in requests.most_common(3))}


def _count(requests: "Counter[str]") -> None:
    """Count the requests of the store: each is one of an object store, too."""
    from pipeline.run.storage import LocalStorage

    for kind in REQUESTS:
        call = getattr(LocalStorage, kind)

        def counted(self: Any, *args: Any, _kind: str = kind, _call: Any = call, **more: Any) -> Any:
            requests[_kind] += 1
            return _call(self, *args, **more)

        setattr(LocalStorage, kind, counted)


def _end_others(place: Path, store: Any, shard: Any, settings: Any) -> None:
    """Write the records of other shards' speeches on the shard's motions, as if their stages had ended."""
    from pipeline.corpus import open_corpus
    from pipeline.run.index import ItemRecord, write_records
    from pipeline.run.job import Outcome

    corpus, key = open_corpus(place / "corpus", shard), settings.key
    for entry in corpus.others:
        speech = entry.speech
        digest = hashlib.sha256(speech.id.encode()).hexdigest()
        outcomes = [Outcome(stage, speech.id, "run", digest=digest) for stage in ("transcribe", "segment", "speakers")]
        write_records(
            store,
            [
                ItemRecord(
                    id=speech.id, scope=speech.id, motion=speech.motion, outcomes=outcomes, speech=speech, ended=key
                )
            ],
        )


def _write_records(store: Any, count: int) -> None:
    """Add records like those of a run with all stages until there are so many."""
    from pipeline.records import Speech
    from pipeline.run.index import ItemRecord, write_records
    from pipeline.run.job import Outcome
    from pipeline.stage import STAGES as EVERY

    figures = {"duration": 600.0, "words": 1500.0}
    for number in range(count):
        id = f"made-up/{number}"
        outcomes = [Outcome(stage, id, "run", seconds=1.0, figures=figures) for stage in EVERY]
        speech = Speech(id=id, motion="m1", stance="pro", speakers=("Somebody",))
        write_records(store, [ItemRecord(id=id, scope=id, motion="m1", outcomes=outcomes, speech=speech, rank=number)])


if __name__ == "__main__":
    prepare_environment()
    main()
