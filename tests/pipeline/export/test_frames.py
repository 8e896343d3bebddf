import re
from pathlib import Path

import pytest

import rostrum
from pipeline.export.frames import tables
from tests.synthetic_run import debate, panel, write_run

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "exports.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> rostrum.Frames:
    folder = tmp_path_factory.mktemp("run")
    write_run(folder, debate(seconds=9.0))
    return rostrum.load(folder)


def test_words_belong_to_sentences(run: rostrum.Frames) -> None:
    joined = run.words.merge(run.sentences, on=["speech", "sentence"], suffixes=("", "_sentence"))
    assert len(joined) == len(run.words)
    assert (joined.start >= joined.start_sentence).all()
    assert (joined.end <= joined.end_sentence).all()


def test_word_errors_add_up_to_the_speeches_counts(run: rostrum.Frames) -> None:
    errors = run["word_errors"]
    missed = errors[errors.type == "delete"]
    assert (missed.reference_last - missed.reference_first).sum() == run.speeches.deletions.sum()


def test_pairs_are_of_known_speeches(run: rostrum.Frames) -> None:
    assert set(run.counter.supporting) <= set(run.speeches.speech)
    assert len(run.counter_reasons) == 2 * len(run.counter)


def test_a_speech_that_failed_has_a_row_without_figures(run: rostrum.Frames) -> None:
    row = run.speeches.set_index("speech").loc["broken"]
    assert row.isna()["duration"]
    assert row.motion == "buses"


def test_every_column_has_its_type_in_empty_tables_too(run: rostrum.Frames) -> None:
    for name, table in tables().items():
        assert {column.name: column.kind for column in table.columns} == run[name].dtypes.astype(str).to_dict()


def test_every_table_of_speeches_says_who_speaks(run: rostrum.Frames) -> None:
    for name, table in tables().items():
        columns = {column.name for column in table.columns}
        for column in columns & {"speech", "supporting", "opposing", "replying", "to"} - (
            {"to"} if name == "replies" else set()
        ):
            expected = {"speaker", "speakers"} if column == "speech" else {f"{column}_speaker"}
            assert expected & columns, f"{name}.{column}"
    assert set(run.counter.supporting_speaker) == {"Anna", "Ben", "Eve", "Finn"}
    assert set(run.labels.speaker) == {"Anna"}
    assert run.key_points.set_index(["motion", "stance"]).made_by["phones", "pro"] == "Anna; Ben"
    errors = run.word_errors[run.word_errors.speech == "exchange"]
    assert set(errors.speaker.dropna()) <= {"Ida", "Jon", "Ida; Jon"}
    assert {"Ida", "Jon"} <= set(errors.speaker.dropna())


def test_a_voice_whose_name_is_known_is_called_by_it_in_every_table(tmp_path: Path) -> None:
    names = {"S1": "Ida", "S2": "Jon", "S3": "Mod"}
    made = panel()
    (speech,) = made.speeches
    made.speeches[:] = [speech.model_copy(update={"speakers": tuple(names)})]
    people = made.people["panel"]
    voices = zip(people.people, names, strict=True)
    made.people["panel"] = people.model_copy(
        update={"people": tuple(person.model_copy(update={"voice": voice}) for person, voice in voices)}
    )
    write_run(tmp_path / "run", made)
    run = rostrum.load(tmp_path / "run")
    assert set(run.prosody.speaker) == set(names.values())
    assert set(run.ranking.speaker) == {"Ida", "Jon"}


def test_there_is_no_other_table(run: rostrum.Frames) -> None:
    with pytest.raises(AttributeError, match="there is no table 'word'; there are speeches, "):
        _ = run.word


def test_every_column_is_documented() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    for name, table in tables().items():
        section = re.search(rf"^### `{name}`.*?(?=^### |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section, f"{name} is not in {DOCUMENTATION.name}"
        documented = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section[0], re.MULTILINE)
        assert documented == [(column.name, column.meaning) for column in table.columns]
