import json
import os
import unicodedata
from pathlib import Path, PureWindowsPath

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli.console import refuse_url
from pipeline.errors import RostrumError, StorageError
from pipeline.ingest.stage import Recording
from pipeline.records import Attachment, Record, ReferenceTranscript
from pipeline.run.scopes import Place, is_scope, scope_of_motion, scope_of_speech, scopes_of_motions, scopes_of_speeches
from pipeline.run.storage import TEMPORARY
from pipeline.run.store import Artifact, Store
from pipeline.run.summary import ItemSummary


def artifact(record: Record | None, stage: str = "stage", **fields: object) -> Artifact:
    return Artifact(
        stage=stage,
        version=1,
        fingerprint="f",
        inputs={},
        settings={},
        model={},
        created="now",
        seconds=1.0,
        digest=record.digest() if record else "",
        data=record.model_dump(mode="json") if record else None,
    ).model_copy(update=fields)


def recording(path: Path) -> Recording:
    return Recording(
        audio=Attachment.of(path, temporary=True),
        duration=1.0,
        source_sha256="0",
        source_rate=16_000,
        source_channels=1,
        loudness_lufs=None,
        clipped_share=0.0,
        snr_db=None,
    )


def put(store: Store, record: ReferenceTranscript | Recording) -> Artifact:
    made = artifact(record)
    store.save("a", made, record)
    return made


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    store, record = Store(tmp_path), ReferenceTranscript(text="Grüße, „Welt“\n")
    made = put(store, record)
    assert store.artifact("a", "stage") == made
    assert store.record(ReferenceTranscript, "a", made) == record
    assert json.loads((tmp_path / "a" / "stage.json").read_text(encoding="utf-8"))["data"]["text"] == record.text


def test_nothing_is_read_where_nothing_is(tmp_path: Path) -> None:
    assert Store(tmp_path / "new").artifact("a", "stage") is None


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_dies_halfway_leaves_the_old_artifact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store = Store(tmp_path)
    old = put(store, ReferenceTranscript(text="old"))

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(f"pipeline.run.storage.os.{call}", die)
        with pytest.raises(Killed):
            put(store, ReferenceTranscript(text="new"))
    assert store.artifact("a", "stage") == old
    assert store.record(ReferenceTranscript, "a", old) == ReferenceTranscript(text="old")


def test_a_full_disk_is_an_error_that_may_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pipeline.run.storage.os.fsync", full)
    with pytest.raises(StorageError, match=r"stage.json: cannot write it: No space left on device"):
        put(Store(tmp_path), ReferenceTranscript(text="x"))


def test_a_write_that_fails_leaves_no_partial_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    source = tmp_path / "temporary.flac"
    source.write_bytes(b"content")
    record = recording(source)
    monkeypatch.setattr("pipeline.run.storage.os.fsync", full)
    for _ in range(3):
        with pytest.raises(StorageError):
            put(Store(tmp_path / "run"), record)
    assert [path for path in (tmp_path / "run").rglob("*") if path.is_file() and path.suffix != ".lock"] == []


