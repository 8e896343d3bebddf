"""Corpora for other toolkits, read by those toolkits' own libraries where they are installed."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import soundfile
from click.testing import CliRunner

from pipeline.cli.show import export as command
from pipeline.errors import RostrumError
from pipeline.export.formats import export
from pipeline.export.formats.datasets import splits
from pipeline.export.formats.xmi import type_system, xmi
from pipeline.export.speech import Interval, annotated_speech
from pipeline.records import Motion, Speech
from pipeline.run.finished import FinishedRun
from pipeline.run.index import save
from pipeline.segment.stage import Sentences
from tests.pipeline.report.speeches import speech
from tests.synthetic_run import debate, panel, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return FinishedRun(write_run(tmp_path_factory.mktemp("run"), debate(seconds=9.0)))


def written(run: FinishedRun, folder: Path, name: str) -> Path:
    assert export(run, name, folder)
    return folder


def sentences(run: FinishedRun) -> list[tuple[str, float, str, str | None]]:
    """(recording, start, text, speaker) of every sentence of the run."""
    speeches = [found for each in run.recordings if (found := annotated_speech(run.speech(each.id)))]
    return sorted((each.id, round(one.start, 3), one.text, one.speaker) for each in speeches for one in each.sentences)


def test_lhotse_reads_it(run: FinishedRun, tmp_path: Path) -> None:
    lhotse = pytest.importorskip("lhotse", reason="pip install --no-deps lhotse lilcom cytoolz intervaltree audioread")
    folder = written(run, tmp_path, "lhotse")
    recordings = lhotse.load_manifest(folder / "recordings.jsonl").with_path_prefix(folder)
    supervisions = lhotse.load_manifest(folder / "supervisions.jsonl")
    lhotse.validate(recordings, read_data=True)
    lhotse.validate_recordings_and_supervisions(recordings=recordings, supervisions=supervisions)
    assert sorted((each.recording_id, each.start, each.text, each.speaker) for each in supervisions) == sentences(run)
    found = annotated_speech(run.speech("exchange"))
    assert found
    words = [word for each in supervisions if each.recording_id == "exchange" for word in each.alignment["word"]]
    assert sorted((word.start, word.symbol) for word in words) == sorted(
        (each.start, each.text) for each in found.words
    )


def test_kaldi_s_rules(run: FinishedRun, tmp_path: Path) -> None:
    """Those that utils/validate_data_dir.sh checks."""
    folder = written(run, tmp_path, "kaldi")
    tables = {
        name: [line.split(" ", 1) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("wav.scp", "reco2dur", "utt2spk", "segments", "text", "spk2utt")
    }
    for rows in tables.values():
        assert [id.encode() for id, _ in rows] == sorted({id.encode() for id, _ in rows})
    speakers = dict(tables["utt2spk"])
    assert [speakers[id].encode() for id in speakers] == sorted(speakers[id].encode() for id in speakers)
    assert {id for id, _ in tables["text"]} == speakers.keys() == {id for id, _ in tables["segments"]}
    assert sorted(id for _, own in tables["spk2utt"] for id in own.split()) == sorted(speakers)
    assert all(id.startswith(f"{speaker}-") for id, speaker in speakers.items())
    assert {row.split()[0] for _, row in tables["segments"]} == {id for id, _ in tables["wav.scp"]}
    for id, path in tables["wav.scp"]:
        about = soundfile.info(folder / path)
        assert (about.samplerate, about.channels, about.format) == (16_000, 1, "WAV")
        assert about.duration == pytest.approx(float(dict(tables["reco2dur"])[id]), abs=0.001)
    assert sorted(text for _, text in tables["text"]) == sorted(text for _, _, text, _ in sentences(run))


def test_kaldi_folder_is_read_by_lhotse_and_kaldiio(
    run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kaldi = pytest.importorskip("lhotse.kaldi", reason="pip install --no-deps lhotse lilcom cytoolz intervaltree")
    monkeypatch.chdir(written(run, tmp_path, "kaldi"))
    recordings, supervisions, _ = kaldi.load_kaldi_data_dir(Path(), sampling_rate=16_000)
    assert sorted(each.text for each in supervisions) == sorted(text for _, _, text, _ in sentences(run))
    assert len(recordings) == 9
    kaldiio = pytest.importorskip("kaldiio")
    read = kaldiio.load_scp("wav.scp", segments="segments")
    id = next(iter(read))
    rate, samples = read[id]
    _, start, end = next(line.split()[1:] for line in Path("segments").read_text().splitlines() if line.startswith(id))
    assert rate == 16_000
    assert len(samples) == pytest.approx(16_000 * (float(end) - float(start)), abs=2)


def test_nemo_s_manifest(run: FinishedRun, tmp_path: Path) -> None:
    """As NeMo's documentation describes it: a JSON object per line, paths relative to the manifest."""
    folder = written(run, tmp_path, "nemo")
    rows = [json.loads(line) for line in (folder / "manifest.json").read_text("utf-8").splitlines()]
    assert sorted((each["text"], each["offset"]) for each in rows) == sorted(
        (each[2], each[1]) for each in sentences(run)
    )
    for row in rows:
        assert row["offset"] + row["duration"] <= soundfile.info(folder / row["audio_filepath"]).duration + 0.01


