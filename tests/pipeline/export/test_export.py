"""Every format of a whole run, through the command."""

import csv
import io
import zipfile
from pathlib import Path

import pandas
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import rostrum
from pipeline.cli.show import export as command
from pipeline.diarize.stage import Turns
from pipeline.errors import RostrumError
from pipeline.export.formats import FORMATS, export
from pipeline.export.formats.tables import write_csv
from pipeline.formats import csv_text, read_ctm_recordings, read_rttm_recordings
from pipeline.formats.spreadsheet import as_written
from pipeline.records import Argument, Motion, Speech
from pipeline.run.finished import FinishedRun
from pipeline.run.store import Store
from pipeline.transcribe.stage import Transcript
from tests.members import add_member
from tests.synthetic_run import MadeUp, debate, panel, write_run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_run(tmp_path_factory.mktemp("run"), debate(seconds=9.0))


@pytest.mark.parametrize("name", FORMATS.names())
def test_every_format_is_written(store: Store, tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(command, [store.root, "--format", name, "--to", str(tmp_path)])
    assert result.exit_code == 0, result.output
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    counted = "1 file" if len(files) == 1 else f"{len(files)} files"
    assert result.output == f"{name}: {counted} in {tmp_path}\n"
    assert all(path.stat().st_size for path in files)


def test_several_formats_have_folders(store: Store, tmp_path: Path) -> None:
    CliRunner().invoke(command, [store.root, "--format", "srt", "--format", "ctm", "--to", str(tmp_path)])
    assert (tmp_path / "srt/phones/pro_anna.srt").is_file()
    assert (tmp_path / "ctm/words.ctm").is_file()


def test_no_format_holds_a_name_when_anonymised(store: Store, tmp_path: Path) -> None:
    run = FinishedRun(store, anonymise=True)
    names = [name for speech in debate().speeches for name in (*speech.speakers, speech.id)]
    for name in FORMATS.names():
        for path in export(run, name, tmp_path / name):
            content = path.read_bytes()
            assert [each for each in names if each.encode() in content or each in str(path)] == []


def test_ctm_and_rttm_there_and_back(store: Store, tmp_path: Path) -> None:
    run = FinishedRun(store)
    words = read_ctm_recordings(export(run, "ctm", tmp_path)[0])
    turns = read_rttm_recordings(export(run, "rttm", tmp_path)[0])
    transcript, found = run.of_speech(Transcript, "exchange"), run.of_speech(Turns, "exchange")
    assert transcript
    assert found
    assert [word.text for word in words["exchange"]] == [word.text for word in transcript.words]
    assert turns["exchange"] == found.turns


def test_pyannote_reads_the_turns(store: Store, tmp_path: Path) -> None:
    util = pytest.importorskip("pyannote.database.util")
    path = export(FinishedRun(store), "rttm", tmp_path)[0]
    annotation = util.load_rttm(path)["exchange"]
    assert set(annotation.labels()) == {"Ida", "Jon"}


def test_datasets_loads_the_folder(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    # Nothing is decoded here; torchcodec would want FFmpeg's libraries.
    monkeypatch.setattr(datasets.config, "TORCHCODEC_AVAILABLE", False)
    monkeypatch.setattr(datasets.Audio, "encode_example", lambda self, path: {"bytes": None, "path": path})
    export(FinishedRun(store), "datasets", tmp_path / "set")
    loaded = datasets.load_dataset(
        "audiofolder", data_dir=str(tmp_path / "set"), cache_dir=str(tmp_path / "cache"), split="train"
    ).cast_column("audio", datasets.Audio(decode=False))
    row = next(each for each in loaded if each["speech"] == "exchange")
    assert row["speakers"] == ["Ida", "Jon"]
    assert row["words"][0]["start"] == 0.2
    assert Path(row["audio"]["path"]).suffix == ".flac"


def test_tables_as_csv(store: Store, tmp_path: Path) -> None:
    export(FinishedRun(store), "csv", tmp_path)
    with (tmp_path / "words.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["speech"] for row in rows} >= {"exchange", "phones/pro_anna"}
    assert rows[0]["speaker"] == "Anna"


def test_a_spreadsheet_computes_nothing_of_a_table(tmp_path: Path) -> None:
    texts = ["=HYPERLINK(1)", "@SUM(1)", "+cmd|' /C calc'!A0", "-", "-2.5", None, "well", "- well"]
    write_csv(pandas.DataFrame({"text": pandas.array(texts, dtype="string"), "n": [1.5] * 8}), tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = [row["text"] for row in csv.DictReader(file)]
    assert rows == ["'=HYPERLINK(1)", "'@SUM(1)", "'+cmd|' /C calc'!A0", "-", "-2.5", "", "well", "'- well"]


def test_tables_as_parquet_are_those_that_are_loaded(store: Store, tmp_path: Path) -> None:
    frames = rostrum.load(store.root)
    for path in export(FinishedRun(store), "parquet", tmp_path):
        pandas.testing.assert_frame_equal(pandas.read_parquet(path), frames[path.stem])


def test_nothing_to_export(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", MadeUp((), ()))
    with pytest.raises(RostrumError, match="nothing to export"):
        export(FinishedRun(store), "srt", tmp_path / "out")


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RostrumError, match=r"no run.json"):
        FinishedRun(tmp_path)


HIDDEN = "\x1b[2J\u202e\x00\u2066"


@pytest.mark.parametrize("name", [name for name in FORMATS.names() if name != "parquet"])
def test_hidden_characters_of_names_and_texts_are_left_out(tmp_path: Path, name: str) -> None:
    motion = Motion(id="m", text=f"We{HIDDEN} should.")
    speeches = [
        Speech(id=f"{stance}{HIDDEN}", motion="m", stance=stance, speakers=(f"A{stance}{HIDDEN}",))
        for stance in ("pro", "con")
    ]
    made = MadeUp((motion,), speeches, [Argument(id="a", motion="m", stance="pro", title=f"So{HIDDEN}.")], seconds=4.0)
    for path in export(FinishedRun(write_run(tmp_path / "run", made)), name, tmp_path / "out"):
        if path.suffix in (".wav", ".flac"):
            continue
        content = path.read_bytes()
        if path.suffix == ".parquet":  # its own bytes are any
            table = pd.read_parquet(path)
            words = [word["text"] for column in table.words for word in column]
            content = (table.to_csv() + " ".join([*words, *table.speakers.explode()])).encode()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                content = b"".join(archive.read(part) for part in archive.namelist())
        assert not [sign for sign in HIDDEN if sign not in "[2J" and sign.encode() in content], path.name


@given(st.lists(st.text(st.sampled_from("=+-@＝ '1ab\t\r\n\",\u202e"), max_size=6), min_size=1))
def test_no_cell_is_computed_and_all_come_back(texts: list[str]) -> None:
    (cells,) = csv.reader(io.StringIO(csv_text([texts]), newline=""))
    assert [cell for cell in cells if len(cell.strip()) > 1 and cell.strip()[0] in "=@＝"] == []
    assert [as_written(cell) for cell in cells] == [
        text.replace("\u202e", "").replace("\r\n", "\n").replace("\r", "\n") for text in texts
    ]


def test_a_format_is_one_file(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is added to the folder is in the list of formats and can be exported."""
    source = '''\
        """Words, one per line."""

        from pipeline.export.formats import SpeechFormat

        FORMAT = SpeechFormat(".words", lambda speech: "\\n".join(word.text for word in speech.words))
    '''
    add_member(monkeypatch, tmp_path / "more", "pipeline.export.formats", "word_list.py", source)
    assert FORMATS.summaries()["word-list"] == "Words, one per line."
    files = export(FinishedRun(store), "word-list", tmp_path / "out")
    assert files[0] == tmp_path / "out" / "phones" / "pro_anna.words"
    assert files[0].read_text("utf-8").count("\n") > 10


def test_a_mistyped_format_gets_a_suggestion(store: Store, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [store.root, "--format", "textgird", "--to", str(tmp_path)])
    assert isinstance(result.exception, RostrumError)
    assert str(result.exception) == "there is no export format 'textgird'; did you mean textgrid?"


def test_every_format_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "exports.md").read_text("utf-8")
    assert [name for name in FORMATS.names() if f"`{name}`" not in text] == []


def test_files_of_others_are_not_overwritten(store: Store, tmp_path: Path) -> None:
    """As where the folder to export to is the corpus, and a .txt beside a recording is what was really said."""
    own = tmp_path / "exchange.txt"
    own.write_text("what was really said")
    result = CliRunner().invoke(command, [store.root, "--to", str(tmp_path)])
    assert str(result.exception) == f"{own}: exists already; --force replaces it, --to names another folder"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [own]
    assert own.read_text() == "what was really said"
    assert CliRunner().invoke(command, [store.root, "--to", str(tmp_path), "--force"]).exit_code == 0
    assert own.read_text() != "what was really said"
    assert CliRunner().invoke(command, [store.root, "--to", str(tmp_path)]).exit_code == 0, "the same once more"


def test_a_damaged_result_costs_one_speech(tmp_path: Path) -> None:
    store = write_run(tmp_path / "run", debate(seconds=9.0))
    (tmp_path / "run" / "exchange" / "transcribe.json").write_text("{")
    result = CliRunner().invoke(command, [store.root, "--to", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "left out: " in result.output
    assert "exchange/transcribe.json: not an artifact" in result.output
    assert (tmp_path / "out" / "phones" / "pro_anna.txt").is_file()
    assert not (tmp_path / "out" / "exchange.txt").exists()


@pytest.mark.parametrize("name", ["csv", "xaif", "argdown"])
def test_damaged_people_cost_their_names_only(tmp_path: Path, name: str) -> None:
    """Points and matches name speeches that only the record of the people knows."""
    store = write_run(tmp_path / "run", panel())
    (tmp_path / "run" / "panel" / "speakers.json").write_text("{")
    result = CliRunner().invoke(command, [store.root, "--format", name, "--to", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "panel/speakers.json: not an artifact" in result.output
