"""What is stored of a run besides its artifacts: `run.json` about the last run, and a record of each speech and motion.

`.index/3f/3f….json` is such a record: what the corpus says, how the stages ended, which artifacts were checked. It is
written when it changes, so a run writes no more than it did. Its name is a digest of the id. The shard of a speech
follows from the same digest, so a shard reads only its own records.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from pipeline.errors import RostrumError
from pipeline.grouping import grouped
from pipeline.records import Argument, Judgement, Label, Motion, Record, Speech, Votes
from pipeline.run.job import Item
from pipeline.run.scopes import Place
from pipeline.run.storage import Stamp
from pipeline.run.store import Header, Store
from pipeline.run.summary import CorpusFacts, ItemSummary, RunSummary
from pipeline.system.files import not_there

FILE = "run.json"
FOLDER = ".index"
_FOLDERS = 256
_BITS = 64


@dataclass(frozen=True)
class Shard:
    """Part `number` of `count` parts of a corpus. The digest of its id decides to which part a speech belongs.

    >>> str(Shard.parsed("3/16")), Shard.parsed("1/1").is_all
    ('3/16', True)
    """

    number: int = 1
    count: int = 1

    @classmethod
    def parsed(cls, text: str) -> "Shard":
        """The shard that a text such as `3/16` means."""
        found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise RostrumError(f"--shard {text}: write it as K/N, such as 3/16 for the third of sixteen parts")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def is_all(self) -> bool:
        return self.count == 1

    @property
    def file(self) -> str:
        """The file with the summary of the shard's last run."""
        return FILE if self.is_all else f"run.{self.number}-of-{self.count}.json"

    def has(self, speech: str) -> bool:
        """Whether a speech belongs to the shard."""
        return self.is_all or self._has_digest(_digest(speech))

    def has_record(self, name: str) -> bool:
        """Whether a record belongs to the shard, by its name."""
        return self.is_all or self._has_digest(name)

    def _has_digest(self, digest: str) -> bool:
        return int(digest[: _BITS // 4], 16) * self.count >> _BITS == self.number - 1

    @property
    def folders(self) -> Iterator[str]:
        """The folders of the index that can have records of the shard."""
        first, last = ((_FOLDERS * number) // self.count for number in (self.number - 1, self.number))
        for number in range(first, min(last + 1, _FOLDERS)):
            yield f"{FOLDER}/{number:02x}"


ALL = Shard()


class Checked(BaseModel):
    """An undamaged artifact, and the stamps that its files had when it was checked."""

    header: Header
    files: dict[str, Stamp]


class ItemRecord(ItemSummary):
    """What is stored of a speech or motion: its place in the corpus, its facts, its outcomes, its checked artifacts.

    `ended` is the key of the settings with which all stages have ended, and `by` names the process of the last one.
    """

    rank: int = 0
    speech: Speech | None = None
    debate: Motion | None = None
    arguments: tuple[Argument, ...] = ()
    labels: tuple[Label, ...] = ()
    votes: tuple[Votes, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    checked: dict[str, Checked] = {}
    ended: str = ""
    by: str = ""


def record_name(item: Item | ItemSummary) -> str:
    """Where the record of a speech or motion is, without the suffix."""
    digest = _digest(f"motion\0{item.id}" if item.is_motion else item.id)
    return f"{FOLDER}/{digest[:2]}/{digest}"


def _digest(id: str) -> str:
    return hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:32]


def read_records(store: Store, shard: Shard = ALL, *, strict: bool = False) -> dict[str, ItemRecord]:
    """The records of a shard, by name. The next run writes a damaged one again; if `strict`, it is an error."""
    found = {}
    for folder in shard.folders:
        names = None if shard.is_all else _OfShard(shard)
        for name, content in store.contents(folder, names):
            if not name.endswith(".json"):
                continue
            if record := _parsed(content):
                found[name.removesuffix(".json")] = record
            elif strict:
                raise RostrumError(f"{store.path('', name)}: damaged; `rostrum run` writes it again")
    return found


class _OfShard:
    """The names of files of the index that belong to a shard."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def __contains__(self, name: object) -> bool:
        return str(name).endswith(".json") and self._shard.has_record(str(name))


def read_record(store: Store, name: str) -> ItemRecord | None:
    """One record; None if it is missing or damaged: then the next run writes it."""
    content = store.read("", f"{name}.json")
    return _parsed(content) if content else None


def _parsed(content: bytes) -> ItemRecord | None:
    try:
        return ItemRecord.model_validate_json(content)
    except ValidationError:
        return None


def write_records(store: Store, records: Iterable[ItemRecord]) -> None:
    """Store these records."""

    def write(record: ItemRecord) -> None:
        content = record.model_dump_json(exclude_defaults=True).encode()
        store.write("", f"{record_name(record)}.json", content, lasting=False)

    store.each(write, records)


def remove_records(store: Store, records: Iterable[ItemRecord]) -> None:
    """Remove the records of speeches and motions that are no longer in the corpus."""
    store.each(lambda record: store.remove(f"{record_name(record)}.json"), records)


class CheckedArtifacts:
    """The undamaged artifacts of a run, by place. Each is checked once, and again only when its files have changed.

    `record_of` returns the record of a scope, if there is one.
    """

    def __init__(self, store: Store, record_of: Callable[[str], ItemRecord | None]) -> None:
        self._store, self._record_of = store, record_of
        self._files: dict[str, Mapping[str, Stamp]] = {}
        self._now: dict[str, dict[str, Checked]] = defaultdict(dict)

    def look_at(self, scopes: Iterable[str], *, at_all: bool) -> None:
        """List the files of these scopes. To list all of an object store takes fewer requests than to list each."""
        if at_all and not self._store.is_local:
            found: dict[str, dict[str, Stamp]] = {scope: {} for scope in scopes}
            for name, stamp in self._store.listing().items():
                scope = name.rpartition("/")[0]
                if scope in found:
                    found[scope][name] = stamp
            self._files.update(found)
        else:
            left = [scope for scope in scopes if scope not in self._files]
            self._files.update(zip(left, self._store.each(self._store.files_in, left), strict=True))

    def has(self, place: Place) -> bool:
        """Whether there is an artifact, damaged or not."""
        return f"{place.scope}/{place.stage}.json" in self._listed(place.scope)

    def header(self, place: Place, kind: type[Record]) -> Header | None:
        """The header of the artifact with a record of this kind; None if it is missing or damaged."""
        if not self.has(place):
            return None
        files = self._listed(place.scope)
        record = self._record_of(place.scope)
        before = record.checked.get(place.stage) if record else None
        checked = self._now[place.scope].get(place.stage) or before
        if checked is None or any(files.get(file) != stamp for file, stamp in checked.files.items()):
            checked = self._check(place, kind, files)
        if checked is None:
            return None
        self._now[place.scope][place.stage] = checked
        return checked.header

    def of(self, scope: str) -> dict[str, Checked]:
        """The artifacts of a scope that were found undamaged, by stage."""
        return self._now[scope]

    def _listed(self, scope: str) -> Mapping[str, Stamp]:
        if scope not in self._files:
            self._files[scope] = self._store.files_in(scope)
        return self._files[scope]

    def _check(self, place: Place, kind: type[Record], files: Mapping[str, Stamp]) -> Checked | None:
        header = self._store.header(place, kind)
        if header is None:
            return None
        names = [f"{place.scope}/{each}" for each in (f"{place.stage}.json", *header.attachments)]
        return Checked(header=header, files={each: files[each] for each in names if each in files})


def records_of(summary: RunSummary, ranks: Mapping[str, int]) -> Iterator[ItemRecord]:
    """The records of a summary's speeches and motions. `ranks` are the places of the speeches in the corpus."""
    known = summary.known
    speeches = {speech.id: speech for speech in known.speeches}
    motions = {motion.id: (rank, motion) for rank, motion in enumerate(known.motions)}
    arguments = grouped((argument.motion, argument) for argument in known.arguments)
    # What one person says in a recording has the recording's id, and then the person's.
    recordings = (
        (label.speech if label.speech in speeches else label.speech.rpartition("/")[0]) for label in known.labels
    )
    labels = grouped(zip(recordings, known.labels, strict=True))
    votes = grouped((each.motion, each) for each in known.votes)
    judged = grouped((each.motion, each) for each in known.judgements)
    for item in summary.items:
        record = ItemRecord(id=item.id, scope=item.scope, motion=item.motion, outcomes=item.outcomes)
        if item.is_motion:
            rank, motion = motions.get(item.id, (0, None))
            said = {"arguments": arguments.get(item.id, ()), "judgements": judged.get(item.id, ())}
            facts = {"rank": rank, "debate": motion, "votes": votes.get(item.id, ()), **said}
            yield record.model_copy(update=facts)
        else:
            speech = {"speech": speeches.get(item.id), "labels": labels.get(item.id, ())}
            yield record.model_copy(update={"rank": ranks.get(item.id, 0), **speech})


def save(summary: RunSummary, store: Store) -> None:
    """Store a summary, and the records of all its speeches and motions."""
    save_head(summary, store)
    write_records(store, records_of(summary, {each.id: rank for rank, each in enumerate(summary.known.speeches)}))


def save_head(summary: RunSummary, store: Store) -> None:
    """Store what a summary says of the run as a whole, in `run.json` and in the file of its shard."""
    content = summary.model_dump_json(indent=1, exclude={"items", "known"}).encode()
    for file in dict.fromkeys((Shard.parsed(summary.shard).file if summary.shard else FILE, FILE)):
        store.write("", file, content)


def load(store: Store) -> RunSummary | None:
    """The summary of a run, with what all shards did; None where there is no run."""
    head = load_head(store)
    return with_records(head, read_records(store).values()) if head else None


def load_head(store: Store, shard: Shard = ALL) -> RunSummary | None:
    """What the last run says of itself, without speeches and motions; None where there is none."""
    content = store.read("", shard.file)
    if not content:
        return None
    try:
        return RunSummary.model_validate_json(content)
    except ValidationError as error:
        raise RostrumError(
            f"{store.path('.', shard.file)}: not what this version of rostrum writes ({error.errors()[0]['msg']}); "
            "delete it and run again: the results of the stages are kept"
        ) from error


def with_records(head: RunSummary, records: Iterable[ItemRecord]) -> RunSummary:
    """The summary with the speeches and motions of these records, in the order of the corpus."""
    ordered = sorted(records, key=lambda record: (record.is_motion, record.rank, record.id))
    motions = [record for record in ordered if record.is_motion]
    known = CorpusFacts(
        speeches=tuple(record.speech for record in ordered if record.speech),
        motions=tuple(record.debate for record in motions if record.debate),
        arguments=tuple(argument for record in motions for argument in record.arguments),
        labels=tuple(label for record in ordered for label in record.labels),
        votes=tuple(votes for record in motions for votes in record.votes),
        judgements=tuple(judgement for record in motions for judgement in record.judgements),
    )
    return head.model_copy(update={"items": ordered, "known": known})


def load_known(store: Store) -> RunSummary:
    """The summary of a run. An error where there is none."""
    summary = load(store)
    if summary is None:
        raise no_run(store)
    return summary


def no_run(store: Store) -> RostrumError:
    """The error for an address at which there is no run."""
    if store.is_local and "://" not in store.root and not Path(store.root).exists():
        return not_there(Path(store.root), "no such run")
    return RostrumError(f"{store.root}: not a run: it has no {FILE}; name the folder that `rostrum run --out` wrote")
