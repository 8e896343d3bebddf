import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RostrumError
from pipeline.run.configuration import OTHER_VARIABLES, Settings, known_settings, load
from pipeline.settings import StageSettings
from pipeline.stage import STAGES
from pipeline.transcribe.stage import LANGUAGES


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `rostrum.toml` of a developer's is in reach."""
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "settings.toml") -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults() -> None:
    effective = load(environment={})
    assert effective.settings == Settings()
    assert {origin for _, _, origin, _ in effective.rows()} == {"default"}


def test_the_command_line_overrules_the_environment_and_that_the_file() -> None:
    file = write('[transcribe]\nmodel = "file"\nbeam_size = 2\nlanguage = "fr"\n')
    environment = {"ROSTRUM_TRANSCRIBE_MODEL": "environment", "ROSTRUM_TRANSCRIBE_BEAM_SIZE": "3"}
    effective = load(file, environment, ["transcribe.model=command"])
    chosen = effective.settings.transcribe
    assert (chosen.model, chosen.beam_size, chosen.language) == ("command", 3, "fr")
    assert effective.origins == {
        "transcribe.model": "--set transcribe.model=command",
        "transcribe.beam_size": "$ROSTRUM_TRANSCRIBE_BEAM_SIZE",
        "transcribe.language": str(file),
    }


def test_the_last_assignment_counts() -> None:
    assert load(environment={}, assignments=["transcribe.beam_size=1", "transcribe.beam_size=2"]).settings == Settings(
        transcribe={"beam_size": 2}  # type: ignore[arg-type]
    )


def test_the_file_here_is_read_and_the_one_in_the_environment_before_it() -> None:
    write("[transcribe]\nbeam_size = 2\n", "rostrum.toml")
    assert load(environment={}).settings.transcribe.beam_size == 2
    other = write("[transcribe]\nbeam_size = 3\n", "other.toml")
    assert load(environment={"ROSTRUM_SETTINGS": str(other)}).settings.transcribe.beam_size == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.25", 0.25), ("1", 1.0), ("1e-1", 0.1)],
)
def test_numbers(text: str, value: float) -> None:
    assert load(environment={}, assignments=[f"diarize.padding={text}"]).settings.diarize.padding == value


def test_lists_booleans_and_nothing() -> None:
    given = [
        "transcribe.temperatures=[0.0, 0.5]",
        "transcribe.condition_on_previous_text=false",
        "transcribe.language=",
    ]
    chosen = load(environment={}, assignments=given).settings.transcribe
    assert (chosen.temperatures, chosen.condition_on_previous_text, chosen.language) == ((0.0, 0.5), False, "auto")


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("transcribe.modle=base", "there is no setting transcribe.modle; did you mean transcribe.model?"),
        ("scores.normaliser=plain", "did you mean score.normaliser?"),
        ("score.x=1", "there is no setting score.x; there are score.normaliser"),
        ("xyz.q=1", "`rostrum settings` lists them all"),
        ("transcribe.model", "write it as stage.setting=value"),
        ("transcribe=base", "write it as stage.setting=value"),
        ("transcribe.beam_size=0", "transcribe.beam_size cannot be 0: it must be 1 or more"),
        ("transcribe.beam_size=101", "transcribe.beam_size cannot be 101: it must be 100 or less"),
        ("transcribe.beam_size=many", 'transcribe.beam_size cannot be "many": it must be a whole number'),
        ("transcribe.beam_size=1.5", "transcribe.beam_size cannot be 1.5: it must be a whole number"),
        ("score.normaliser=none", "score.normaliser cannot be \"none\": it must be 'plain', 'whisper' or 'verbatim'"),
        ("ingest.max_hours=Infinity", "ingest.max_hours cannot be Infinity: it must be"),
        ("ingest.max_hours=NaN", "ingest.max_hours cannot be NaN: it must be"),
        ("ingest.max_hours=1e308", "ingest.max_hours cannot be 1e+308: it must be 1000 or less"),
        ("ingest.max_hours=0", "ingest.max_hours cannot be 0: it must be more than 0"),
        ("ingest.max_hours=", "ingest.max_hours cannot be null: it must be a number"),
        ("diarize.speech_threshold=1", "diarize.speech_threshold cannot be 1: it must be less than 1"),
        ("diarize.use_given=perhaps", 'diarize.use_given cannot be "perhaps": it must be true or false'),
        ("transcribe.temperatures=0", "cannot be 0: it must be a list, such as [0.0, 0.2]"),
        ("transcribe.temperatures=[]", "cannot be []: it must have 1 part or more"),
        ("transcribe.temperatures=[0, 3]", "cannot be [0, 3]: it must be 2 or less"),
        ("transcribe.temperatures=[NaN]", "cannot be [NaN]: it must be"),
        ("transcribe.language=klingon", 'cannot be "klingon": it must be the code of a language that Whisper knows'),
        ("transcribe.model=1", "transcribe.model cannot be 1: it must be text"),
        ("transcribe.engine=whisper", 'transcribe.engine cannot be "whisper": there is no recogniser'),
    ],
)
def test_what_is_wrong_is_one_line(assignment: str, message: str) -> None:
    with pytest.raises(RostrumError) as caught:
        load(environment={}, assignments=[assignment])
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"--set {assignment}")
    assert "\n" not in str(caught.value)
    assert not re.search("Input|NoneType|tuple|Value error", str(caught.value)), "plain words"


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["diarize.speakers=2", "diarize.max_speakers=3"], "diarize.speakers is exact: set it, or"),
        (["diarize.min_speakers=4", "diarize.max_speakers=3"], "diarize.min_speakers is above diarize.max_speakers"),
        (["counter.answered=0.5"], "counter.answered: only a trained ranker tells who answers nobody"),
        (
            ["transcribe.model=tiny.en", "transcribe.language=de"],
            "transcribe.model tiny.en knows English only; for transcribe.language=de take tiny",
        ),
        (["prosody.pitch_ceiling=60"], "prosody.pitch_ceiling must be at least 1.5 times prosody.pitch_floor"),
    ],
)
def test_settings_that_do_not_go_together(assignments: list[str], message: str) -> None:
    with pytest.raises(RostrumError) as caught:
        load(environment={}, assignments=assignments)
    assert str(caught.value).startswith(message)


