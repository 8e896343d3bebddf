import json
import os
from pathlib import Path

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.engine.store import STALE_AFTER_SECONDS, TEMPORARY, Artifact, Store, scope_of_motion, scope_of_speech
from pipeline.errors import RostrumError, StorageError
from pipeline.records import Attachment, Recording, ReferenceTranscript


def artifact(record: ReferenceTranscript | Recording | None, stage: str = "stage", **fields: object) -> Artifact:
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
        patch.setattr(f"pipeline.engine.store.os.{call}", die)
        with pytest.raises(Killed):
            put(store, ReferenceTranscript(text="new"))
    assert store.artifact("a", "stage") == old
    assert store.record(ReferenceTranscript, "a", old) == ReferenceTranscript(text="old")


def test_a_full_disk_is_an_error_that_may_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pipeline.engine.store.os.fsync", full)
    with pytest.raises(StorageError, match=r"stage.json: cannot write it: No space left on device"):
        put(Store(tmp_path), ReferenceTranscript(text="x"))


def test_leftovers_of_killed_runs_are_removed_and_young_ones_kept(tmp_path: Path) -> None:
    folder = tmp_path / TEMPORARY
    folder.mkdir()
    old, young = folder / "old", folder / "young"
    old.touch()
    young.touch()
    then = old.stat().st_mtime - STALE_AFTER_SECONDS - 1
    os.utime(old, (then, then))
    Store(tmp_path).clear_stale()
    assert not old.exists()
    assert young.exists()


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
    with pytest.raises(RostrumError, match=r"is gone; remove .*stage\.json and run again"):
        store.record(Recording, "a", made)


def test_changed_data_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, ReferenceTranscript(text="what was said"))
    path = tmp_path / "a" / "stage.json"
    path.write_text(path.read_text().replace("what was said", "what was not"))
    changed = store.artifact("a", "stage")
    assert changed is not None
    with pytest.raises(RostrumError, match="was changed after it was written; remove the file and run again"):
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
    with pytest.raises(RostrumError, match="nowhere://bucket: there is no way to store there"):
        Store("nowhere://bucket")


@pytest.mark.parametrize(
    ("speech", "scope"),
    [
        ("plain", "plain"),
        ("folder/with space", "folder/with space"),
        ("réponse/日本", "réponse/日本"),
        ("../../etc/passwd", "%2E./%2E./etc/passwd"),
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
        parts = scope.split("/")
        assert all(part and part not in (".", "..") and part.isprintable() for part in parts)
    if one != other:
        assert scope_of_speech(one) != scope_of_speech(other)
