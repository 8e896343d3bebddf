"""The recording as it was decoded."""

from pipeline.ingest.stage import Recording
from pipeline.report.formatting import clock, duration, percent
from pipeline.report.markdown import table


def headline(record: Recording) -> str:
    """How long the recording is."""
    return f"{duration(record.duration)} of audio"


def page(record: Recording) -> str:
    """Duration and level of a recording."""
    rows = [
        ("duration", clock(record.duration)),
        ("loudness (LUFS)", record.loudness_lufs),
        ("speech over noise (dB, estimated)", record.snr_db),
        ("clipped samples", percent(record.clipped_share)),
        ("source", f"{record.source_rate} Hz, {record.source_channels} channels"),
        ("sha256", record.source_sha256),
    ]
    return table(("recording", "value"), rows)
