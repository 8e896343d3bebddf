"""Finds a model: at a path, in the model cache, in a library's own cache, or on the hub if that is allowed."""

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.errors import RostrumError
from pipeline.models import catalogue
from pipeline.models.catalogue import HUB_MODELS, WHISPER_ALIASES, WHISPER_SHA256, HubModel, Model, hub_model
from pipeline.models.digests import VERIFIED, combined, digest_of, files_in, hashing_anew, remembered_sha256
from pipeline.models.downloads import DownloadProgress, download_whisper
from pipeline.system.environment import HUB_ON_REQUEST

Origin = Literal["path", "cache", "library cache", "hub"]

# The same weights for other frameworks, which many repositories of the hub contain.
_OTHER_FRAMEWORKS = ["onnx/*", "openvino/*", "coreml/*", "*.h5", "*.msgpack", "*.ot", "*.tflite", "*.gguf"]


@dataclass(frozen=True)
class Found:
    """A model on this machine: the path for its loader, and the sha256 that says which weights these are.

    A Whisper size found by name has a folder as its path: `whisper.load_model(found.name, download_root=found.path)`.
    """

    name: str
    path: Path
    digest: str
    origin: Origin
    size: int


@dataclass(frozen=True)
class Status:
    """A model of the catalogue, where it was found on this machine, and what is wrong with it if it is damaged."""

    model: Model
    found: Found | None
    problem: str | None = None


def cache_folder() -> Path:
    """The folder of fetched models: $ROSTRUM_MODELS, else ~/.cache/rostrum/models."""
    folder = os.environ.get("ROSTRUM_MODELS")
    return Path(folder).expanduser().absolute() if folder else own_cache_folder()


def own_cache_folder() -> Path:
    """The folder of this user's own models: ~/.cache/rostrum/models."""
    return (Path.home() / ".cache" / "rostrum" / "models").absolute()


def find(name_or_path: str | Path, *, allow_hub: bool = False) -> Found:
    """Find a model by its catalogue name, Whisper size, hub id or path, without the network unless `allow_hub`."""
    text = str(name_or_path)
    name = WHISPER_ALIASES.get(text, text)
    model = catalogue.lookup(name)
    path = Path(name_or_path).expanduser()
    if path.exists() and (model is None or isinstance(name_or_path, Path)):
        digest = digest_of(path, _memory())
        return Found(_name_of(path, digest), path, digest, "path", _size(path))
    on_hub = hub_model(name)
    hub_name = on_hub.hub_id if on_hub else name
    found = (in_cache(model) if model else None) or _in_library_cache(hub_name, model)
    if found is None and allow_hub:
        found = _from_hub(hub_name, model)
    if found is None:
        raise RostrumError(_missing(text, model))
    return found


def in_cache(model: Model) -> Found | None:
    """The model in the model cache; None if it is not there. A damaged model is an error."""
    folder = cache_folder() / model.name
    if not folder.exists():
        return None
    for file in model.files:
        path = folder / file.path
        if not path.is_file() or remembered_sha256(path, folder / VERIFIED) != file.sha256:
            raise RostrumError(
                f"{path}: missing or not the file of the catalogue; mend it with: rostrum models fetch {model.name}"
            )
    return Found(model.name, folder / model.loads, _digest(model), "cache", model.size)


def status() -> list[Status]:
    """The status of every model of the catalogue."""
    return [_status(model) for model in catalogue.CATALOGUE]


def verify() -> list[Status]:
    """The status of every model of the catalogue, after reading all files."""
    with hashing_anew():
        return status()


def hub_status() -> list[tuple[HubModel, Found | None]]:
    """The models of the hub that have names, each with its place on this machine."""
    return [(model, _in_library_cache(model.hub_id, None)) for model in HUB_MODELS]


def usable() -> list[Found]:
    """Every model that can be used without fetching it: of the catalogue, and in Whisper's own cache."""
    found = [state.found for state in status() if state.found]
    names = {model.name for model in catalogue.CATALOGUE}
    for name in WHISPER_SHA256.keys() - names:
        with suppress(RostrumError):  # a damaged file is not usable
            whisper = _in_whisper_cache(name)
            found += [whisper] if whisper else []
    return found


def _status(model: Model) -> Status:
    try:
        return Status(model, in_cache(model) or _in_library_cache(model.name, model))
    except RostrumError as error:
        return Status(model, None, str(error))


def _name_of(path: Path, digest: str) -> str:
    """The name of the known model that consists of these files; else the name of the path."""
    known = {sha256: name for name, sha256 in WHISPER_SHA256.items()}
    known |= {_digest(model): model.name for model in catalogue.CATALOGUE}
    return known.get(digest) or (path.stem if path.is_file() else path.name)


def _digest(model: Model) -> str:
    return combined((file.path, file.sha256) for file in model.files)


def _in_library_cache(name: str, model: Model | None) -> Found | None:
    if name in WHISPER_SHA256:
        return _in_whisper_cache(name)
    if model and model.hub_id:
        return _in_huggingface_cache(model, model.hub_id)
    return _hub_snapshot(name, "library cache") if _is_hub_id(name) and not model else None


def _in_whisper_cache(name: str) -> Found | None:
    path = _whisper_cache() / f"{name}.pt"
    if not path.is_file():
        return None
    if remembered_sha256(path, _memory()) != WHISPER_SHA256[name]:
        # openai-whisper would download it again without asking.
        raise RostrumError(f"{path}: damaged, its sha256 is not that of Whisper {name}; delete it")
    return Found(name, path.parent, WHISPER_SHA256[name], "library cache", path.stat().st_size)


