"""RTTM (NIST): one speaker turn per line."""

from pipeline.formats.rttm import rttm
from pipeline.output.exports import RunFormat

FORMAT = RunFormat("turns.rttm", lambda speeches: rttm({speech.id: speech.turns for speech in speeches}))
