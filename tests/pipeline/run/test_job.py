"""When a stage runs again, and when it does not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpus import open_corpus
from pipeline.errors import RostrumError
from pipeline.ingest.stage import Recording
from pipeline.records import Motion, ReferenceTranscript, Speech, Word
from pipeline.run.configuration import Settings, load
from pipeline.run.execute import attempt
from pipeline.run.job import Item, Job, Outcome, check, perform, reason_of
from pipeline.run.plan import plan_run
from pipeline.run.scopes import Place
from pipeline.run.store import Store
from pipeline.score.stage import ScoreSettings
from pipeline.segment.stage import Sentences
from pipeline.stage import STAGES, Skip, Stage, all_stages, chosen_stages, stage, stage_named
from pipeline.transcribe.stage import Transcript
from tests.sounds import write_speech

A = Item("a", "a", None)


@stage(version=1)
def greet(reference: ReferenceTranscript, motion: Motion | None, *, settings: ScoreSettings) -> ReferenceTranscript:
    """Say it back."""
    if reference.text == "skip me":
        raise Skip("was asked to")
    return ReferenceTranscript(text=f"{settings.normaliser}: {reference.text} {motion and motion.text}")


@stage(version=1)
def follow(sentences: Mapping[str, Sentences]) -> ReferenceTranscript:
    """Count them."""
    return ReferenceTranscript(text=" ".join(sentences))


def job(
    text: str | None = "hello",
    motion: str | None = None,
    settings: ScoreSettings | None = None,
    of: Stage[..., Any] = greet,
) -> Job:
    settings = settings or ScoreSettings()
    records = {
        "reference": ReferenceTranscript(text=text) if text is not None else None,
        "motion": Motion(id="m", text=motion) if motion else None,
    }
    return Job(of, A, settings, records, {})


def fingerprint(each: Job, store: Store) -> str:
    perform(each, store)
    found = store.header(each.place, each.stage.output)
    assert found is not None
    return found.fingerprint


def test_a_job_is_done_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert perform(job(), store).outcome.state == "run"
    written = (tmp_path / "a" / "greet.json").read_bytes()
    assert perform(job(), store).outcome.state == "cached"
    assert (tmp_path / "a" / "greet.json").read_bytes() == written


@given(st.tuples(st.text(max_size=3), st.text(max_size=3)), st.tuples(st.text(max_size=3), st.text(max_size=3)))
def test_equal_content_is_an_equal_fingerprint_and_other_content_another(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    store = Store("memory://test-job")
    assert (fingerprint(job(*one), store) == fingerprint(job(*other), store)) == (
        (one[0], one[1] or None) == (other[0], other[1] or None)
    )


def test_whatever_decides_the_result_is_in_the_fingerprint(tmp_path: Path) -> None:
    weights = {"model": "1"}
    jobs = [
        job(),
        job("other"),
        job(motion="text"),
        job(settings=ScoreSettings(normaliser="plain")),
        job(of=replace(greet, version=2)),
        job(of=replace(greet, model=lambda _: weights)),
        job(of=replace(greet, model=lambda _: {"model": "2"})),
        job(of=replace(greet, model=lambda _: {"other": "1"})),
    ]
    found = [fingerprint(each, Store(tmp_path)) for each in jobs]
    assert len(set(found)) == len(jobs)
    assert found == [fingerprint(each, Store(tmp_path / "elsewhere")) for each in jobs], "on any machine, in any run"


def test_every_setting_counts_but_those_that_the_model_s_digest_implies() -> None:
    for name, field in Settings.model_fields.items():
        names = {each for each, info in type(field.default).model_fields.items() if not info.exclude}
        assert field.default.implied_by_model <= names, name
        assert field.default.decisive().keys() == names - field.default.implied_by_model


def test_a_skip_is_on_record_and_is_not_tried_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert perform(job("skip me"), store).outcome == Outcome("greet", "a", "skipped", "was asked to")
    stored = store.header(job().place, ReferenceTranscript)
    skipped = Outcome("greet", "a", "skipped", "was asked to")
    assert check(job("skip me"), stored, lambda *_: None) == skipped
    assert perform(job("now do"), store).outcome.state == "run"


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert perform(job(None), Store(tmp_path)).outcome.reason == "no reference transcript"


def test_a_skip_is_passed_on_with_its_reason(tmp_path: Path) -> None:
    store = Store(tmp_path)
    perform(job("skip me"), store)
    after = Job(stage_named("segment"), A, Settings().segment, {}, {"transcript": {"a": Place("a", "greet")}})
    assert perform(after, store).outcome.reason == "was asked to"
    never = replace(after, item=Item("b", "b", None), stored={"transcript": {"b": Place("b", "greet")}})
    assert perform(never, store).outcome.reason == "no transcript: greet has not run"


def test_a_mistake_of_the_user_is_a_failure_in_one_line(tmp_path: Path) -> None:
    @stage(version=1)
    def refuse(
        reference: ReferenceTranscript, motion: Motion | None, *, settings: ScoreSettings
    ) -> ReferenceTranscript:
        """Never."""
        raise RostrumError("x.wav: is empty")

    failed = attempt(job(of=refuse), Store(tmp_path))
    assert failed == Outcome("refuse", "a", "failed", "x.wav: is empty", fingerprint=failed.fingerprint)
    assert failed.fingerprint, "it would fail again"
    assert Store(tmp_path).artifact("a", "refuse") is None


def test_the_motion_s_stage_takes_all_speeches_that_are_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    words = Transcript(
        words=(Word(text="Hello.", start=0, end=1),), language="en", recogniser="", device="", punctuated=True
    )
    places = {name: Place(name, "segment") for name in ("one", "two", "three")}

    def segmented(name: str) -> Job:
        return Job(stage_named("segment"), Item(name, name, None), Settings().segment, {"transcript": words}, {})

    for name in ("one", "three"):
        assert perform(segmented(name), store).outcome.state == "run"
    last = Job(follow, Item("m", "m", "m"), None, {}, {"sentences": places})
    perform(last, store)
    artifact = store.artifact("m", "follow")
    assert artifact is not None
    assert artifact.data["text"] == "one three"
    perform(segmented("two"), store)
    assert perform(last, store).outcome.state == "run", "another speech is another input"


def test_wiring_is_by_type() -> None:
    assert follow.scope == "motion"
    assert greet.scope == "speech"
    assert [(each.name, each.kind, each.optional) for each in greet.inputs] == [
        ("reference", ReferenceTranscript, False),
        ("motion", Motion, True),
    ]
    assert stage_named("transcribe").inputs[0].spelled == "recording"
    assert [each.spelled for each in stage_named("transcribe").inputs if each.name == "reference"] == [
        "reference transcript"
    ]
    assert greet.summary == "Say it back."


def test_every_stage_of_the_table_is_whole() -> None:
    for each, name in zip(all_stages(), STAGES, strict=True):
        assert each.name == name
        assert each.summary.endswith(".")
    assert len({each.output for each in all_stages()}) == len(STAGES), "a record's type tells who makes it"


def test_stages_bring_those_they_take_from() -> None:
    assert [each.name for each in chosen_stages(["score"])] == ["ingest", "diarize", "transcribe", "score"]
    assert [each.name for each in chosen_stages(["ingest"])] == ["ingest"]
    assert [each.name for each in chosen_stages(None)] == list(STAGES)
    with pytest.raises(RostrumError, match="there is no stage 'listen'; there are ingest, "):
        chosen_stages(["listen"])


# What follows is a corpus of two speeches whose recogniser is replaced by one that needs no weights.

SPEECH_STAGES = ("ingest", "diarize", "transcribe", "score", "segment")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "corpus"
    for index, name in enumerate(("one", "two")):
        write_speech(folder / f"{name}.wav", start=3.0 * index)
        (folder / f"{name}.txt").write_text("And so, my fellow citizens.")
    transcribe = replace(
        stage_named("transcribe"), function=_recognised, model=lambda settings: {settings.model: f"of {settings.model}"}
    )
    stages = tuple(transcribe if name == "transcribe" else stage_named(name) for name in SPEECH_STAGES)
    monkeypatch.setattr("pipeline.run.plan.chosen_stages", lambda _: stages)
    return folder


def transcribe(recording: Recording, settings: Any, **_: Any) -> Transcript:
    word = Word(text="Citizens.", start=0, end=recording.duration)
    return Transcript(words=(word,), language="en", recogniser=settings.model, device="none", punctuated=True)


_recognised = transcribe


def ran(folder: Path, out: Path, *assignments: str) -> dict[str, set[str]]:
    """Which stages of which speech a run does."""
    return {
        scope: {each.stage for each in found if each.state == "run"} for scope, found in _run(folder, out, assignments)
    }


def _run(folder: Path, out: Path, assignments: tuple[str, ...]) -> Iterator[tuple[str, list[Outcome]]]:
    settings = load(environment={}, assignments=["diarize.mode=vad", *assignments]).settings
    store = Store(out)
    plan = plan_run(open_corpus(folder), store, settings, SPEECH_STAGES)
    outcomes = [attempt(each, store) for each in plan.jobs]
    assert not [each for each in outcomes if each.state == "failed"]
    for item in plan.items:
        yield item.scope, [each for each in outcomes if each.scope == item.scope]


def test_only_what_a_setting_changes_runs_again(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    everything = set(SPEECH_STAGES)
    both = ("one", "two")
    assert ran(corpus, out) == dict.fromkeys(both, everything)
    assert ran(corpus, out) == dict.fromkeys(both, set())
    assert ran(corpus, out, "transcribe.model=other") == dict.fromkeys(both, {"transcribe", "score", "segment"})
    assert ran(corpus, out, "transcribe.model=other", "score.normaliser=plain") == dict.fromkeys(both, {"score"})
    assert ran(corpus, out, "score.normaliser=plain") == dict.fromkeys(both, {"transcribe", "score", "segment"})


def test_only_what_a_file_changes_runs_again(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ran(corpus, out)
    (corpus / "one.txt").write_text("Something else.")
    assert ran(corpus, out) == {"one": {"score"}, "two": set()}
    write_speech(corpus / "two.wav", start=9.0)
    # The recogniser of this test hears the same in all clips, and equal words need not be scored and cut again.
    assert ran(corpus, out) == {"one": set(), "two": {"ingest", "diarize", "transcribe"}}
    (corpus / "two.txt").unlink()
    found = dict(_run(corpus, out, ()))
    assert found["two"] == [Outcome("score", "two", "skipped", "no reference transcript")]


def test_a_moved_file_is_the_same_file(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ran(corpus, out)
    assert ran(corpus.rename(tmp_path / "moved"), out) == {"one": set(), "two": set()}


def test_a_file_that_cannot_be_read_fails_alone(corpus: Path, tmp_path: Path) -> None:
    (corpus / "one.txt").write_bytes("Größe".encode("latin-1"))
    plan = plan_run(open_corpus(corpus), Store(tmp_path / "run"), Settings(), SPEECH_STAGES)
    assert [place for place, outcome in plan.done.items() if outcome.state == "failed"] == [("one", "score")]
    assert plan.done[Place("one", "score")].reason == f"{corpus / 'one.txt'}:1: not UTF-8 text; save it as UTF-8"


def test_speeches_are_named(corpus: Path) -> None:
    assert [entry.speech for entry in open_corpus(corpus).entries] == [Speech(id="one"), Speech(id="two")]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:124] . DefaultCPUAllocator: can't allocate memory: you tried"),
        RuntimeError("can't start new thread"),
        RuntimeError("std::bad_alloc"),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
    ],
)
def test_memory_that_ends_is_told_as_such(error: Exception) -> None:
    """Also if a library says so in an error of its own, or another error follows from it."""
    assert reason_of(error).startswith("there is not enough memory")
    other = ValueError("no model")
    other.__cause__ = error
    assert reason_of(other).startswith("there is not enough memory")
    assert "mistake" in reason_of(ValueError("no model"))