def test_an_attachment_is_named_for_its_content(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    contents = [b"first", b"second"]
    made = []
    for content in contents:
        source = tmp_path / "temporary.flac"
        source.write_bytes(content)
        record = recording(source)
        made.append(put(store, record))
        assert not source.exists(), "the store holds it, so the temporary file is gone"
    assert len(list((tmp_path / "run" / "a").glob("stage.*.flac"))) == 2
    for each, content in zip(made, contents, strict=True):
        assert store.record(Recording, "a", each).audio.path.read_bytes() == content


def test_an_attachment_that_is_gone_is_said(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    source = tmp_path / "temporary.flac"
    source.write_bytes(b"content")
    made = put(store, recording(source))
    store.record(Recording, "a", made).audio.path.unlink()
    with pytest.raises(RostrumError, match=r"stage\.[0-9a-f]{12}\.flac: is missing; `rostrum run` makes it again"):
        store.record(Recording, "a", made)


def test_changed_data_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, ReferenceTranscript(text="what was said"))
    path = tmp_path / "a" / "stage.json"
    path.write_text(path.read_text().replace("what was said", "what was not"))
    changed = store.artifact("a", "stage")
    assert changed is not None
    with pytest.raises(RostrumError, match="was changed after it was written, or was written by another version"):
        store.record(ReferenceTranscript, "a", changed)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stage": 1}', "\udcff"])
def test_what_is_no_artifact_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a" / "stage.json"
    path.parent.mkdir()
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(RostrumError, match="not an artifact") as caught:
        Store(tmp_path).artifact("a", "stage")
    assert "\n" not in str(caught.value)


def test_data_of_another_version_is_refused(tmp_path: Path) -> None:
    made = artifact(ReferenceTranscript(text="x"), data={"texts": []})
    with pytest.raises(RostrumError, match="not what this version of rostrum writes"):
        Store(tmp_path).record(ReferenceTranscript, "a", made)


def test_a_store_elsewhere(tmp_path: Path) -> None:
    store = Store("memory://test-store/run")
    source = tmp_path / "temporary.flac"
    source.write_bytes(b"content")
    made = put(store, recording(source))
    assert store.artifact("a", "stage") == made
    located = store.record(Recording, "a", made).audio.path
    assert located.read_bytes() == b"content"
    located.unlink()


def test_a_store_elsewhere_that_fails_may_work_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("503 slow down")

    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "pipe_file", fail)
    with pytest.raises(StorageError, match="503 slow down"):
        put(Store("memory://test-store/failing"), ReferenceTranscript(text="x"))


def test_an_unknown_kind_of_store_is_one_line() -> None:
    with pytest.raises(RostrumError, match="nowhere://bucket: cannot store a run there"):
        Store("nowhere://bucket")


@pytest.mark.parametrize(
    ("speech", "scope"),
    [
        ("plain", "plain"),
        ("folder/with space", "folder/with space"),
        ("réponse/日本", "réponse/日本"),
        ("../../etc/passwd", "%2E%2E/%2E%2E/etc/passwd"),
        ("_motions/1", "%5Fmotions/1"),
        ("new\nline", "new%0Aline"),
        ("100%", "100%25"),
        ("a//b", "a/%/b"),
    ],
)
def test_a_speech_has_a_folder_of_its_own(speech: str, scope: str) -> None:
    assert scope_of_speech(speech) == scope


ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(ids, ids)
def test_scopes_stay_inside_and_apart(one: str, other: str) -> None:
    scopes = [scope_of_speech(one), scope_of_motion(one)]
    assert len(set(scopes)) == 2
    for scope in scopes:
        assert is_scope(scope)
        parts = scope.split("/")
        assert all(part and part not in (".", "..") and part.isprintable() for part in parts)
    if one != other:
        assert scope_of_speech(one) != scope_of_speech(other)


@given(st.lists(st.text("aAäÄﬁfiıI./ ", min_size=1, max_size=4), unique=True))
def test_no_two_speeches_share_a_folder_where_case_and_form_do_not_count(speeches: list[str]) -> None:
    for scopes in (scopes_of_speeches(speeches), scopes_of_motions(speeches)):
        folded = {unicodedata.normalize("NFD", scope.casefold()) for scope in scopes.values()}
        assert len(folded) == len(speeches)
        assert all(map(is_scope, scopes.values()))


@pytest.mark.parametrize(
    "speech", ["CON", "nul", "com1.tar", "LPT1/x", "aux .x", "CONIN$", "trail.", "space ", "a:b", "."]
)
def test_windows_can_hold_a_speech_s_folder(speech: str) -> None:
    """A run may be copied there."""
    for part in scope_of_speech(speech).split("/"):
        assert not PureWindowsPath(part).is_reserved()
        assert not part.endswith((".", " "))
        assert PureWindowsPath(part).parts == (part,)


def test_a_folder_s_name_is_as_it_was_unless_another_speech_needs_it() -> None:
    assert scopes_of_speeches(["Anna", "ben"]) == {"Anna": "Anna", "ben": "ben"}
    assert scopes_of_speeches(["Anna", "anna"])["Anna"].startswith("Anna%")


@pytest.mark.parametrize(
    "speech", ["run.json", "a/transcribe.json", "A/ingest.JSON", "a/ingest.0123456789ab.flac", "x" * 400]
)
def test_a_speech_s_folder_is_never_another_s_file(speech: str) -> None:
    for part in scope_of_speech(speech).split("/"):
        assert not part.lower().endswith((".json", ".flac"))
        assert len(part.encode()) <= 255


# A run that came from somebody else.