def test_the_languages_are_those_that_whisper_knows() -> None:
    from whisper.tokenizer import LANGUAGES as KNOWN

    assert set(KNOWN) == LANGUAGES


def test_an_unknown_variable_names_itself() -> None:
    with pytest.raises(RostrumError, match=r"\$ROSTRUM_TRANSCRIBE_MODEL_NAME: .*did you mean transcribe\.model\?"):
        load(environment={"ROSTRUM_TRANSCRIBE_MODEL_NAME": "base"})
    assert load(environment=dict.fromkeys(OTHER_VARIABLES - {"ROSTRUM_SETTINGS"}, "x")).settings == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[transcribe]\nmodle = 1\n", r"settings\.toml: there is no setting transcribe\.modle"),
        ("model = 1\n", r"settings\.toml: 'model' is outside of a table"),
        ("[transcribe\n", r"settings\.toml: not valid TOML"),
        ("[transcribe]\nbeam_size = -1\n", r"settings\.toml: transcribe\.beam_size cannot be -1"),
    ],
)
def test_a_wrong_file_is_one_line(text: str, message: str) -> None:
    with pytest.raises(RostrumError, match=message) as caught:
        load(write(text), {})
    assert "\n" not in str(caught.value)


def test_a_file_with_a_byte_order_mark() -> None:
    assert load(write("\ufeff[transcribe]\nbeam_size = 2\n"), {}).settings.transcribe.beam_size == 2


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[transcribe]\nmodel = '\xe9'\n"])
def test_a_file_that_is_no_text(content: bytes) -> None:
    Path("settings.toml").write_bytes(content)
    with pytest.raises(RostrumError, match="not valid TOML"):
        load(Path("settings.toml"), {})


def test_a_missing_file() -> None:
    with pytest.raises(RostrumError, match="missing.toml: cannot read the settings file: No such file"):
        load(Path("missing.toml"), {})


def test_every_setting_is_explained_and_belongs_to_a_stage_or_to_what_stages_ask() -> None:
    for _, _, _, meaning in load(environment={}).rows():
        assert meaning.endswith((".", ")"))
    assert set(Settings.model_fields) <= {*STAGES, "llm"}


@given(st.sampled_from(known_settings()), st.text(max_size=12))
def test_any_value_is_taken_or_refused_in_one_line(name: str, value: str) -> None:
    try:
        settings = load(environment={}, assignments=[f"{name}={value}"]).settings
    except RostrumError:
        return
    stage: StageSettings = settings.of(name.partition(".")[0])
    assert type(stage).model_validate_json(stage.model_dump_json()) == stage


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 50_000, "NaN", "1e999", "\x1b[2J"])
def test_a_value_that_is_none_is_an_error_of_one_line(tmp_path: Path, value: str) -> None:
    file = tmp_path / "rostrum.toml"
    file.write_text(f"[transcribe]\nbeam_size = {value}\n")
    for sources in (lambda: load(None, {}, [f"transcribe.beam_size={value}"]), lambda: load(file, {})):
        with pytest.raises(RostrumError) as found:
            sources()
        assert "\x1b" not in str(found.value)
        assert "sys." not in str(found.value)
