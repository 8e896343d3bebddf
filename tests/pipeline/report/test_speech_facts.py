from pipeline.records import ErrorCounts
from pipeline.report.speech_facts import STRETCH, stretches
from pipeline.score.stage import word_errors


def test_stretches_add_up_to_the_whole() -> None:
    said = " ".join(f"w{place}" for place in range(2 * STRETCH + 3))
    heard = " ".join(f"w{place}" for place in range(2 * STRETCH + 3) if place != 4) + " made up"
    errors = word_errors(said, heard, "plain")
    found = stretches(errors)
    assert [each.length for each in found] == [STRETCH, STRETCH, 3]
    assert [each.errors for each in found] == [1, 0, 2]
    assert sum(found, ErrorCounts()) == errors.words


def test_without_a_reference() -> None:
    assert stretches(word_errors("", "made up", "plain")) == (ErrorCounts(insertions=2),)
