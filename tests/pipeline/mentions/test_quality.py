from pipeline.mentions.detector import SHIPPED, Detector, quality_of
from pipeline.mentions.stage import MentionsSettings


def test_the_detector_of_a_run_without_settings_has_been_measured() -> None:
    """A new default detector comes with its figures from `rostrum evaluate listening`."""
    detector = Detector.read(SHIPPED / f"{MentionsSettings().encoder}.json")
    quality = quality_of(detector.digest)
    assert quality
    assert quality.accuracy_low < quality.accuracy < quality.accuracy_high


def test_of_an_unknown_detector_nothing_is_said() -> None:
    assert quality_of("0" * 64) is None
