from dataclasses import replace

import pytest

from pipeline.records import ErrorCounts, Label, Motion, Speech
from pipeline.report.figures import FEWEST, MOST_ROWS, figures, files, inline
from pipeline.report.speech_facts import SpeechFacts
from pipeline.run.summary import CorpusFacts


def facts(number: int, **more) -> SpeechFacts:
    speech = Speech(id=f"s{number}", motion="m", stance="pro" if number % 2 else "con", speakers=(f"Speaker {number}",))
    counts = ErrorCounts(hits=20 + number, substitutions=5)
    return replace(SpeechFacts(speech, None, errors=counts, stretches=(counts, counts)), **more)


KNOWN = CorpusFacts(motions=(Motion(id="m", text="We should."),))


def by_name(found: list[SpeechFacts], known: CorpusFacts = KNOWN):
    return {figure.name: figure for figure in figures(found, known)}


def test_error_rates_of_speakers_and_motions() -> None:
    found = by_name([facts(1), facts(2)])
    assert list(found) == ["wer-by-speaker", "wer-by-motion"]
    assert "Speaker 2: 18.5 %" in found["wer-by-speaker"].alt


def test_too_many_speakers_are_left_out_and_it_is_said() -> None:
    figure = by_name([facts(number) for number in range(50)])["wer-by-speaker"]
    assert figure.rows == MOST_ROWS
    assert "of 50" in figure.caption


@pytest.mark.parametrize(("count", "name"), [(3, "pitch-by-speaker"), (60, "pitch-by-side")])
def test_pitch_by_speaker_or_where_there_are_many_by_side(count: int, name: str) -> None:
    found = by_name([facts(number, pitches=(100.0 + number, 120.0)) for number in range(count)])
    assert name in found
    assert "rate-by-speaker" not in found


def test_nothing_to_draw() -> None:
    assert by_name([]) == {}
    assert by_name([facts(1, errors=None, stretches=())]) == {}


def labelled(count: int) -> tuple[list[SpeechFacts], CorpusFacts]:
    """Every other argument is mentioned, and has the higher probability."""
    probabilities = {f"a{number}": 0.8 if number % 2 else 0.2 for number in range(count)}
    labels = tuple(Label(speech="s1", argument=f"a{n}", mentioned=bool(n % 2)) for n in range(count))
    return [facts(1, probabilities=probabilities, threshold=0.5)], KNOWN.model_copy(update={"labels": labels})


def test_thresholds_and_calibration_need_labels() -> None:
    found = by_name(*labelled(FEWEST))
    assert "Highest accuracy: 1.00" in found["mentions-threshold"].caption
    assert "error 0.20" in found["mentions-calibration"].caption
    assert "mentions-threshold" not in by_name(*labelled(FEWEST - 1))


def test_files_and_page_show_the_same_in_their_own_colours() -> None:
    figure = by_name([facts(1), facts(2)])["wer-by-speaker"]
    svg, png = files(figure)
    assert png.startswith(b"\x89PNG")
    assert files(figure)[0] == svg
    part = inline(figure, svg.decode())
    assert "currentColor" in part
    assert "#1c1d21" not in part
    assert 'aria-label="Word error rate by speaker' in part
    assert "<style" not in part
    assert "<metadata" not in part
