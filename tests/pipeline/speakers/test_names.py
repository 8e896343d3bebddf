"""Names in labels and in sentences."""

from pipeline.speakers.calls import names_of_voices
from pipeline.speakers.names import Names, names_in, one_name_each
from tests.pipeline.speakers.debates import told


def test_a_first_name_of_two_people_names_neither() -> None:
    names = Names(["John Taylor", "John Roe", "Ann Lee"])
    assert [one.name for one in names.mentions("John, what does Ann say?")] == ["Ann Lee"]
    assert [one.name for one in names.mentions("John Roe, please.")] == ["John Roe"]


def test_the_speaker_does_not_name_himself() -> None:
    names = Names(["John Taylor", "John Roe"])
    assert [one.name for one in names.mentions("Thank you, John.", speaker="John Roe")] == ["John Taylor"]


def test_misspelled_surnames_are_the_same() -> None:
    assert [one.name for one in Names(["Nita Farahany"]).mentions("Nita Faranany, please.")] == ["Nita Farahany"]


def test_institutions_are_no_people() -> None:
    assert names_in(["Ann Lee of Duke University and the Supreme Court in New York."]) == ["Ann Lee"]


def test_slips_of_a_label_are_one_person() -> None:
    assert one_name_each(["RALPH REED", "RALPH REEDR", "FEMALE SPEAKER"]) == {
        "RALPH REED": "RALPH REED",
        "RALPH REEDR": "RALPH REED",
    }


def test_a_label_without_spaces_is_a_name_with_them() -> None:
    said = told("Joe_Biden: Thank you, George. | I will.\nGeorge_Stephanopoulos: Mr. Vice President, will you?")
    assert names_of_voices(said, {})[0] == {
        "Joe_Biden": "Joe Biden",
        "George_Stephanopoulos": "George Stephanopoulos",
    }


def test_who_gives_a_name_has_it() -> None:
    said = told("""
A: Welcome. | My name is Rosa Diaz, and I will be your moderator. | Please welcome our guest, Ben Hill.
B: Thank you, Rosa.
A: Thank you, Ben Hill. | A question?
C: Hello, I am Carl Voss. | What about frogs?
""")
    known, _ = names_of_voices(said, {})
    assert known == {"A": "Rosa Diaz", "B": "Ben Hill", "C": "Carl Voss"}


def test_the_guest_of_a_town_hall_is_who_says_most() -> None:
    said = told("""
    S2: Welcome back to our town hall with former Vice President Rosa Diaz. | The next question comes from Carl Voss.
    S1: Good evening. | What about frogs?
    S3: Frogs are fine. | My neighbour Ben Hill likes them. | There are more of them in every pond now than ever before.
    S2: Thank you.
    S3: And they are all green, and they sing at night, and nobody has ever been bitten.
    """)
    assert names_of_voices(said, {})[0] == {"S1": "Carl Voss", "S3": "Rosa Diaz"}
    two = told("""
    S2: Welcome to our town hall with Rosa Diaz. | And later, a conversation with Ben Hill.
    S1: When?
    S3: Frogs are fine. | There are more of them than ever before, and I like every one of them.
    """)
    assert "S3" not in names_of_voices(two, {})[0], "Rosa Diaz, or Ben Hill?"


def test_the_last_name_that_is_given_is_of_the_last_voice() -> None:
    said = told("""
    S1: Victor, be honest. | How often did you look at it?
    S2: Twice, and both times it was my daughter.
    """)
    both = {"S1": "Clara", "S2": "Victor"}
    assert names_of_voices(said, {}, ("Clara", "Victor"))[0] == both
    assert names_of_voices(said, {}, ("Clara", "Victor", "Clara"))[0] == both
    assert names_of_voices(said, {}, ("Clara", "Victor", "Anna"))[0] == {"S2": "Victor"}, "Clara, or Anna?"
    assert names_of_voices(said, {}, ("Victor",))[0] == {"S2": "Victor"}
