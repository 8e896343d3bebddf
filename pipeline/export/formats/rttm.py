"""RTTM (NIST): one speaker turn per line."""

from pipeline.export.formats import RunFormat
from pipeline.formats.nist import rttm

FORMAT = RunFormat("turns.rttm", lambda speeches: rttm({speech.id: speech.turns for speech in speeches}))