def _in_huggingface_cache(model: Model, hub_id: str) -> Found | None:
    from huggingface_hub import try_to_load_from_cache

    weights = max(model.files, key=lambda file: file.size).path
    path = try_to_load_from_cache(hub_id, weights)
    if not isinstance(path, str):
        return None
    return _of_snapshot(model.name, Path(path) if model.loads else Path(path).parent, "library cache")


def _from_hub(name: str, model: Model | None) -> Found | None:
    if name in WHISPER_SHA256:
        return _whisper_from_hub(name)
    if model and model.hub_id:
        folder = snapshot(model.hub_id, allow_patterns=[file.path for file in model.files])
        return _of_snapshot(model.name, folder / model.loads, "hub")
    return _hub_snapshot(name, "hub") if _is_hub_id(name) else None


def _whisper_from_hub(name: str) -> Found | None:
    from huggingface_hub import constants

    with hub_reachable():
        return None if constants.HF_HUB_OFFLINE else fetch_whisper(name, lambda *_: None)


def fetch_whisper(name: str, progress: DownloadProgress) -> Found:
    """Fetch a Whisper size from OpenAI's own address into the cache of openai-whisper."""
    path = _whisper_cache() / f"{name}.pt"
    try:
        cached = _in_whisper_cache(name)
    except RostrumError:  # it is damaged, and is fetched again
        cached = None
    if cached is None:
        download_whisper(name, path, progress)
    return Found(name, path.parent, WHISPER_SHA256[name], "hub", path.stat().st_size)


def _hub_snapshot(hub_id: str, origin: Origin) -> Found | None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = snapshot(hub_id, local_files_only=origin != "hub", ignore_patterns=_OTHER_FRAMEWORKS)
    except LocalEntryNotFoundError:
        return None
    return _of_snapshot(hub_id, folder, origin)


def _of_snapshot(name: str, path: Path, origin: Origin) -> Found:
    return Found(name, path, digest_of(path, _memory()), origin, _size(path))


def snapshot(hub_id: str, *, local_files_only: bool = False, **patterns: list[str]) -> Path:
    """The folder of a repository of the hub. It is downloaded if it is missing and `local_files_only` is false.

    `allow_patterns` and `ignore_patterns` choose files of it.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        with nullcontext() if local_files_only else hub_reachable():
            forbidden = constants.HF_HUB_OFFLINE
            return Path(snapshot_download(hub_id, local_files_only=local_files_only, **patterns))
    except LocalEntryNotFoundError as error:
        if local_files_only:
            raise
        why = "HF_HUB_OFFLINE is set, so the hub is not asked" if forbidden else "the hub cannot be reached"
        raise RostrumError(f"{hub_id}: {why}, and it is not in HuggingFace's cache") from error
    except Exception as error:  # the hub's client lets through whatever its HTTP library raises
        why = str(error).splitlines()[0]
        account = "; set HF_TOKEN to a token of an account that may have it" if "401" in why or "403" in why else ""
        raise RostrumError(f"{hub_id}: could not be fetched from the hub: {why}{account}") from error


@contextmanager
def hub_reachable() -> Iterator[None]:
    """While this context is open, the hub may be used, unless the user's own environment forbids it."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before and not os.environ.get(HUB_ON_REQUEST)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def is_on_hub(name: str) -> bool:
    """Whether only the hub has a model of this name: one of the named ones, or organisation/name."""
    return catalogue.lookup(name) is None and (hub_model(name) is not None or _is_hub_id(name))


def _is_hub_id(name: str) -> bool:
    return name.count("/") == 1 and not name.startswith((".", "/", "~")) and not name.endswith("/")


def _whisper_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper"


def _memory() -> Path:
    return cache_folder() / "digests.json"


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in ([path] if path.is_file() else files_in(path)))


def _missing(text: str, model: Model | None) -> str:
    if model:
        return f"{model.name} is not on this machine; get it with: rostrum models fetch {model.name}"
    if text in WHISPER_SHA256 or text in WHISPER_ALIASES:
        return f"Whisper {text} is not on this machine; get it with: rostrum models fetch {text}"
    if hub_model(text):
        return f"{text} is not on this machine; get it from the hub with: rostrum models fetch {text}"
    if _is_hub_id(text):
        return (
            f"{text}: no such path, and no such model in HuggingFace's cache; give a path, allow the hub, or get it "
            f"with: rostrum models fetch {text}"
        )
    if os.sep in text or Path(text).suffix in {".pt", ".bin", ".ckpt", ".onnx"}:
        return f"{text}: no such file or folder; rostrum models lists the models that have names"
    return unknown(text)


def unknown(name: str) -> str:
    """The error for a name that no model has, with the nearest name, and where all are listed."""
    every = [*(model.name for model in catalogue.CATALOGUE), *(model.name for model in HUB_MODELS)]
    names = {known.casefold(): known for known in every}
    wanted = name.casefold()
    near = [known for known in names if wanted in known] or difflib.get_close_matches(wanted, names, 1, 0.5)
    hint = f"did you mean {names[near[0]]}? " if near else ""
    return f"no model is called {name!r}; {hint}rostrum models lists them all"
