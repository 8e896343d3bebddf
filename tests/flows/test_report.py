from pathlib import Path

from flows.publish import bring_up_to_date
from pipeline.run.index import load, save
from pipeline.run.store import Store
from tests.synthetic_run import MadeUp, write_run


def quiet(share: float, what: str) -> None:
    pass


def test_a_local_run_has_its_report_beside_it(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", MadeUp((), ()))
    told = bring_up_to_date(store, quiet)
    assert told == f"report: {tmp_path}/run/_report/index.html (`rostrum report {tmp_path}/run --serve`)"
    assert (tmp_path / "run" / "_report" / "index.html").is_file()


def test_a_run_in_object_storage_says_how_to_get_one(tmp_path: Path) -> None:
    summary = load(write_run(tmp_path, MadeUp((), ())))
    assert summary is not None
    store = Store("memory://run")
    save(summary, store)
    told = bring_up_to_date(store, quiet)
    assert told == f"report: `rostrum report {store.root} --to FOLDER --serve` writes it to this machine"


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    told = bring_up_to_date(Store(tmp_path), quiet)
    assert told.startswith("warning: the report could not be written: ")
    assert "\n" not in told