@pytest.mark.parametrize("scope", ["../secret", "/etc", "a/../../secret", "_report", ".tmp", "a//b", "", "a\nb"])
def test_a_run_names_no_folder_outside_of_itself(tmp_path: Path, scope: str) -> None:
    with pytest.raises(ValueError, match="is not a folder of a run"):
        ItemSummary(id="a", scope=scope, motion=None, outcomes=[])


@pytest.mark.parametrize("suffix", ["/../../x", ".flac/x", ".FLAC", "flac", ".a b"])
def test_an_attachment_names_no_file_outside_of_its_folder(suffix: str) -> None:
    with pytest.raises(ValueError, match="String should match pattern"):
        Attachment(suffix=suffix, sha256="0" * 64)
    with pytest.raises(ValueError, match="String should match pattern"):
        Attachment(suffix=".flac", sha256="../../x")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A run's folder, beside which there is a file and a folder that are not the run's."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "stage.json").write_text("the user's own")
    (tmp_path / "run").mkdir()
    return tmp_path


def unharmed(folder: Path) -> bool:
    return [path.name for path in (folder / "outside").iterdir()] == ["stage.json"] and (
        folder / "outside" / "stage.json"
    ).read_text() == "the user's own"


def test_nothing_is_read_or_written_through_a_linked_folder(outside: Path) -> None:
    (outside / "run" / "a").symlink_to(outside / "outside")
    store = Store(outside / "run")
    for call in (
        lambda: store.artifact("a", "stage"),
        lambda: put(store, ReferenceTranscript(text="x")),
        lambda: store.remove("a/stage.json"),
        lambda: store.read("../outside", "stage.json"),
    ):
        with pytest.raises(RostrumError, match="leads out of the run's folder; remove the link"):
            call()
    assert unharmed(outside)
    assert store.listing() == {}


def test_a_linked_artifact_is_not_read_and_is_replaced(outside: Path) -> None:
    (outside / "run" / "a").mkdir()
    (outside / "run" / "a" / "stage.json").symlink_to(outside / "outside" / "stage.json")
    store = Store(outside / "run")
    with pytest.raises(RostrumError, match="leads out of the run's folder"):
        store.artifact("a", "stage")
    made = put(store, ReferenceTranscript(text="x"))
    assert store.artifact("a", "stage") == made
    assert unharmed(outside)


def test_a_linked_folder_for_temporary_files_is_not_used(outside: Path) -> None:
    (outside / "run" / TEMPORARY).symlink_to(outside / "outside")
    with pytest.raises(RostrumError, match="remove the link"):
        put(Store(outside / "run"), ReferenceTranscript(text="x"))
    assert unharmed(outside)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "stage.json")
    (tmp_path / "b" / "stage.json").mkdir(parents=True)
    for scope in "ab":
        with pytest.raises(RostrumError, match="not a file; remove it"):
            Store(tmp_path).artifact(scope, "stage")


def test_another_recording_s_attachment_is_refused_and_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    source = tmp_path / "temporary.flac"
    source.write_bytes(b"content")
    record = recording(source)
    made = put(store, record)
    (stored,) = (tmp_path / "run" / "a").glob("stage.*.flac")
    stored.write_bytes(b"of another speech")
    with pytest.raises(
        RostrumError, match=rf"{stored}: was changed after it was written; `rostrum run` makes it again"
    ):
        store.record(Recording, "a", made)
    assert store.header(Place("a", "stage"), Recording) is None
    source.write_bytes(b"content")
    put(store, recording(source))
    assert stored.read_bytes() == b"content"


def test_an_artifact_of_another_stage_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, ReferenceTranscript(text="x"))
    (tmp_path / "a" / "stage.json").rename(tmp_path / "a" / "other.json")
    with pytest.raises(RostrumError, match=r"other\.json: an artifact of another stage"):
        store.artifact("a", "other")


@pytest.mark.parametrize("address", ["s3://KEY:SECRET@bucket/run", "s3://KEY:SEC/RET@bucket/run", "s3://KEY@bucket"])
def test_keys_in_an_address_are_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(RostrumError, match="must not contain keys") as found:
        Store(address)
    assert "SEC" not in str(found.value)
    with pytest.raises(RostrumError, match="a URL") as found:
        refuse_url(address)
    assert "KEY" not in str(found.value)