def test_convokit_reads_it(tmp_path: Path) -> None:
    convokit = pytest.importorskip("convokit", reason="pip install --no-deps convokit pymongo unidecode")
    run = FinishedRun(write_run(tmp_path / "run", panel()))
    corpus = convokit.Corpus(filename=str(written(run, tmp_path / "out", "convokit")))
    assert {each.id for each in corpus.iter_speakers()} == {"Ida", "Jon", "Mod"}
    assert corpus.get_speaker("Ida").meta["side"] == "pro"
    assert corpus.get_speaker("Mod").meta["role"] == "moderator"
    (conversation,) = corpus.iter_conversations()
    assert conversation.check_integrity(verbose=False)
    assert conversation.meta["text"] == "We should ban phones in schools."
    found = annotated_speech(run.speech("panel"))
    assert found
    said = sorted(corpus.iter_utterances(), key=lambda each: each.timestamp)
    assert " ".join(each.text for each in said) == " ".join(each.text for each in found.sentences)


def test_convokit_s_format(run: FinishedRun, tmp_path: Path) -> None:
    folder = written(run, tmp_path, "convokit")
    rows = [json.loads(line) for line in (folder / "utterances.jsonl").read_text("utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows)
    roots = {row["conversation_id"] for row in rows}
    assert {row["id"] for row in rows if row["reply-to"] is None} == roots
    assert set(json.loads((folder / "conversations.json").read_text("utf-8"))) == roots
    assert {row["speaker"] for row in rows} == set(json.loads((folder / "speakers.json").read_text("utf-8")))


DEBATE = speech("We 🙂 should.", "No, never.", speakers=("Anna", "Ben"))


def test_cassis_reads_it() -> None:
    cassis = pytest.importorskip("cassis", reason="pip install dkpro-cassis")
    said = [Interval(DEBATE.sentences[1].start, DEBATE.sentences[1].end, "zoos are cruel")]
    types = cassis.load_typesystem(io.BytesIO(type_system().encode()))
    cas = cassis.load_cas_from_xmi(io.BytesIO(xmi(replace(DEBATE, mentions=tuple(said))).encode()), types)
    package = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
    assert cas.sofa_string == "We 🙂 should.\nNo, never."
    assert [each.get_covered_text() for each in cas.select(f"{package}.Token")] == [word.text for word in DEBATE.words]
    assert [each.get_covered_text() for each in cas.select(f"{package}.Sentence")] == ["We 🙂 should.", "No, never."]
    turns = [(each.get_covered_text(), each.speaker, each.start, each.stop) for each in cas.select("custom.Turn")]
    assert turns == [("We 🙂 should.", "Anna", 0.0, 1.2), ("No, never.", "Ben", 1.2, 2.0)]
    (argument,) = cas.select("custom.Argument")
    assert (argument.get_covered_text(), argument.title) == ("No, never.", "zoos are cruel")


def test_the_data_set_has_references_splits_and_a_card(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    corpus = tmp_path / "corpus"
    (corpus / "phones").mkdir(parents=True)
    (corpus / "phones" / "pro_anna.wav").write_bytes(b"")
    (corpus / "phones" / "pro_anna.txt").write_text("Anna says: we should.")
    store = write_run(tmp_path / "run", debate(seconds=9.0))
    save(FinishedRun(store).summary.model_copy(update={"corpus": str(corpus)}), store)
    folder = written(FinishedRun(store), tmp_path / "out", "datasets")
    rows = datasets.load_dataset("audiofolder", data_dir=str(folder), cache_dir=str(tmp_path / "cache"))["train"]
    rows = rows.remove_columns("audio")
    references = {row["speech"]: row["reference"] for row in rows}
    assert references["phones/pro_anna"] == "Anna says: we should."
    assert references["phones/pro_ben"] is None
    card = (folder / "README.md").read_text("utf-8")
    metadata = datasets.load.DatasetCard(card).data
    assert (metadata.language, metadata.license, metadata.task_categories) == (
        ["en"],
        "unknown",
        ["automatic-speech-recognition"],
    )
    hidden = FinishedRun(store, anonymise=True)
    rows = pd.read_parquet(written(hidden, tmp_path / "hidden", "datasets") / "train" / "metadata.parquet")
    assert "Anna" not in rows.to_csv()
    assert [text[:8] for text in rows.reference.dropna()] == ["speaker-"]


def test_a_split_that_lacks_what_others_have_is_loaded_with_them(tmp_path: Path) -> None:
    """Of a debate nobody says on which side it is; all speeches of its motion are in one split."""
    datasets = pytest.importorskip("datasets")
    made = debate(seconds=4.0)
    made.motions = [*made.motions, Motion(id="zoos", text="Zoos should close.")]
    made.speeches = [*made.speeches, Speech(id="zoos", motion="zoos")]
    folder = written(FinishedRun(write_run(tmp_path / "run", made)), tmp_path / "out", "datasets")
    loaded = datasets.load_dataset("audiofolder", data_dir=str(folder), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "validation", "test"}
    rows = {row["speech"]: row for split in loaded.values() for row in split.remove_columns("audio")}
    assert (rows["zoos"]["stance"], rows["zoos"]["speakers"]) == (None, [])
    assert (rows["phones/pro_anna"]["stance"], rows["phones/pro_anna"]["speakers"]) == ("pro", ["Anna"])


def test_a_sentence_without_length_gets_a_millisecond(tmp_path: Path) -> None:
    """As recognisers time a cut-off word; neither Lhotse nor Kaldi takes a segment without length."""
    lhotse = pytest.importorskip("lhotse")
    store = write_run(tmp_path / "run", debate(seconds=9.0))
    path = tmp_path / "run" / "exchange" / "segment.json"
    artifact = json.loads(path.read_text("utf-8"))
    first, *_, last = artifact["data"]["sentences"]
    first["end"] = first["start"]
    last["start"] = last["end"] = 9.0
    artifact["digest"] = Sentences.model_validate(artifact["data"]).digest()
    path.write_text(json.dumps(artifact), "utf-8")
    run = FinishedRun(store)
    supervisions = lhotse.load_manifest(written(run, tmp_path / "lhotse", "lhotse") / "supervisions.jsonl")
    lhotse.validate(supervisions)
    ends = [round(each.end, 3) for each in supervisions if each.duration == 0.001]
    assert ends == [round(first["start"] + 0.001, 3), 9.0]
    segments = (written(run, tmp_path / "kaldi", "kaldi") / "segments").read_text("utf-8").splitlines()
    rows = (written(run, tmp_path / "nemo", "nemo") / "manifest.json").read_text("utf-8").splitlines()
    assert all(float(line.split()[3]) > float(line.split()[2]) for line in segments)
    assert all(json.loads(row)["duration"] > 0 for row in rows)


def test_no_motion_is_in_two_splits() -> None:
    motions = [f"motion {n}" for n in range(40)]
    found = splits(motions)
    assert [sum(split == name for split in found.values()) for name in ("train", "validation", "test")] == [32, 4, 4]
    assert splits(motions[::-1]) == found
    assert set(splits(motions[:2]).values()) == {"train"}


class Hub:
    """The hub's client at the network's edge: it keeps what is asked of it."""

    calls: list[tuple[str, Any]] = []

    def create_repo(self, name: str, **how: Any) -> str:
        self.calls.append((name, how))
        return f"https://hub.example/{name}"

    def upload_folder(self, **how: Any) -> None:
        self.calls.append(("upload", how))


def test_a_push_is_asked_for(run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.HfApi", Hub)
    arguments = [run.store.root, "--to", str(tmp_path / "out")]
    assert CliRunner().invoke(command, [*arguments, "--push", "me/talks"]).exit_code == 2, "not for text files"
    assert CliRunner().invoke(command, [*arguments, "--format", "datasets"]).exit_code == 0
    assert Hub.calls == [], "nothing is uploaded by default"
    (tmp_path / "out" / "mine.txt").write_text("private")
    result = CliRunner().invoke(command, [*arguments, "--format", "datasets", "--push", "me/talks"])
    assert result.output.endswith("https://hub.example/me/talks\n")
    (_, created), (_, uploaded) = Hub.calls
    assert created == {"repo_type": "dataset", "private": True, "exist_ok": True}
    assert "README.md" in uploaded["allow_patterns"]
    assert "mine.txt" not in uploaded["allow_patterns"]


def test_a_push_that_fails_is_one_line(run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no such host\nmore")

    monkeypatch.setattr(Hub, "create_repo", refuse)
    monkeypatch.setattr("huggingface_hub.HfApi", Hub)
    command_line = [run.store.root, "--to", str(tmp_path), "--format", "datasets", "--push", "me/talks"]
    result = CliRunner().invoke(command, command_line)
    assert isinstance(result.exception, RostrumError)
    assert str(result.exception).startswith("me/talks: not uploaded: no such host; `hf auth login` signs in; ")
