"""The undamaged artifacts of a store. Each is checked once, and again only when its files have changed."""

from collections.abc import Mapping

from pydantic import BaseModel, TypeAdapter, ValidationError

from pipeline.engine.scopes import Place
from pipeline.engine.storage import Stamp
from pipeline.engine.store import Header, Store
from pipeline.records import Record

FILE = ".checked.json"


class _Checked(BaseModel):
    """An undamaged artifact, and the stamps that its files had when it was checked."""

    header: Header
    files: dict[str, Stamp]


_ENTRIES = TypeAdapter(dict[str, _Checked])


class Index:
    """The artifacts of a store, by place. One that cannot be read, or was changed by somebody, counts as missing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._listing = store.listing()
        self._before = _read(store)
        self._now: dict[str, _Checked] = {}

    def has(self, place: Place) -> bool:
        """Whether there is an artifact, damaged or not."""
        return f"{place.scope}/{place.stage}.json" in self._listing

    def header(self, place: Place, kind: type[Record]) -> Header | None:
        """The header of the artifact with a record of this kind; None if it is missing or damaged."""
        name = f"{place.scope}/{place.stage}.json"
        if name not in self._listing:
            return None
        checked = self._now.get(name) or self._before.get(name)
        if checked is None or any(self._listing.get(file) != stamp for file, stamp in checked.files.items()):
            checked = self._check(name, place, kind)
        if checked is None:
            return None
        self._now[name] = checked
        return checked.header

    def save(self) -> None:
        """Store the results of the checks for the next run."""
        if self._now != self._before:
            self._store.write("", FILE, _ENTRIES.dump_json(self._now))

    def _check(self, name: str, place: Place, kind: type[Record]) -> _Checked | None:
        header = self._store.whole(place, kind)
        if header is None:
            return None
        names = [name, *(f"{place.scope}/{each}" for each in header.attachments)]
        return _Checked(header=header, files={each: self._listing[each] for each in names if each in self._listing})


def _read(store: Store) -> Mapping[str, _Checked]:
    content = store.read("", FILE)
    try:
        return _ENTRIES.validate_json(content) if content else {}
    except ValidationError:
        return {}  # everything is checked again
